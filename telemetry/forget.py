"""Deletes all that is stored about a user: spans, their texts, roll-ups, and whatever else names them."""

import time
from collections.abc import Iterable, Iterator, Sequence
from typing import Final

from sqlalchemy import Connection, delete, select, tuple_, update

from telemetry import alert_tables, hourly, textindex
from telemetry.sizes import empty_log, overwrite, without_deleted_words
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
SPANS, TURNS = table_of(Span), table_of(Turn)


def forget(store: Store, user_id: str) -> None:
    """Delete all that is stored about a user, and overwrite it where it stood; nobody else's numbers change.

    In small steps, between which others write. What is still in a writer's hands is not seen: flush first.
    """
    turns = turns_of(store, user_id)
    for chosen in chunks(turns):
        drop(store, chosen)
    drop_strays(store, user_id)
    more = True
    while more:
        with store.write() as connection:
            overwrite(connection)
            more = hourly.forget_some(connection, user_id)
        breathe()
    with store.write() as connection:
        overwrite(connection)
        for table in reversed(Table.metadata.sorted_tables):
            if USER in table.c and table not in (SPANS, TURNS):
                connection.execute(delete(table).where(table.c[USER] == user_id))
    for chosen in chunks(turns):
        with store.write() as connection:
            overwrite(connection)
            connection.execute(delete(TURNS).where(TURNS.c.turn_id.in_(chosen)))
        breathe()
    drop_strays(store, user_id)  # what came meanwhile
    without_deleted_words(store, breathe)
    empty_log(store)


def forget_conversations(store: Store, conversations: Iterable[tuple[str, str]]) -> None:
    """Delete what was said in conversations: spans, long texts, words, questions and the texts of errors.

    The numbers of their turns stay, so that what was spent and how long it took is still true.

    Args:
        conversations: (user id, conversation id).
    """
    wanted = list(conversations)
    found: list[str] = []
    for start in range(0, len(wanted), BATCH):
        whose = tuple_(TURNS.c.user_id, TURNS.c.conversation_id).in_(wanted[start : start + BATCH])
        with store.reader() as session:
            found += session.connection().scalars(select(TURNS.c.turn_id).where(whose))
    for chosen in chunks(found):
        with store.write() as connection:
            forget_contents(connection, chosen)
        breathe()
    if found:
        without_deleted_words(store, breathe)
        empty_log(store)


def forget_contents(connection: Connection, turn_ids: Sequence[str]) -> None:
    """Delete all of some turns but their numbers."""
    overwrite(connection)
    textindex.forget(connection, turn_ids)
    for table in (table_of(Payload), SPANS):
        connection.execute(delete(table).where(table.c.trace_id.in_(turn_ids)))
    for table in (table_of(LlmCall), table_of(ToolCall)):
        connection.execute(update(table).where(table.c.turn_id.in_(turn_ids)).values(error=None))
    connection.execute(update(TURNS).where(TURNS.c.turn_id.in_(turn_ids)).values(question=None, error=None))


def turns_of(store: Store, user_id: str) -> Sequence[str]:
    """The ids of the user's turns."""
    with store.reader() as session:
        return session.connection().scalars(select(TURNS.c.turn_id).where(TURNS.c.user_id == user_id)).all()


def chunks(ids: Sequence[str]) -> Iterator[Sequence[str]]:
    """Ids, some at a time."""
    return (ids[start : start + BATCH] for start in range(0, len(ids), BATCH))


def drop(store: Store, traces: Sequence[str]) -> None:
    """Delete traces and what was made of them, but for the turns' own rows."""
    with store.write() as connection:
        overwrite(connection)
        textindex.forget(connection, traces)
        for table in (table_of(Payload), SPANS):
            connection.execute(delete(table).where(table.c.trace_id.in_(traces)))
        for table in (table_of(LlmCall), table_of(ToolCall)):
            connection.execute(delete(table).where(table.c.turn_id.in_(traces)))
    breathe()


def drop_strays(store: Store, user_id: str) -> None:
    """Delete the user's traces that are no turns; all spans are looked through for them, which stops nobody."""
    mine = select(SPANS.c.trace_id).where(SPANS.c.user_id == user_id).distinct().order_by(SPANS.c.trace_id)
    found: Sequence[str] = [""]
    while found:
        with store.reader() as session:
            found = session.connection().scalars(mine.where(SPANS.c.trace_id > found[-1]).limit(BATCH)).all()
        if found:
            drop(store, found)


def breathe() -> None:
    """Let others write."""
    time.sleep(BREATH)
