"""The tables of telemetry.db: spans as they are, and narrow roll-ups that pages read."""

from typing import Any

from sqlalchemy import JSON, BigInteger, Column, Index, Integer, PrimaryKeyConstraint, text
from sqlalchemy.orm import registry
from sqlmodel import Field, SQLModel

NO_COST = text("cost_pico_usd IS NULL")
OPEN = text("end_ns IS NULL")
RUNS = text("status = 'running'")
WIDE: Any = BigInteger().with_variant(Integer, "sqlite")
"""SQLite's whole numbers are all wide."""
SPENT = ("conversation_id", "requests", "cost_pico_usd", "route", "model", "status")
"""What lists of what was spent read of many turns, without looking at their rows."""


class Table(SQLModel, registry=registry()):
    """Base of the telemetry tables: their own metadata, apart from the app's."""


class Span(Table, table=True):
    """One span. Times: Unix nanoseconds. `end_ns` is NULL while it runs. Ids: lower-case hex (32, 16)."""

    __tablename__ = "span"
    __table_args__ = (
        PrimaryKeyConstraint("trace_id", "span_id"),
        Index("span_open", "start_ns", sqlite_where=OPEN, postgresql_where=OPEN),
        {"sqlite_with_rowid": False},
    )

    span_id: str = Field(primary_key=True)
    trace_id: str = Field(primary_key=True)
    parent_id: str | None = None
    name: str
    type: str = Field(description="turn, cache, route, agent, chat, tool, mcp_client, mcp_server, mcp_setup, …")
    kind: str
    start_ns: int = Field(sa_column=Column(BigInteger, nullable=False))
    end_ns: int | None = Field(default=None, sa_column=Column(BigInteger))
    status: str = Field(description="running, ok, error, interrupted")
    user_id: str | None = None
    conversation_id: str | None = None
    attributes: dict[str, Any] = Field(default_factory=dict, sa_column=Column(JSON, nullable=False))
    events: list[dict[str, Any]] = Field(default_factory=list, sa_column=Column(JSON, nullable=False))


class Payload(Table, table=True):
    """A large text of a span (messages, arguments, results), loaded on demand. Sizes in bytes of UTF-8."""

    __tablename__ = "payload"
    __table_args__ = (Index("payload_trace", "trace_id"),)

    span_id: str = Field(primary_key=True)
    trace_id: str = Field(primary_key=True)
    key: str = Field(primary_key=True, description="The attribute that it belongs to")
    text: str
    size: int = Field(description="Of the original; more than was kept when it was cut")


class Turn(Table, table=True):
    """One turn, written with its root's end. Money: 10⁻¹² USD. NULL is unknown."""

    __tablename__ = "turn"
    __table_args__ = (
        Index("turn_user_start", "user_id", "start_ns", *SPENT),
        Index("turn_conversation", "user_id", "conversation_id", "start_ns"),
        Index("turn_running", "start_ns", sqlite_where=RUNS, postgresql_where=RUNS),
        Index("turn_start", "start_ns"),
        Index("turn_user_latency", "user_id", "latency_ns"),
        Index("turn_latency", "latency_ns"),
    )

    turn_id: str = Field(primary_key=True, description="The trace id")
    user_id: str
    conversation_id: str
    question: str | None = None
    status: str = Field(description="running, done, failed, stopped, interrupted")
    route: str | None = None
    agents: list[str] = Field(default_factory=list, sa_column=Column(JSON, nullable=False))
    model: str | None = None
    error: str | None = None
    service: str | None = Field(default=None, description="Whose trace it is; NULL: this app's own")
    process: str | None = Field(default=None, description="Which process runs it, as long as it runs")
    start_ns: int = Field(sa_column=Column(BigInteger, nullable=False))
    wall_ns: int | None = Field(default=None, sa_column=Column(BigInteger))
    latency_ns: int | None = Field(
        default=None, sa_column=Column(BigInteger), description="Wall time without the wait for a person"
    )
    first_token_ns: int | None = Field(default=None, sa_column=Column(BigInteger))
    phases: dict[str, int] = Field(default_factory=dict, sa_column=Column(JSON, nullable=False))
    requests: int = 0
    tools: int = 0
    input_tokens: int | None = Field(default=None, sa_type=WIDE)
    cached_input_tokens: int | None = Field(default=None, sa_type=WIDE)
    output_tokens: int | None = Field(default=None, sa_type=WIDE)
    reasoning_tokens: int | None = Field(default=None, sa_type=WIDE)
    estimated: bool = Field(default=False, description="Token counts are ours, not the provider's")
    cost_pico_usd: int | None = Field(default=None, sa_column=Column(BigInteger))
    unpriced: int = Field(default=0, description="Model calls whose cost is not known")
    google_requests: int = 0
    cached: bool = Field(default=False, description="The answer was remembered from an earlier turn")
    saved_pico_usd: int | None = Field(
        default=None, sa_column=Column(BigInteger), description="Of a cached turn: what the earlier one had cost"
    )


class LlmCall(Table, table=True):
    """One model call. Only these carry tokens and money."""

    __tablename__ = "llm_call"
    __table_args__ = (
        Index("llm_call_user_start", "user_id", "start_ns"),
        Index("llm_call_turn", "turn_id", "user_id"),
        Index("llm_call_unpriced", "start_ns", sqlite_where=NO_COST, postgresql_where=NO_COST),
    )

    span_id: str = Field(primary_key=True)
    turn_id: str = Field(primary_key=True)
    user_id: str
    conversation_id: str
    agent: str | None = None
    provider: str | None = None
    model: str | None = None
    start_ns: int = Field(sa_column=Column(BigInteger, nullable=False))
    duration_ns: int | None = Field(default=None, sa_column=Column(BigInteger))
    first_chunk_ns: int | None = Field(default=None, sa_column=Column(BigInteger))
    status: str
    error: str | None = None
    input_tokens: int | None = Field(default=None, sa_type=WIDE)
    cached_input_tokens: int | None = Field(default=None, sa_type=WIDE)
    output_tokens: int | None = Field(default=None, sa_type=WIDE)
    reasoning_tokens: int | None = Field(default=None, sa_type=WIDE)
    estimated: bool = False
    cost_pico_usd: int | None = Field(default=None, sa_column=Column(BigInteger))
    unpriced_reason: str | None = None


class ToolCall(Table, table=True):
    """One tool call, counted from `tools/call`; delegations to a specialist are not tool calls."""

    __tablename__ = "tool_call"
    __table_args__ = (
        Index("tool_call_user_start", "user_id", "start_ns"),
        Index("tool_call_user_tool", "user_id", "tool", "start_ns"),
        Index("tool_call_turn", "turn_id", "user_id"),
        Index("tool_call_start", "start_ns"),
    )

    span_id: str = Field(primary_key=True)
    turn_id: str = Field(primary_key=True)
    user_id: str
    conversation_id: str
    agent: str | None = None
    tool: str
    start_ns: int = Field(sa_column=Column(BigInteger, nullable=False))
    duration_ns: int | None = Field(default=None, sa_column=Column(BigInteger))
    status: str
    error: str | None = None
    error_kind: str | None = Field(default=None, description="Google's HTTP status, else `error.type`")
    result_bytes: int | None = Field(
        default=None, sa_column=Column(BigInteger), description="What the model was given, in bytes of UTF-8"
    )
    result_tokens: int | None = Field(
        default=None, sa_column=Column(BigInteger), description="The same in tokens: an estimate"
    )


class TurnText(Table, table=True):
    """What was said in a turn, for the full-text search; of a turn without its spans there is none."""

    __tablename__ = "turn_text"

    number: int = Field(
        sa_column=Column(BigInteger, primary_key=True, autoincrement=False),
        description="The turn's start in microseconds, or the next free number",
    )
    turn_id: str = Field(unique=True)
    whose: str = Field(description="The user's id as one word of the index")
    said: str


class Outgoing(Table, table=True):
    """A span that is still to be sent to a collector, in the order in which they ended."""

    __tablename__ = "outgoing"
    __table_args__ = (Index("outgoing_span", "trace_id", "span_id"),)

    number: int | None = Field(
        default=None,
        sa_column=Column(BigInteger().with_variant(Integer, "sqlite"), primary_key=True, autoincrement=True),
    )
    trace_id: str
    span_id: str


class Unrolled(Table, table=True):
    """A trace from outside that has spans which its roll-up does not know yet."""

    __tablename__ = "unrolled"

    trace_id: str = Field(primary_key=True)
    user_id: str


class Keeping(Table, table=True):
    """How long single turns are kept, as an administrator set it (one row); NULL: as the settings say. 0: for ever."""

    __tablename__ = "keeping"

    number: int = Field(default=1, sa_column=Column(Integer, primary_key=True, autoincrement=False))
    days: int | None = None
    megabytes: int | None = None
    before_ns: int = Field(
        default=0,
        sa_column=Column(BigInteger, nullable=False),
        description="Turns that began before are deleted; their hourly sums are there",
    )
