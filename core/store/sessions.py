"""Reading and writing the app database: what it refuses is a sentence."""

import hashlib
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

from sqlalchemy import Engine, Executable, Row, Select, Table, text
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
    with reachable(engine), Session(engine, expire_on_commit=False) as session:
        yield session


def fetch(engine: Engine, query: Select[Any], **values: Any) -> Sequence[Row[Any]]:
    """What a query of columns finds, with its parameters: without a session, which costs more than a small query.

    Raises:
        StorageError: the server cannot be reached.
    """
    with reachable(engine), engine.connect() as connection:
        return connection.execute(query, values).all()


@contextmanager
def reachable(engine: Engine) -> Iterator[None]:
    """Say in a sentence that the server cannot be reached."""
    try:
        yield
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
    with accepted(engine), Session(engine.execution_options(**{WRITES: True}), expire_on_commit=False) as session:
        if alone and engine.dialect.name != "sqlite":
            session.execute(LOCK, {"key": key_of(alone)})
        yield session
        session.commit()


def write(engine: Engine, *changes: tuple[Executable, Mapping[str, Any]]) -> None:
    """Execute statements with their parameters, all or none: without a session, which costs more than a small write.

    Raises:
        StorageError: the database refused.
    """
    with accepted(engine), engine.connect().execution_options(**{WRITES: True}) as connection, connection.begin():
        for statement, values in changes:
            connection.execute(statement, values)


@contextmanager
def accepted(engine: Engine) -> Iterator[None]:
    """Say in a sentence that the database refused a write."""
    try:
        yield
    except SQLAlchemyError as error:
        raise StorageError(FULL if engine.dialect.name == "sqlite" else REFUSED) from error


def table_of(model: type[SQLModel]) -> Table:
    """The table of a model, for statements that need no objects: each of those costs a turn's beginning time."""
    table = model.__table__  # type: ignore[attr-defined]
    assert isinstance(table, Table)
    return table


def key_of(names: tuple[str, ...]) -> int:
    """The number of PostgreSQL's lock for some names; two names may share one, and then wait for each other."""
    digest = hashlib.blake2b("\0".join(names).encode(errors="replace"), digest_size=8).digest()
    return int.from_bytes(digest, "big", signed=True)
