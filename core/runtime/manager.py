"""The runtime: starts turns on the process's loop, knows which run or wait, and takes people's decisions."""

import logging
import threading
import time
import uuid
from collections import OrderedDict
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from opentelemetry import trace

from core.errors import Busy, GlassdeskError, NotAllowed, NotFound, Unavailable
from core.runtime.attachments import heard
from core.runtime.events import EventType
from core.runtime.loop import LoopThread
from core.runtime.performance import UNEXPECTED, Performer
from core.runtime.questions import checked
from core.runtime.spans import end_turn, ids_of, note_feedback, open_turn
from core.runtime.stage import Stage
from core.runtime.told import started, verdict_of
from core.runtime.turn import Ask, Turn
from core.store.approvals import Decided
from core.store.approvals import Verdict as Word
from core.store.feedback import Thumb
from core.store.tables import Approval, Feedback
from core.store.uploads import Upload
from core.users import READ_ONLY, User

KEPT_TURNS = 200
"""Turns whose event log stays in memory after their end."""
CLOSING_SECONDS = 10
WAITS = "Your decision is needed above first. Approve or reject it, or stop that answer."
RUNS = "The last question is still being answered. Wait for it, or stop it first."
logger = logging.getLogger(__name__)
tracer = trace.get_tracer("glassdesk")


class Runtime:
    """All turns of the process.

    Args:
        loop: where they run.
        performer: sees each one to its end.
        check: raises what keeps a user from beginning a turn, such as a budget that is used up.
        acting: the Google account that acts for a user in a conversation; None: the one that comes with the user.
    """

    def __init__(
        self,
        loop: LoopThread,
        performer: Performer,
        check: Callable[[User], None] | None = None,
        acting: Callable[[User, str | None], str] | None = None,
    ) -> None:
        self._loop, self._performer, self._check, self._acting = loop, performer, check, acting
        self._turns: OrderedDict[str, Turn] = OrderedDict()
        self._live: dict[str, Turn] = {}
        self._waiting: dict[str, Stage] = {}
        self._lock = threading.Lock()
        self._closing = False

    def start(
        self,
        user: User,
        message: str,
        conversation_id: str | None = None,
        *,
        files: Sequence[Upload] = (),
        fresh: bool = False,
        account: str = "",
    ) -> Turn:
        """Begin to answer a question; returns at once.

        Args:
            conversation_id: None begins a new conversation.
            files: that come with the question.
            fresh: whether an answer that is remembered will not do.
            account: the Google account that acts in a new conversation; empty: the user's default.

        Raises:
            BadInput: nothing was asked, or too much; or a file is not taken.
            Busy: the conversation's last question is still being answered, or waits for a decision.
            NotFound: the conversation is not the user's.
            OverBudget: the user has spent what they wanted to spend at most.
            StorageError: the question could not be kept.
            Unavailable: the app is stopping.
        """
        question = checked(message)
        if conversation_id is not None:
            self._performer.conversations.get(user.id, conversation_id)
        user = user.changed(account=account) if account and not conversation_id else self._seated(user, conversation_id)
        kept = self._performer.uploads.keep(user.id, user.account, files)
        new = conversation_id is None
        return self._begin(user, Ask(question, conversation_id or uuid.uuid4().hex, kept, fresh, new=new))

    def regenerate(self, user: User, turn_id: str) -> Turn:
        """Ask the last question of a conversation again, failed or not; the new answer takes the old one's place.

        What the old turn has written stays done and is not repeated.

        Raises:
            As `start`; BadInput also where it is not the last question.
        """
        old = self._performer.conversations.exchange(user.id, turn_id)
        user = self._seated(user, old.conversation_id)
        return self._begin(user, Ask(old.question, old.conversation_id, tuple(old.files), True, turn_id))

    def edit(self, user: User, turn_id: str, message: str) -> Turn:
        """Ask the last question of a conversation again in other words.

        Raises:
            As `regenerate`.
        """
        question = checked(message)
        old = self._performer.conversations.exchange(user.id, turn_id)
        user = self._seated(user, old.conversation_id)
        return self._begin(user, Ask(question, old.conversation_id, tuple(old.files), replaces=turn_id))

    def delete(self, user: User, conversation_id: str) -> None:
        """Delete a conversation, and stop what runs or waits in it; `Conversations.restore` undoes the first.

        Raises:
            NotFound: the conversation is not the user's.
        """
        self._performer.conversations.delete(user.id, conversation_id)
        live = self.live(user, conversation_id)
        if live is not None:
            live.cancel()

    def rate(self, user: User, turn_id: str, thumb: Thumb | None, note: str = "") -> Feedback | None:
        """Keep what a person thinks of an answer, and show it in the turn's trace.

        Args:
            thumb: None takes back what was said before.

        Raises:
            BadInput: the note is too long.
            NotFound: the turn is not the user's.
        """
        exchange = self._performer.conversations.exchange(user.id, turn_id)
        given = None
        if thumb is None:
            self._performer.feedbacks.take_back(user.id, turn_id)
        else:
            given = self._performer.feedbacks.give(exchange, thumb, note)
        note_feedback(user.id, exchange.conversation_id, turn_id, thumb or "none", given.note if given else "")
        return given

    def _seated(self, user: User, conversation_id: str | None) -> User:
        """The user with the Google account that acts for them in a conversation."""
        return user if self._acting is None else user.changed(account=self._acting(user, conversation_id))

    def _begin(self, user: User, ask: Ask) -> Turn:
        if self._check is not None:
            self._check(user)
        start_ns = time.time_ns()
        conversation_id, question = ask.conversation_id, ask.question
        root = open_turn(user.id, conversation_id, question, start_ns)
        turn = Turn(
            f"{ids_of(root)[0]:032x}",
            user,
            conversation_id,
            question,
            files=ask.files,
            attached=heard(ask.files, self._performer.uploads),
            fresh=ask.fresh,
        )
        stage = self._performer.stage(turn, root, start_ns)
        try:
            if not ask.new:
                self.attend(user, conversation_id)
            self._admit(turn)
            with trace.use_span(root, end_on_exit=False), tracer.start_as_current_span("persist"):
                self._performer.conversations.begin(
                    user.id,
                    conversation_id,
                    turn.id,
                    question,
                    files=ask.files,
                    replaces=ask.replaces,
                    account=user.account,
                    new=ask.new,
                )
                self._performer.ready(stage, ask.new)
        except Exception as error:
            self._release(turn)
            end_turn(root, "failed", error.sentence if isinstance(error, GlassdeskError) else UNEXPECTED)
            raise
        turn.log.append(EventType.STARTED, **started(turn))
        self._loop.submit(self._drive(stage, None))
        return turn

    def turn(self, user: User, turn_id: str) -> Turn:
        """A turn that runs, waits, or ended lately.

        Raises:
            NotFound: there is none in memory that belongs to the user.
        """
        with self._lock:
            found = self._turns.get(turn_id)
        if found is None or found.user.id != user.id:
            raise NotFound("There is no such running turn. Look at the list of turns for older ones.")
        return found

    def live(self, user: User, conversation_id: str) -> Turn | None:
        """The turn that runs or waits in a conversation of the user in this process, if one does."""
        with self._lock:
            found = self._live.get(conversation_id)
        if found is None or found.user.id != user.id:
            return None
        if self.waits(found) and not self._performer.parked.is_mine(found.id):
            self._let_go(found)
            return None
        return found

    def attend(self, user: User, conversation_id: str) -> Turn | None:
        """As `live`; what waits in another process is taken over, so that the person can decide here."""
        found = self.live(user, conversation_id)
        if found is None:
            waits = self._performer.taken_over(user, conversation_id)
            if waits is not None:
                found = self._take_up(*waits)
        return found

    def waits(self, turn: Turn) -> bool:
        """Whether a turn waits for a person's decision."""
        return turn.id in self._waiting

    def running(self) -> int:
        """How many turns run or wait now."""
        return len(self._live)

    def decide(
        self,
        user: User,
        approval_id: str,
        word: Word,
        arguments: Mapping[str, Any] | None = None,
        reason: str | None = None,
    ) -> Approval:
        """Take a person's decision; with the last one of a turn, the turn goes on.

        Args:
            arguments: replace what the model proposed.
            reason: why not, for the model and the audit.

        Raises:
            NotFound: the approval is not the user's.
            Decided: it was decided before, or has expired.
            NotAllowed: it would be done, and the user is in read-only mode; it goes on waiting.
        """
        if word == "approve" and user.read_only:
            raise NotAllowed(READ_ONLY)
        try:
            row = self._performer.decided(user, approval_id, word, arguments, reason)
        except Decided:  # it may have expired just now, and then nothing else lets the turn go on
            self._go_on(user.id, self._performer.approvals.get(user.id, approval_id).turn_id)
            raise
        with self._lock:
            turn = self._turns.get(row.turn_id)
        if turn is not None:
            turn.log.append(EventType.DECIDED, approval_id=row.id, state=row.state)
        self.attend(user, row.conversation_id)
        self._go_on(user.id, row.turn_id)
        return row

    def revise(self, user: User, approval_id: str, arguments: Mapping[str, Any]) -> Approval:
        """Change what would be done, without deciding.

        Raises:
            NotFound: the approval is not the user's.
            Decided: it was decided before, or has expired.
        """
        return self._performer.revised(user, approval_id, arguments)

    def restore(self, user: User) -> None:
        """At start: take up the turns that wait for this user."""
        for stage, waiting in self._performer.restored(user):
            self._take_up(stage, waiting)

    def _take_up(self, stage: Stage, waiting: dict[str, Any]) -> Turn:
        turn = stage.turn
        self._admit(turn)
        turn.log.append(EventType.STARTED, **started(turn))
        if stage.narrator.outline:
            turn.log.append(EventType.PLANNED, steps=stage.narrator.outline, note="")
        self._wait(stage, waiting)
        return turn

    def forget(self, user_id: str) -> None:
        """Stop all that runs or waits for a user, and keep nothing of theirs in memory."""
        with self._lock:
            live = [turn for turn in self._live.values() if turn.user.id == user_id]
        for turn in live:
            turn.cancel()
        ended(live)
        with self._lock:
            for turn_id in [turn.id for turn in self._turns.values() if turn.user.id == user_id and turn.finished]:
                del self._turns[turn_id]

    def close(self) -> None:
        """Stop what runs, keeping what was said, and take no more; what waits for a person goes on waiting."""
        with self._lock:
            self._closing = True
            running = [turn for turn in self._live.values() if turn.id not in self._waiting]
        for turn in running:
            turn.cancel()
        ended(running)

    async def _drive(self, stage: Stage, state: dict[str, Any] | None) -> None:
        kind, data = await self._performer.perform(stage, state)
        if kind is EventType.WAITING:
            self._wait(stage, data)
        else:
            self._finish(stage.turn, data)

    def _wait(self, stage: Stage, waiting: dict[str, Any]) -> None:
        turn = stage.turn
        with self._lock:
            self._waiting[turn.id] = stage
        turn.log.append(EventType.WAITING, **waiting)
        turn.on_stop(lambda: self._stop(turn.id))
        self._go_on(turn.user.id, turn.id)

    def _go_on(self, user_id: str, turn_id: str) -> None:
        """Let a turn go on, unless it does not wait, or waits for more."""
        rows = self._performer.approvals.of_turn(user_id, turn_id)
        if any(row.state == "pending" for row in rows):
            return
        stage = self._unpark(turn_id)
        if stage is None or not self._is_ours(stage):
            return
        stage.verdicts = {row.call_id: verdict_of(row) for row in rows}
        state = self._performer.unparked(stage)
        self._loop.submit(self._drive(stage, state))

    def _stop(self, turn_id: str) -> None:
        stage = self._unpark(turn_id)
        if stage is not None and self._is_ours(stage):
            self._performer.withdraw(stage)
            self._loop.submit(self._end_waiting(stage))

    async def _end_waiting(self, stage: Stage) -> None:
        _, data = await self._performer.stop(stage)
        self._finish(stage.turn, data)

    def _is_ours(self, stage: Stage) -> bool:
        """Take the right to go on with a turn; another process may have had it before."""
        if self._performer.parked.resume(stage.turn.id):
            return True
        self._let_go(stage.turn)
        return False

    def _let_go(self, turn: Turn) -> None:
        """Know a turn no more that another process goes on with."""
        self._unpark(turn.id)
        self._release(turn)
        with self._lock:
            self._turns.pop(turn.id, None)

    def _unpark(self, turn_id: str) -> Stage | None:
        with self._lock:
            return self._waiting.pop(turn_id, None)

    def _finish(self, turn: Turn, data: dict[str, Any]) -> None:
        self._release(turn)
        turn.log.append(EventType.FINISHED, **data)

    def _admit(self, turn: Turn) -> None:
        with self._lock:
            if self._closing:
                raise Unavailable("Glassdesk is stopping. Ask again once it has started.")
            known = self._live.get(turn.conversation_id)
            if known is not None:
                raise Busy(WAITS if known.id in self._waiting else RUNS)
            self._live[turn.conversation_id] = self._turns[turn.id] = turn
            while len(self._turns) > KEPT_TURNS + len(self._live):
                oldest = next(turn_id for turn_id, kept in self._turns.items() if kept.finished)
                del self._turns[oldest]

    def _release(self, turn: Turn) -> None:
        with self._lock:
            if self._live.get(turn.conversation_id) is turn:
                del self._live[turn.conversation_id]


def ended(turns: Sequence[Turn]) -> None:
    """Wait a while for turns that were stopped."""
    deadline = time.monotonic() + CLOSING_SECONDS
    for turn in turns:
        try:
            turn.wait(max(0.0, deadline - time.monotonic()))
        except TimeoutError:
            logger.warning("Turn %s did not end in time", turn.id)
