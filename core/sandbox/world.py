"""The world: one SQLite file that several processes may share, and that survives restarts."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from sqlalchemy import Engine, create_engine, event
from sqlalchemy.orm import registry
from sqlmodel import Session, SQLModel


class Table(SQLModel, registry=registry()):
    """Base of the sandbox tables: their own metadata, apart from the app's and telemetry's."""


class World:
    """Access to the world's file.

    Args:
        path: the SQLite file; made when it is not there.
        zone: IANA name of the persona's time zone.
    """

    def __init__(self, path: Path, zone: str) -> None:
        path.parent.mkdir(parents=True, exist_ok=True)
        self.path, self.zone = path, zone
        self._engine = open_engine(path)

    def create(self) -> None:
        """Make the tables that are not there yet; every API module must be imported before."""
        Table.metadata.create_all(self._engine)

    @contextmanager
    def session(self) -> Iterator[Session]:
        """A read that sees one state of the world."""
        with Session(self._engine, expire_on_commit=False) as session:
            yield session

    @contextmanager
    def change(self) -> Iterator[Session]:
        """A write: all of it or nothing; writers wait for one another."""
        with Session(self._engine, expire_on_commit=False) as session:
            session.connection().exec_driver_sql("BEGIN IMMEDIATE")
            yield session
            session.commit()

    def close(self) -> None:
        """Give the file back."""
        self._engine.dispose()


def open_engine(path: Path) -> Engine:
    """An engine with WAL and explicit transactions."""
    engine = create_engine(f"sqlite:///{path}", connect_args={"timeout": 20, "check_same_thread": False})

    @event.listens_for(engine, "connect")
    def configure(connection: Any, _: object) -> None:
        connection.isolation_level = None
        connection.execute("PRAGMA journal_mode=WAL")
        connection.execute("PRAGMA synchronous=NORMAL")

    return engine
