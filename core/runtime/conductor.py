"""Answers one question: decides the route, and runs the specialist or the orchestrator on it."""

import asyncio
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, Protocol

from agents import Agent, RunConfig, RunContextWrapper, Runner, RunResultStreaming, RunState
from agents.exceptions import ModelBehaviorError
from agents.run_config import CallModelData, ModelInputData
from opentelemetry import trace
from opentelemetry.trace import Span

from core.agents.ahead import Beginning, ReadAhead
from core.agents.builder import Item, Listener, Team
from core.agents.context import TurnContext
from core.agents.readied import ReadiedAgent
from core.errors import GlassdeskError
from core.registry.display import MORE, Display
from core.registry.remote import RemoteRouter
from core.registry.router import Decision, Router
from core.registry.switched import without
from core.runtime.events import EventType
from core.runtime.history import history, memory
from core.runtime.narrator import Narrator
from core.runtime.progress import Answer, Pause, Plan, Verdict, Wanted, call_id_of
from core.runtime.remains import DONE_BEFORE
from core.runtime.turn import Turn
from core.store.tables import Exchange

REPEATED = Verdict(False, DONE_BEFORE)
UNREADABLE = "The arguments are not a JSON object, so the tool was not called. Call it again with correct arguments."
State = RunState[TurnContext, Agent[TurnContext]]
tracer = trace.get_tracer("glassdesk")


class Additions(Protocol):
    """What users have added to what everybody has."""

    def routed(self, user_id: str, text: str, last_domain: str | None, decision: Decision) -> Decision:
        """A decision among the app's domains, with the user's own beside them."""
        ...

    def display(self, user_id: str, display: Display) -> Display:
        """Which tools are shown, of the user's own domains too."""
        ...


@dataclass(frozen=True)
class Conductor:
    """What it takes to answer.

    Attributes:
        explain: any exception of a run, as an error with a sentence.
        max_turns: model calls that one agent may make in a turn.
        display: which tools a specialist is shown; None: all.
        additions: what users have added; None: nothing.
        current_span: the OpenTelemetry span of the Agents SDK's current span.
        ahead: makes plain reads before the model is asked; None: nobody does.
    """

    router: Router | RemoteRouter
    team: Team
    explain: Callable[[BaseException], GlassdeskError]
    max_turns: int
    display: Display | None = None
    additions: Additions | None = None
    current_span: Callable[[], Span] = trace.get_current_span
    ahead: ReadAhead | None = None

    def narrator(self, turn: Turn, start_ns: int) -> Narrator:
        """Who tells this turn's log what happens."""
        quiet = self.team.delegations(turn.user) | {MORE}
        return Narrator(turn.log, start_ns, quiet, lambda agent: self._note(turn, agent))

    def decide(self, turn: Turn, earlier: Sequence[Exchange]) -> Decision:
        """Which agent takes the question; the decision and its scores are in the trace."""
        last_domain = next((exchange.domain for exchange in reversed(earlier) if exchange.domain), None)
        with tracer.start_as_current_span("route") as span:
            decision = self._routed(turn, turn.message, last_domain)
            decision = without(decision, turn.offers.off.domains)
            span.set_attributes(
                {
                    "glassdesk.route": decision.route,
                    "glassdesk.route.domains": list(decision.domains),
                    "glassdesk.route.reason": decision.reason,
                    **{f"glassdesk.route.score.{name}": score for name, score in decision.scores.items()},
                    **self._narrowed(turn, decision),
                }
            )
        turn.log.append(
            EventType.ROUTED,
            route=decision.route,
            domains=list(decision.domains),
            scores=dict(decision.scores),
            reason=decision.reason,
        )
        return decision

    def _narrowed(self, turn: Turn, decision: Decision) -> dict[str, int]:
        """Note who is likely meant, and hide the tools that a specialist does not need; returns what that saves."""
        off = turn.offers.off.domains
        turn.offers.likely = tuple(name for name in decision.candidates if name not in off)
        if decision.route != "direct":
            return {}
        self._narrow(turn, decision.domains[0], decision)
        return self._spared(turn, turn.offers.hidden)

    async def narrow(self, turn: Turn, domain: str, task: str) -> None:
        """Hide the tools of a specialist that a task does not need: its part of a question, or a step of a plan."""
        if self.display is None:
            return
        if self.router.waits:
            decision = await asyncio.to_thread(self._routed, turn, task, domain)
        else:
            decision = self._routed(turn, task, domain)
        self._narrow(turn, domain, decision)

    def _routed(self, turn: Turn, text: str, last_domain: str | None) -> Decision:
        decision = self.router.route(text, last_domain)
        if self.additions is None:
            return decision
        return self.additions.routed(turn.user.id, text, last_domain, decision)

    def _narrow(self, turn: Turn, domain: str, decision: Decision) -> None:
        display = self._display(turn)
        if display is not None and (own := display.index.own_tools(domain)):
            turn.offers.narrow(own, display.hidden(domain, decision.tool_scores))

    def _display(self, turn: Turn) -> Display | None:
        if self.display is None or self.additions is None:
            return self.display
        return self.additions.display(turn.user.id, self.display)

    def _spared(self, turn: Turn, hidden: frozenset[str]) -> dict[str, int]:
        """How many tools are hidden, and what that saves in each model call."""
        display = self._display(turn)
        if display is None or not hidden:
            return {}
        return {"glassdesk.tools.hidden": len(hidden), "glassdesk.tools.tokens_saved": display.tokens(hidden)}

    def _note(self, turn: Turn, agent: str) -> None:
        """Note on an agent's span which of its tools are hidden."""
        if not turn.offers.hidden:
            return
        domains = self.team.known(turn.user).domains.values()
        own = {tool.name for domain in domains if domain.agent.title == agent for tool in domain.tools}
        self.current_span().set_attributes(self._spared(turn, turn.offers.hidden & own))

    async def answer(self, turn: Turn, plan: Plan, earlier: Sequence[Exchange], narrator: Narrator) -> Answer | Pause:
        """Run the agents on a question.

        Raises:
            Whatever a model or the Agents SDK raises; `explain` makes a sentence of it.
        """
        agent = self._agent(turn, plan, earlier, narrator)
        past = memory(earlier, agent.limits.history_tokens)
        narrator.remembers(past)
        asked: list[Item] = [*past.items, {"role": "user", "content": turn.heard}]
        return await self.run(turn, agent, asked, narrator)

    async def resume(
        self,
        turn: Turn,
        plan: Plan,
        earlier: Sequence[Exchange],
        state: dict[str, Any],
        verdicts: Mapping[str, Verdict],
        narrator: Narrator,
    ) -> Answer | Pause:
        """Go on where a turn was parked.

        Args:
            state: the Agents SDK's run state.
            verdicts: call id → what the person said; nobody was asked about a call that would repeat what was done.
        """
        agent = self._agent(turn, plan, earlier, narrator, again=True)
        return await self.run(turn, agent, await self.recalled(turn, agent, state, verdicts), narrator)

    async def recalled(
        self, turn: Turn, agent: Agent[TurnContext], state: dict[str, Any], verdicts: Mapping[str, Verdict]
    ) -> State:
        """A run that waited, with what the person said; arguments as of `resume`."""
        override = RunContextWrapper(context_of(turn))
        known: State = await RunState.from_json(agent, state, context_override=override)
        turn.offers.waiting(frozenset(call.tool_name or "" for call in known.get_interruptions()))
        for call in known.get_interruptions():
            verdict = verdicts.get(call_id_of(call), REPEATED)
            if verdict.approved:
                known.approve(call)
            else:
                known.reject(call, rejection_message=verdict.words)
        return known

    async def run(
        self, turn: Turn, agent: Agent[TurnContext], given: "list[Item] | State", narrator: Narrator
    ) -> Answer | Pause:
        """Run one agent to its answer, or to where a person must decide; raises as `answer`."""
        while True:
            result = await self._stream(turn, agent, given, narrator)
            broken = [call for call in result.interruptions if not Wanted.of(call).readable]
            if not broken:
                break
            given = result.to_state()
            for call in broken:
                given.reject(call, rejection_message=UNREADABLE)
        if result.interruptions:
            calls = tuple(Wanted.of(call) for call in result.interruptions)
            return Pause(calls, result.to_state().to_json(context_serializer=lambda _: {}))
        answer = str(result.final_output or "").strip()
        if not answer:
            raise ModelBehaviorError("The model gave an empty answer.")
        return Answer(answer)

    async def _stream(
        self, turn: Turn, agent: Agent[TurnContext], given: "list[Item] | State", narrator: Narrator
    ) -> RunResultStreaming:
        begins = None
        if self.ahead is not None and isinstance(given, list) and isinstance(agent, ReadiedAgent):
            begins = Beginning(self.ahead, narrator, narrator.add)
            agent = agent.tailored(hooks=begins)
        result = Runner.run_streamed(
            agent,
            given,
            context=context_of(turn) if isinstance(given, list) else None,
            max_turns=self.max_turns,
            hooks=narrator,
            run_config=run_config(turn),
        )
        if begins is not None:
            begins.result = result
        try:
            async for event in result.stream_events():
                narrator.hear(event)
        finally:
            if result.run_loop_task and not result.run_loop_task.done():
                result.cancel("immediate")
                await asyncio.wait([result.run_loop_task], timeout=5)
        return result

    async def _read(self, turn: Turn, agent: ReadiedAgent, asked: Sequence[Item], narrator: Narrator) -> Sequence[Item]:
        """What a specialist plainly has to read for a task, already read."""
        if self.ahead is None:
            return []
        read: Any = await self.ahead.read(agent, asked, RunContextWrapper(context_of(turn)), narrator, narrator.add)
        return list(read)

    def _agent(
        self, turn: Turn, plan: Plan, earlier: Sequence[Exchange], narrator: Narrator, again: bool = False
    ) -> ReadiedAgent:
        """Who answers; `again`: after a wait, and then the SDK asks for a specialist's input once more, in vain."""
        now = datetime.now(UTC)
        if plan.route == "direct":
            return self.team.specialist(plan.domains[0], turn.user, now)
        listener = Listener(
            hooks=narrator,
            on_event=lambda heard: narrator.keep(heard["event"]),
            explain=lambda error: self.explain(error).sentence,
            on_task=lambda domain, task: self.narrow(turn, domain, task),
            read=lambda agent, asked: nothing() if again else self._read(turn, agent, asked, narrator),
        )
        return self.team.orchestrator(
            turn.user, now, lambda tokens: history(earlier, tokens), listener, turn.offers.likely
        )


async def nothing() -> Sequence[Item]:
    """Nothing is read."""
    return ()


def context_of(turn: Turn) -> TurnContext:
    """Who asks, for the tools."""
    user = turn.user
    return TurnContext(
        user.id,
        user.account,
        user.zone.key,
        turn.id,
        turn.conversation_id,
        offers=turn.offers,
        recollection=turn.recollection,
    )


def run_config(turn: Turn) -> RunConfig:
    """Ties the run to the turn's trace."""
    return RunConfig(
        workflow_name="turn",
        trace_id=f"trace_{turn.id}",
        group_id=turn.conversation_id,
        tool_not_found_behavior="return_error_to_model",
        call_model_input_filter=plain_results,
    )


def plain_results(call: CallModelData[TurnContext]) -> ModelInputData:
    """What goes to the model, with tool results as text: not every server understands a list of parts."""
    data = call.model_data
    return ModelInputData([plain(item) for item in data.input], data.instructions)


def plain(item: Item) -> Item:
    """An item whose output of text parts is one text."""
    parts = item.get("output")
    if item.get("type") != "function_call_output" or not isinstance(parts, list):
        return item
    if any(part.get("type") != "input_text" for part in parts):
        return item
    return {**item, "output": "\n".join(str(part.get("text", "")) for part in parts)}  # type: ignore[return-value]
