"""What is deleted for good: conversations whose time to be had back is over, with all that belongs to them."""

from collections.abc import Callable, Iterable
from datetime import datetime
from typing import Any

from sqlalchemy import Engine, delete
from sqlmodel import col, select

from core.store.conversations import UNDO
from core.store.sessions import reading, writing
from core.store.tables import Approval, Conversation, Exchange, Feedback, Parked

Files = list[dict[str, Any]]
BATCH = 200


def purge(engine: Engine, now: datetime, discard: Callable[[str, Files], None]) -> int:
    """Delete for good the conversations that were deleted longer than `UNDO` ago.

    Args:
        now: aware.
        discard: is told the user and the kept files that no other exchange of theirs has.

    Returns:
        How many there were.
    """
    over = select(Conversation).where(col(Conversation.deleted_at) < now - UNDO)
    with reading(engine) as session:
        gone = session.exec(over).all()
    for start in range(0, len(gone), BATCH):
        forget(engine, gone[start : start + BATCH], discard)
    return len(gone)


def forget(engine: Engine, gone: Iterable[Conversation], discard: Callable[[str, Files], None]) -> None:
    """Delete some conversations with their exchanges, approvals, parked turns, feedback and files."""
    ids = [conversation.id for conversation in gone]
    exchanges = col(Exchange.conversation_id).in_(ids)
    with writing(engine) as session:
        turns = session.exec(select(Exchange).where(exchanges)).all()
        dropped: dict[str, Files] = {}
        for turn in turns:
            dropped.setdefault(turn.user_id, []).extend(turn.files)
        session.execute(delete(Parked).where(col(Parked.turn_id).in_([turn.turn_id for turn in turns])))
        for table in (Approval, Feedback, Exchange):
            session.execute(delete(table).where(col(table.conversation_id).in_(ids)))
        session.execute(delete(Conversation).where(col(Conversation.id).in_(ids)))
    for user_id, files in dropped.items():
        if files:
            discard(user_id, unused(engine, user_id, files))


def unused(engine: Engine, user_id: str, files: Files) -> Files:
    """Those of the files that no exchange of the user has."""
    with reading(engine) as session:
        lists = session.exec(select(Exchange.files).where(Exchange.user_id == user_id)).all()
    used = {file["path"] for kept in lists for file in kept}
    return [file for file in files if file["path"] not in used]
