"""How long turns took: numbers of a period, their course over time, and by what they differ.

A turn's latency is its wall time without the time in which it waited for a person. Percentiles are over answered
turns (or over those of the statuses that were asked for), so that a quick failure does not flatter them.
"""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, time, timedelta
from typing import Any
from zoneinfo import ZoneInfo

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from sqlalchemy import BigInteger, ColumnElement, Text, cast, func, literal
from sqlalchemy import select as sa_select
from sqlmodel import Session, col, select

from telemetry import hourly
from telemetry.formats import local
from telemetry.hour_tables import TurnHour
from telemetry.hours import Cut, cut, facets_of, few, fitting, in_hours
from telemetry.phases import Phase
from telemetry.queries import Readable, Selection, matching
from telemetry.sketch import ERROR, Points, joined, points_of, points_of_values
from telemetry.tables import Turn

ENDED = ("done", "failed", "interrupted", "stopped")
LATENCY, FIRST_WORD, OVERHEAD = "latency", "first_word", "overhead"
KINDS = {LATENCY: hourly.LATENCY, FIRST_WORD: hourly.FIRST_WORD, OVERHEAD: hourly.OVERHEAD}
KEYS = ["start_ns", "turns", "cached", "status", "route", "model", "agents"]


@dataclass(frozen=True)
class Sample:
    """Ended turns of a period.

    Attributes:
        frame: A row a turn, or of very many a row for those of an hour that have all in common that is a column
            (`KEYS`); `turn_id` only of single turns.
        points: Their times by kind; those of hours are within half a percent.
        total: How many turns there are.
        answered: Which rows percentiles are over.
        exact: Whether each turn was read.
    """

    frame: pd.DataFrame
    points: Mapping[str, Points]
    total: int
    answered: NDArray[np.bool_]
    exact: bool = True

    def quantiles(self, kind: str, rows: NDArray[np.bool_], *shares: float) -> list[int | None]:
        """Quantiles of the answered turns among some rows."""
        return self.points[kind].of(rows & self.answered).quantiles(*shares)


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


class Latency:
    """Latency of the turns in a telemetry store."""

    def __init__(self, store: Readable) -> None:
        self._store = store

    def sample(self, user_id: str, selection: Selection, zone: ZoneInfo | None = None) -> Sample:
        """The ended turns of a selection; of very many, their hourly sums.

        Args:
            zone: With it, hours in which a day of the zone begins are divided there.
        """
        with self._store.reader() as session:
            whole = few(session, TurnHour.turns, user_id, selection)
            pieces = cut(0, 0) if whole else cut(selection.start_ns, selection.end_ns, divisions(selection, zone))
            period = [] if whole else [pieces.began(col(Turn.start_ns))]
            conditions = [*matching(user_id, selection), *period, col(Turn.status).in_(ENDED)]
            turns = session.execute(sa_select(*COLUMNS).where(*conditions)).all()
            hours = [] if whole else hours_of(session, user_id, selection, pieces)
        return sample_of(turns, hours, selection, exact=whole)

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


COLUMNS: tuple[Any, ...] = (
    *(Turn.turn_id, Turn.start_ns, literal(1), Turn.cached, Turn.status, Turn.route, Turn.model),
    *(cast(col(Turn.agents), Text), Turn.latency_ns, Turn.first_token_ns),
    func.coalesce(cast(col(Turn.phases)[Phase.FRAMEWORK.value].as_string(), BigInteger), 0),
)


def nulls_last() -> ColumnElement[Any]:
    """Longest first."""
    return func.coalesce(col(Turn.latency_ns), -1).desc()


def divisions(selection: Selection, zone: ZoneInfo | None) -> pd.DatetimeIndex | tuple[()]:
    """Where a course over time is divided."""
    return () if zone is None else bucket_edges(selection, zone)


def hours_of(session: Session, user_id: str, selection: Selection, pieces: Cut) -> list[tuple[Any, ...]]:
    """The hourly sums: start, turns, cached, status, route, model, agents, histograms."""
    facets = facets_of(session)
    ended = {number for number, (kind, *value) in facets.items() if kind == "turn" and value[2] in ENDED}
    chosen = fitting(facets, selection)
    table = TurnHour
    columns: tuple[Any, ...] = (table.start_ns, table.turns, table.cached, table.turn_facet, table.times)
    query = sa_select(*columns).where(*in_hours(table, user_id, pieces, chosen))
    shared = {
        number: (value[3], value[1], value[2], tuple(value[4])) for number, value in facets.items() if number in ended
    }
    return [
        (start, n, cached, *shared[facet], times)
        for start, n, cached, facet, times in session.execute(query)
        if facet in ended
    ]


def sample_of(turns: Sequence[Any], hours: Sequence[Any], selection: Selection, exact: bool) -> Sample:
    """Single turns and hourly sums together."""
    titles = {row[7]: tuple(json.loads(row[7])) for row in turns}
    rows = [(row[0], *row[1:7], titles[row[7]]) for row in turns] + [("", *row[:-1]) for row in hours]
    frame = pd.DataFrame(rows, columns=["turn_id", *KEYS])
    blobs = [row[-1] for row in hours]
    points = {
        kind: joined(points_of_values([row[8 + which] for row in turns]), points_of(blobs, which), len(turns))
        for kind, which in KINDS.items()
    }
    answered = frame.status.isin(selection.statuses or ("done",)).to_numpy(bool)
    return Sample(frame, points, int(frame.turns.sum()), answered, exact)


def least_of_slowest(session: Session, user_id: str, selection: Selection, limit: int) -> int:
    """A latency that enough turns of the period reach, so that only those need be looked at; 0 if none is known."""
    if few(session, TurnHour.turns, user_id, selection):
        return 0
    pieces = cut(selection.start_ns, selection.end_ns)
    times = [row[-1] for row in hours_of(session, user_id, selection, pieces)]
    found = points_of(times, hourly.LATENCY)
    order = np.argsort(-found.values, kind="stable")
    enough = np.cumsum(found.weights[order])
    at = int(np.searchsorted(enough, limit))
    return int(found.values[order][at] * (1 - 2 * ERROR)) if at < len(enough) else 0


def numbers(sample: Sample, rows: NDArray[np.bool_] | None = None) -> Numbers:
    """The numbers of a sample, or of some of its rows."""
    chosen = np.ones(len(sample.frame), bool) if rows is None else rows
    ended = sample.frame[chosen]
    turns = int(ended.turns.sum())
    p50, p95, p99 = sample.quantiles(LATENCY, chosen, 0.5, 0.95, 0.99)
    failed = ended.turns[ended.status.isin(("failed", "interrupted"))].sum()
    return Numbers(
        turns=turns,
        p50_ns=p50,
        p95_ns=p95,
        p99_ns=p99,
        first_word_ns=sample.quantiles(FIRST_WORD, chosen, 0.5)[0],
        overhead_ns=sample.quantiles(OVERHEAD, chosen, 0.5)[0],
        errors=float(failed / turns) if turns else None,
        cache_hits=float(ended.cached.astype(int).sum() / turns) if turns else None,
    )


def trend(sample: Sample, selection: Selection, zone: ZoneInfo) -> pd.DataFrame:
    """Percentiles over time: one row a bucket, those without turns too.

    Returns:
        columns start (aware, in the zone), turns, p50_ns, p95_ns, first_word_ns. Days are the zone's: one with a
        clock change has 23 or 25 hours.
    """
    edges = bucket_edges(selection, zone)
    starts = sample.frame.start_ns.to_numpy("int64")
    place = np.maximum(edges.as_unit("ns").asi8.searchsorted(starts, side="right") - 1, 0)
    rows = [course(sample, place == number) for number in range(len(edges))]
    return pd.DataFrame(rows, columns=["turns", "p50_ns", "p95_ns", "first_word_ns"]).assign(start=edges)


def course(sample: Sample, rows: NDArray[np.bool_]) -> tuple[int, int | None, int | None, int | None]:
    """One bucket of a trend."""
    turns = int(sample.frame.turns.to_numpy()[rows & sample.answered].sum())
    p50, p95 = sample.quantiles(LATENCY, rows, 0.5, 0.95)
    return turns, p50, p95, sample.quantiles(FIRST_WORD, rows, 0.5)[0]


def bucket_edges(selection: Selection, zone: ZoneInfo) -> pd.DatetimeIndex:
    """Starts of the buckets: five minutes up to two hours, hours up to two days, then days of the zone."""
    start, end = local(selection.start_ns, zone), local(selection.end_ns, zone)
    if end - start > timedelta(days=2):
        days = (end.date() - start.date()).days
        dates = [start.date() + timedelta(days=day) for day in range(days + 1)]
        edges = [datetime.combine(date, time(), zone).astimezone(UTC) for date in dates]
        return pd.DatetimeIndex([edge for edge in edges if edge < end]).tz_convert(zone)
    step = "5min" if end - start <= timedelta(hours=2) else "h"
    first = pd.Timestamp(start.astimezone(UTC)).floor(step)
    return pd.date_range(first, end.astimezone(UTC), freq=step, inclusive="left").tz_convert(zone)


def breakdown(sample: Sample, by: str) -> pd.DataFrame:
    """The numbers by `route`, `model` or `agents` (a turn counts for each of its agents), most turns first.

    Returns:
        columns key, turns, p50_ns, p95_ns, first_word_ns, errors.
    """
    values = sample.frame[by]
    keys = values.explode() if by == "agents" else values
    members = keys.groupby(keys).groups
    rows = [(key, numbers(sample, values.index.isin(chosen))) for key, chosen in members.items()]
    cells = [(key, n.turns, n.p50_ns, n.p95_ns, n.first_word_ns, n.errors) for key, n in rows]
    columns = ["key", "turns", "p50_ns", "p95_ns", "first_word_ns", "errors"]
    return pd.DataFrame(cells, columns=columns).sort_values(["turns", "key"], ascending=[False, True])
