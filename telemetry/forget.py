"""Deletes all that is stored about a user: spans, their texts, roll-ups, and whatever else names them."""

import time
from collections.abc import Iterable, Iterator, Sequence
from typing import Final

from sqlalchemy import Connection, delete, select, text, tuple_, update

from telemetry import alert_tables, hourly, textindex
from telemetry.sizes import without_deleted_words
from telemetry.store import Store
from telemetry.tables import LlmCall, Payload, Span, Table, ToolCall, Turn
from telemetry.upsert import table_of

__all__ = ["alert_tables", "forget", "forget_contents", "forget_conversations"]
"""The tables of alerts are named so that they are among all tables, which a user is deleted from."""

BATCH: Final = 200
"""Traces in one transaction, so that the writer never waits long."""
BREATH: Final = 0.005
"""Seconds between two transactions, in which others write."""
USER: Final = "user_id"
WORDS: Final = "turn_words"
"""SQLite's index of what was said in turns; rows leave it with their turns."""
MERGE: Final = text(f"INSERT INTO {WORDS}({WORDS}) VALUES ('optimize')")
"""The index only notes that words are gone; written anew, it is without them. That takes as long as it is large."""


def forget(store: Store, user_id: str) -> None:
    """Delete all that is stored about a user, and overwrite it where it stood; nobody else's numbers change.

    What is still in a writer's hands is not seen: flush first.
    """
    spans, payloads = table_of(Span), table_of(Payload)
    for traces in batches(store, user_id):
        with store.write() as connection:
            overwrite(connection)
            connection.execute(delete(payloads).where(payloads.c.trace_id.in_(traces)))
            connection.execute(delete(spans).where(spans.c.trace_id.in_(traces)))
    with store.write() as connection:
        overwrite(connection)
        hourly.forget(connection, user_id)
        for table in reversed(Table.metadata.sorted_tables):
            if USER in table.c:
                connection.execute(delete(table).where(table.c[USER] == user_id))
        textindex.tidy(connection)
    empty_log(store)


def forget_conversations(store: Store, conversations: Iterable[tuple[str, str]]) -> None:
    """Delete what was said in conversations: spans, long texts, words, questions and the texts of errors.

    The numbers of their turns stay, so that what was spent and how long it took is still true.

    Args:
        conversations: (user id, conversation id).
    """
    turns, wanted = table_of(Turn), list(conversations)
    found: list[str] = []
    for start in range(0, len(wanted), BATCH):
        whose = tuple_(turns.c.user_id, turns.c.conversation_id).in_(wanted[start : start + BATCH])
        with store.reader() as session:
            found += session.connection().scalars(select(turns.c.turn_id).where(whose))
    for start in range(0, len(found), BATCH):
        with store.write() as connection:
            forget_contents(connection, found[start : start + BATCH])
        time.sleep(BREATH)
    if found:
        without_deleted_words(store, lambda: time.sleep(BREATH))
        empty_log(store)


def forget_contents(connection: Connection, turn_ids: Sequence[str]) -> None:
    """Delete all of some turns but their numbers."""
    overwrite(connection)
    textindex.forget(connection, turn_ids)
    for table in (table_of(Payload), table_of(Span)):
        connection.execute(delete(table).where(table.c.trace_id.in_(turn_ids)))
    for table in (table_of(LlmCall), table_of(ToolCall)):
        connection.execute(update(table).where(table.c.turn_id.in_(turn_ids)).values(error=None))
    turns = table_of(Turn)
    connection.execute(update(turns).where(turns.c.turn_id.in_(turn_ids)).values(question=None, error=None))


def batches(store: Store, user_id: str) -> Iterator[Sequence[str]]:
    """The ids of the user's traces that are still there, some at a time."""
    spans = table_of(Span)
    mine = select(spans.c.trace_id).where(spans.c.user_id == user_id).distinct().limit(BATCH)
    while True:
        with store.reader() as session:
            found = session.connection().execute(mine).scalars().all()
        if not found:
            return
        yield found


def overwrite(connection: Connection) -> None:
    """Have SQLite fill with zeros what it deletes; other databases do that in their own time."""
    if connection.dialect.name == "sqlite":
        connection.execute(text("PRAGMA secure_delete = ON"))


def empty_log(store: Store) -> None:
    """Give SQLite's free pages back, bring its log into the file and cut it: all of them hold what was there before."""
    if store.engine.dialect.name == "sqlite":
        with store.engine.connect() as connection:
            connection.connection.cursor().execute("PRAGMA incremental_vacuum").fetchall()  # a page a step
            connection.commit()
            connection.execute(text("PRAGMA wal_checkpoint(TRUNCATE)"))
