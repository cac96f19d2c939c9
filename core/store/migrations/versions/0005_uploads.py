"""The files that came with a question."""

import sqlalchemy as sa
from alembic import op

revision = "0005"
down_revision = "0004"


def upgrade() -> None:
    """Add the column."""
    op.add_column("exchange", sa.Column("files", sa.JSON, nullable=False, server_default="[]"))


def downgrade() -> None:
    """Drop it."""
    op.drop_column("exchange", "files")
