"""Reading and writing the app database: a refused write is a sentence."""

from collections.abc import Iterator
from contextlib import contextmanager

from sqlalchemy import Engine
from sqlalchemy.exc import SQLAlchemyError
from sqlmodel import Session

from core.errors import StorageError


@contextmanager
def reading(engine: Engine) -> Iterator[Session]:
    """A session to read with; what it found stays usable after it."""
    with Session(engine, expire_on_commit=False) as session:
        yield session


@contextmanager
def writing(engine: Engine) -> Iterator[Session]:
    """A session that commits at its end, all or nothing.

    Raises:
        StorageError: the database refused.
    """
    try:
        with Session(engine, expire_on_commit=False) as session:
            yield session
            session.commit()
    except SQLAlchemyError as error:
        raise StorageError(
            "This could not be saved: the disk may be full or read-only. Free some space, then try again."
        ) from error
