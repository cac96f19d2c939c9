"""Histograms of durations with logarithmic buckets: they add up, and any percentile is within half a percent.

A histogram is bytes: pairs of 32-bit numbers, a place and how many values are there. A place is `KIND × which +
bucket`, so that one run of bytes holds several histograms. (The idea is DDSketch's, Masson, Rim and Lee 2019.)
"""

import struct
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from math import ceil, log
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

ERROR: Final = 0.005
GAMMA: Final = (1 + ERROR) / (1 - ERROR)
KIND: Final = 10_000
"""More than there are buckets up to 2⁶³ ns."""
PAIR: Final = np.dtype([("place", "<i4"), ("number", "<i4")])

Ints = NDArray[np.int64]


def place_of(which: int, value_ns: int) -> int:
    """Where a value of a histogram counts."""
    return KIND * which + (0 if value_ns < 1 else 1 + ceil(log(value_ns) / log(GAMMA)))


def values_of(buckets: Ints) -> Ints:
    """The values for which buckets stand, nanoseconds."""
    middles = 2 * GAMMA ** (buckets - 1.0) / (GAMMA + 1)
    return np.where(buckets == 0, 0, np.rint(middles)).astype(np.int64)


def packed(places: Mapping[int, int]) -> bytes:
    """A histogram as it is stored; without what is empty."""
    pairs = [number for place in sorted(places) if places[place] for number in (place, places[place])]
    return layout(len(pairs)).pack(*pairs)


def unpacked(data: bytes) -> dict[int, int]:
    """Place → number."""
    numbers = layout(len(data) // 4).unpack(data)
    return dict(zip(numbers[::2], numbers[1::2], strict=True))


@lru_cache(maxsize=1_024)
def layout(numbers: int) -> struct.Struct:
    """So many 32-bit numbers."""
    return struct.Struct(f"<{numbers}i")


@dataclass(frozen=True)
class Points:
    """Values with their weights, each belonging to a row of some table.

    Attributes:
        rows: The row of each.
    """

    rows: Ints
    values: Ints
    weights: Ints

    def of(self, mask: NDArray[np.bool_]) -> "Points":
        """Those of some rows."""
        kept = mask[self.rows]
        return Points(self.rows[kept], self.values[kept], self.weights[kept])

    def quantiles(self, *shares: float) -> list[int | None]:
        """Quantiles between the nearest ranks, whole nanoseconds; None if there is no value."""
        if not len(self.values):
            return [None] * len(shares)
        order = np.argsort(self.values, kind="stable")
        return [quantile(self.values[order], np.cumsum(self.weights[order]), share) for share in shares]


def quantile(values: Ints, until: Ints, share: float) -> int:
    """A quantile of sorted values; `until` is how many values there are up to each, itself included."""
    rank = (int(until[-1]) - 1) * share
    low, high = (int(values[np.searchsorted(until, place, side="right")]) for place in (int(rank), ceil(rank)))
    return int(low + (high - low) * (rank - int(rank)))


def points_of(histograms: Sequence[bytes], which: int) -> Points:
    """One kind of histogram of many rows."""
    pairs = np.frombuffer(b"".join(histograms), dtype=PAIR)
    rows = np.repeat(np.arange(len(histograms)), [len(one) // PAIR.itemsize for one in histograms])
    kept = pairs["place"] // KIND == which
    buckets = (pairs["place"][kept] % KIND).astype(np.int64)
    return Points(rows[kept].astype(np.int64), values_of(buckets), pairs["number"][kept].astype(np.int64))


def points_of_values(values: Sequence[Any]) -> Points:
    """Exact values, one a row; None is none."""
    known = [(row, value) for row, value in enumerate(values) if value is not None]
    rows, exact = (np.array(column, np.int64) for column in (zip(*known, strict=True) if known else ((), ())))
    return Points(rows, exact, np.ones(len(rows), np.int64))


def joined(one: Points, other: Points, offset: int) -> Points:
    """Both; the other's rows come after so many."""
    return Points(
        np.concatenate([one.rows, other.rows + offset]),
        np.concatenate([one.values, other.values]),
        np.concatenate([one.weights, other.weights]),
    )
