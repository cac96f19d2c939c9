"""What is deleted for good: conversations whose time to be had back is over, with all that belongs to them."""

from collections.abc import Callable, Sequence
from datetime import datetime

from sqlalchemy import Engine, Text, cast, delete
from sqlmodel import col, select

from core.store.conversations import UNDO
from core.store.sessions import reading, writing
from core.store.tables import Approval, Conversation, Exchange, Feedback, Parked

BATCH = 200


Gone = Callable[[Sequence[tuple[str, str]]], object]


def purge(engine: Engine, now: datetime, gone: Gone = list) -> int:
    """Delete for good the conversations that were deleted longer than `UNDO` ago.

    Args:
        now: aware.
        gone: told (user id, conversation id) of each, before they are deleted, so that what is kept of them elsewhere
            goes first.

    Returns:
        How many there were.
    """
    over = select(Conversation.user_id, Conversation.id).where(col(Conversation.deleted_at) < now - UNDO)
    with reading(engine) as session:
        found = [(user_id, id_) for user_id, id_ in session.exec(over)]
    for start in range(0, len(found), BATCH):
        chosen = found[start : start + BATCH]
        gone(chosen)
        forget(engine, [id_ for _, id_ in chosen])
    return len(found)


def forget(engine: Engine, conversation_ids: Sequence[str]) -> None:
    """Delete some conversations with their exchanges, approvals, parked turns and feedback."""
    turns = select(Exchange.turn_id).where(col(Exchange.conversation_id).in_(conversation_ids))
    with writing(engine) as session:
        session.execute(delete(Parked).where(col(Parked.turn_id).in_(turns)))
        for table in (Approval, Feedback, Exchange):
            session.execute(delete(table).where(col(table.conversation_id).in_(conversation_ids)))
        session.execute(delete(Conversation).where(col(Conversation.id).in_(conversation_ids)))


def kept_files(engine: Engine) -> set[str]:
    """The paths of the files that some question has, whosever it is."""
    query = select(Exchange.files).where(cast(col(Exchange.files), Text) != "[]")
    with reading(engine) as session:
        return {file["path"] for files in session.exec(query) for file in files}
