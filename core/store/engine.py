"""The app database's engine, and its migrations."""

import json
from pathlib import Path
from typing import Any

from alembic import command
from alembic.config import Config
from alembic.util import CommandError
from sqlalchemy import Engine, create_engine, event
from sqlalchemy.engine import make_url
from sqlalchemy.exc import DBAPIError

from core.errors import StorageError

MIGRATIONS = Path(__file__).parent / "migrations"


def open_database(url: str) -> Engine:
    """Open a database, bring its tables up to date, and return its engine.

    Args:
        url: an SQLAlchemy URL; an SQLite file is made when it is not there.

    Raises:
        StorageError: it cannot be opened or brought up to date.
    """
    engine = create_engine(url, json_serializer=as_json)
    if engine.dialect.name == "sqlite":
        make_folder(url)
        event.listen(engine, "connect", configure_sqlite)
    try:
        migrate(engine)
    except (DBAPIError, CommandError) as error:
        reason = getattr(error, "orig", None) or error
        raise StorageError(
            f"The app database {engine.url.render_as_string(hide_password=True)} cannot be opened: {reason}. "
            "If the file is damaged, or of a newer Glassdesk, move it away and start again."
        ) from error
    return engine


def migrate(engine: Engine) -> None:
    """Apply the migrations that are missing, in one transaction."""
    config = Config()
    config.set_main_option("script_location", str(MIGRATIONS))
    with engine.begin() as connection:
        config.attributes["connection"] = connection
        command.upgrade(config, "head")


def configure_sqlite(connection: Any, _: object) -> None:
    """Readers beside one writer; a writer waits instead of failing."""
    connection.execute("PRAGMA journal_mode=WAL")
    connection.execute("PRAGMA synchronous=NORMAL")
    connection.execute("PRAGMA busy_timeout=10000")


def make_folder(url: str) -> None:
    """Make the folder of an SQLite file."""
    name = make_url(url).database
    if name and name != ":memory:":
        Path(name).parent.mkdir(parents=True, exist_ok=True)


def as_json(value: object) -> str:
    """JSON that keeps every script readable."""
    return json.dumps(value, ensure_ascii=False)
