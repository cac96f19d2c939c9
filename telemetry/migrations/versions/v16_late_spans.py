"""Traces whose spans came faster than they are rolled up, so that the next start rolls them up at the latest."""

import sqlalchemy as sa
from alembic import op

revision = "v16"
down_revision = "v15"


def upgrade() -> None:
    """Make the table."""
    op.create_table(
        "unrolled",
        sa.Column("trace_id", sa.String, primary_key=True),
        sa.Column("user_id", sa.String, nullable=False),
    )


def downgrade() -> None:
    """Drop it."""
    op.drop_table("unrolled")
