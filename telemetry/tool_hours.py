"""The tool calls of long periods, from sums of days and hours and the single calls at the period's ends."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from sqlalchemy import ColumnElement, exists, func, select
from sqlmodel import Session, col

from telemetry import hourly
from telemetry.hour_tables import ToolDay, ToolHour
from telemetry.hours import Cut, cut, facets_of, fitting, summed
from telemetry.queries import Selection
from telemetry.sketch import Ints, Times, bucketed
from telemetry.tables import ToolCall, Turn


@dataclass(frozen=True)
class ToolRow:
    """One tool in a period, or all of them. Nanoseconds, bytes; None where no call tells.

    Attributes:
        failed: Calls that ended with an error; those neither ok nor failed were stopped or interrupted.
        result_bytes: Of a result on average.
        last_ns: When its last call began, Unix nanoseconds.
        tokens_known: Calls of which the tokens of the result were counted; `result_tokens` is their sum, an estimate.
    """

    tool: str
    calls: int
    ok: int
    failed: int
    p50_ns: int | None
    p95_ns: int | None
    result_bytes: int | None
    last_ns: int | None
    tokens_known: int = 0
    result_tokens: int | None = None

    @property
    def tokens_a_result(self) -> int | None:
        """Tokens of a result on average; None if none was counted."""
        return None if self.result_tokens is None else round(self.result_tokens / self.tokens_known)

    @property
    def success(self) -> float | None:
        """Share of 1 of the calls that came to an end; None if none did."""
        ended = self.ok + self.failed
        return self.ok / ended if ended else None


@dataclass(frozen=True)
class Sums:
    """The calls of one agent to one tool, or a single call.

    Attributes:
        result_known: Calls of which the size of the result is known; `result_bytes` is their sum. So for tokens.
    """

    tool: str
    calls: int
    ok: int
    failed: int
    result_known: int
    result_bytes: int
    tokens_known: int
    result_tokens: int
    last_ns: int


@dataclass(frozen=True)
class Calls:
    """Sums, and the durations of each."""

    sums: Sequence[Sums]
    times: Times


LEAF: tuple[Any, ...] = (
    *(ToolCall.duration_ns, ToolCall.tool, ToolCall.status),
    *(ToolCall.result_bytes, ToolCall.result_tokens, ToolCall.start_ns),
)
COUNTS: tuple[str, ...] = (*("calls", "ok", "failed", "result_known", "result_bytes", "tokens_known", "result_tokens"),)


def read(session: Session, user_id: str, selection: Selection, tool: str | None = None) -> Calls:
    """All calls of a selection, or those of one tool."""
    pieces = cut(selection.start_ns, selection.end_ns)
    leaves = session.execute(select(*LEAF).where(*leaf_conditions(user_id, selection, pieces, tool))).all()
    single = [sums_of_one(*leaf) for _, *leaf in leaves]
    names, sums = facets_of(session), sums_of(session, user_id, selection, pieces, (*COUNTS, "last_ns"), tool)
    columns = [*(func.sum(sums[name]) for name in COUNTS), func.max(sums.last_ns)]
    added = session.execute(select(sums.call_facet, *columns).group_by(sums.call_facet)).all()
    places = {facet: len(single) + place for place, (facet, *_) in enumerate(added)}
    histograms = sums_of(session, user_id, selection, pieces, ["times"], tool)
    blobs = session.execute(select(histograms.call_facet, histograms.times)).all()
    single_times = {hourly.LATENCY: [row[0] for row in leaves]}
    times = bucketed(single_times, [data for _, data in blobs])[hourly.LATENCY]
    place_of_row = np.array([*range(len(single)), *(places[facet] for facet, _ in blobs)], np.int64)
    times = replace(times, rows=place_of_row[times.rows])
    return Calls([*single, *(Sums(names[facet][2], *map(int, numbers)) for facet, *numbers in added)], times)


def sums_of_one(tool: str, status: str, size: int | None, tokens: int | None, start_ns: int) -> Sums:
    """A single call as sums."""
    ended = int(status == "ok"), int(status == "error")
    known = int(size is not None), size or 0, int(tokens is not None), tokens or 0
    return Sums(tool, 1, *ended, *known, start_ns)


def errors(
    session: Session, user_id: str, selection: Selection, pieces: Cut, tool: str | None = None
) -> Iterator[tuple[str, Mapping[str, int]]]:
    """(tool, kind of error → how often) of whole hours and days; a kind that is not known is empty."""
    names, sums = facets_of(session), sums_of(session, user_id, selection, pieces, ["errors", "failed"], tool)
    for facet, kinds in session.execute(select(sums.call_facet, sums.errors).where(sums.failed > 0)):
        yield names[facet][2], kinds


def parts(
    session: Session, user_id: str, selection: Selection, pieces: Cut, width: int
) -> Iterator[tuple[str, int, int]]:
    """(tool, number of the part of the period, calls); an hour belongs to the part in which it begins."""
    names, sums = facets_of(session), sums_of(session, user_id, selection, pieces, ["start_ns", "calls"])
    part = (sums.start_ns - selection.start_ns) // width
    query = select(sums.call_facet, part, func.sum(sums.calls)).group_by(sums.call_facet, part)
    for facet, number, calls in session.execute(query):
        yield names[facet][2], int(number), int(calls)


def course(
    session: Session, user_id: str, selection: Selection, pieces: Cut, tool: str | None = None
) -> list[tuple[int, int, int]]:
    """(start of an hour or a day, calls, failed calls)."""
    sums = sums_of(session, user_id, selection, pieces, ["start_ns", "calls", "failed"], tool)
    query = select(sums.start_ns, func.sum(sums.calls), func.sum(sums.failed)).group_by(sums.start_ns)
    return [(int(start), int(calls), int(failed)) for start, calls, failed in session.execute(query)]


def last_used(session: Session, user_id: str) -> dict[str, int]:
    """Tool → when it was last called, as far as that was summed."""
    names = facets_of(session)
    query = select(col(ToolDay.call_facet), func.max(ToolDay.last_ns)).where(col(ToolDay.user_id) == user_id)
    found: dict[str, int] = {}
    for facet, last in session.execute(query.group_by(col(ToolDay.call_facet))):
        found[names[facet][2]] = max(found.get(names[facet][2], 0), int(last))
    return found


def sums_of(
    session: Session, user_id: str, selection: Selection, pieces: Cut, names: Sequence[str], tool: str | None = None
) -> Any:
    """Columns of the sums that a selection chooses, with their calls' facets; its agents are those that called."""
    facets = facets_of(session)
    chosen = None
    if tool is not None or selection.agents:
        chosen = [
            number
            for number, (kind, *value) in facets.items()
            if kind == "tool" and tool in (None, value[1]) and (not selection.agents or value[0] in selection.agents)
        ]
    turns = fitting(facets, selection, by_agent=False)
    return summed(ToolHour, [user_id], pieces, ["call_facet", *names], turns, chosen).c


def leaf_conditions(user_id: str, selection: Selection, pieces: Cut, tool: str | None) -> list[ColumnElement[bool]]:
    """The conditions of the calls that are read one by one."""
    found = [pieces.began(ToolCall, user_id)]
    if tool is not None:
        found.append(col(ToolCall.tool) == tool)
    if selection.agents:
        found.append(col(ToolCall.agent).in_(selection.agents))
    turns = of_turns(selection)
    return [*found, in_turn(turns)] if turns else found


def in_turn(wanted: Sequence[ColumnElement[bool]]) -> ColumnElement[bool]:
    """Whether the turn of a call is so."""
    mine = col(Turn.turn_id) == col(ToolCall.turn_id)
    return exists(select(col(Turn.turn_id)).where(mine, *wanted).correlate(ToolCall.__table__))  # type: ignore[attr-defined]


def of_turns(selection: Selection) -> list[ColumnElement[bool]]:
    """What a selection wants of the turn of a call."""
    wanted: tuple[tuple[Any, Sequence[str]], ...] = (
        (Turn.route, selection.routes),
        (Turn.model, selection.models),
        (Turn.status, selection.statuses),
    )
    return [col(column).in_(values) for column, values in wanted if values]


def by_tool(calls: Calls) -> list[ToolRow]:
    """A row a tool."""
    tools = sorted({one.tool for one in calls.sums})
    places = {tool: place for place, tool in enumerate(tools)}
    return rows_of(calls, tools, np.array([places[one.tool] for one in calls.sums], np.int64))


def whole(calls: Calls, tool: str) -> ToolRow:
    """All calls as one row."""
    return rows_of(calls, [tool], np.zeros(len(calls.sums), np.int64))[0]


def rows_of(calls: Calls, tools: Sequence[str], groups: Ints) -> list[ToolRow]:
    """A row a group of sums."""
    times = calls.times.quantiles(groups, len(tools), 0.5, 0.95, nearest=True)
    chosen: list[list[Sums]] = [[] for _ in tools]
    for one, group in zip(calls.sums, groups.tolist(), strict=True):
        chosen[group].append(one)
    return [row_of(tool, sums, p50, p95) for tool, sums, (p50, p95) in zip(tools, chosen, times, strict=True)]


def row_of(tool: str, chosen: Sequence[Sums], p50_ns: int | None, p95_ns: int | None) -> ToolRow:
    """The row of a tool."""
    names = ("result_known", "result_bytes", "tokens_known", "result_tokens")
    known, size, counted, tokens = (sum(getattr(one, name) for one in chosen) for name in names)
    return ToolRow(
        tool=tool,
        calls=sum(one.calls for one in chosen),
        ok=sum(one.ok for one in chosen),
        failed=sum(one.failed for one in chosen),
        p50_ns=p50_ns,
        p95_ns=p95_ns,
        result_bytes=size // known if known else None,
        last_ns=max((one.last_ns for one in chosen), default=None),
        tokens_known=counted,
        result_tokens=tokens if counted else None,
    )
