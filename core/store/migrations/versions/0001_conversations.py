"""Conversations and their exchanges."""

import sqlalchemy as sa
from alembic import op

revision = "0001"
down_revision = None


def upgrade() -> None:
    """Make both tables."""
    op.create_table(
        "conversation",
        sa.Column("id", sa.String, primary_key=True),
        sa.Column("user_id", sa.String, nullable=False),
        sa.Column("title", sa.String, nullable=False),
        sa.Column("created_at", sa.DateTime, nullable=False),
        sa.Column("updated_at", sa.DateTime, nullable=False),
    )
    op.create_index("conversation_user_updated", "conversation", ["user_id", "updated_at"])
    op.create_table(
        "exchange",
        sa.Column("turn_id", sa.String, primary_key=True),
        sa.Column("conversation_id", sa.String, nullable=False),
        sa.Column("user_id", sa.String, nullable=False),
        sa.Column("question", sa.Text, nullable=False),
        sa.Column("answer", sa.Text, nullable=False),
        sa.Column("status", sa.String, nullable=False),
        sa.Column("error", sa.Text),
        sa.Column("domain", sa.String),
        sa.Column("steps", sa.JSON, nullable=False),
        sa.Column("items", sa.JSON, nullable=False),
        sa.Column("started_at", sa.DateTime, nullable=False),
        sa.Column("finished_at", sa.DateTime),
    )
    op.create_index("exchange_conversation", "exchange", ["conversation_id", "started_at"])


def downgrade() -> None:
    """Drop both tables."""
    op.drop_table("exchange")
    op.drop_table("conversation")
