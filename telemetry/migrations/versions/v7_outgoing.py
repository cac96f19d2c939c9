"""Which spans are still to be sent to a collector."""

import sqlalchemy as sa
from alembic import op

revision = "v7"
down_revision = "v6"


def upgrade() -> None:
    """Make the table; what fills it is set up where a collector is."""
    op.create_table(
        "outgoing",
        sa.Column("number", sa.BigInteger().with_variant(sa.Integer, "sqlite"), primary_key=True, autoincrement=True),
        sa.Column("trace_id", sa.String, nullable=False),
        sa.Column("span_id", sa.String, nullable=False),
    )
    op.create_index("outgoing_span", "outgoing", ["trace_id", "span_id"])


def downgrade() -> None:
    """Drop it."""
    op.drop_table("outgoing")
