"""Prices of models that administrators set on the page."""

import sqlalchemy as sa
from alembic import op

revision = "v15"
down_revision = "v14"


def upgrade() -> None:
    """Make the table."""
    op.create_table(
        "own_price",
        sa.Column("model", sa.String, primary_key=True),
        sa.Column("provider", sa.String, primary_key=True),
        sa.Column("since_ns", sa.BigInteger, primary_key=True, autoincrement=False),
        sa.Column("input", sa.String, nullable=False),
        sa.Column("cached_input", sa.String),
        sa.Column("output", sa.String, nullable=False),
        sa.Column("set_ns", sa.BigInteger, nullable=False),
    )


def downgrade() -> None:
    """Drop it."""
    op.drop_table("own_price")
