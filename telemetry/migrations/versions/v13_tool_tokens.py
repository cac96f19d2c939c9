"""How many tokens a tool call's result was for the model, as far as that was counted."""

import sqlalchemy as sa
from alembic import op

revision = "v13"
down_revision = "v12"
SUMS = ("tokens_known", "result_tokens")


def upgrade() -> None:
    """Add the columns; of calls from before it stays unknown."""
    op.add_column("tool_call", sa.Column("result_tokens", sa.BigInteger))
    for name in SUMS:
        op.add_column("tool_hour", sa.Column(name, sa.BigInteger, nullable=False, server_default="0"))


def downgrade() -> None:
    """Drop them."""
    for name in SUMS:
        op.drop_column("tool_hour", name)
    op.drop_column("tool_call", "result_tokens")
