"""The tables of hourly and daily sums: small, kept when spans are deleted, and exact but for percentiles."""

from typing import Any

from sqlalchemy import JSON, BigInteger, Column, LargeBinary
from sqlmodel import Field

from telemetry.tables import Table

APART = ({"sqlite_with_rowid": False},)


def whole(**options: Any) -> Any:
    """A column of large whole numbers that is never unknown."""
    return Field(default=0, sa_type=BigInteger, nullable=False, sa_column_kwargs=options)


def facet() -> Any:
    """A column that names a facet and is part of the key."""
    return Field(sa_type=BigInteger, foreign_key="facet.facet_id", primary_key=True)


def histograms() -> Any:
    """A column of histograms (`telemetry.sketch`)."""
    return Field(default=b"", sa_type=LargeBinary, nullable=False)


class Facet(Table, table=True):
    """What turns or calls have in common, of which pages filter or group: kept once, because it comes in every hour."""

    __tablename__ = "facet"

    facet_id: int = Field(sa_column=Column(BigInteger, primary_key=True, autoincrement=False))
    value: list[Any] = Field(
        sa_column=Column(JSON, nullable=False),
        description="[turn, route, model, status, agents], [llm, agent, provider, model] or [tool, agent, tool]",
    )


class Cell(Table):
    """Sums of an hour or a day of UTC, of a user or of all (`*`), by the facet of turns."""

    user_id: str = Field(primary_key=True)
    start_ns: int = Field(sa_type=BigInteger, primary_key=True, sa_column_kwargs={"autoincrement": False})
    turn_facet: int = facet()


class TurnCell(Cell):
    """Ended turns; `times` are of latency, first word and own overhead."""

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
    times: bytes = histograms()


class LlmCell(Cell):
    """The model calls of the turns that began then, by the turn's facet and the call's own.

    A sum is of those calls that reported it; `…_known` says how many did. Parts larger than their whole count as it.
    """

    call_facet: int = facet()
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


class ToolCell(Cell):
    """The tool calls that began then, by their turn's facet and their own; `times` are their durations."""

    call_facet: int = facet()
    calls: int = 0
    ok: int = 0
    failed: int = 0
    result_known: int = 0
    result_bytes: int = whole()
    tokens_known: int = whole(server_default="0")
    result_tokens: int = whole(server_default="0")
    last_ns: int = whole()
    errors: dict[str, int] = Field(default_factory=dict, sa_type=JSON, nullable=False)
    times: bytes = histograms()


class TurnHour(TurnCell, table=True):
    """The ended turns of an hour that have a facet in common."""

    __tablename__ = "turn_hour"
    __table_args__ = APART


class TurnDay(TurnCell, table=True):
    """The sums of the hours of a day."""

    __tablename__ = "turn_day"
    __table_args__ = APART


class LlmHour(LlmCell, table=True):
    """The model calls of an hour's turns that have a facet in common."""

    __tablename__ = "llm_hour"
    __table_args__ = APART


class LlmDay(LlmCell, table=True):
    """The sums of the hours of a day."""

    __tablename__ = "llm_day"
    __table_args__ = APART


class ToolHour(ToolCell, table=True):
    """The tool calls of an hour that have a facet in common."""

    __tablename__ = "tool_hour"
    __table_args__ = APART


class ToolDay(ToolCell, table=True):
    """The sums of the hours of a day."""

    __tablename__ = "tool_day"
    __table_args__ = APART


DAY_OF: dict[Any, Any] = {TurnHour: TurnDay, LlmHour: LlmDay, ToolHour: ToolDay}
"""The table of days of each table of hours; they have the same columns."""
