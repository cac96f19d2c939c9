"""The app database's engine, and its migrations: an SQLite file, or PostgreSQL by its URL."""

import json
from pathlib import Path
from typing import Any

from sqlalchemy import URL, Connection, Engine, create_engine, event, text
from sqlalchemy.engine import make_url
from sqlalchemy.exc import ArgumentError, DBAPIError, NoSuchModuleError

from core.errors import StorageError

MIGRATIONS = Path(__file__).parent / "migrations"
WRITES = "glassdesk_write"
"""The execution option of a transaction that will write."""
ONE_AT_A_TIME = text("SELECT pg_advisory_xact_lock(4820163)")
VERSION = text("SELECT version_num FROM alembic_version")
NUL, REPLACEMENT = "\x00", "\N{REPLACEMENT CHARACTER}"


def open_database(url: str) -> Engine:
    """Open a database, bring its tables up to date, and return its engine.

    Args:
        url: an SQLAlchemy URL; an SQLite file is made when it is not there.

    Raises:
        StorageError: it cannot be opened or brought up to date.
    """
    try:
        engine = make_engine(url)
    except (ArgumentError, NoSuchModuleError) as error:
        raise StorageError(
            "GLASSDESK_APP_DB is no URL of SQLite or PostgreSQL. Correct it, then start again."
        ) from error
    try:
        migrate(engine)
    except (DBAPIError, StorageError) as error:
        raise StorageError(cannot_open(engine.url, error)) from error
    return engine


def cannot_open(url: URL, error: Exception) -> str:
    """Why a database cannot be used, and what to do; without the password of its URL."""
    reason = " ".join(str(getattr(error, "orig", None) or error).split())
    advice = (
        "If the file is damaged, or of a newer Glassdesk, move it away and start again."
        if url.get_backend_name() == "sqlite"
        else "Check that PostgreSQL runs, that GLASSDESK_APP_DB names it, and that its user may make tables."
    )
    return f"The app database {shown(url)} cannot be opened: {reason}. {advice}"


def shown(url: URL) -> str:
    """A database's URL as people may see it: without the password, and without options, which may hold one."""
    return url.set(query={}).render_as_string(hide_password=True)


def make_engine(url: str) -> Engine:
    """An engine that writes readable JSON, and on which a write transaction begins as one."""
    if make_url(url).get_backend_name() == "sqlite":
        engine = create_engine(url, json_serializer=as_json)
        make_folder(url)
        event.listen(engine, "connect", configure_sqlite)
        event.listen(engine, "begin", begin_sqlite)
        return engine
    engine = create_engine(url, json_serializer=as_json, pool_pre_ping=True)
    event.listen(engine, "connect", configure_postgresql)
    event.listen(engine, "before_cursor_execute", without_nul, retval=True)
    return engine


def migrate(engine: Engine) -> None:
    """Apply the migrations that are missing, in one transaction; processes that start together take turns.

    Raises:
        StorageError: the database's version is unknown.
    """
    if version_of(engine) == newest():
        return
    from core.store.upgrade import upgrade  # a tenth of a second, which only a first start needs

    with engine.connect().execution_options(**{WRITES: True}) as connection, connection.begin():
        if engine.dialect.name == "postgresql":
            connection.execute(ONE_AT_A_TIME)
        upgrade(connection, MIGRATIONS)


def version_of(engine: Engine) -> str | None:
    """The last migration that was applied; None where that cannot be told."""
    try:
        with engine.connect() as connection:
            version: str | None = connection.scalar(VERSION)
    except DBAPIError:
        return None
    return version


def newest() -> str:
    """The last migration that there is, by the names of their files."""
    return max(path.stem.partition("_")[0] for path in (MIGRATIONS / "versions").glob("[0-9]*.py"))


def configure_sqlite(connection: Any, _: object) -> None:
    """Readers beside one writer; a writer waits instead of failing. `begin_sqlite` begins, not the driver."""
    connection.isolation_level = None
    connection.execute("PRAGMA journal_mode=WAL")
    connection.execute("PRAGMA synchronous=NORMAL")
    connection.execute("PRAGMA busy_timeout=10000")


def begin_sqlite(connection: Connection) -> None:
    """Writers take the lock at once, so that what they read first is still so when they write."""
    writes = connection.get_execution_options().get(WRITES, False)
    connection.exec_driver_sql("BEGIN IMMEDIATE" if writes else "BEGIN")


def configure_postgresql(connection: Any, _: object) -> None:
    """Times without a zone are UTC, whatever the server's zone."""
    with connection.cursor() as cursor:
        cursor.execute("SET TIME ZONE 'UTC'")
    connection.commit()


def without_nul(
    _connection: Connection, _cursor: Any, statement: str, parameters: Any, _context: Any, executemany: bool
) -> tuple[str, Any]:
    """PostgreSQL's texts cannot hold the character NUL, which SQLite keeps; it is replaced, and the text is kept."""
    if executemany:
        return statement, [cleaned(row) for row in parameters]
    return statement, cleaned(parameters)


def cleaned(row: Any) -> Any:
    """The parameters of one statement, without NUL."""
    if not isinstance(row, dict) or not any(isinstance(value, str) and NUL in value for value in row.values()):
        return row
    return {name: value.replace(NUL, REPLACEMENT) if isinstance(value, str) else value for name, value in row.items()}


def make_folder(url: str) -> None:
    """Make the folder of an SQLite file."""
    name = make_url(url).database
    if name and name != ":memory:":
        Path(name).parent.mkdir(parents=True, exist_ok=True)


def as_json(value: object) -> str:
    """JSON that keeps every script readable."""
    return json.dumps(value, ensure_ascii=False)
