"""The tables of hourly sums: small, kept when spans are deleted, and exact but for percentiles."""

from typing import Any

from sqlalchemy import JSON, BigInteger, Column, ForeignKey, LargeBinary
from sqlmodel import Field

from telemetry.tables import Table


def whole(**options: Any) -> Any:
    """A column of large whole numbers that is never unknown."""
    return Field(default=0, sa_column=Column(BigInteger, nullable=False, **options))


class Facet(Table, table=True):
    """What turns or calls have in common, of which pages filter or group: kept once, because it comes in every hour."""

    __tablename__ = "facet"

    facet_id: int = Field(sa_column=Column(BigInteger, primary_key=True, autoincrement=False))
    value: list[Any] = Field(
        sa_column=Column(JSON, nullable=False),
        description="[turn, route, model, status, agents], [llm, agent, provider, model] or [tool, agent, tool]",
    )


class TurnHour(Table, table=True):
    """The ended turns of an hour of UTC, of a user or of all (`*`), that have a facet in common.

    `times` are log-bucket histograms of latency, first word and own overhead (`telemetry.sketch`).
    """

    __tablename__ = "turn_hour"
    __table_args__ = ({"sqlite_with_rowid": False},)

    user_id: str = Field(primary_key=True)
    start_ns: int = Field(sa_column=Column(BigInteger, primary_key=True, autoincrement=False))
    turn_facet: int = Field(sa_column=Column(BigInteger, ForeignKey("facet.facet_id"), primary_key=True))
    turns: int = 0
    cached: int = 0
    saved_known: int = Field(default=0, description="Cached turns of which it is known what they saved")
    saved_pico_usd: int = whole()
    requests: int = 0
    tools: int = 0
    unpriced: int = 0
    pico_usd: int = whole()
    cache_lookup_ns: int = whole()
    routing_ns: int = whole()
    orchestrator_llm_ns: int = whole()
    mcp_setup_ns: int = whole()
    specialist_llm_ns: int = whole()
    tool_ns: int = whole()
    google_api_ns: int = whole()
    approval_wait_ns: int = whole()
    persist_ns: int = whole()
    framework_ns: int = whole()
    times: bytes = Field(default=b"", sa_column=Column(LargeBinary, nullable=False))


class LlmHour(Table, table=True):
    """The model calls of the turns that began in an hour, by the turn's facet and the call's own.

    A sum is of those calls that reported it; `…_known` says how many did. Parts larger than their whole count as it.
    """

    __tablename__ = "llm_hour"
    __table_args__ = ({"sqlite_with_rowid": False},)

    user_id: str = Field(primary_key=True)
    start_ns: int = Field(sa_column=Column(BigInteger, primary_key=True, autoincrement=False))
    turn_facet: int = Field(sa_column=Column(BigInteger, ForeignKey("facet.facet_id"), primary_key=True))
    call_facet: int = Field(sa_column=Column(BigInteger, ForeignKey("facet.facet_id"), primary_key=True))
    calls: int = 0
    unpriced: int = 0
    unreported: int = 0
    estimated: int = 0
    input_known: int = 0
    input_tokens: int = whole()
    cached_known: int = 0
    cached_tokens: int = whole()
    output_known: int = 0
    output_tokens: int = whole()
    reasoning_known: int = 0
    reasoning_tokens: int = whole()
    pico_usd: int = whole()


class ToolHour(Table, table=True):
    """The tool calls that began in an hour, by their turn's facet and their own; `times` are their durations."""

    __tablename__ = "tool_hour"
    __table_args__ = ({"sqlite_with_rowid": False},)

    user_id: str = Field(primary_key=True)
    start_ns: int = Field(sa_column=Column(BigInteger, primary_key=True, autoincrement=False))
    turn_facet: int = Field(sa_column=Column(BigInteger, ForeignKey("facet.facet_id"), primary_key=True))
    call_facet: int = Field(sa_column=Column(BigInteger, ForeignKey("facet.facet_id"), primary_key=True))
    calls: int = 0
    ok: int = 0
    failed: int = 0
    result_known: int = 0
    result_bytes: int = whole()
    tokens_known: int = whole(server_default="0")
    result_tokens: int = whole(server_default="0")
    last_ns: int = whole()
    errors: dict[str, int] = Field(default_factory=dict, sa_column=Column(JSON, nullable=False))
    times: bytes = Field(default=b"", sa_column=Column(LargeBinary, nullable=False))
