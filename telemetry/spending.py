"""Spending over time: the lines of a period in the buckets of a chart."""

from collections.abc import Iterable, Sequence
from datetime import datetime

from telemetry.buckets import places_of
from telemetry.costs import Line, Spent


def buckets(lines: Iterable[Line], edges: Sequence[datetime]) -> list[dict[str | None, Spent]]:
    """By bucket, model → spent; days of the zone have 23, 24 or 25 hours, as `bucket_edges` made them."""
    found: list[dict[str | None, Spent]] = [{} for _ in edges]
    kept = list(lines)
    for line, place in zip(kept, places_of([line.start_ns for line in kept], edges), strict=True):
        found[place][line.model] = found[place].get(line.model, Spent()) + line.spent
    return found
