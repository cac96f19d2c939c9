"""How large a tool call's result was, and what kind of error it ended with."""

import sqlalchemy as sa
from alembic import op

revision = "v3"
down_revision = "v2"


def upgrade() -> None:
    """Add the columns, and an index by tool."""
    op.add_column("tool_call", sa.Column("result_bytes", sa.BigInteger))
    op.add_column("tool_call", sa.Column("error_kind", sa.String))
    op.create_index("tool_call_user_tool", "tool_call", ["user_id", "tool", "start_ns"])


def downgrade() -> None:
    """Drop them."""
    op.drop_index("tool_call_user_tool", "tool_call")
    op.drop_column("tool_call", "error_kind")
    op.drop_column("tool_call", "result_bytes")
