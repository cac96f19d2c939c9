"""A connection belongs to the Workspace that it was made in: Google's or the sandbox's."""

import sqlalchemy as sa
from alembic import op

revision = "0011"
down_revision = "0010"


def upgrade() -> None:
    """Add the column."""
    op.add_column("google_connection", sa.Column("workspace", sa.String, nullable=False, server_default="sandbox"))


def downgrade() -> None:
    """Drop it."""
    op.drop_column("google_connection", "workspace")
