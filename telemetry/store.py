"""The telemetry database: its engine, its migrations, its read and write transactions."""

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext
from pathlib import Path
from typing import Any

from sqlalchemy import URL, Connection, Engine, StaticPool, create_engine, event, text
from sqlalchemy.engine import make_url
from sqlalchemy.exc import DBAPIError
from sqlmodel import Session

from telemetry.errors import TelemetryError
from telemetry.jsontext import dumps, loads

MIGRATIONS = Path(__file__).parent / "migrations"
BUSY_SECONDS = 10
STATEMENTS = 512
"""Statements that a connection keeps prepared: the writer's come in several sizes for each table."""
PRAGMAS = (
    "auto_vacuum = INCREMENTAL",
    "journal_mode = WAL",
    "synchronous = NORMAL",
    f"busy_timeout = {BUSY_SECONDS}000",
)


ALONE = text("SELECT pg_advisory_xact_lock(4820161)")
"""SQLite has one writer at a time; so has PostgreSQL by this. Sums of the same hour come from several processes."""


class Store:
    """One database of spans and roll-ups, brought up to date when it is opened.

    Args:
        url: Any SQLAlchemy URL; SQLite runs in WAL mode, so that readers never wait for the writer. A database in
            memory has one connection, so there they take turns.

    Raises:
        TelemetryError: It cannot be opened or brought up to date.
    """

    def __init__(self, url: str) -> None:
        self.url = url
        self.engine = make_engine(url)
        self._turnstile = threading.RLock() if isinstance(self.engine.pool, StaticPool) else nullcontext()
        self._snapshot = snapshots_of(self.engine)
        self.settle: Callable[[], object] = at_rest
        try:
            if version_of(self.engine) != newest():
                from telemetry.upgrade import upgrade  # a tenth of a second, which only a first start needs

                with self.write() as connection:
                    upgrade(connection, MIGRATIONS, noted_in(self.engine))
        except (DBAPIError, TelemetryError) as error:
            raise TelemetryError(cannot_open(self.engine.url, error)) from error

    @contextmanager
    def reader(self) -> Iterator[Session]:
        """A session to read with; what it sees does not change while it is open.

        What has begun or ended before in this process is in it: `settle` sees to that.
        """
        self.settle()
        with self._turnstile, Session(self._snapshot) as session:
            yield session

    @contextmanager
    def write(self) -> Iterator[Connection]:
        """A write transaction: all of it or, on any exception, nothing. Whichever process writes, writes alone."""
        with self._turnstile, self.engine.connect() as connection:
            connection = connection.execution_options(glassdesk_write=True)
            with connection.begin():
                if connection.dialect.name == "postgresql":
                    connection.execute(ALONE)
                yield connection

    def close(self) -> None:
        """Close the pooled connections."""
        self.engine.dispose()


def at_rest() -> None:
    """Nothing is on its way into the store."""


def cannot_open(url: URL, error: Exception) -> str:
    """Why a database cannot be used, and what to do; without the password of its URL."""
    reason = " ".join(str(getattr(error, "orig", None) or error).split())
    shown = url.set(query={}).render_as_string(hide_password=True)  # an option may hold a password, too
    advice = (
        "Check that its folder can be written and has room; if the file is damaged, move it away and start again."
        if url.get_backend_name() == "sqlite"
        else "Check that PostgreSQL runs, that GLASSDESK_TELEMETRY_DB names it, and that its user may make tables."
    )
    return f"The telemetry database {shown} cannot be opened: {reason}. {advice}"


def make_engine(url: str) -> Engine:
    """An engine that writes readable JSON; for SQLite with WAL and real transactions."""
    parsed = make_url(url)
    if parsed.get_backend_name() != "sqlite":
        return create_engine(parsed, json_serializer=dumps, json_deserializer=loads, pool_pre_ping=True)
    options: dict[str, Any] = {"json_serializer": dumps, "json_deserializer": loads}
    if parsed.database in (None, "", ":memory:"):
        options["poolclass"] = StaticPool
    engine = create_engine(url, connect_args={"check_same_thread": False, "cached_statements": STATEMENTS}, **options)
    event.listen(engine, "connect", prepare_sqlite)
    event.listen(engine, "begin", begin_sqlite)
    return engine


def snapshots_of(engine: Engine) -> Engine:
    """The engine for reading: PostgreSQL is told to keep what a transaction sees, as SQLite does anyway."""
    if engine.dialect.name != "postgresql":
        return engine
    return engine.execution_options(isolation_level="REPEATABLE READ", postgresql_readonly=True)


def prepare_sqlite(connection: Any, _record: Any) -> None:
    """Set up a new connection; the driver's own transaction handling is off, `begin_sqlite` begins."""
    connection.isolation_level = None
    for pragma in PRAGMAS:
        connection.execute(f"PRAGMA {pragma}")


def begin_sqlite(connection: Connection) -> None:
    """Writers take the lock at once, so that they wait for it instead of failing half-way."""
    immediate = connection.get_execution_options().get("glassdesk_write", False)
    connection.exec_driver_sql("BEGIN IMMEDIATE" if immediate else "BEGIN")


def noted_in(engine: Engine) -> str:
    """Which table notes the migrations: where the app has the same PostgreSQL database, its own are beside these."""
    return "telemetry_version" if engine.dialect.name == "postgresql" else "alembic_version"


def version_of(engine: Engine) -> str | None:
    """The last migration that was applied; None where that cannot be told."""
    try:
        with engine.connect() as connection:
            version: str | None = connection.scalar(text(f"SELECT version_num FROM {noted_in(engine)}"))
    except DBAPIError:
        return None
    return version


def newest() -> str:
    """The last migration that there is, by the names of their files: v2 comes before v10."""
    found = (path.stem.partition("_")[0] for path in (MIGRATIONS / "versions").glob("v*.py"))
    return max(found, key=lambda version: int(version[1:]))
