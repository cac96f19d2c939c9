"""Spans, payloads and the roll-ups of turns, model calls and tool calls."""

import sqlalchemy as sa
from alembic import op

revision = "v1"
down_revision = None


def upgrade() -> None:
    """Create the tables."""
    op.create_table(
        "span",
        sa.Column("span_id", sa.String, primary_key=True),
        sa.Column("trace_id", sa.String, primary_key=True),
        sa.Column("parent_id", sa.String),
        sa.Column("name", sa.String, nullable=False),
        sa.Column("type", sa.String, nullable=False),
        sa.Column("kind", sa.String, nullable=False),
        sa.Column("start_ns", sa.BigInteger, nullable=False),
        sa.Column("end_ns", sa.BigInteger),
        sa.Column("status", sa.String, nullable=False),
        sa.Column("user_id", sa.String),
        sa.Column("conversation_id", sa.String),
        sa.Column("attributes", sa.JSON, nullable=False),
        sa.Column("events", sa.JSON, nullable=False),
        sa.Index("span_trace", "trace_id"),
        sa.Index("span_open", "end_ns", "start_ns"),
    )
    op.create_table(
        "payload",
        sa.Column("span_id", sa.String, primary_key=True),
        sa.Column("trace_id", sa.String, primary_key=True),
        sa.Column("key", sa.String, primary_key=True),
        sa.Column("text", sa.String, nullable=False),
        sa.Column("size", sa.Integer, nullable=False),
    )
    create_turn()
    create_calls()


def create_turn() -> None:
    """Create the roll-up of turns."""
    op.create_table(
        "turn",
        sa.Column("turn_id", sa.String, primary_key=True),
        sa.Column("user_id", sa.String, nullable=False),
        sa.Column("conversation_id", sa.String, nullable=False),
        sa.Column("question", sa.String),
        sa.Column("status", sa.String, nullable=False),
        sa.Column("route", sa.String),
        sa.Column("agents", sa.JSON, nullable=False),
        sa.Column("model", sa.String),
        sa.Column("error", sa.String),
        sa.Column("start_ns", sa.BigInteger, nullable=False),
        sa.Column("wall_ns", sa.BigInteger),
        sa.Column("first_token_ns", sa.BigInteger),
        sa.Column("phases", sa.JSON, nullable=False),
        sa.Column("requests", sa.Integer, nullable=False),
        sa.Column("tools", sa.Integer, nullable=False),
        sa.Column("input_tokens", sa.Integer),
        sa.Column("cached_input_tokens", sa.Integer),
        sa.Column("output_tokens", sa.Integer),
        sa.Column("reasoning_tokens", sa.Integer),
        sa.Column("estimated", sa.Boolean, nullable=False),
        sa.Column("cost_pico_usd", sa.BigInteger),
        sa.Column("unpriced", sa.Integer, nullable=False),
        sa.Column("google_requests", sa.Integer, nullable=False),
        sa.Index("turn_user_start", "user_id", "start_ns"),
        sa.Index("turn_conversation", "conversation_id"),
    )


def create_calls() -> None:
    """Create the roll-ups of model calls and tool calls."""
    op.create_table(
        "llm_call",
        *call_columns(),
        sa.Column("provider", sa.String),
        sa.Column("model", sa.String),
        sa.Column("first_chunk_ns", sa.BigInteger),
        sa.Column("input_tokens", sa.Integer),
        sa.Column("cached_input_tokens", sa.Integer),
        sa.Column("output_tokens", sa.Integer),
        sa.Column("reasoning_tokens", sa.Integer),
        sa.Column("estimated", sa.Boolean, nullable=False),
        sa.Column("cost_pico_usd", sa.BigInteger),
        sa.Column("unpriced_reason", sa.String),
        sa.Index("llm_call_user_start", "user_id", "start_ns"),
        sa.Index("llm_call_turn", "turn_id"),
    )
    op.create_table(
        "tool_call",
        *call_columns(),
        sa.Column("tool", sa.String, nullable=False),
        sa.Index("tool_call_user_start", "user_id", "start_ns"),
        sa.Index("tool_call_turn", "turn_id"),
    )


def call_columns() -> list[sa.Column[object]]:
    """The columns that model calls and tool calls share."""
    return [
        sa.Column("span_id", sa.String, primary_key=True),
        sa.Column("turn_id", sa.String, primary_key=True),
        sa.Column("user_id", sa.String, nullable=False),
        sa.Column("conversation_id", sa.String, nullable=False),
        sa.Column("agent", sa.String),
        sa.Column("start_ns", sa.BigInteger, nullable=False),
        sa.Column("duration_ns", sa.BigInteger),
        sa.Column("status", sa.String, nullable=False),
        sa.Column("error", sa.String),
    ]
