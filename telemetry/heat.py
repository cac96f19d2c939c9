"""How many turns took how long at what time: the cells of a heat map, whose rows grow by about two and a half times."""

from dataclasses import dataclass
from datetime import datetime
from typing import Final
from zoneinfo import ZoneInfo

import numpy as np

from telemetry.buckets import bucket_edges, places_of
from telemetry.formats import HOUR, MILLI, MINUTE
from telemetry.sample import LATENCY, Sample
from telemetry.selection import Selection
from telemetry.sketch import Ints, values_of

QUICK: Final = [factor * 10**power * MILLI for power in range(5) for factor in (1, 2, 5)][:-1]
SLOW: Final = [
    *(minutes * MINUTE for minutes in (1, 2, 5, 10, 30)),
    *(hours * HOUR for hours in (1, 3, 12, 24, 72, 240)),
]
STEPS: Final = np.array([*QUICK, *SLOW], np.int64)
"""Where the rows begin, nanoseconds, in round numbers of their unit; what is under a millisecond is in the first."""


@dataclass(frozen=True)
class Heat:
    """A heat map of latency.

    Attributes:
        starts: When each column begins, in the zone.
        lows, highs: Between which times a row is, nanoseconds, shortest first; a time on an edge is in the row above.
        turns: How many answered turns each cell has: a row of the map by a column.
    """

    starts: list[datetime]
    lows: list[int]
    highs: list[int]
    turns: Ints


def heat(sample: Sample, selection: Selection, zone: ZoneInfo) -> Heat | None:
    """The cells from the quickest to the slowest row with a turn; None where no turn tells."""
    starts = bucket_edges(selection, zone)
    bars = places_of(sample.starts, starts)
    times = sample.times[LATENCY]
    kept = sample.are(sample.answered)[times.rows]
    if not kept.any():
        return None
    values = (times.keys if times.exact else values_of(times.keys))[kept]
    rows = np.maximum(STEPS.searchsorted(values, side="right") - 1, 0)
    cells = rows * len(starts) + bars[times.rows[kept]]
    found = np.bincount(cells, times.weights[kept], minlength=len(STEPS) * len(starts)).astype(np.int64)
    first, last = int(rows.min()), int(rows.max())
    edges = [0, *STEPS[1:].tolist(), 2 * int(STEPS[-1])]
    turns = found.reshape(len(STEPS), len(starts))[first : last + 1]
    return Heat(starts, edges[first : last + 1], edges[first + 1 : last + 2], turns)
