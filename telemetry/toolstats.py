"""How tools did: a row a tool, the errors by kind, the course over time, and the calls behind them.

A call belongs to the moment at which it began. Percentiles are exact (nearest rank), over all calls that ended.
"""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from sqlalchemy import ColumnElement, Subquery, case, func
from sqlalchemy import select as sa_select
from sqlmodel import col, select

from telemetry.queries import Readable, Selection
from telemetry.tables import ToolCall, Turn

Order = Literal["calls", "failures", "slowest", "largest", "latest", "name"]
CallOrder = Literal["latest", "slowest", "largest", "failed"]
SLICE = 300 * 10**9
"""Five minutes in nanoseconds: the finest step of a course."""
NO_KIND = "unknown"


@dataclass(frozen=True)
class ToolRow:
    """One tool in a period, or all of them. Nanoseconds, bytes; None where no call tells.

    Attributes:
        failed: Calls that ended with an error; those neither ok nor failed were stopped or interrupted.
        result_bytes: Of a result on average.
        last_ns: When its last call began, Unix nanoseconds.
    """

    tool: str
    calls: int
    ok: int
    failed: int
    p50_ns: int | None
    p95_ns: int | None
    result_bytes: int | None
    last_ns: int | None

    @property
    def success(self) -> float | None:
        """Share of 1 of the calls that came to an end; None if none did."""
        ended = self.ok + self.failed
        return self.ok / ended if ended else None


class ToolStats:
    """The tool calls of a telemetry store."""

    def __init__(self, store: Readable) -> None:
        self._store = store

    def all_tools(self, user_id: str, selection: Selection, tool: str | None = None) -> ToolRow:
        """All calls of a selection as one row, or those of one tool."""
        whole = ranked(conditions(user_id, selection, tool), by_tool=False)
        with self._store.reader() as session:
            row = session.execute(sa_select(*figures_of(whole))).one()
        return tool_row(tool or "", row)

    def table(self, user_id: str, selection: Selection, order: Order = "calls", limit: int = 200) -> list[ToolRow]:
        """A row a tool that was called in the selection, sorted in the database."""
        ranks = ranked(conditions(user_id, selection), by_tool=True)
        calls, ok, failed, p50, p95, result, last = figures_of(ranks)
        orders: Mapping[Order, tuple[ColumnElement[Any], ...]] = {
            "calls": (calls.desc(),),
            "failures": (failed.desc(), calls.desc()),
            "slowest": (func.coalesce(p95, -1).desc(),),
            "largest": (func.coalesce(result, -1).desc(),),
            "latest": (last.desc(),),
            "name": (),
        }
        query = sa_select(ranks.c.tool, calls, ok, failed, p50, p95, result, last).group_by(ranks.c.tool)
        query = query.order_by(*orders[order], ranks.c.tool).limit(limit)
        with self._store.reader() as session:
            return [tool_row(tool, figures) for tool, *figures in session.execute(query)]

    def errors(self, user_id: str, selection: Selection, tool: str | None = None) -> dict[str, dict[str, int]]:
        """Tool → kind of error → how often, the most frequent first."""
        kind, often = func.coalesce(col(ToolCall.error_kind), NO_KIND), func.count()
        columns: tuple[Any, ...] = (ToolCall.tool, kind, often)
        query = sa_select(*columns).where(*conditions(user_id, selection, tool))
        query = query.where(col(ToolCall.status) == "error").group_by(ToolCall.tool, kind).order_by(often.desc(), kind)
        found: dict[str, dict[str, int]] = defaultdict(dict)
        with self._store.reader() as session:
            for name, said, number in session.execute(query):
                found[name][said] = number
        return dict(found)

    def course(self, user_id: str, selection: Selection, tool: str | None = None) -> list[tuple[int, int, int]]:
        """(start of five minutes in Unix nanoseconds, calls, failed calls), only those with calls, in order."""
        part = col(ToolCall.start_ns) // SLICE
        query = sa_select(part, func.count(), failures()).where(*conditions(user_id, selection, tool))
        with self._store.reader() as session:
            rows = session.execute(query.group_by(part).order_by(part)).all()
        return [(int(number) * SLICE, int(calls), int(failed)) for number, calls, failed in rows]

    def trends(self, user_id: str, selection: Selection, parts: int = 12) -> dict[str, list[int]]:
        """Tool → its calls in each of the equal parts of the period."""
        width = max(1, -(-(selection.end_ns - selection.start_ns) // parts))
        part = (col(ToolCall.start_ns) - selection.start_ns) // width
        columns: tuple[Any, ...] = (ToolCall.tool, part, func.count())
        query = sa_select(*columns).where(*conditions(user_id, selection))
        found: dict[str, list[int]] = defaultdict(lambda: [0] * parts)
        with self._store.reader() as session:
            for tool, number, calls in session.execute(query.group_by(ToolCall.tool, part)):
                found[tool][int(number)] = int(calls)
        return dict(found)

    def calls(
        self, user_id: str, selection: Selection, tool: str, order: CallOrder = "latest", *, skip: int = 0, limit: int
    ) -> list[tuple[ToolCall, str | None]]:
        """One page of the calls of a tool, each with its turn's question."""
        orders: Mapping[CallOrder, tuple[ColumnElement[Any], ...]] = {
            "latest": (),
            "slowest": (func.coalesce(col(ToolCall.duration_ns), -1).desc(),),
            "largest": (func.coalesce(col(ToolCall.result_bytes), -1).desc(),),
            "failed": (case((col(ToolCall.status) == "error", 0), else_=1),),
        }
        query = select(ToolCall, Turn.question).join(Turn, col(Turn.turn_id) == ToolCall.turn_id, isouter=True)
        query = query.where(*conditions(user_id, selection, tool))
        query = query.order_by(*orders[order], col(ToolCall.start_ns).desc(), col(ToolCall.span_id).desc())
        with self._store.reader() as session:
            return [(call, question) for call, question in session.exec(query.offset(skip).limit(limit))]

    def last_used(self, user_id: str, tools: Iterable[str]) -> dict[str, int | None]:
        """Tool → when it was last called, whenever that was, in Unix nanoseconds; None: never."""
        latest = select(func.max(ToolCall.start_ns))
        with self._store.reader() as session:
            return {
                tool: session.exec(latest.where(ToolCall.user_id == user_id, ToolCall.tool == tool)).one()
                for tool in tools
            }


def conditions(user_id: str, selection: Selection, tool: str | None = None) -> list[ColumnElement[bool]]:
    """The conditions of a selection on `ToolCall`: agents are those that called, the rest is the turn's."""
    began = col(ToolCall.start_ns)
    found = [col(ToolCall.user_id) == user_id, began >= selection.start_ns, began < selection.end_ns]
    if tool is not None:
        found.append(col(ToolCall.tool) == tool)
    if selection.agents:
        found.append(col(ToolCall.agent).in_(selection.agents))
    turns = of_turns(user_id, selection)
    if turns:
        chosen = select(Turn.turn_id).where(col(Turn.user_id) == user_id, *turns)
        found.append(col(ToolCall.turn_id).in_(chosen))
    return found


def of_turns(user_id: str, selection: Selection) -> list[ColumnElement[bool]]:
    """What a selection wants of the turn of a call."""
    wanted: tuple[tuple[Any, Sequence[str]], ...] = (
        (Turn.route, selection.routes),
        (Turn.model, selection.models),
        (Turn.status, selection.statuses),
    )
    return [col(column).in_(values) for column, values in wanted if values]


def ranked(where: Sequence[ColumnElement[bool]], *, by_tool: bool) -> Subquery:
    """The calls with their place by duration, among all or those of their tool; of a call without one, none."""
    part = [ToolCall.tool] if by_tool else []
    known = case((col(ToolCall.duration_ns).is_(None), 1), else_=0)
    place = func.row_number().over(partition_by=part, order_by=(known, col(ToolCall.duration_ns)))
    timed = func.count(col(ToolCall.duration_ns)).over(partition_by=part)
    kept = (ToolCall.tool, ToolCall.status, ToolCall.start_ns, ToolCall.duration_ns, ToolCall.result_bytes)
    columns: tuple[Any, ...] = (*kept, place.label("place"), timed.label("timed"))
    return sa_select(*columns).where(*where).subquery()


def figures_of(ranks: Subquery) -> tuple[ColumnElement[Any], ...]:
    """calls, ok, failed, p50, p95, mean size of a result, start of the last call."""
    c = ranks.c

    def quantile(percent: int) -> ColumnElement[Any]:
        return func.max(case((c.place == (c.timed * percent + 99) // 100, c.duration_ns)))

    def number(status: str) -> ColumnElement[Any]:
        return func.coalesce(func.sum(case((c.status == status, 1), else_=0)), 0)

    size = func.sum(c.result_bytes) / func.count(c.result_bytes)
    return func.count(), number("ok"), number("error"), quantile(50), quantile(95), size, func.max(c.start_ns)


def failures() -> ColumnElement[Any]:
    """How many calls failed."""
    return func.sum(case((col(ToolCall.status) == "error", 1), else_=0))


def tool_row(tool: str, figures: Sequence[Any]) -> ToolRow:
    """A row of the database as whole numbers."""
    calls, ok, failed, *others = figures
    p50, p95, result, last = (None if value is None else int(value) for value in others)
    return ToolRow(tool, int(calls), int(ok), int(failed), p50, p95, result, last)
