"""Conversations: kept, listed, read; every call names its user."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from textwrap import shorten
from typing import Any, Literal

from sqlalchemy import Engine, bindparam, func, update
from sqlmodel import Session, col, select

from core.errors import BadInput, Busy, NotFound
from core.store.processes import Alone, Processes, elsewhere
from core.store.sessions import reading, table_of, write, writing
from core.store.tables import Conversation, Exchange

TITLE_LENGTH = 60
UNDO = timedelta(minutes=10)
"""How long a deleted conversation can be had back at least."""
NO_CONVERSATION = "There is no such conversation. Start a new one, or pick one from the list."
NO_TITLE = "A conversation needs a title. Type a few words, or cancel."
NOT_LAST = "Only the last question of a conversation can be asked again or changed. Ask this one anew instead."
ELSEWHERE = "The last question is still being answered in another window. Wait for it, then ask again."
Ending = Literal["done", "failed", "stopped"]
CONVERSATION, EXCHANGE = table_of(Conversation), table_of(Exchange)
MINE = (EXCHANGE.c.turn_id == bindparam("mine"), EXCHANGE.c.user_id == bindparam("whose"))
EXCHANGES = (
    select(Exchange)
    .join(Conversation, col(Conversation.id) == Exchange.conversation_id)
    .where(Exchange.user_id == bindparam("whose"), Exchange.conversation_id == bindparam("conversation"))
    .where(col(Conversation.deleted_at).is_(None))
    .order_by(col(Exchange.started_at))
)
SHOWN = EXCHANGES.where(col(Exchange.superseded_by).is_(None))
BEFORE = select(Exchange).where(Exchange.user_id == bindparam("whose"), Exchange.superseded_by == bindparam("later"))
UNANSWERED: Mapping[str, Any] = {
    "status": "running",
    "answer": "",
    **{name: [] for name in ("steps", "plan", "items")},
    "shortened": {},
}
CHOSEN = select(Conversation.account).where(
    Conversation.id == bindparam("conversation"), Conversation.user_id == bindparam("whose")
)


@dataclass(frozen=True)
class Outcome:
    """How a turn ended: what the conversation keeps of it."""

    status: Ending
    answer: str
    error: str | None = None
    domain: str | None = None
    steps: list[dict[str, Any]] = field(default_factory=list)
    items: list[dict[str, Any]] = field(default_factory=list)
    plan: list[dict[str, Any]] = field(default_factory=list)
    shortened: dict[str, int] = field(default_factory=dict)


class Conversations:
    """All conversations of the app database."""

    def __init__(self, engine: Engine, processes: Processes | None = None) -> None:
        self._engine, self._processes = engine, processes or Alone()

    def list(self, user_id: str, limit: int = 50) -> Sequence[Conversation]:
        """The user's conversations, the latest first."""
        query = select(Conversation).where(Conversation.user_id == user_id, col(Conversation.deleted_at).is_(None))
        with reading(self._engine) as session:
            return session.exec(query.order_by(col(Conversation.updated_at).desc()).limit(limit)).all()

    def get(self, user_id: str, conversation_id: str) -> Conversation:
        """One conversation.

        Raises:
            NotFound: there is none of this id that belongs to the user.
        """
        with reading(self._engine) as session:
            found = session.get(Conversation, conversation_id)
        if found is None or found.user_id != user_id or found.deleted_at is not None:
            raise NotFound(NO_CONVERSATION)
        return found

    def rename(self, user_id: str, conversation_id: str, title: str) -> Conversation:
        """Give a conversation another title; white space is put in order, and what is too long is cut.

        Raises:
            BadInput: nothing is left of the title.
            NotFound: the conversation is not the user's.
        """
        words = " ".join(title.split())
        if not words:
            raise BadInput(NO_TITLE)
        self.get(user_id, conversation_id)
        self._set(user_id, conversation_id, title=title_of(words))
        return self.get(user_id, conversation_id)

    def account(self, user_id: str, conversation_id: str) -> str:
        """The Google account that acts in a conversation of the user's; empty: the default one."""
        with reading(self._engine) as session:
            return session.exec(CHOSEN, params={"conversation": conversation_id, "whose": user_id}).first() or ""

    def set_account(self, user_id: str, conversation_id: str, account: str) -> None:
        """Let another Google account act in a conversation.

        Raises:
            NotFound: the conversation is not the user's.
        """
        self.get(user_id, conversation_id)
        self._set(user_id, conversation_id, account=account)

    def delete(self, user_id: str, conversation_id: str) -> None:
        """Take a conversation out of every list; `restore` brings it back until it is purged.

        Raises:
            NotFound: the conversation is not the user's.
        """
        self.get(user_id, conversation_id)
        self._set(user_id, conversation_id, deleted_at=datetime.now(UTC))

    def restore(self, user_id: str, conversation_id: str) -> Conversation:
        """Undo a deletion.

        Raises:
            NotFound: the conversation is not the user's, or is gone for good.
        """
        self._set(user_id, conversation_id, deleted_at=None)
        return self.get(user_id, conversation_id)

    def exchanges(self, user_id: str, conversation_id: str, *, superseded: bool = False) -> Sequence[Exchange]:
        """The questions and answers of a conversation, oldest first; empty when it is not the user's.

        Args:
            superseded: also those that were asked again.
        """
        query, params = EXCHANGES if superseded else SHOWN, {"whose": user_id, "conversation": conversation_id}
        with reading(self._engine) as session:
            return session.exec(query, params=params).all()

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

    def superseded(self, user_id: str, turn_id: str) -> Sequence[Exchange]:
        """The exchanges that a turn took the place of, one after the other, oldest first."""
        found: list[Exchange] = []
        later = turn_id
        with reading(self._engine) as session:
            while True:
                before = session.exec(BEFORE, params={"whose": user_id, "later": later}).first()
                if before is None:
                    return found[::-1]
                found.append(before)
                later = before.turn_id

    def begin(
        self,
        user_id: str,
        conversation_id: str,
        turn_id: str,
        question: str,
        *,
        files: Sequence[Mapping[str, Any]] = (),
        replaces: str | None = None,
        account: str = "",
        new: bool = False,
    ) -> None:
        """Keep a question before anything is done about it; a new conversation is titled by it.

        Args:
            files: that come with it, as `Exchange.files` keeps them.
            replaces: the turn whose question this is again, as it was or changed.
            account: the Google account that acts; a conversation that has none yet keeps it.
            new: the conversation's id was just made, so that there is none to look for.

        Raises:
            BadInput: it would take the place of another question than the last.
            Busy: another process is answering the last question.
            NotFound: the conversation is somebody else's, or deleted.
            StorageError: nothing could be written.
        """
        now = datetime.now(UTC)
        ids = {"turn_id": turn_id, "conversation_id": conversation_id, "user_id": user_id}
        asked = {"account": account, "question": question, "files": [dict(file) for file in files]}
        exchange = {**UNANSWERED, **ids, **asked, "started_at": now, "process": self._processes.id}
        if new:
            row: dict[str, Any] = {"id": conversation_id, "user_id": user_id, "title": title_of(question)}
            row |= {"account": account, "created_at": now, "updated_at": now}
            write(self._engine, (CONVERSATION.insert(), row), (EXCHANGE.insert(), exchange))
            return
        with writing(self._engine, "conversation", conversation_id) as session:
            conversation = continued(session, user_id, conversation_id, question, now)
            if elsewhere(self._processes, running_in(session, conversation_id)):
                raise Busy(ELSEWHERE)
            conversation.account = conversation.account or account
            session.add(conversation)
            if replaces is not None:
                old = supersede(session, conversation_id, replaces, turn_id)
                if conversation.title == title_of(old.question):
                    conversation.title = title_of(question)
            session.flush()
            session.execute(EXCHANGE.insert(), exchange)

    def wait(
        self,
        user_id: str,
        turn_id: str,
        answer: str,
        steps: Sequence[Mapping[str, Any]],
        plan: Sequence[Mapping[str, Any]] = (),
    ) -> None:
        """Keep that a turn waits for a person, with what it has said and done so far."""
        self._change(user_id, turn_id, status="waiting", answer=answer, steps=steps, plan=list(plan))

    def go_on(self, user_id: str, turn_id: str) -> None:
        """Keep that a turn that waited runs again."""
        self._change(user_id, turn_id, status="running", process=self._processes.id)

    def finish(self, user_id: str, turn_id: str, outcome: Outcome) -> None:
        """Keep how a turn ended.

        Raises:
            StorageError: nothing could be written.
        """
        self._change(user_id, turn_id, **vars(outcome), finished_at=datetime.now(UTC))

    def mark_interrupted(self) -> int:
        """At start: exchanges that no living process runs any more. Returns how many there were."""
        running = col(Exchange.status) == "running"
        with writing(self._engine) as session:
            names = session.exec(select(Exchange.process).where(running).distinct()).all()
            gone = {name or "" for name in names} - elsewhere(self._processes, names)  # not who begins meanwhile
            change = update(Exchange).where(running, func.coalesce(col(Exchange.process), "").in_(sorted(gone)))
            result = session.execute(change.values(status="interrupted"))
        return int(getattr(result, "rowcount", 0))

    def _change(self, user_id: str, turn_id: str, **values: Any) -> None:
        write(self._engine, (EXCHANGE.update().where(*MINE), {"mine": turn_id, "whose": user_id, **values}))

    def _set(self, user_id: str, conversation_id: str, **values: Any) -> None:
        change = update(Conversation).where(
            col(Conversation.id) == conversation_id, col(Conversation.user_id) == user_id
        )
        with writing(self._engine) as session:
            session.execute(change.values(**values))


def running_in(session: Session, conversation_id: str) -> Sequence[str | None]:
    """The processes that run something in a conversation, or did when they ended."""
    running = select(Exchange.process).where(Exchange.conversation_id == conversation_id, Exchange.status == "running")
    return session.exec(running).all()


def supersede(session: Session, conversation_id: str, old: str, new: str) -> Exchange:
    """Let a turn take the place of the last one of its conversation; returns that.

    Raises:
        BadInput: the old one is not the last.
    """
    shown = select(Exchange).where(Exchange.conversation_id == conversation_id, col(Exchange.superseded_by).is_(None))
    last = session.exec(shown.order_by(col(Exchange.started_at).desc())).first()
    if last is None or last.turn_id != old:
        raise BadInput(NOT_LAST)
    last.superseded_by = new
    session.add(last)
    return last


def continued(session: Session, user_id: str, conversation_id: str, question: str, now: datetime) -> Conversation:
    """The conversation in which something is asked now; a new one where there is none.

    Raises:
        NotFound: it is somebody else's, or deleted.
    """
    conversation = session.get(Conversation, conversation_id) or Conversation(
        id=conversation_id, user_id=user_id, title=title_of(question), created_at=now, updated_at=now
    )
    if conversation.user_id != user_id or conversation.deleted_at is not None:
        raise NotFound(NO_CONVERSATION)
    conversation.updated_at = now
    return conversation


def title_of(question: str) -> str:
    """A question, shortened to a title at a word's end."""
    if len(question.split(maxsplit=1)[0]) > TITLE_LENGTH:
        return question[: TITLE_LENGTH - 1] + "…"
    return shorten(question, TITLE_LENGTH, placeholder=" …")
