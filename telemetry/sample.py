"""The ended turns of a period, one by one or summed by hour and day, ready to be counted by whatever they differ in."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Final

import numpy as np
from sqlalchemy import BigInteger, Select, Text, cast, func, select
from sqlmodel import Session

from telemetry import hourly
from telemetry.hour_tables import TurnHour
from telemetry.hours import Cut, facets_of, fitting, summed
from telemetry.phases import Phase
from telemetry.selection import Selection
from telemetry.sketch import Ints, Times, bucketed, exact_times
from telemetry.tables import Turn
from telemetry.upsert import table_of

ENDED: Final = ("done", "failed", "interrupted", "stopped")
LATENCY, FIRST_WORD, OVERHEAD = hourly.LATENCY, hourly.FIRST_WORD, hourly.OVERHEAD
TURN: Final = table_of(Turn).c
AGENTS: Final = cast(TURN.agents, Text)
OWN_NS: Final = func.coalesce(cast(TURN.phases[Phase.FRAMEWORK.value].as_string(), BigInteger), 0)
COLUMNS: Final = (
    *(TURN.turn_id, TURN.start_ns, TURN.cached, TURN.status, TURN.route, TURN.model, AGENTS),
    *(TURN.latency_ns, TURN.first_token_ns, OWN_NS),
)


@dataclass(frozen=True)
class Shared:
    """What turns have in common."""

    status: str
    route: str | None
    model: str | None
    agents: tuple[str, ...]


@dataclass(frozen=True)
class Sample:
    """Ended turns; a row is one of them, or those of an hour or a day that have all in common.

    Attributes:
        turn_ids: Of the rows that are single turns, which come first.
        starts: Unix nanoseconds, of a row.
        turns, cached: How many turns a row is, and how many of them were remembered.
        shared: The place of what its turns share, in `kinds`.
        times: The histograms by kind; those of sums are within half a percent.
        answered: Statuses of the turns that percentiles are over.
        exact: Whether each turn is a row.
    """

    turn_ids: Sequence[str]
    starts: Ints
    turns: Ints
    cached: Ints
    shared: Ints
    kinds: Sequence[Shared]
    times: Mapping[int, Times]
    answered: tuple[str, ...]
    exact: bool

    @cached_property
    def together(self) -> "Sample":
        """The same turns whenever they began: a row is all that share everything."""
        number = len(self.kinds)
        turns, cached = (
            np.bincount(self.shared, amounts, minlength=number).astype(np.int64)
            for amounts in (self.turns, self.cached)
        )
        times = {which: found.together(self.shared, number) for which, found in self.times.items()}
        kinds = np.arange(number)
        return replace(self, starts=np.zeros(number, np.int64), turns=turns, cached=cached, shared=kinds, times=times)

    @property
    def total(self) -> int:
        """How many turns there are."""
        return int(self.turns.sum())

    def count(self, groups: Ints, number: int, statuses: Sequence[str]) -> Ints:
        """How many turns of some statuses each group has; the group of each row is from 0 up, -1 is none."""
        kept = self.are(statuses) & (groups >= 0)
        return np.bincount(groups[kept], self.turns[kept], minlength=number).astype(np.int64)

    def are(self, statuses: Sequence[str]) -> Any:
        """Which rows ended so."""
        return np.array([kind.status in statuses for kind in self.kinds], bool)[self.shared]

    def quantiles(self, which: int, groups: Ints, number: int, *shares: float) -> list[list[int | None]]:
        """Quantiles of the answered turns of each group."""
        return self.times[which].quantiles(np.where(self.are(self.answered), groups, -1), number, *shares)


def read(session: Session, user_id: str, selection: Selection, conditions: Sequence[Any], pieces: Cut | None) -> Sample:
    """Read a sample.

    Args:
        conditions: Of the turns to read one by one.
        pieces: The hours to read; None if all is read one by one.
    """
    turns = raw(session, select(*COLUMNS).where(*conditions, TURN.status.in_(ENDED)))
    hours, facets = ([], {}) if pieces is None else hours_of(session, user_id, selection, pieces)
    kinds: dict[Shared, int] = {}
    alike = {row: shared_of(row) for row in {row[3:7] for row in turns}}
    mine = {row: kinds.setdefault(one, len(kinds)) for row, one in alike.items()}
    theirs = {number: kinds.setdefault(one, len(kinds)) for number, one in facets.items()}
    columns = [
        ([row[1] for row in turns], [row[0] for row in hours]),
        ([1] * len(turns), [row[1] for row in hours]),
        ([int(row[2]) for row in turns], [row[2] for row in hours]),
        ([mine[row[3:7]] for row in turns], [theirs[row[3]] for row in hours]),
    ]
    starts, numbers, cached, shared = (np.array([*one, *other], np.int64) for one, other in columns)
    blobs = [row[4] for row in hours]
    values = {which: [row[7 + which] for row in turns] for which in (LATENCY, FIRST_WORD, OVERHEAD)}
    exact = {which: exact_times(found) for which, found in values.items()} if pieces is None else None
    times = bucketed(values, blobs) if exact is None else exact
    answered, ids = selection.statuses or ("done",), [row[0] for row in turns]
    return Sample(ids, starts, numbers, cached, shared, list(kinds), times, answered, pieces is None)


def raw(session: Session, query: Select[Any]) -> Sequence[Any]:
    """Rows as the database's driver gives them: of tens of thousands, making SQLAlchemy's takes the longest."""
    cursor: Any = session.connection().execute(query).cursor
    rows: Sequence[Any] = cursor.fetchall()
    return rows


def shared_of(row: Sequence[Any]) -> Shared:
    """What a turn shares, of its status, route, model and agents."""
    status, route, model, agents = row
    return Shared(status, route, model, tuple(json.loads(agents)))


def hours_of(
    session: Session, user_id: str, selection: Selection, pieces: Cut
) -> tuple[Sequence[Any], dict[int, Shared]]:
    """The sums of days and hours (start, turns, cached, facet, histograms) of ended turns, and their facets."""
    facets = facets_of(session)
    chosen = fitting(facets, selection)
    ended = {
        number: Shared(value[2], value[0], value[1], tuple(value[3]))
        for number, (kind, *value) in facets.items()
        if kind == "turn" and value[2] in ENDED and (chosen is None or number in chosen)
    }
    sums = summed(TurnHour, [user_id], pieces, ["start_ns", "turns", "cached", "turn_facet", "times"], list(ended))
    return raw(session, select(sums)), ended
