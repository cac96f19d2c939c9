"""The buckets of a course over time: five minutes, hours, or days of a zone."""

from collections.abc import Sequence
from datetime import UTC, datetime, time, timedelta
from zoneinfo import ZoneInfo

import numpy as np

from telemetry.formats import HOUR, MINUTE, local
from telemetry.selection import Selection
from telemetry.sketch import Ints


def bucket_edges(selection: Selection, zone: ZoneInfo) -> list[datetime]:
    """When each bucket starts: every five minutes up to two hours, every hour up to two days, then each of its days.

    Returns:
        times in the zone, of which a day with a clock change has 23 or 25 hours.
    """
    start, end = local(selection.start_ns, zone), local(selection.end_ns, zone)
    if end - start > timedelta(days=2):
        dates = [start.date() + timedelta(days=day) for day in range((end.date() - start.date()).days + 1)]
        edges = [datetime.combine(date, time(), zone).astimezone(UTC) for date in dates]
        return [edge.astimezone(zone) for edge in edges if edge < end]
    step = 5 * MINUTE if end - start <= timedelta(hours=2) else HOUR
    return [local(ns, zone) for ns in range(selection.start_ns // step * step, selection.end_ns, step)]


def places_of(starts_ns: Sequence[int] | Ints, edges: Sequence[datetime]) -> Ints:
    """The bucket of each moment; what began just before the first edge belongs to the first bucket."""
    bounds = np.array([int(edge.timestamp()) * 10**9 for edge in edges], np.int64)
    return np.maximum(bounds.searchsorted(starts_ns, side="right") - 1, 0)


def tick_format(edges: Sequence[datetime]) -> str:
    """Days for a course of days, otherwise the time of day."""
    return "%-d %b" if len(edges) > 1 and edges[1] - edges[0] > timedelta(hours=2) else "%H:%M"
