"""The plan by which a question was answered."""

import sqlalchemy as sa
from alembic import op

revision = "0012"
down_revision = "0011"


def upgrade() -> None:
    """Add the column."""
    op.add_column("exchange", sa.Column("plan", sa.JSON, nullable=False, server_default="[]"))


def downgrade() -> None:
    """Drop it."""
    op.drop_column("exchange", "plan")
