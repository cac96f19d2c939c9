"""The runtime: starts turns on the process's loop and sees each one to its end."""

import asyncio
import logging
import threading
import time
import uuid
from collections import OrderedDict
from collections.abc import Callable, Sequence
from typing import Any

from opentelemetry import trace
from opentelemetry.context import Context
from opentelemetry.trace import Span, Status, StatusCode

from core.errors import BadInput, Busy, GlassdeskError, NotFound, StorageError, Unavailable
from core.runtime.conductor import Conductor
from core.runtime.events import EventType
from core.runtime.loop import LoopThread
from core.runtime.narrator import Narrator
from core.runtime.turn import Turn
from core.store.conversations import Conversations, Ending, Outcome
from core.store.tables import Exchange
from core.users import User

MAX_MESSAGE = 32_000
"""Characters of a question; about 8,000 tokens."""
KEPT_TURNS = 200
"""Turns whose event log stays in memory after their end."""
CLOSING_SECONDS = 10
Account = Callable[[User, str], dict[str, Any]]
logger = logging.getLogger(__name__)
tracer = trace.get_tracer("glassdesk")


class Runtime:
    """All turns of the process.

    Args:
        loop: where they run.
        conductor: routes a question and runs the agents on it.
        conversations: what is kept of them.
        account: the numbers of an ended turn, as the HTTP contract has them.
    """

    def __init__(self, loop: LoopThread, conductor: Conductor, conversations: Conversations, account: Account) -> None:
        self._loop, self._conductor, self._account = loop, conductor, account
        self._conversations = conversations
        self._turns: OrderedDict[str, Turn] = OrderedDict()
        self._live: dict[str, Turn] = {}
        self._lock = threading.Lock()
        self._closing = False

    def start(self, user: User, message: str, conversation_id: str | None = None) -> Turn:
        """Begin to answer a question; returns at once.

        Args:
            conversation_id: None begins a new conversation.

        Raises:
            BadInput: nothing was asked, or too much.
            Busy: the conversation's last question is still being answered.
            NotFound: the conversation is not the user's.
            StorageError: the question could not be kept.
            Unavailable: the app is stopping.
        """
        question = checked(message)
        if conversation_id is not None:
            self._conversations.get(user.id, conversation_id)
        start_ns = time.time_ns()
        root, turn = self._open(user, question, conversation_id or uuid.uuid4().hex, start_ns)
        try:
            self._admit(turn)
            with trace.use_span(root), tracer.start_as_current_span("persist"):
                self._conversations.begin(user.id, turn.conversation_id, turn.id, question)
        except GlassdeskError as error:
            self._release(turn)
            end(root, "failed", error.sentence)
            raise
        turn.log.append(EventType.STARTED, turn_id=turn.id, conversation_id=turn.conversation_id, message=question)
        self._loop.submit(self._run(turn, root, start_ns))
        return turn

    def turn(self, user: User, turn_id: str) -> Turn:
        """A turn that runs or ended lately.

        Raises:
            NotFound: there is none in memory that belongs to the user.
        """
        with self._lock:
            found = self._turns.get(turn_id)
        if found is None or found.user.id != user.id:
            raise NotFound("There is no such running turn. Look at the list of turns for older ones.")
        return found

    def live(self, user: User, conversation_id: str) -> Turn | None:
        """The turn that runs in a conversation of the user, if one does."""
        with self._lock:
            found = self._live.get(conversation_id)
        return found if found is not None and found.user.id == user.id else None

    def running(self) -> int:
        """How many turns run now."""
        return len(self._live)

    def close(self) -> None:
        """Stop what runs, keeping what was said, and take no more."""
        with self._lock:
            self._closing = True
            live = list(self._live.values())
        for turn in live:
            turn.cancel()
        deadline = time.monotonic() + CLOSING_SECONDS
        for turn in live:
            try:
                turn.wait(max(0.0, deadline - time.monotonic()))
            except TimeoutError:
                logger.warning("Turn %s did not end in time", turn.id)

    def _open(self, user: User, question: str, conversation_id: str, start_ns: int) -> tuple[Span, Turn]:
        root = tracer.start_span(
            "turn",
            context=Context(),
            start_time=start_ns,
            attributes={
                "glassdesk.user.id": user.id,
                "gen_ai.conversation.id": conversation_id,
                "glassdesk.question": question,
            },
        )
        turn_id = f"{root.get_span_context().trace_id:032x}"
        return root, Turn(turn_id, user, conversation_id, question)

    def _admit(self, turn: Turn) -> None:
        with self._lock:
            if self._closing:
                raise Unavailable("Glassdesk is stopping. Ask again once it has started.")
            if turn.conversation_id in self._live:
                raise Busy("The last question is still being answered. Wait for it, or stop it first.")
            self._live[turn.conversation_id] = self._turns[turn.id] = turn
            while len(self._turns) > KEPT_TURNS + len(self._live):
                oldest = next(turn_id for turn_id, kept in self._turns.items() if kept.finished)
                del self._turns[oldest]

    def _release(self, turn: Turn) -> None:
        with self._lock:
            if self._live.get(turn.conversation_id) is turn:
                del self._live[turn.conversation_id]
            if not turn.finished:
                self._turns.pop(turn.id, None)

    async def _run(self, turn: Turn, root: Span, start_ns: int) -> None:
        narrator = self._conductor.narrator(turn, start_ns)
        outcome = Outcome("failed", "", "Something unexpected went wrong. The log says more; ask again.")
        try:
            with trace.use_span(root, end_on_exit=False, record_exception=False, set_status_on_exception=False):
                outcome = await self._stoppable(turn, root, narrator)
                outcome = await self._keep(turn, outcome)
            describe(root, narrator)
        finally:
            end(root, outcome.status, outcome.error)
            finished = await asyncio.to_thread(self._finished, turn, outcome)
            self._release(turn)
            turn.log.append(EventType.FINISHED, **finished)

    async def _stoppable(self, turn: Turn, root: Span, narrator: Narrator) -> Outcome:
        loop = asyncio.get_running_loop()
        attempt = asyncio.create_task(self._attempt(turn, root, narrator))
        turn.on_stop(lambda: loop.call_soon_threadsafe(attempt.cancel))
        try:
            return await attempt
        except asyncio.CancelledError:
            return self._outcome(turn, narrator, "stopped", narrator.text)

    async def _attempt(self, turn: Turn, root: Span, narrator: Narrator) -> Outcome:
        try:
            earlier = await asyncio.to_thread(self._earlier, turn)
            decision = self._conductor.decide(turn, earlier)
            root.set_attribute("glassdesk.route", decision.route)
            answer = await self._conductor.answer(turn, decision, earlier, narrator)
        except Exception as exception:
            logger.info("Turn %s failed", turn.id, exc_info=exception)
            error = self._conductor.explain(exception).sentence
            return self._outcome(turn, narrator, "failed", narrator.text, error)
        domain = decision.domains[0] if decision.route == "direct" else None
        return self._outcome(turn, narrator, "done", answer, domain=domain)

    def _outcome(
        self,
        turn: Turn,
        narrator: Narrator,
        status: Ending,
        answer: str,
        error: str | None = None,
        domain: str | None = None,
    ) -> Outcome:
        items = narrator.conversation_items(turn.message, answer)
        return Outcome(status, answer, error, domain, narrator.steps, items)

    def _earlier(self, turn: Turn) -> Sequence[Exchange]:
        kept = self._conversations.exchanges(turn.user.id, turn.conversation_id)
        return [exchange for exchange in kept if exchange.turn_id != turn.id]

    async def _keep(self, turn: Turn, outcome: Outcome) -> Outcome:
        with tracer.start_as_current_span("persist"):
            try:
                await asyncio.to_thread(self._conversations.finish, turn.user.id, turn.id, outcome)
            except StorageError as error:
                return Outcome("failed", outcome.answer, error.sentence)
        return outcome

    def _finished(self, turn: Turn, outcome: Outcome) -> dict[str, Any]:
        said: dict[str, Any] = {
            "turn_id": turn.id,
            "conversation_id": turn.conversation_id,
            "response": outcome.answer,
            "error": outcome.error,
            "approvals": [],
        }
        try:
            numbers = self._account(turn.user, turn.id)
        except Exception:
            logger.exception("The numbers of turn %s are not to be had", turn.id)
            numbers = {}
        return {**numbers, **said, "status": outcome.status}


def checked(message: str) -> str:
    """A question as it will be asked.

    Raises:
        BadInput: it is empty or too long.
    """
    question = message.strip()
    if not question:
        raise BadInput("There is nothing to answer yet. Type a question, for example: Show my unread emails.")
    if len(question) > MAX_MESSAGE:
        raise BadInput(
            f"That is {len(question):,} characters; a question may have {MAX_MESSAGE:,}. "
            "Shorten it, or ask about one part at a time."
        )
    return question


def describe(root: Span, narrator: Narrator) -> None:
    """Put what the narrator knows on the turn's span."""
    root.set_attribute("glassdesk.agents", narrator.agents)
    if narrator.first_token_ns is not None:
        root.set_attribute("glassdesk.first_token_ns", narrator.first_token_ns)


def end(root: Span, status: str, error: str | None) -> None:
    """End a turn's span."""
    root.set_attribute("glassdesk.status", status)
    if error:
        root.set_attribute("glassdesk.error", error)
        root.set_status(Status(StatusCode.ERROR, error))
    root.end()
