"""Agents and tools that a user has switched off."""

import sqlalchemy as sa
from alembic import op

revision = "0009"
down_revision = "0008"


def upgrade() -> None:
    """Make the table."""
    op.create_table(
        "switched_off",
        sa.Column("user_id", sa.String, primary_key=True),
        sa.Column("kind", sa.String, primary_key=True),
        sa.Column("name", sa.String, primary_key=True),
        sa.Column("since", sa.DateTime, nullable=False),
    )


def downgrade() -> None:
    """Drop it."""
    op.drop_table("switched_off")
