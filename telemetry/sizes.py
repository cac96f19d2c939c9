"""How large a telemetry database is; and what deleting leaves is tidied in small steps, between which others write."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from sqlalchemy import Engine, text

from telemetry import textindex
from telemetry.store import Store

MERGED: Final = 200
"""Pages of the full-text index that are written anew at once."""
PAGES: Final = 2_000
"""Given back at once: of 4 KiB each, within some milliseconds."""


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
            more = textindex.tidy_some(connection, pages)
        pages = MERGED
        breath()


def give_back(store: Store, breath: Callable[[], object]) -> None:
    """Give SQLite's free pages back to the disk, so that its file is smaller; others write between two steps."""
    if store.engine.dialect.name != "sqlite":
        return
    free = size_of(store).free or 0
    while free:
        with store.engine.connect() as connection:
            connection.connection.cursor().execute(f"PRAGMA incremental_vacuum({PAGES})").fetchall()
        left = size_of(store).free or 0
        if left >= free:
            break
        free = left
        breath()
    with store.engine.connect() as connection:
        connection.connection.cursor().execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()
