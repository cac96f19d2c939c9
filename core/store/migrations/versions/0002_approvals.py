"""Approvals, parked turns, and each user's policy."""

import sqlalchemy as sa
from alembic import op

revision = "0002"
down_revision = "0001"


def upgrade() -> None:
    """Make the three tables."""
    op.create_table(
        "approval",
        sa.Column("id", sa.String, primary_key=True),
        *(
            sa.Column(name, sa.String, nullable=False)
            for name in ("turn_id", "conversation_id", "user_id", "account", "call_id", "agent", "tool", "state")
        ),
        sa.Column("summary", sa.Text, nullable=False),
        sa.Column("proposed", sa.JSON, nullable=False),
        sa.Column("arguments", sa.JSON, nullable=False),
        sa.Column("arguments_hash", sa.String, nullable=False),
        sa.Column("reason", sa.Text),
        sa.Column("result", sa.Text),
        sa.Column("asked_at", sa.DateTime, nullable=False),
        sa.Column("expires_at", sa.DateTime, nullable=False),
        sa.Column("decided_at", sa.DateTime),
        sa.Column("decided_by", sa.String),
        sa.Column("ended_at", sa.DateTime),
    )
    op.create_index("approval_call", "approval", ["turn_id", "call_id"], unique=True)
    op.create_index("approval_user_asked", "approval", ["user_id", "asked_at"])
    op.create_table(
        "parked",
        sa.Column("turn_id", sa.String, primary_key=True),
        sa.Column("user_id", sa.String, nullable=False),
        sa.Column("state", sa.JSON, nullable=False),
        sa.Column("told", sa.JSON, nullable=False),
        sa.Column("root_span_id", sa.String, nullable=False),
        sa.Column("wait_span_id", sa.String, nullable=False),
        sa.Column("start_ns", sa.BigInteger, nullable=False),
        sa.Column("parked_ns", sa.BigInteger, nullable=False),
    )
    op.create_table(
        "policy",
        sa.Column("user_id", sa.String, primary_key=True),
        sa.Column("tool", sa.String, primary_key=True),
        sa.Column("approval", sa.String, nullable=False),
    )


def downgrade() -> None:
    """Drop them."""
    for table in ("policy", "parked", "approval"):
        op.drop_table(table)
