"""The time of answered turns by phase, summed by what the turns have in common, and grouped by any of it."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Final, Literal

from sqlalchemy import func, select
from sqlmodel import Session

from telemetry.hour_tables import TurnHour
from telemetry.hourly import PHASES
from telemetry.hours import cut, facets_of, few, fitting, summed
from telemetry.phases import Phase
from telemetry.sample import Shared
from telemetry.selection import Readable, Selection, chosen, matching
from telemetry.tables import Turn
from telemetry.upsert import table_of

By = Literal["route", "agents", "model"]
TURN: Final = table_of(Turn).c
SUMS: Final = ("turn_facet", "turns", *(f"{phase}_ns" for phase in PHASES))


@dataclass(frozen=True)
class Part:
    """Turns that have all of `shared` in common; `phases` are the sums of their time, nanoseconds."""

    shared: Shared
    turns: int
    phases: dict[str, int]

    @property
    def latency_ns(self) -> int:
        """The sum of their latency: without the time in which they waited for a person."""
        return sum(ns for phase, ns in self.phases.items() if phase != Phase.APPROVAL_WAIT)


@dataclass(frozen=True)
class Group:
    """Turns with one key; each turn is in one group of a grouping alone, so that groups add up."""

    key: tuple[str | None, ...]
    turns: int
    phases: dict[str, int]

    def mean_ns(self, phase: str | None = None) -> float:
        """A phase's time a turn, by default the latency's; nanoseconds."""
        kept = (name for name in self.phases if name != Phase.APPROVAL_WAIT) if phase is None else [phase]
        return sum(self.phases.get(name, 0) for name in kept) / self.turns


def parts_of(store: Readable, user_id: str, selection: Selection) -> list[Part]:
    """The answered turns of a selection, or those of the statuses that it asks for."""
    turns: Counter[Shared] = Counter()
    sums: dict[Shared, Counter[str]] = defaultdict(Counter)
    with store.reader() as session:
        for shared, number, phases in rows_of(session, user_id, selection):
            turns[shared] += number
            sums[shared].update(phases)
    return [Part(shared, number, dict(+sums[shared])) for shared, number in turns.items() if number]


def rows_of(session: Session, user_id: str, selection: Selection) -> Iterator[tuple[Shared, int, dict[str, int]]]:
    """What is counted: single turns, and sums of hours."""
    answered, conditions = selection.statuses or ("done",), matching(user_id, selection)
    if not few(session, TurnHour.turns, user_id, selection):
        pieces = cut(selection.start_ns, selection.end_ns)
        conditions = [*chosen(selection), pieces.began(Turn, user_id)]
        facets = facets_of(session)
        fit = fitting(facets, selection)
        kinds = {
            number: Shared(value[2], value[0], value[1], tuple(value[3]))
            for number, (kind, *value) in facets.items()
            if kind == "turn" and value[2] in answered and (fit is None or number in fit)
        }
        sums = summed(TurnHour, [user_id], pieces, SUMS, list(kinds)).c
        query = select(sums.turn_facet, *(func.sum(sums[name]) for name in SUMS[1:])).group_by(sums.turn_facet)
        for facet, number, *times in session.connection().execute(query):
            yield kinds[facet], int(number), dict(zip(PHASES, map(int, times), strict=True))
    single = select(TURN.status, TURN.route, TURN.model, TURN.agents, TURN.phases).where(*conditions)
    for status, route, model, agents, phases in session.connection().execute(single.where(TURN.status.in_(answered))):
        yield Shared(status, route, model, tuple(agents)), 1, phases


def grouped(parts: Iterable[Part], by: Sequence[By]) -> list[Group]:
    """The turns by what they have in common, most time in all first; several agents of a turn are one name."""
    turns: Counter[tuple[str | None, ...]] = Counter()
    sums: dict[tuple[str | None, ...], Counter[str]] = defaultdict(Counter)
    for part in parts:
        key = tuple(named(getattr(part.shared, one)) for one in by)
        turns[key] += part.turns
        sums[key].update(part.phases)
    groups = [Group(key, number, dict(sums[key])) for key, number in turns.items()]
    return sorted(groups, key=lambda group: (-group.mean_ns() * group.turns, tuple(map(str, group.key))))


def named(value: Any) -> str | None:
    """A value as one name; None if there is none."""
    return " → ".join(value) or None if isinstance(value, tuple) else value
