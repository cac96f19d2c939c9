"""Conversations: kept, listed, read; every call names its user."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from textwrap import shorten
from typing import Any, Literal

from sqlalchemy import Engine, update
from sqlmodel import col, select

from core.errors import NotFound
from core.store.sessions import reading, writing
from core.store.tables import Conversation, Exchange

TITLE_LENGTH = 60
NO_CONVERSATION = "There is no such conversation. Start a new one, or pick one from the list."
Ending = Literal["done", "failed", "stopped"]


@dataclass(frozen=True)
class Outcome:
    """How a turn ended: what the conversation keeps of it."""

    status: Ending
    answer: str
    error: str | None = None
    domain: str | None = None
    steps: list[dict[str, Any]] = field(default_factory=list)
    items: list[dict[str, Any]] = field(default_factory=list)


class Conversations:
    """All conversations of the app database."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine

    def list(self, user_id: str, limit: int = 50) -> Sequence[Conversation]:
        """The user's conversations, the latest first."""
        query = select(Conversation).where(Conversation.user_id == user_id)
        with reading(self._engine) as session:
            return session.exec(query.order_by(col(Conversation.updated_at).desc()).limit(limit)).all()

    def get(self, user_id: str, conversation_id: str) -> Conversation:
        """One conversation.

        Raises:
            NotFound: there is none of this id that belongs to the user.
        """
        with reading(self._engine) as session:
            found = session.get(Conversation, conversation_id)
        if found is None or found.user_id != user_id:
            raise NotFound(NO_CONVERSATION)
        return found

    def exchanges(self, user_id: str, conversation_id: str) -> Sequence[Exchange]:
        """The questions and answers of a conversation, oldest first; empty when it is not the user's."""
        query = select(Exchange).where(Exchange.user_id == user_id, Exchange.conversation_id == conversation_id)
        with reading(self._engine) as session:
            return session.exec(query.order_by(col(Exchange.started_at))).all()

    def exchange(self, user_id: str, turn_id: str) -> Exchange:
        """One question and its answer.

        Raises:
            NotFound: there is none of this id that belongs to the user.
        """
        with reading(self._engine) as session:
            found = session.get(Exchange, turn_id)
        if found is None or found.user_id != user_id:
            raise NotFound("There is no such turn. Check its id, or look at the list of turns.")
        return found

    def begin(self, user_id: str, conversation_id: str, turn_id: str, question: str) -> None:
        """Keep a question before anything is done about it; a new conversation is titled by it.

        Raises:
            NotFound: the conversation is somebody else's.
            StorageError: nothing could be written.
        """
        now = datetime.now(UTC)
        with writing(self._engine) as session:
            conversation = session.get(Conversation, conversation_id)
            if conversation is None:
                conversation = Conversation(
                    id=conversation_id, user_id=user_id, title=title_of(question), created_at=now, updated_at=now
                )
            elif conversation.user_id != user_id:
                raise NotFound(NO_CONVERSATION)
            conversation.updated_at = now
            session.add(conversation)
            session.add(
                Exchange(
                    turn_id=turn_id,
                    conversation_id=conversation_id,
                    user_id=user_id,
                    question=question,
                    status="running",
                    started_at=now,
                )
            )

    def wait(self, user_id: str, turn_id: str, answer: str, steps: Sequence[Mapping[str, Any]]) -> None:
        """Keep that a turn waits for a person, with what it has said and done so far."""
        self._change(user_id, turn_id, status="waiting", answer=answer, steps=steps)

    def go_on(self, user_id: str, turn_id: str) -> None:
        """Keep that a turn that waited runs again."""
        self._change(user_id, turn_id, status="running")

    def finish(self, user_id: str, turn_id: str, outcome: Outcome) -> None:
        """Keep how a turn ended.

        Raises:
            StorageError: nothing could be written.
        """
        self._change(user_id, turn_id, **vars(outcome), finished_at=datetime.now(UTC))

    def mark_interrupted(self) -> int:
        """At start: exchanges that a killed process left running. Returns how many there were."""
        change = update(Exchange).where(col(Exchange.status) == "running")
        with writing(self._engine) as session:
            result = session.execute(change.values(status="interrupted"))
        return int(getattr(result, "rowcount", 0))

    def _change(self, user_id: str, turn_id: str, **values: Any) -> None:
        change = update(Exchange).where(col(Exchange.turn_id) == turn_id, col(Exchange.user_id) == user_id)
        with writing(self._engine) as session:
            session.execute(change.values(**values))


def title_of(question: str) -> str:
    """A question, shortened to a title at a word's end."""
    if len(question.split(maxsplit=1)[0]) > TITLE_LENGTH:
        return question[: TITLE_LENGTH - 1] + "…"
    return shorten(question, TITLE_LENGTH, placeholder=" …")
