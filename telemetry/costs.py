"""What was spent: one read of the model calls of a period, from which every sum on the page is made.

A call belongs to the moment at which its turn began, so that a page's sums are those of the turns that it counts;
the filters choose turns, as everywhere. Money in 10⁻¹² USD, exact. Unknown is None, and counted apart.
"""

from bisect import bisect
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any
from zoneinfo import ZoneInfo

from sqlalchemy import ColumnElement, case, func
from sqlalchemy import select as sa_select
from sqlmodel import Session, col

from telemetry.buckets import bucket_edges
from telemetry.hour_tables import LlmDay, LlmHour, TurnHour
from telemetry.hours import Cut, cut, facets_of, few, fitting, pieces_of, summed, users_of, whose
from telemetry.queries import EVERYBODY, Readable, Selection, matching
from telemetry.selection import chosen
from telemetry.tables import LlmCall, Turn

NO_REASON = "No reason was recorded."
SLICE = 300 * 10**9
"""Five minutes in nanoseconds: all clocks of the world change at such a moment."""

TOKENS = tuple(f"{kind}_{what}" for kind in ("input", "cached", "output", "reasoning") for what in ("known", "tokens"))
SUMS = ("calls", "unpriced", "unreported", "estimated", *TOKENS, "pico_usd")
"""The columns of hourly and daily sums of model calls."""


@dataclass(frozen=True)
class Spent:
    """Sums over model calls. Tokens and money are None where no call reported them; no calls at all are 0.

    Attributes:
        unpriced: Calls whose cost is not known.
        unreported: Calls whose tokens are not known.
        estimated: Calls whose tokens are our own count.
        cached_tokens: A part of `input_tokens`; `reasoning_tokens` likewise of `output_tokens`.
    """

    calls: int = 0
    unpriced: int = 0
    unreported: int = 0
    estimated: int = 0
    input_tokens: int | None = 0
    cached_tokens: int | None = 0
    output_tokens: int | None = 0
    reasoning_tokens: int | None = 0
    pico_usd: int | None = 0

    def __add__(self, other: "Spent") -> "Spent":
        if not self.calls or not other.calls:
            return self if self.calls else other
        return Spent(*(plus(one, two) for one, two in zip(values(self), values(other), strict=True)))  # type: ignore[arg-type]

    @property
    def kinds(self) -> dict[str, int]:
        """Tokens by kind, those that are known; they sum to input and output."""
        cached, reasoning = self.cached_tokens or 0, self.reasoning_tokens or 0
        parts = {"Input": 0, "Cached input": cached, "Output": 0, "Reasoning": reasoning}
        parts["Input"] = (self.input_tokens or 0) - cached
        parts["Output"] = (self.output_tokens or 0) - reasoning
        return {name: number for name, number in parts.items() if number}


@dataclass(frozen=True)
class Line:
    """The calls of five minutes that have agent, provider and model in common."""

    start_ns: int
    agent: str | None
    provider: str | None
    model: str | None
    spent: Spent


@dataclass(frozen=True)
class Saved:
    """What remembered answers saved: turns, those of which it is known, and the sum of these; None if of none."""

    turns: int
    known: int
    pico_usd: int | None


@dataclass(frozen=True)
class Unpriced:
    """Calls whose cost is not known, for one reason; `turn_id` and `last_ns` are those of the latest."""

    reason: str
    provider: str | None
    model: str | None
    calls: int
    turn_id: str
    last_ns: int


class Costs:
    """The model calls of a telemetry store."""

    def __init__(self, store: Readable) -> None:
        self._store = store

    def lines(self, user_id: str, selection: Selection, zone: ZoneInfo | None = None) -> list[Line]:
        """All calls of the selection's turns, in order of time; of very many turns by the hour, or by the day.

        Args:
            zone: With it, lines of long periods are as long as the bars of a chart, and end where a bar ends.
        """
        with self._store.reader() as session:
            if few(session, TurnHour.turns, user_id, selection):
                return lines_of(session, matching(user_id, selection))
            edges = () if zone is None else bucket_edges(selection, zone)
            pieces = cut(selection.start_ns, selection.end_ns, edges)
            bounds = [int(edge.timestamp()) * 10**9 for edge in edges]
            leaves = lines_of(session, [*chosen(selection), pieces.began(Turn, user_id)], bounds)
            return folded([*leaves, *hourly_lines(session, user_id, selection, pieces, bounds)], bounds)

    def users(self, selection: Selection) -> dict[str, Spent]:
        """User → what they spent, the dearest first; only those with model calls. For administrators."""
        whose, found = col(Turn.user_id), dict[str, Spent]()
        with self._store.reader() as session:
            pieces = pieces_of(session, TurnHour.turns, EVERYBODY, selection)
            turns = fitting(facets_of(session), selection)
            c = summed(
                LlmHour,
                [one for one in users_of(session.connection(), LlmDay) if one != EVERYBODY],
                pieces,
                ("user_id", *SUMS),
                turns,
            ).c
            rows = session.execute(sa_select(c.user_id, *(func.sum(c[name]) for name in SUMS)).group_by(c.user_id))
            spent = [(row[0], spent_of_sums(row[1:])) for row in rows]
            turn = first_found(whose, [*chosen(selection), pieces.began(Turn, EVERYBODY)])
            ends = sa_select(turn.user_id, *sums()).join(LlmCall, col(LlmCall.turn_id) == turn.turn_id)
            ends = ends.group_by(turn.user_id)
            spent += [(row[0], spent_of(row[1:])) for row in session.execute(ends)]
        for name, one in spent:
            found[name] = found.get(name, Spent()) + one
        dearest = sorted(found.items(), key=lambda item: (-(item[1].pico_usd or 0), -item[1].calls, item[0]))
        return {name: spent for name, spent in dearest if spent.calls}

    def conversations(
        self, user_id: str, selection: Selection, *, skip: int = 0, limit: int
    ) -> list[tuple[str, int, Spent]]:
        """(conversation id, turns, spent), the dearest first, a page at a time."""
        name, chosen = col(Turn.conversation_id), [*matching(user_id, selection), col(Turn.requests) > 0]
        cost = func.coalesce(func.sum(Turn.cost_pico_usd), -1).desc()
        turns = sa_select(name, func.count()).where(*chosen).group_by(name).order_by(cost, name)
        with self._store.reader() as session:
            found = {row[0]: int(row[1]) for row in session.execute(turns.offset(skip).limit(limit))}
            calls = sa_select(name, *sums()).select_from(Turn).join(LlmCall, of_turn())
            calls = calls.where(*chosen, name.in_(list(found))).group_by(name)
            spent = {row[0]: spent_of(row[1:]) for row in session.execute(calls)}
        return [(key, number, spent.get(key, Spent())) for key, number in found.items()]

    def count_conversations(self, user_id: str, selection: Selection) -> int:
        """How many conversations have model calls in the selection."""
        number = func.count(Turn.conversation_id.distinct())  # type: ignore[attr-defined]
        query = sa_select(number).where(*matching(user_id, selection), col(Turn.requests) > 0)
        with self._store.reader() as session:
            return int(session.execute(query).scalar_one())

    def unpriced(self, user_id: str, selection: Selection) -> list[Unpriced]:
        """The calls whose cost is not known, by reason and model, the most frequent first."""
        kept = (LlmCall.turn_id, LlmCall.span_id, LlmCall.start_ns, LlmCall.provider, LlmCall.model)
        without: tuple[Any, ...] = (*kept, func.coalesce(col(LlmCall.unpriced_reason), NO_REASON).label("reason"))
        since = col(LlmCall.start_ns) >= selection.start_ns  # a call begins no sooner than its turn
        few_calls = sa_select(*without).where(col(LlmCall.cost_pico_usd).is_(None), since).cte("without_cost")
        call = few_calls.prefix_with("MATERIALIZED").c  # by their index, before turns are looked at
        alike = (call.reason, call.provider, call.model)
        place = func.row_number().over(partition_by=alike, order_by=(call.start_ns.desc(), call.span_id))
        calls = func.count().over(partition_by=alike)
        columns = (*alike, calls.label("calls"), call.turn_id, call.start_ns, place.label("place"))
        mine = sa_select(*columns).join(Turn, col(Turn.turn_id) == call.turn_id).where(*matching(user_id, selection))
        found = mine.subquery()
        query = sa_select(found).where(found.c.place == 1).order_by(found.c.calls.desc(), found.c.reason, found.c.model)
        with self._store.reader() as session:
            return [Unpriced(*row[:6]) for row in session.execute(query)]

    def saved(self, user_id: str, selection: Selection) -> Saved:
        """What answers saved that were remembered from an earlier turn: what that one had cost."""
        saved, columns = col(Turn.saved_pico_usd), ("cached", "saved_known", "saved_pico_usd")
        leaf = (func.count(), func.count(saved), func.sum(saved))
        turns, known, pico_usd = self._sums(user_id, selection, leaf, columns, [col(Turn.cached)])
        return Saved(turns or 0, known or 0, pico_usd if known else None)

    def of_period(self, user_id: str, start_ns: int, end_ns: int) -> tuple[int, int]:
        """What the turns that began in a period cost as far as it is known, and how many calls are unpriced."""
        leaf = func.sum(Turn.cost_pico_usd), func.sum(Turn.unpriced)
        cost, unpriced = self._sums(user_id, Selection(start_ns, end_ns), leaf, ("pico_usd", "unpriced"))
        return cost or 0, unpriced or 0

    def _sums(
        self, user_id: str, selection: Selection, leaf: Sequence[Any], columns: Sequence[str], more: Sequence[Any] = ()
    ) -> list[int | None]:
        """Sums over turns, of many from their sums by hour and day."""
        with self._store.reader() as session:
            conditions = [*matching(user_id, selection), *more]
            if few(session, TurnHour.turns, user_id, selection):
                return [whole(value) for value in session.execute(sa_select(*leaf).where(*conditions)).one()]
            pieces = cut(selection.start_ns, selection.end_ns)
            c = summed(TurnHour, [user_id], pieces, columns, fitting(facets_of(session), selection)).c
            single = [*chosen(selection), *more, pieces.began(Turn, user_id)]
            ends = session.execute(sa_select(*leaf).where(*single)).one()
            hours = session.execute(sa_select(*(func.sum(c[name]) for name in columns))).one()
        return [plus(whole(one), whole(two)) for one, two in zip(ends, hours, strict=True)]

    def first_call_ns(self, user_id: str, since_ns: int) -> int | None:
        """When the first turn with model calls began since a moment."""
        started = col(Turn.start_ns)
        query = sa_select(started).where(
            *whose(col(Turn.user_id), user_id), started >= since_ns, col(Turn.requests) > 0
        )
        with self._store.reader() as session:
            return whole(session.execute(query.order_by(started).limit(1)).scalar_one_or_none())


def lines_of(session: Session, conditions: Sequence[ColumnElement[bool]], bounds: Sequence[int] = ()) -> list[Line]:
    """Lines of single calls of five minutes, or of all those between two bounds."""
    turn = first_found(col(Turn.start_ns), conditions)
    part = stretch_of(turn.start_ns, bounds) if bounds else turn.start_ns // SLICE
    keys: tuple[Any, ...] = (part, LlmCall.agent, LlmCall.provider, LlmCall.model)
    query = sa_select(func.min(turn.start_ns) // SLICE, *keys[1:], *sums()).join(
        LlmCall, col(LlmCall.turn_id) == turn.turn_id
    )
    rows = session.execute(query.group_by(*keys).order_by(func.min(turn.start_ns))).all()
    return [Line(int(row[0]) * SLICE, row[1], row[2], row[3], spent_of(row[4:])) for row in rows]


def first_found(column: Any, conditions: Sequence[ColumnElement[bool]]) -> Any:
    """A column of turns with their ids, found before their calls: SQLite might else go through the calls of all."""
    return sa_select(col(Turn.turn_id), column).where(*conditions).cte("turns").prefix_with("MATERIALIZED").c


def hourly_lines(
    session: Session, user_id: str, selection: Selection, pieces: Cut, bounds: Sequence[int]
) -> list[Line]:
    """Lines of whole hours and days, or of all those between two bounds."""
    facets = facets_of(session)
    names = ("start_ns", "call_facet", *SUMS)
    c = summed(LlmHour, [user_id], pieces, names, fitting(facets, selection)).c
    stretch = stretch_of(c.start_ns, bounds) if bounds else c.start_ns
    query = sa_select(func.min(c.start_ns), c.call_facet, *(func.sum(c[name]) for name in SUMS))
    found = []
    for start, facet, *numbers in session.execute(query.group_by(stretch, c.call_facet)):
        _, agent, provider, model = facets[facet]
        found.append(Line(start, agent, provider, model, spent_of_sums(numbers)))
    return found


def stretch_of(start: Any, bounds: Sequence[int]) -> ColumnElement[int]:
    """The number of the stretch between bounds in which something began."""
    return case(*((start < bound, place) for place, bound in enumerate(bounds)), else_=len(bounds))


def spent_of_sums(row: Sequence[Any]) -> Spent:
    """A row of sums by hour and day; what no call reported is unknown."""
    calls, unpriced, unreported, estimated, *pairs, cost = (int(number) for number in row)
    tokens = [number if known else None for known, number in zip(pairs[::2], pairs[1::2], strict=True)]
    return spent_of([calls, unpriced, unreported, estimated, *tokens, cost if calls > unpriced else None])


def folded(lines: Iterable[Line], bounds: Sequence[int]) -> list[Line]:
    """Lines in order of time; with bounds, those of the same stretch and the same call as one."""
    ordered = sorted(lines, key=lambda line: line.start_ns)
    if not bounds:
        return ordered
    places = [bisect(bounds, line.start_ns) for line in ordered]
    found: dict[Any, Line] = {}
    for line, place in zip(ordered, places, strict=True):
        key = (place, line.agent, line.provider, line.model)
        known = found.get(key)
        found[key] = line if known is None else replace(known, spent=known.spent + line.spent)
    return list(found.values())


def of_turn() -> ColumnElement[bool]:
    """A call and its turn; whose it is, the turn says."""
    return col(Turn.turn_id) == col(LlmCall.turn_id)


def sums() -> tuple[ColumnElement[Any], ...]:
    """The columns of `Spent`, in its order. Parts that are larger than their whole count as the whole."""
    c = LlmCall

    def number(condition: Any) -> ColumnElement[Any]:
        return func.sum(case((condition, 1), else_=0))

    def part(of: Any, whole_of: Any) -> ColumnElement[Any]:
        unknown, more = col(whole_of).is_(None), col(of) > col(whole_of)
        return func.sum(case((unknown, None), (more, col(whole_of)), else_=col(of)))

    missing = col(c.input_tokens).is_(None) | col(c.output_tokens).is_(None)
    return (
        func.count(),
        number(col(c.cost_pico_usd).is_(None)),
        number(missing),
        number(col(c.estimated).is_(True)),
        func.sum(c.input_tokens),
        part(c.cached_input_tokens, c.input_tokens),
        func.sum(c.output_tokens),
        part(c.reasoning_tokens, c.output_tokens),
        func.sum(c.cost_pico_usd),
    )


def spent_of(row: Sequence[Any]) -> Spent:
    """A row of `sums`."""
    return Spent(*(whole(value) for value in row))  # type: ignore[arg-type]


def whole(value: Any) -> int | None:
    """A number of the database as a whole number; PostgreSQL gives decimals for sums."""
    return None if value is None else int(value)


def values(spent: Spent) -> tuple[int | None, ...]:
    """The numbers of sums, in order."""
    return tuple(vars(spent).values())


def plus(one: int | None, two: int | None) -> int | None:
    """The sum of what is known."""
    return two if one is None else one if two is None else one + two


def total(lines: Iterable[Line]) -> Spent:
    """The sum of lines."""
    return sum((line.spent for line in lines), Spent())


def by(lines: Iterable[Line], key: Callable[[Line], str | None]) -> dict[str | None, Spent]:
    """The sums by whatever, the dearest first."""
    groups: dict[str | None, Spent] = {}
    for line in lines:
        groups[key(line)] = groups.get(key(line), Spent()) + line.spent
    return dict(sorted(groups.items(), key=lambda item: (-(item[1].pico_usd or 0), -item[1].calls, item[0] or "")))
