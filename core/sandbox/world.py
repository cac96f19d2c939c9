"""The world: one SQLite file that several processes may share, and that survives restarts."""

import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any
from zlib import crc32

from sqlalchemy import Connection, Engine, create_engine, event
from sqlalchemy.orm import registry
from sqlalchemy.schema import CreateTable
from sqlmodel import Session, SQLModel

from core.errors import StorageError

PATIENCE = 60.0
"""Seconds to wait for another process that makes the world."""


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
        """Make the tables that are not there yet; every API module must be imported before.

        A world whose tables have another shape, left by another version, is emptied first.
        """
        with self._engine.connect() as connection:
            connection.exec_driver_sql("BEGIN IMMEDIATE")
            shape = crc32(schema(connection).encode()) & 0x7FFFFFFF
            if connection.exec_driver_sql("PRAGMA user_version").scalar() not in (0, shape):
                drop_tables(connection)
            Table.metadata.create_all(connection)
            connection.exec_driver_sql(f"PRAGMA user_version={shape}")
            connection.commit()

    @contextmanager
    def alone(self) -> Iterator[None]:
        """Hold every other process (and thread) that wants to be alone with this world; freed by a crash too.

        Raises:
            sqlite3.OperationalError: somebody held it for longer than a minute.
        """
        door = self.path.with_name(f"{self.path.name}-door")
        with closing(sqlite3.connect(door, timeout=PATIENCE, isolation_level=None)) as lock:
            lock.execute("BEGIN EXCLUSIVE")
            yield
            lock.execute("ROLLBACK")

    @contextmanager
    def session(self) -> Iterator[Session]:
        """A read that sees one state of the world."""
        with Session(self._engine, expire_on_commit=False) as session:
            session.connection().exec_driver_sql("BEGIN")
            yield session

    def one(self, query: str, given: tuple[Any, ...]) -> Any:
        """The first row that a query finds, as SQLite gives it; None where there is none."""
        with self._engine.connect() as connection:
            return connection.exec_driver_sql(query, given).first()

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
    """An engine with WAL and explicit transactions; a thread that holds one connection may always have a second."""
    settings = {"timeout": 20, "check_same_thread": False}
    engine = create_engine(f"sqlite:///{path}", connect_args=settings, max_overflow=-1)

    @event.listens_for(engine, "connect")
    def configure(connection: Any, _: object) -> None:
        connection.isolation_level = None
        connection.execute("PRAGMA journal_mode=WAL")
        connection.execute("PRAGMA synchronous=NORMAL")

    return engine


def unusable(path: Path, error: Exception) -> StorageError:
    """The error for a world whose file cannot be used."""
    what = getattr(error, "orig", None) or error
    return StorageError(
        f"The sandbox cannot use its file {path} ({what}). Make room on the disk, or move the file away: "
        "a new one is made at the next start."
    )


def schema(connection: Connection) -> str:
    """The tables' definition as text."""
    tables = sorted(Table.metadata.tables.values(), key=lambda table: table.name)
    return "".join(str(CreateTable(table).compile(connection)) for table in tables)


def drop_tables(connection: Connection) -> None:
    """Drop whatever tables the file holds."""
    found = "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite_%'"
    for name in connection.exec_driver_sql(found).scalars().all():
        connection.exec_driver_sql(f'DROP TABLE IF EXISTS "{name}"')
