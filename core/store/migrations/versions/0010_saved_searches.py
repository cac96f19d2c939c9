"""Query lines that a user has kept."""

import sqlalchemy as sa
from alembic import op

revision = "0010"
down_revision = "0009"


def upgrade() -> None:
    """Make the table."""
    op.create_table(
        "saved_search",
        sa.Column("user_id", sa.String, primary_key=True),
        sa.Column("name", sa.String, primary_key=True),
        sa.Column("line", sa.String, nullable=False),
        sa.Column("saved_at", sa.DateTime, nullable=False),
    )


def downgrade() -> None:
    """Drop it."""
    op.drop_table("saved_search")
