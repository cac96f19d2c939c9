"""How tools did: a row a tool, the errors by kind, the course over time, and the calls behind them.

A call belongs to the moment at which it began. Percentiles are exact (nearest rank), over all calls that ended.
"""

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, Literal
from zoneinfo import ZoneInfo

from sqlalchemy import ColumnElement, Subquery, case, func
from sqlalchemy import select as sa_select
from sqlmodel import Session, col, select

from telemetry import tool_hours
from telemetry.buckets import bucket_edges
from telemetry.hour_tables import ToolHour
from telemetry.hours import few, pieces_of, whose
from telemetry.queries import EVERYBODY, Readable, Selection
from telemetry.tables import ToolCall, Turn
from telemetry.tool_hours import ToolRow

Order = Literal["calls", "failures", "slowest", "largest", "latest", "name"]
CallOrder = Literal["latest", "slowest", "largest", "failed"]
SLICE = 300 * 10**9
"""Five minutes in nanoseconds: the finest step of a course."""
NO_KIND = "unknown"


class ToolStats:
    """The tool calls of a telemetry store."""

    def __init__(self, store: Readable) -> None:
        self._store = store

    def all_tools(self, user_id: str, selection: Selection, tool: str | None = None) -> ToolRow:
        """All calls of a selection as one row, or those of one tool."""
        with self._store.reader() as session:
            if few(session, ToolHour.calls, user_id, selection):
                whole = ranked(conditions(user_id, selection, tool), by_tool=False)
                return tool_row(tool or "", session.execute(sa_select(*figures_of(whole))).one())
            return tool_hours.whole(tool_hours.read(session, user_id, selection, tool), tool or "")

    def table(self, user_id: str, selection: Selection, order: Order = "calls", limit: int = 200) -> list[ToolRow]:
        """A row a tool that was called in the selection, sorted."""
        with self._store.reader() as session:
            if few(session, ToolHour.calls, user_id, selection):
                rows = exact_rows(session, user_id, selection)
            else:
                rows = tool_hours.by_tool(tool_hours.read(session, user_id, selection))
        return sorted(rows, key=lambda row: (*ORDERS[order](row), row.tool))[:limit]

    def errors(self, user_id: str, selection: Selection, tool: str | None = None) -> dict[str, dict[str, int]]:
        """Tool → kind of error → how often, the most frequent first."""
        kind = func.coalesce(col(ToolCall.error_kind), NO_KIND)
        columns: tuple[Any, ...] = (ToolCall.tool, kind, func.count())
        with self._store.reader() as session:
            pieces = pieces_of(session, ToolHour.calls, user_id, selection)
            where = tool_hours.leaf_conditions(user_id, selection, pieces, tool)
            query = sa_select(*columns).where(*where, col(ToolCall.status) == "error").group_by(ToolCall.tool, kind)
            found: dict[str, Counter[str]] = defaultdict(Counter)
            for name, said, number in session.execute(query):
                found[name][said] += number
            for name, kinds in tool_hours.errors(session, user_id, selection, pieces, tool):
                found[name].update({said or NO_KIND: number for said, number in kinds.items()})
        return {
            name: dict(sorted(kinds.items(), key=lambda item: (-item[1], item[0])))
            for name, kinds in found.items()
            if kinds
        }

    def course(
        self, user_id: str, selection: Selection, tool: str | None = None, zone: ZoneInfo | None = None
    ) -> list[tuple[int, int, int]]:
        """(start of five minutes, calls, failed calls), only those with calls, in order; of very many, of an hour.

        Args:
            zone: With it, hours in which a day of the zone begins are divided there.
        """
        edges = () if zone is None else bucket_edges(selection, zone)
        part = col(ToolCall.start_ns) // SLICE
        with self._store.reader() as session:
            pieces = pieces_of(session, ToolHour.calls, user_id, selection, edges, days=zone is not None)
            where = tool_hours.leaf_conditions(user_id, selection, pieces, tool)
            rows = session.execute(sa_select(part, func.count(), failures()).where(*where).group_by(part)).all()
            found = {int(number) * SLICE: (int(calls), int(failed)) for number, calls, failed in rows}
            for start, calls, failed in tool_hours.course(session, user_id, selection, pieces, tool):
                found[start] = (calls, failed)
        return [(start, *numbers) for start, numbers in sorted(found.items())]

    def trends(self, user_id: str, selection: Selection, parts: int = 12) -> dict[str, list[int]]:
        """Tool → its calls in each of the equal parts of the period; of very many, an hour counts where it begins."""
        width = max(1, -(-(selection.end_ns - selection.start_ns) // parts))
        part = (col(ToolCall.start_ns) - selection.start_ns) // width
        columns: tuple[Any, ...] = (ToolCall.tool, part, func.count())
        found: dict[str, list[int]] = defaultdict(lambda: [0] * parts)
        with self._store.reader() as session:
            pieces = pieces_of(session, ToolHour.calls, user_id, selection, days=False)
            where = tool_hours.leaf_conditions(user_id, selection, pieces, None)
            for tool, number, calls in session.execute(sa_select(*columns).where(*where).group_by(ToolCall.tool, part)):
                found[tool][int(number)] += int(calls)
            for tool, number, calls in tool_hours.parts(session, user_id, selection, pieces, width):
                found[tool][number] += calls
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
            summed = tool_hours.last_used(session, user_id)
            if user_id == EVERYBODY:
                return {tool: summed.get(tool) for tool in tools}
            found = {
                tool: session.exec(latest.where(ToolCall.user_id == user_id, ToolCall.tool == tool)).one()
                for tool in tools
            }
        return {tool: summed.get(tool) if last is None else last for tool, last in found.items()}


ORDERS: Mapping[Order, Callable[[ToolRow], tuple[int, ...]]] = {
    "calls": lambda row: (-row.calls,),
    "failures": lambda row: (-row.failed, -row.calls),
    "slowest": lambda row: (-known(row.p95_ns),),
    "largest": lambda row: (-known(row.result_bytes),),
    "latest": lambda row: (-known(row.last_ns),),
    "name": lambda row: (),
}


def known(value: int | None) -> int:
    """A number to sort by; what is not known comes after all else."""
    return -1 if value is None else value


def exact_rows(session: Session, user_id: str, selection: Selection) -> list[ToolRow]:
    """A row a tool, from its calls."""
    ranks = ranked(conditions(user_id, selection), by_tool=True)
    query = sa_select(ranks.c.tool, *figures_of(ranks)).group_by(ranks.c.tool)
    return [tool_row(tool, figures) for tool, *figures in session.execute(query)]


def conditions(user_id: str, selection: Selection, tool: str | None = None) -> list[ColumnElement[bool]]:
    """The conditions of a selection on `ToolCall`: agents are those that called, the rest is the turn's."""
    began = col(ToolCall.start_ns)
    found = [*whose(col(ToolCall.user_id), user_id), began >= selection.start_ns, began < selection.end_ns]
    if tool is not None:
        found.append(col(ToolCall.tool) == tool)
    if selection.agents:
        found.append(col(ToolCall.agent).in_(selection.agents))
    turns = tool_hours.of_turns(selection)
    if turns:
        found.append(tool_hours.in_turn(turns))
    return found


def ranked(where: Sequence[ColumnElement[bool]], *, by_tool: bool) -> Subquery:
    """The calls with their place by duration, among all or those of their tool; of a call without one, none."""
    part = [ToolCall.tool] if by_tool else []
    known = case((col(ToolCall.duration_ns).is_(None), 1), else_=0)
    place = func.row_number().over(partition_by=part, order_by=(known, col(ToolCall.duration_ns)))
    timed = func.count(col(ToolCall.duration_ns)).over(partition_by=part)
    kept = (ToolCall.tool, ToolCall.status, ToolCall.start_ns, ToolCall.duration_ns)
    columns: tuple[Any, ...] = (
        *kept,
        ToolCall.result_bytes,
        ToolCall.result_tokens,
        place.label("place"),
        timed.label("timed"),
    )
    return sa_select(*columns).where(*where).subquery()


def figures_of(ranks: Subquery) -> tuple[ColumnElement[Any], ...]:
    """calls, ok, failed, p50, p95, mean size of a result, start of the last call, tokens of results."""
    c = ranks.c

    def quantile(percent: int) -> ColumnElement[Any]:
        return func.max(case((c.place == (c.timed * percent + 99) // 100, c.duration_ns)))

    def number(status: str) -> ColumnElement[Any]:
        return func.coalesce(func.sum(case((c.status == status, 1), else_=0)), 0)

    size = func.sum(c.result_bytes) / func.count(c.result_bytes)
    tokens = func.count(c.result_tokens), func.sum(c.result_tokens)
    return func.count(), number("ok"), number("error"), quantile(50), quantile(95), size, func.max(c.start_ns), *tokens


def failures() -> ColumnElement[Any]:
    """How many calls failed."""
    return func.sum(case((col(ToolCall.status) == "error", 1), else_=0))


def tool_row(tool: str, figures: Sequence[Any]) -> ToolRow:
    """A row of the database as whole numbers."""
    calls, ok, failed, *others = figures
    p50, p95, result, last, counted, tokens = (None if value is None else int(value) for value in others)
    return ToolRow(tool, int(calls), int(ok), int(failed), p50, p95, result, last, counted or 0, tokens)
