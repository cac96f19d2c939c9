"""How long the pages' reads take on generated databases of growing size."""

import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import nullcontext
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Final

import numpy as np
from sqlalchemy import func
from sqlmodel import col, select

from benchmarks.page_reads import Read, Reads
from benchmarks.report import Figure
from benchmarks.world import USERS, make
from core.memory import settle
from telemetry.formats import DAY
from telemetry.queries import EVERYBODY, Selection
from telemetry.store import Store
from telemetry.tables import Turn

AIM_MS = 150.0
RANGES = {"24 h": DAY, "7 d": 7 * DAY, "30 d": 30 * DAY}
WHO = (USERS[0], USERS[6], EVERYBODY)
"""The busiest user, a usual one, and all."""
PLAIN: Final[Mapping[str, Mapping[str, Any]]] = {"": {}}
FILTERS = {**PLAIN, ", filtered": {"models": ("qwen3-8b",), "agents": ("Gmail",)}}
ROUNDS = 7


@dataclass(frozen=True)
class Took:
    """How long a read took, milliseconds: by the clock, and of the processor alone."""

    wall: float
    busy: float


def reads(sizes: Sequence[int], folder: Path | None = None, rounds: int = ROUNDS) -> Iterator[Figure]:
    """Each read at each size, over users, ranges and filters: the usual time and that of the slowest in twenty.

    Args:
        folder: Where the databases are made and stay; one that is there is used as it is. By default, they go.
    """
    for size in sizes:
        section = f"Reads at {size:,} turns"
        with nullcontext(str(folder)) if folder else TemporaryDirectory(prefix="glassdesk-bench-") as place:
            store, took = opened(Path(place) / f"turns-{size}", size)
            settle()  # as the app does at the end of its start
            if took is not None:
                yield Figure(section, "making the database", took, "s")
            megabytes = sum(path.stat().st_size for path in (Path(place) / f"turns-{size}").iterdir()) / 1e6
            yield Figure(section, "its size", megabytes, "MB")
            yield from measured(Reads(store, end_of(store)), section, rounds)
            store.close()


def opened(data: Path, size: int) -> tuple[Store, float | None]:
    """The database in a folder, made if there is none, and how many seconds that took."""
    if (data / "telemetry.db").exists():
        return Store(f"sqlite:///{data / 'telemetry.db'}"), None
    started = time.perf_counter()
    return make(data, size), time.perf_counter() - started


def end_of(store: Store) -> int:
    """The moment just after the newest turn began, Unix nanoseconds."""
    with store.reader() as session:
        return int(session.exec(select(func.max(col(Turn.start_ns)))).one()) + 1


def measured(reads: Reads, section: str, rounds: int) -> Iterator[Figure]:
    """The times of each read."""
    month = {"30 d": RANGES["30 d"]}
    parts = (
        (reads.of_numbers(), WHO, RANGES, FILTERS),
        (reads.of_lists(), WHO, RANGES, PLAIN),
        (reads.of_one(), WHO[:2], RANGES, PLAIN),
        (reads.of_store(), WHO[2:], month, PLAIN),
    )
    for found, users, ranges, filters in parts:
        for name, read in found.items():
            for period, length in ranges.items():
                for title, narrow in filters.items():
                    chosen = Selection(reads.now_ns - length, reads.now_ns, **narrow)
                    times = [taken(read, user, chosen) for user in users for _ in range(rounds)]
                    yield from figures(section, f"{name}, {period}{title}", times)


def figures(section: str, name: str, times: Sequence[Took]) -> Iterator[Figure]:
    """A read's usual time, and that of the slowest in twenty."""
    (wall, _), (slow, busy) = np.percentile([(took.wall, took.busy) for took in times], (50, 95), axis=0)
    yield Figure(section, f"{name}, p50", wall, "ms")
    yield Figure(section, f"{name}, p95", slow, "ms", AIM_MS)
    yield Figure(section, f"{name}, p95 of the processor", busy, "ms", AIM_MS)


def taken(read: Read, user: str, chosen: Selection) -> Took:
    """How long a read takes."""
    started, worked = time.perf_counter(), time.process_time()
    read(user, chosen)
    return Took((time.perf_counter() - started) * 1_000, (time.process_time() - worked) * 1_000)
