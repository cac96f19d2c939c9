"""What people thought of answers: a thumb and a note a turn; every call names its user."""

from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Literal

from sqlalchemy import Engine, delete
from sqlmodel import col, select

from core.errors import BadInput
from core.store.sessions import reading, writing
from core.store.tables import Exchange, Feedback

Thumb = Literal["up", "down"]
NOTE_LENGTH = 2000


class Feedbacks:
    """All feedback of the app database."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine

    def give(self, exchange: Exchange, thumb: Thumb, note: str = "") -> Feedback:
        """Keep what the person thinks of their exchange; a second thought replaces the first.

        Raises:
            BadInput: the note is too long.
            StorageError: nothing could be written.
        """
        text = note.strip()
        if len(text) > NOTE_LENGTH:
            raise BadInput(f"The note has {len(text):,} characters; it may have {NOTE_LENGTH:,}. Shorten it.")
        given = Feedback(
            turn_id=exchange.turn_id,
            user_id=exchange.user_id,
            conversation_id=exchange.conversation_id,
            thumb=thumb,
            note=text,
            given_at=datetime.now(UTC),
        )
        with writing(self._engine, "feedback", exchange.turn_id) as session:
            return session.merge(given)

    def take_back(self, user_id: str, turn_id: str) -> None:
        """Forget it."""
        query = delete(Feedback).where(col(Feedback.user_id) == user_id, col(Feedback.turn_id) == turn_id)
        with writing(self._engine) as session:
            session.execute(query)

    def of_conversation(self, user_id: str, conversation_id: str) -> Mapping[str, Feedback]:
        """Turn id → what the user thought of it."""
        query = select(Feedback).where(Feedback.user_id == user_id, Feedback.conversation_id == conversation_id)
        with reading(self._engine) as session:
            return {given.turn_id: given for given in session.exec(query)}
