"""Spending over time: the lines of a period in the buckets of a chart."""

from collections.abc import Iterable

import pandas as pd

from telemetry.costs import Line, Spent
from telemetry.figures_tools import places_of


def buckets(lines: Iterable[Line], edges: pd.DatetimeIndex) -> list[dict[str | None, Spent]]:
    """By bucket, model → spent; days of the zone have 23, 24 or 25 hours, as `bucket_edges` made them."""
    found: list[dict[str | None, Spent]] = [{} for _ in edges]
    kept = list(lines)
    for line, place in zip(kept, places_of([line.start_ns for line in kept], edges), strict=True):
        found[place][line.model] = found[place].get(line.model, Spent()) + line.spent
    return found
