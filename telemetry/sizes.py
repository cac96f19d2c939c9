"""How large a telemetry database is; and what deleting leaves is tidied in small steps, between which others write."""

import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from sqlalchemy import Connection, Engine, text

from telemetry import textindex
from telemetry.store import Store

MERGED: Final = 200
"""Pages of the full-text index that are written anew at once."""
PAGES: Final = (20, 2_000)
"""Given back at once, of 4 KiB each: as many as take about `STEP_SECONDS`, which depends on where they lie."""
STEP_SECONDS: Final = 0.05
ROOMY: Final = 0.02


@dataclass(frozen=True)
class Size:
    """Bytes of a database; `free` are those of its pages that hold nothing, `log` those that are written beside it.

    Attributes:
        free: None where the database gives its space back by itself, and does not say how much there is.
    """

    total: int
    free: int | None
    log: int = 0

    @property
    def roomy(self) -> bool:
        """Whether so much of it is free that it is worth the work to give that back."""
        return (self.free or 0) > self.total * ROOMY

    @property
    def used(self) -> int:
        """Bytes that hold something."""
        return self.total - (self.free or 0)


def size_of(store: Store) -> Size:
    """How large it is now."""
    return file_size(store.engine)


def file_size(engine: Engine) -> Size:
    """How large a database is now, whosever it is."""
    with engine.connect() as connection:
        if connection.dialect.name != "sqlite":
            return Size(int(connection.execute(text("SELECT pg_database_size(current_database())")).scalar_one()), None)
        page, pages, free = (
            int(connection.execute(text(f"PRAGMA {name}")).scalar_one())
            for name in ("page_size", "page_count", "freelist_count")
        )
    return Size(pages * page, free * page, log_of(engine))


def log_of(engine: Engine) -> int:
    """Bytes of SQLite's log beside the database."""
    name = engine.url.database
    log = Path(f"{name}-wal") if name else None
    return log.stat().st_size if log is not None and log.is_file() else 0


def without_deleted_words(store: Store, breath: Callable[[], object]) -> None:
    """Write the full-text index anew; else it keeps the words of what is deleted."""
    pages, more = -MERGED, True
    while more:
        with store.write() as connection:
            overwrite(connection)
            more = textindex.tidy_some(connection, pages)
        pages = MERGED
        breath()


def overwrite(connection: Connection) -> None:
    """Have SQLite fill with zeros what it deletes; other databases do that in their own time."""
    if connection.dialect.name == "sqlite":
        connection.execute(text("PRAGMA secure_delete = ON"))


def empty_log(store: Store) -> None:
    """Bring SQLite's log into the file and cut it: it holds what was there before."""
    if store.engine.dialect.name == "sqlite":
        with store.engine.connect() as connection:
            connection.connection.cursor().execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()


def give_back(store: Store, breath: Callable[[], object]) -> None:
    """Give SQLite's free pages back to the disk, so that its file is smaller; others write between two steps."""
    if store.engine.dialect.name != "sqlite":
        return
    free, pages = size_of(store).free or 0, PAGES[0]
    while free:
        started = time.perf_counter()
        with store.engine.connect() as connection:
            connection.connection.cursor().execute(f"PRAGMA incremental_vacuum({pages})").fetchall()
        took, left = time.perf_counter() - started, size_of(store).free or 0
        if left >= free:
            break
        free, pages = left, fitting(pages, took)
        breath()
    empty_log(store)


def fitting(pages: int, took: float) -> int:
    """How many pages to give back next, after so many took so many seconds."""
    wanted = pages * 2 if took < STEP_SECONDS / 2 else pages // 2 if took > STEP_SECONDS else pages
    return min(PAGES[1], max(PAGES[0], wanted))
