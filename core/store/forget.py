"""Deletes all that the app database holds about a user: whatever table names them; and what was saved from mails."""

import shutil
from pathlib import Path

from sqlalchemy import Engine, delete, inspect, text

from core.mcp_server.shaping.files import folder_of
from core.store.connections import Connections
from core.store.sessions import writing
from core.store.tables import Table

USER = "user_id"
INDEX = "exchange_text"


def forget(engine: Engine, user_id: str) -> None:
    """Delete a user's rows from every table, also from those that are added later, and overwrite them in the file.

    Raises:
        StorageError: the database refused; nothing is deleted then.
    """
    sqlite = engine.dialect.name == "sqlite"
    with writing(engine) as session:
        if sqlite:
            session.execute(text("PRAGMA secure_delete = ON"))
        for table in reversed(Table.metadata.sorted_tables):
            if USER in table.c:
                session.execute(delete(table).where(table.c[USER] == user_id))
        if sqlite and inspect(session.connection()).has_table(INDEX):
            session.execute(text(f"INSERT INTO {INDEX}({INDEX}) VALUES ('optimize')"))
    if sqlite:
        empty_log(engine)


def forget_downloads(folder: Path, connections: Connections, user_id: str) -> None:
    """Delete the files saved from mails and Drive of the user's accounts, but those that somebody else has connected.

    Args:
        folder: holds a folder an account.
    """
    for row in connections.of_user(user_id):
        if not connections.held_by_others(user_id, row.email):
            shutil.rmtree(folder / folder_of(row.email), ignore_errors=True)


def empty_log(engine: Engine) -> None:
    """Bring SQLite's log into the file and cut it, since it still holds what was there before."""
    with engine.connect() as connection:
        connection.execute(text("PRAGMA wal_checkpoint(TRUNCATE)"))
