"""How long single turns are kept; the long texts of a trace are found by it."""

import sqlalchemy as sa
from alembic import op

revision = "v10"
down_revision = "v9"


def upgrade() -> None:
    """Make the table and the index."""
    op.create_table(
        "keeping",
        sa.Column("number", sa.Integer, primary_key=True, autoincrement=False),
        sa.Column("days", sa.Integer),
        sa.Column("megabytes", sa.Integer),
        sa.Column("before_ns", sa.BigInteger, nullable=False),
    )
    op.create_index("payload_trace", "payload", ["trace_id"])


def downgrade() -> None:
    """Drop them."""
    op.drop_index("payload_trace", "payload")
    op.drop_table("keeping")
