"""One turn from its first step to its end, or to where a person must decide."""

import asyncio
import logging
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

from opentelemetry import trace
from opentelemetry.trace import Span

from core.errors import StorageError
from core.runtime.asked import shown
from core.runtime.attachments import heard
from core.runtime.cache import Remembered
from core.runtime.conductor import Conductor
from core.runtime.events import EventType
from core.runtime.numbers import Numbers, numbers_of
from core.runtime.planned import Planned
from core.runtime.progress import Answer, Pause, Plan, Wanted
from core.runtime.recall import Recall, renamed
from core.runtime.remains import Remains
from core.runtime.spans import end_turn, ids_of, open_turn, open_wait
from core.runtime.stage import Stage
from core.runtime.steps import closed
from core.runtime.told import waiting
from core.runtime.turn import Turn
from core.store.approvals import Approvals, Asked, Decided
from core.store.approvals import Verdict as Word
from core.store.conversations import Conversations, Ending, Outcome
from core.store.feedback import Feedbacks
from core.store.parked import ParkedTurns
from core.store.switches import Off, nothing
from core.store.tables import Approval, Exchange, Parked
from core.store.uploads import Uploads
from core.users import User

Say = Callable[[str, str, str, Mapping[str, Any]], str]
Told = tuple[EventType, dict[str, Any]]
UNEXPECTED = "Something unexpected went wrong. The log says more; ask again."
INTERRUPTED = "Glassdesk stopped before this could be done."
SETTLING_SECONDS = 30
"""How long the end of a stopped turn waits for a write that is under way; Google's limit is 20."""
BEGUN = ("running", "done", "failed", "unknown")
logger = logging.getLogger(__name__)
tracer = trace.get_tracer("glassdesk")


@dataclass(frozen=True)
class Performer:
    """Performs turns.

    Attributes:
        conductor: routes a question and runs the agents on it.
        say: what a call will do in one sentence: for whom, on which account, tool, arguments; blocks.
        numbers: of the turns that ended.
        planned: answers questions for several specialists by a plan; None: never.
        off: what a user has switched off, tools of agents included; blocks for a read of the database.
    """

    conductor: Conductor
    say: Say
    conversations: Conversations
    approvals: Approvals
    parked: ParkedTurns
    remains: Remains
    recall: Recall
    uploads: Uploads
    feedbacks: Feedbacks
    numbers: Numbers
    planned: Planned | None = None
    off: Callable[[str], Off] = nothing

    def stage(self, turn: Turn, root: Span, start_ns: int) -> Stage:
        """Make a turn ready."""
        return Stage(turn, root, start_ns, self.conductor.narrator(turn, start_ns))

    def ready(self, stage: Stage, new: bool) -> None:
        """Read what a turn that begins builds on; blocks.

        Args:
            new: its conversation begins with it, so that there is nothing before it.
        """
        try:
            stage.earlier = self._earlier(stage.turn, new)
        except Exception:  # the question is kept: the turn itself reads again, and fails with a sentence if it must
            logger.exception("What turn %s builds on could not be read", stage.turn.id)

    async def perform(self, stage: Stage, state: dict[str, Any] | None) -> Told:
        """Go on until the turn ends or waits.

        Args:
            state: the Agents SDK's run state of a turn that waited; None begins.

        Returns:
            The event that says so, `finished` or `waiting`, not yet in the log.
        """
        outcome = Outcome("failed", "", UNEXPECTED)
        try:
            with trace.use_span(stage.root, end_on_exit=False, record_exception=False, set_status_on_exception=False):
                came_to = await self._stoppable(stage, state)
                if isinstance(came_to, dict):
                    return EventType.WAITING, came_to
                outcome = await self._keep(stage, came_to)
        except Exception:
            logger.exception("Turn %s broke", stage.turn.id)
        return await self._end(stage, outcome)

    async def stop(self, stage: Stage) -> Told:
        """End a turn that waits."""
        if stage.wait is not None:
            stage.wait.end()
        outcome = self._outcome(stage, "stopped", stage.narrator.text)
        with trace.use_span(stage.root, end_on_exit=False):
            outcome = await self._keep(stage, outcome)
        return await self._end(stage, outcome)

    async def _end(self, stage: Stage, outcome: Outcome) -> Told:
        end_turn(stage.root, outcome.status, outcome.error, stage.narrator)
        finished = await self._finished(stage, outcome)
        self.recall.keep(stage.lookup, stage.turn, outcome, stage.narrator, finished)
        return EventType.FINISHED, finished

    async def _stoppable(self, stage: Stage, state: dict[str, Any] | None) -> Outcome | dict[str, Any]:
        loop = asyncio.get_running_loop()
        attempt = asyncio.create_task(self._attempt(stage, state))
        stage.turn.on_stop(lambda: loop.call_soon_threadsafe(attempt.cancel))
        try:
            return await attempt
        except asyncio.CancelledError:
            await self._settled(stage.turn)
            return self._outcome(stage, "stopped", stage.narrator.text)

    async def _settled(self, turn: Turn) -> None:
        """Wait until what the turn is writing is written: a write cannot be stopped half-way, only seen to its end."""
        deadline = time.monotonic() + SETTLING_SECONDS
        while time.monotonic() < deadline:
            rows = await asyncio.to_thread(self.approvals.of_turn, turn.user.id, turn.id)
            if all(row.state != "running" for row in rows):
                return
            await asyncio.sleep(SETTLING_SECONDS / 600)

    async def _attempt(self, stage: Stage, state: dict[str, Any] | None) -> Outcome | dict[str, Any]:
        try:
            came_to = await self._progress(stage, state)
            while isinstance(came_to, Pause):
                wanted = await asyncio.to_thread(self._new, stage.turn, came_to)
                if wanted.calls:
                    return await self._park(stage, wanted)
                came_to = await self._resume(stage, came_to.state)
        except Exception as exception:
            logger.info("Turn %s failed", stage.turn.id, exc_info=exception)
            error = self.conductor.explain(exception).sentence
            return self._outcome(stage, "failed", stage.narrator.text, error)
        if came_to.partial:  # what failed may work the next time
            stage.lookup = None
        return self._outcome(stage, "done", came_to.text)

    async def _progress(self, stage: Stage, state: dict[str, Any] | None) -> Answer | Pause:
        if state is not None:
            return await self._resume(stage, state)
        turn, narrator = stage.turn, stage.narrator
        earlier = await self._known(stage)
        stage.turn.remember(earlier, lambda: stage.narrator.items)
        stage.lookup = self.recall.look(turn, earlier)
        if stage.lookup is not None and stage.lookup.found is not None:
            return self._recite(stage, stage.lookup.found)
        decision = (
            await asyncio.to_thread(self.conductor.decide, turn, earlier)
            if self.conductor.router.waits
            else self.conductor.decide(turn, earlier)
        )
        stage.plan = Plan(decision.route, tuple(decision.domains))
        if self.planned is not None and self.planned.wanted(turn, decision):
            stage.plan = await self.planned.plan(turn, decision, earlier)
        stage.root.set_attribute("glassdesk.route", stage.plan.route)
        if self.planned is not None and stage.plan.work is not None:
            return await self.planned.answer(turn, stage.plan.work, earlier, narrator)
        return await self.conductor.answer(turn, stage.plan, earlier, narrator)

    def _recite(self, stage: Stage, found: Remembered) -> Answer:
        stage.plan = Plan("cache", (found.domain,) if found.domain else ())
        stage.root.set_attribute("glassdesk.route", "cache")
        stage.turn.log.append(
            EventType.ROUTED,
            route="cache",
            domains=sorted(found.read),
            scores={},
            reason="This was answered a moment ago, and nothing was changed since.",
        )
        stage.narrator.recite(found.answer, renamed(found.items, stage.turn.id))
        return Answer(found.answer)

    async def _resume(self, stage: Stage, state: dict[str, Any]) -> Answer | Pause:
        assert stage.plan is not None
        earlier = await self._known(stage)
        stage.turn.remember(earlier, lambda: stage.narrator.items)
        if stage.plan.route == "planned":
            assert self.planned is not None
            return await self.planned.resume(stage.turn, state, earlier, stage.verdicts, stage.narrator)
        return await self.conductor.resume(stage.turn, stage.plan, earlier, state, stage.verdicts, stage.narrator)

    def _new(self, turn: Turn, pause: Pause) -> Pause:
        """The pause with only the calls that a person must decide about: none that would repeat what was done."""
        calls = [
            call for call in pause.calls if not self.remains.repeated(turn.user.id, turn.id, call.tool, call.arguments)
        ]
        return Pause(tuple(calls), pause.state)

    async def _park(self, stage: Stage, pause: Pause) -> dict[str, Any]:
        """Keep everything that is needed to go on."""
        now = time.time_ns()
        stage.wait = open_wait(stage.root, now)
        stage.calls = tuple(call.call_id for call in pause.calls)
        calls = await asyncio.to_thread(self._keep_pause, stage, pause, now)
        return waiting(stage.turn, stage.narrator, stage.plan, calls)

    def _keep_pause(self, stage: Stage, pause: Pause, now: int) -> Sequence[Approval]:
        turn = stage.turn
        assert stage.wait is not None and stage.plan is not None
        told = {"plan": stage.plan.json(), "calls": list(stage.calls), **stage.narrator.told()}
        self.parked.keep(
            Parked(
                turn_id=turn.id,
                user_id=turn.user.id,
                state=pause.state,
                told=told,
                root_span_id=f"{ids_of(stage.root)[1]:016x}",
                wait_span_id=f"{ids_of(stage.wait)[1]:016x}",
                start_ns=stage.start_ns,
                parked_ns=now,
            )
        )
        self.conversations.wait(turn.user.id, turn.id, *stage.narrator.so_far())
        return [self.approvals.ask(self._asked(turn, call)) for call in pause.calls]

    def _asked(self, turn: Turn, call: Wanted) -> Asked:
        return Asked(
            turn_id=turn.id,
            conversation_id=turn.conversation_id,
            user_id=turn.user.id,
            account=turn.user.account,
            call_id=call.call_id,
            agent=call.agent,
            tool=call.tool,
            arguments=call.arguments,
            summary=self.say(turn.user.id, turn.user.account, call.tool, call.arguments),
        )

    def unparked(self, stage: Stage) -> dict[str, Any]:
        """End the wait of a turn that goes on; returns the run state to go on from."""
        turn = stage.turn
        if stage.wait is not None:
            stage.wait.end()
        self.conversations.go_on(turn.user.id, turn.id)
        return self.parked.get(turn.user.id, turn.id).state

    def decided(
        self, user: User, approval_id: str, word: Word, arguments: Mapping[str, Any] | None, reason: str | None
    ) -> Approval:
        """Keep a decision; where the person changed the call, what is said of it changes too."""
        summary = None if arguments is None else self._said(user, approval_id, arguments)
        return self.approvals.decide(user.id, approval_id, word, arguments, reason, summary)

    def revised(self, user: User, approval_id: str, arguments: Mapping[str, Any]) -> Approval:
        """Keep what a person made of a call before deciding."""
        return self.approvals.revise(user.id, approval_id, arguments, self._said(user, approval_id, arguments))

    def _said(self, user: User, approval_id: str, arguments: Mapping[str, Any]) -> str:
        row = self.approvals.get(user.id, approval_id)
        return self.say(user.id, row.account, row.tool, arguments)

    def withdraw(self, stage: Stage) -> None:
        """Take back what a turn that is stopped still asked for."""
        self._withdraw(stage.turn.user.id, stage.turn.id, "The answer was stopped.")

    def _withdraw(self, user_id: str, turn_id: str, reason: str) -> None:
        for row in self.approvals.pending(user_id):
            if row.turn_id == turn_id:
                with suppress(Decided):  # somebody decides, or it expires, in this moment
                    self.approvals.decide(user_id, row.id, "reject", reason=reason)

    def restored(self, user: User) -> Iterator[tuple[Stage, dict[str, Any]]]:
        """The turns of a user that waited when an earlier process ended, ready to wait again.

        One in which a call was already being made is not taken up: it would be made twice. What nobody can go on with
        is not left open either. What another process has in hand is its own.
        """
        kept = set[str]()
        for row in self.parked.all(user.id):
            if self.parked.elsewhere(row) or not self.parked.take(row):
                kept.add(row.turn_id)
                continue
            exchange = self.conversations.exchange(user.id, row.turn_id)
            calls = [call for call in self.approvals.of_turn(user.id, row.turn_id) if call.call_id in row.told["calls"]]
            if len(calls) < len(row.told["calls"]) or any(call.state in BEGUN for call in calls):
                self.parked.drop(row.turn_id)
                continue
            kept.add(row.turn_id)
            stage = self._revived(user.changed(account=calls[0].account), row, exchange)
            self.conversations.wait(user.id, row.turn_id, *stage.narrator.so_far())
            yield stage, waiting(stage.turn, stage.narrator, stage.plan, calls)
        for turn_id in {row.turn_id for row in self.approvals.pending(user.id)} - kept:
            self._withdraw(user.id, turn_id, INTERRUPTED)

    def taken_over(self, user: User, conversation_id: str) -> tuple[Stage, dict[str, Any]] | None:
        """The turn of a conversation that waits in another process, from now on in this one's hand; None: none does."""
        row = self.parked.of_conversation(user.id, conversation_id)
        if row is None or row.resumed or self.parked.is_mine(row.turn_id):
            return None
        asked = self.approvals.of_turn(user.id, row.turn_id)
        calls = [call for call in asked if call.call_id in row.told["calls"]]
        if len(calls) < len(row.told["calls"]) or not self.parked.take(row):
            return None
        exchange = self.conversations.exchange(user.id, row.turn_id)
        stage = self._revived(user.changed(account=calls[0].account), row, exchange)
        return stage, waiting(stage.turn, stage.narrator, stage.plan, calls)

    def _revived(self, user: User, row: Parked, exchange: Exchange) -> Stage:
        turn = Turn(
            row.turn_id,
            user,
            exchange.conversation_id,
            exchange.question,
            exchange.started_at,
            files=tuple(exchange.files),
            attached=heard(exchange.files, self.uploads),
        )
        trace_id, told = int(row.turn_id, 16), dict(row.told)
        again = (trace_id, int(row.root_span_id, 16))
        root = open_turn(user.id, exchange.conversation_id, exchange.question, row.start_ns, again)
        stage = self.stage(turn, root, row.start_ns)
        stage.plan = Plan(told["plan"]["route"], tuple(told["plan"]["domains"]))
        stage.calls = tuple(told["calls"])
        stage.narrator.recall(told)
        stage.wait = open_wait(root, row.parked_ns, (trace_id, int(row.wait_span_id, 16)))
        root.set_attribute("glassdesk.route", stage.plan.route)
        return stage

    def _outcome(self, stage: Stage, status: Ending, answer: str, error: str | None = None) -> Outcome:
        plan = stage.plan
        alone = plan is not None and plan.route in ("direct", "cache") and status == "done"
        domain = plan.domains[0] if plan and alone and plan.domains else None
        items = stage.narrator.conversation_items(stage.turn.heard, answer)
        told = stage.narrator
        return Outcome(status, answer, error, domain, told.steps, items, closed(told.outline), told.shortened)

    async def _known(self, stage: Stage) -> Sequence[Exchange]:
        """What the turn builds on, as it was when it began; what has waited builds on what there is now."""
        known, stage.earlier = stage.earlier, None
        return await asyncio.to_thread(self._earlier, stage.turn) if known is None else known

    def _earlier(self, turn: Turn, new: bool = False) -> Sequence[Exchange]:
        """What the turn builds on: the conversation before it; and, noted in it, what its user has switched off."""
        turn.offers.off = self.off(turn.user.id)
        if new:
            return []
        kept = self.conversations.exchanges(turn.user.id, turn.conversation_id)
        again = self.remains.exchanges(turn.user.id, turn.id)
        return [*(exchange for exchange in kept if exchange.turn_id != turn.id), *again]

    async def _keep(self, stage: Stage, outcome: Outcome) -> Outcome:
        with tracer.start_as_current_span("persist"):
            try:
                await asyncio.to_thread(self._kept, stage, outcome)
            except StorageError as error:
                return Outcome("failed", outcome.answer, error.sentence)
        return outcome

    def _kept(self, stage: Stage, outcome: Outcome) -> None:
        turn = stage.turn
        try:
            self.conversations.finish(turn.user.id, turn.id, outcome)
            if stage.wait is not None:
                self.parked.drop(turn.id)
        finally:
            stage.asked = self.approvals.of_turn(turn.user.id, turn.id)

    async def _finished(self, stage: Stage, outcome: Outcome) -> dict[str, Any]:
        turn = stage.turn
        said: dict[str, Any] = {
            "turn_id": turn.id,
            "conversation_id": turn.conversation_id,
            "response": outcome.answer,
            "error": outcome.error,
            "approvals": [shown(call) for call in stage.asked],
        }
        return {**await numbers_of(self.numbers, turn), **said, "status": outcome.status}
