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
class Times:
    """Durations, each of some row of a table: as they are, or by the buckets in which they are.

    Attributes:
        rows: The row of each.
        keys: Nanoseconds if `exact`, else buckets; `weights` is how many durations there are of each.
    """

    rows: Ints
    keys: Ints
    weights: Ints
    exact: bool

    def quantiles(self, groups: Ints, number: int, *shares: float, nearest: bool = False) -> list[list[int | None]]:
        """Quantiles of each group of rows, whole nanoseconds; None where there is no duration.

        Args:
            groups: The group of each row, from 0 up to `number`; -1 is none.
            nearest: Whether a quantile is the nearest rank; else it lies between the two nearest.
        """
        of = groups[self.rows]
        kept = of >= 0
        if self.exact:
            found = [sorted_of(self.keys[of == group]) for group in range(number)]
        else:
            places = of[kept] * KIND + self.keys[kept]
            counted = np.bincount(places, self.weights[kept], minlength=number * KIND).astype(np.int64)
            found = [dense_of(row) for row in counted.reshape(number, KIND)]
        return [[quantile(*one, share, nearest) for share in shares] for one in found]

    def together(self, groups: Ints, number: int) -> "Times":
        """The durations by the group of their row; those in the same bucket become one."""
        if self.exact:
            return Times(groups[self.rows], self.keys, self.weights, exact=True)
        counted = np.bincount(groups[self.rows] * KIND + self.keys, self.weights, minlength=number * KIND)
        places = np.flatnonzero(counted)
        return Times(places // KIND, places % KIND, counted[places].astype(np.int64), exact=False)


def sorted_of(values: Ints) -> tuple[Ints, Ints]:
    """Values in order, and how many there are up to each, itself included."""
    return np.sort(values), np.arange(1, len(values) + 1)


def dense_of(numbers: Ints) -> tuple[Ints, Ints]:
    """The same of a histogram: its number in each bucket."""
    buckets = np.flatnonzero(numbers)
    return values_of(buckets), np.cumsum(numbers[buckets])


def quantile(values: Ints, until: Ints, share: float, nearest: bool) -> int | None:
    """A quantile of values in order; `until` is how many there are up to each."""
    if not len(values):
        return None
    total = int(until[-1])
    rank = max(0, ceil(total * share - 1e-9) - 1) if nearest else (total - 1) * share
    low, high = (int(values[np.searchsorted(until, place, side="right")]) for place in (int(rank), ceil(rank)))
    return int(low + (high - low) * (rank - int(rank)))


def exact_times(values: Sequence[Any]) -> Times:
    """Durations as they are, one a row; None is none."""
    known = [(row, value) for row, value in enumerate(values) if value is not None]
    rows, exact = (np.array(column, np.int64) for column in (zip(*known, strict=True) if known else ((), ())))
    return Times(rows, exact, np.ones(len(rows), np.int64), exact=True)


def bucketed(values: Mapping[int, Sequence[Any]], histograms: Sequence[bytes]) -> dict[int, Times]:
    """Single durations, one a row, and below them histograms, one a row, by their buckets: of each kind by its number.

    Args:
        values: Of each kind that is wanted; None is none.
    """
    pairs = np.frombuffer(b"".join(histograms), dtype=PAIR)
    sizes = np.fromiter(map(len, histograms), np.int64, len(histograms)) // PAIR.itemsize
    rows, places = np.repeat(np.arange(len(histograms)), sizes), pairs["place"].astype(np.int64)
    found = {}
    for which, single in values.items():
        exact = np.array([-1 if value is None else value for value in single], np.float64)
        known = np.flatnonzero(exact >= 0)
        keys = np.where(exact[known] < 1, 0, 1 + np.ceil(np.log(np.maximum(exact[known], 1)) / log(GAMMA)))
        kept = np.flatnonzero((places >= KIND * which) & (places < KIND * (which + 1)))
        found[which] = Times(
            np.concatenate([known, rows[kept] + len(single)]),
            np.concatenate([keys.astype(np.int64), places[kept] - KIND * which]),
            np.concatenate([np.ones(len(known), np.int64), pairs["number"][kept].astype(np.int64)]),
            exact=False,
        )
    return found
