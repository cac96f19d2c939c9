"""How long turns took: numbers of a period, their course over time, and by what they differ.

A turn's latency is its wall time without the time in which it waited for a person. Percentiles are over answered
turns (or over those of the statuses that were asked for), so that a quick failure does not flatter them.
"""

from dataclasses import dataclass
from datetime import datetime
from typing import Any
from zoneinfo import ZoneInfo

import numpy as np
from sqlalchemy import ColumnElement, func
from sqlmodel import Session, col, select

from telemetry.buckets import bucket_edges, places_of
from telemetry.hour_tables import TurnHour
from telemetry.hours import cut, few
from telemetry.sample import ENDED, FIRST_WORD, LATENCY, OVERHEAD, Sample, hours_of, read
from telemetry.selection import Readable, Selection, chosen, matching
from telemetry.sketch import ERROR, Ints, bucketed, values_of
from telemetry.tables import Turn


@dataclass(frozen=True)
class Numbers:
    """The numbers of a period. Nanoseconds and shares of 1; None where no turn tells."""

    turns: int
    p50_ns: int | None
    p95_ns: int | None
    p99_ns: int | None
    first_word_ns: int | None
    overhead_ns: int | None
    errors: float | None
    cache_hits: float | None = None


@dataclass(frozen=True)
class Stretch:
    """A stretch of a course over time. Nanoseconds; None where no turn tells.

    Attributes:
        start: In the reader's zone.
    """

    start: datetime
    turns: int
    p50_ns: int | None
    p95_ns: int | None
    first_word_ns: int | None


class Latency:
    """Latency of the turns in a telemetry store."""

    def __init__(self, store: Readable) -> None:
        self._store = store

    def sample(self, user_id: str, selection: Selection, zone: ZoneInfo | None = None) -> Sample:
        """The ended turns of a selection; of very many, their sums by hour and day.

        Args:
            zone: With it, hours and days in which a bucket of the zone begins are divided there: for `trend`, `heat`.
        """
        with self._store.reader() as session:
            if few(session, TurnHour.turns, user_id, selection):
                return read(session, user_id, selection, matching(user_id, selection), None)
            pieces = cut(selection.start_ns, selection.end_ns, () if zone is None else bucket_edges(selection, zone))
            ends = [*chosen(selection), pieces.began(Turn, user_id)]
            return read(session, user_id, selection, ends, pieces)

    def recent(self, user_id: str, selection: Selection, limit: int) -> list[Turn]:
        """The last ended turns of a selection, oldest first."""
        query = select(Turn).where(*matching(user_id, selection), col(Turn.status).in_(ENDED))
        query = query.order_by(col(Turn.start_ns).desc(), col(Turn.turn_id).desc()).limit(limit)
        with self._store.reader() as session:
            return list(session.exec(query))[::-1]

    def slowest(self, user_id: str, selection: Selection, limit: int) -> list[Turn]:
        """The ended turns that took longest, waiting for a person not counted."""
        query = select(Turn).where(*matching(user_id, selection), col(Turn.status).in_(ENDED))
        with self._store.reader() as session:
            least = least_of_slowest(session, user_id, selection, limit)
            if least:
                query = query.where(col(Turn.latency_ns) >= least)
            return list(session.exec(query.order_by(nulls_last(), col(Turn.turn_id)).limit(limit)))


def nulls_last() -> ColumnElement[Any]:
    """Longest first."""
    return func.coalesce(col(Turn.latency_ns), -1).desc()


def least_of_slowest(session: Session, user_id: str, selection: Selection, limit: int) -> int:
    """A latency that enough turns of the period reach, so that only those need be looked at; 0 if none is known."""
    if few(session, TurnHour.turns, user_id, selection):
        return 0
    hours, _ = hours_of(session, user_id, selection, cut(selection.start_ns, selection.end_ns))
    found = bucketed({LATENCY: []}, [row[4] for row in hours])[LATENCY]
    numbers = np.bincount(found.keys, found.weights, minlength=1)
    enough = np.flatnonzero(np.cumsum(numbers[::-1]) >= limit)
    if not len(enough):
        return 0
    bucket = len(numbers) - 1 - int(enough[0])
    return int(values_of(np.array([bucket]))[0] * (1 - 2 * ERROR))


def numbers(sample: Sample) -> Numbers:
    """The numbers of a sample."""
    return numbers_of(sample.together, np.zeros(len(sample.kinds), np.int64), 1)[0]


def numbers_of(sample: Sample, groups: Ints, number: int) -> list[Numbers]:
    """The numbers of each group of rows; -1 is no group."""
    turns = sample.count(groups, number, ENDED)
    failed = sample.count(groups, number, ("failed", "interrupted"))
    cached = np.bincount(groups[groups >= 0], sample.cached[groups >= 0], minlength=number)
    latency = sample.quantiles(LATENCY, groups, number, 0.5, 0.95, 0.99)
    first_word, overhead = (sample.quantiles(which, groups, number, 0.5) for which in (FIRST_WORD, OVERHEAD))
    return [
        Numbers(
            turns=int(turns[place]),
            p50_ns=latency[place][0],
            p95_ns=latency[place][1],
            p99_ns=latency[place][2],
            first_word_ns=first_word[place][0],
            overhead_ns=overhead[place][0],
            errors=float(failed[place] / turns[place]) if turns[place] else None,
            cache_hits=float(cached[place] / turns[place]) if turns[place] else None,
        )
        for place in range(number)
    ]


def trend(sample: Sample, selection: Selection, zone: ZoneInfo) -> list[Stretch]:
    """Percentiles over time: each bucket of the period, those without turns too."""
    edges = bucket_edges(selection, zone)
    bars = places_of(sample.starts, edges)
    turns = sample.count(bars, len(edges), sample.answered)
    latency = sample.quantiles(LATENCY, bars, len(edges), 0.5, 0.95)
    first_word = sample.quantiles(FIRST_WORD, bars, len(edges), 0.5)
    courses = zip(edges, turns, latency, first_word, strict=True)
    return [Stretch(edge, int(number), *one, *other) for edge, number, one, other in courses]


def breakdown(sample: Sample, by: str) -> list[tuple[str, Numbers]]:
    """The numbers by `route`, `model` or `agents` (a turn counts for each of its agents), most turns first."""
    sample = sample.together
    keys = [getattr(kind, by) for kind in sample.kinds]
    names = sorted({name for key in keys for name in (key if by == "agents" else [key]) if name is not None})
    if by == "agents":
        belongs = [np.array([name in key for key in keys], bool)[sample.shared] for name in names]
        found = [numbers_of(sample, np.where(rows, 0, -1), 1)[0] for rows in belongs]
    else:
        places = np.array([-1 if key is None else names.index(key) for key in keys], np.int64)
        found = numbers_of(sample, places[sample.shared], len(names))
    return sorted(zip(names, found, strict=True), key=lambda one: (-one[1].turns, one[0]))
