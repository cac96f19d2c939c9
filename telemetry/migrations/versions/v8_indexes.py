"""Indexes that lead from a user to a conversation, from a turn to its calls, to what runs, and over what turns cost."""

import sqlalchemy as sa
from alembic import op

revision = "v8"
down_revision = "v7"

OLD = (
    ("turn_user_start", "turn", ["user_id", "start_ns"]),
    ("turn_conversation", "turn", ["conversation_id"]),
    ("llm_call_turn", "llm_call", ["turn_id"]),
    ("tool_call_turn", "tool_call", ["turn_id"]),
)
SPENT = ["conversation_id", "requests", "cost_pico_usd", "route", "model", "status"]
NEW = (
    ("turn_user_start", "turn", ["user_id", "start_ns", *SPENT]),
    ("turn_conversation", "turn", ["user_id", "conversation_id", "start_ns"]),
    ("llm_call_turn", "llm_call", ["turn_id", "user_id"]),
    ("tool_call_turn", "tool_call", ["turn_id", "user_id"]),
)


def upgrade() -> None:
    """Make them in place of the narrower ones."""
    replace(OLD, NEW)
    runs = sa.text("status = 'running'")
    op.create_index("turn_running", "turn", ["start_ns"], sqlite_where=runs, postgresql_where=runs)


def downgrade() -> None:
    """Put the narrower ones back."""
    op.drop_index("turn_running", "turn")
    replace(NEW, OLD)


def replace(these: tuple[tuple[str, str, list[str]], ...], those: tuple[tuple[str, str, list[str]], ...]) -> None:
    """Indexes of the same names, anew."""
    for name, table, _ in these:
        op.drop_index(name, table)
    for name, table, columns in those:
        op.create_index(name, table, columns)
