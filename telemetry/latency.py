"""How long turns took: numbers of a period, their course over time, and by what they differ.

A turn's latency is its wall time without the time in which it waited for a person. Percentiles are over answered
turns (or over those of the statuses that were asked for), so that a quick failure does not flatter them.
"""

import json
from dataclasses import dataclass
from datetime import UTC, datetime, time, timedelta
from typing import Any
from zoneinfo import ZoneInfo

import pandas as pd
from sqlalchemy import BigInteger, ColumnElement, Text, cast, func
from sqlalchemy import select as sa_select
from sqlmodel import col, select

from telemetry.formats import local
from telemetry.phases import Phase
from telemetry.queries import Readable, Selection, matching
from telemetry.tables import Turn

SAMPLE = 10_000
ENDED = ("done", "failed", "interrupted", "stopped")
COLUMNS = ["turn_id", "start_ns", "status", "route", "model", "agents"]
COLUMNS += ["latency_ns", "first_word_ns", "overhead_ns", "cached"]


@dataclass(frozen=True)
class Sample:
    """Ended turns of a period.

    Attributes:
        frame: One row a turn (`COLUMNS`), at most about `SAMPLE` of them.
        total: How many there are.
        answered: The rows that percentiles are over.
    """

    frame: pd.DataFrame
    total: int
    answered: pd.DataFrame


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

    def sample(self, user_id: str, selection: Selection) -> Sample:
        """The ended turns of a selection; of very many an even sample, chosen by their random ids."""
        conditions = [*matching(user_id, selection), col(Turn.status).in_(ENDED)]
        total = select(func.count()).select_from(Turn).where(*conditions)
        with self._store.reader() as session:
            count = session.exec(total).one()
            if count > SAMPLE:
                conditions.append(func.substr(Turn.turn_id, 1, 4) < f"{65_536 * SAMPLE // count:04x}")
            rows = session.execute(sa_select(*sample_columns()).where(*conditions)).all()
        frame = pd.DataFrame(rows, columns=COLUMNS)
        frame["agents"] = frame.agents.map({titles: json.loads(titles) for titles in frame.agents.unique()})
        return Sample(frame, count, frame[frame.status.isin(selection.statuses or ("done",))])

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
            return list(session.exec(query.order_by(latency_ns().desc(), col(Turn.turn_id)).limit(limit)))


def sample_columns() -> tuple[Any, ...]:
    """What a sample holds of each turn, in the order of `COLUMNS`."""
    turn = (Turn.turn_id, Turn.start_ns, Turn.status, Turn.route, Turn.model)
    times = (latency_ns(), Turn.first_token_ns, phase_ns(Phase.FRAMEWORK))
    return (*turn, cast(col(Turn.agents), Text), *times, Turn.cached)


def latency_ns() -> ColumnElement[int | None]:
    """Wall time without the wait for a person."""
    return col(Turn.wall_ns) - phase_ns(Phase.APPROVAL_WAIT)


def phase_ns(phase: Phase) -> ColumnElement[int]:
    """Time of a phase; phases without time are left out of the stored account."""
    return func.coalesce(cast(col(Turn.phases)[phase.value].as_string(), BigInteger), 0)


def numbers(sample: Sample) -> Numbers:
    """The numbers of a sample."""
    answered, ended = sample.answered, sample.frame
    failed = ended.status.isin(("failed", "interrupted"))
    return Numbers(
        turns=sample.total,
        p50_ns=quantile(answered.latency_ns, 0.5),
        p95_ns=quantile(answered.latency_ns, 0.95),
        p99_ns=quantile(answered.latency_ns, 0.99),
        first_word_ns=quantile(answered.first_word_ns, 0.5),
        overhead_ns=quantile(answered.overhead_ns, 0.5),
        errors=float(failed.mean()) if len(ended) else None,
        cache_hits=float(ended.cached.astype(bool).mean()) if len(ended) else None,
    )


def quantile(values: "pd.Series[Any]", share: float) -> int | None:
    """A quantile of the values that are known, in whole nanoseconds."""
    known = values.dropna()
    return int(known.astype("int64").quantile(share)) if len(known) else None


def trend(sample: Sample, selection: Selection, zone: ZoneInfo) -> pd.DataFrame:
    """Percentiles over time: one row a bucket, those without turns too.

    Returns:
        columns start (aware, in the zone), turns, p50_ns, p95_ns, first_word_ns. Days are the zone's: one with a
        clock change has 23 or 25 hours.
    """
    edges = bucket_edges(selection, zone)
    place = edges.as_unit("ns").asi8.searchsorted(sample.answered.start_ns.to_numpy("int64"), side="right") - 1
    groups = {int(number): group for number, group in sample.answered.groupby(place)}
    rows = [course(groups.get(number)) for number in range(len(edges))]
    return pd.DataFrame(rows, columns=["turns", "p50_ns", "p95_ns", "first_word_ns"]).assign(start=edges)


def course(group: pd.DataFrame | None) -> tuple[int, int | None, int | None, int | None]:
    """One bucket of a trend."""
    if group is None:
        return 0, None, None, None
    latency = group.latency_ns
    return len(group), quantile(latency, 0.5), quantile(latency, 0.95), quantile(group.first_word_ns, 0.5)


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
    frame = sample.frame.explode(by).dropna(subset=[by])
    answered = sample.answered.explode(by)
    rows = [
        (key, numbers(Sample(group, len(group), answered[answered[by] == key])))
        for key, group in frame.groupby(by, sort=True)
    ]
    cells = [(key, n.turns, n.p50_ns, n.p95_ns, n.first_word_ns, n.errors) for key, n in rows]
    columns = ["key", "turns", "p50_ns", "p95_ns", "first_word_ns", "errors"]
    return pd.DataFrame(cells, columns=columns).sort_values(["turns", "key"], ascending=[False, True])
