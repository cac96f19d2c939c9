"""What people thought of an answer."""

import sqlalchemy as sa
from alembic import op

revision = "0004"
down_revision = "0003"


def upgrade() -> None:
    """Make the table."""
    op.create_table(
        "feedback",
        sa.Column("turn_id", sa.String, primary_key=True),
        sa.Column("user_id", sa.String, nullable=False),
        sa.Column("conversation_id", sa.String, nullable=False),
        sa.Column("thumb", sa.String, nullable=False),
        sa.Column("note", sa.Text, nullable=False),
        sa.Column("given_at", sa.DateTime, nullable=False),
    )
    op.create_index("feedback_conversation", "feedback", ["conversation_id"])


def downgrade() -> None:
    """Drop it."""
    op.drop_table("feedback")
