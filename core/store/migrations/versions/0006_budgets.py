"""What a person wants to spend at most."""

import sqlalchemy as sa
from alembic import op

revision = "0006"
down_revision = "0005"


def upgrade() -> None:
    """Make the table."""
    op.create_table(
        "budget",
        sa.Column("user_id", sa.String, primary_key=True),
        sa.Column("period", sa.String, primary_key=True),
        sa.Column("limit_pico_usd", sa.BigInteger, nullable=False),
        sa.Column("action", sa.String, nullable=False),
        sa.Column("set_at", sa.DateTime, nullable=False),
    )


def downgrade() -> None:
    """Drop it."""
    op.drop_table("budget")
