"""Reading and writing the app database: what it refuses is a sentence."""

import hashlib
from collections.abc import Iterator
from contextlib import contextmanager

from sqlalchemy import Engine, Table, text
from sqlalchemy.exc import OperationalError, SQLAlchemyError
from sqlmodel import Session, SQLModel

from core.errors import StorageError
from core.store.engine import WRITES

FULL = "This could not be saved: the disk may be full or read-only. Free some space, then try again."
REFUSED = "This could not be saved: PostgreSQL did not take it. See that it runs and has room, then try again."
AWAY = "PostgreSQL does not answer, and nothing can be read. See that it runs, then try again."
LOCK = text("SELECT pg_advisory_xact_lock(:key)")


@contextmanager
def reading(engine: Engine) -> Iterator[Session]:
    """A session to read with; what it found stays usable after it.

    Raises:
        StorageError: the server cannot be reached.
    """
    try:
        with Session(engine, expire_on_commit=False) as session:
            yield session
    except OperationalError as error:
        if engine.dialect.name == "sqlite":
            raise
        raise StorageError(AWAY) from error


@contextmanager
def writing(engine: Engine, *alone: str) -> Iterator[Session]:
    """A session that commits at its end, all or nothing.

    Args:
        alone: names what is read first and then written: of two sessions with the same names the second one waits
            until the first one is done. In SQLite every writer waits for the one before.

    Raises:
        StorageError: the database refused.
    """
    sqlite = engine.dialect.name == "sqlite"
    try:
        with Session(engine.execution_options(**{WRITES: True}), expire_on_commit=False) as session:
            if alone and not sqlite:
                session.execute(LOCK, {"key": key_of(alone)})
            yield session
            session.commit()
    except SQLAlchemyError as error:
        raise StorageError(FULL if sqlite else REFUSED) from error


def table_of(model: type[SQLModel]) -> Table:
    """The table of a model, for statements that need no objects: each of those costs a turn's beginning time."""
    table = model.__table__  # type: ignore[attr-defined]
    assert isinstance(table, Table)
    return table


def key_of(names: tuple[str, ...]) -> int:
    """The number of PostgreSQL's lock for some names; two names may share one, and then wait for each other."""
    digest = hashlib.blake2b("\0".join(names).encode(errors="replace"), digest_size=8).digest()
    return int.from_bytes(digest, "big", signed=True)
