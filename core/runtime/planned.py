"""Carries out a plan: steps that need nothing of each other at the same time, then one answer for all of them."""

import asyncio
import logging
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from typing import Any

from agents import Agent, RunContextWrapper, Tool
from agents import trace as sdk_trace
from agents.run_context import AgentHookContext
from opentelemetry import trace
from opentelemetry.trace import Status, StatusCode

from core.agents.builder import Item
from core.agents.context import TurnContext
from core.agents.plan_tasks import combined, task_of, why_not
from core.agents.planner import STEP_PROMPT, Asked, Planner, as_data, summarizer
from core.agents.prompts import load_prompt
from core.agents.readied import ReadiedAgent
from core.registry.manifests import Catalogue
from core.registry.planner import Limits, PlanError, StepResult, WorkPlan, checked
from core.registry.router import Decision
from core.runtime.conductor import Conductor, context_of, run_config
from core.runtime.events import EventType
from core.runtime.history import history, memory
from core.runtime.narrator import Narrator
from core.runtime.progress import Answer, Pause, Plan, Verdict, Wanted
from core.runtime.steps import StepRun, Steps, shown
from core.runtime.turn import Turn
from core.store.tables import Exchange

NOT_BEGUN = "It needed another step that was not done."
NO_PLAN = "{reason} The Assistant goes on step by step instead."
logger = logging.getLogger(__name__)
tracer = trace.get_tracer("glassdesk")


class Ear(Narrator):
    """Hears one step: its calls are the turn's, its words are not the answer.

    Args:
        turn: hears the turn.
        run: keeps what its specialist called.
    """

    def __init__(self, turn: Narrator, run: StepRun) -> None:
        super().__init__(turn.log, turn.start_ns, turn.delegations)
        self._turn, self.items = turn, run.items
        self.ended: list[str] = []

    def hear(self, event: Any) -> None:
        """Take an event of the step's agent."""
        self.keep(event)

    def add(self, item: dict[str, Any]) -> None:
        """Remember a call or a result; the turn does, too."""
        super().add(item)
        self._turn.add(item)

    async def on_llm_start(self, *_: Any) -> None:
        """It says nothing to the person."""

    async def on_agent_start(self, context: AgentHookContext[TurnContext], agent: Agent[TurnContext]) -> None:
        """An agent takes over."""
        await self._turn.on_agent_start(context, agent)

    async def on_tool_start(
        self, context: RunContextWrapper[TurnContext], agent: Agent[TurnContext], tool: Tool
    ) -> None:
        """A tool begins."""
        await self._turn.on_tool_start(context, agent, tool)

    async def on_tool_end(
        self, context: RunContextWrapper[TurnContext], agent: Agent[TurnContext], tool: Tool, result: object
    ) -> None:
        """A tool is done."""
        await self._turn.on_tool_end(context, agent, tool, result)
        self.ended.append(self._turn.steps[-1]["status"])

    @property
    def vain(self) -> bool:
        """Whether tools were called, and none did what it should."""
        return bool(self.ended) and "ok" not in self.ended


@dataclass
class Work:
    """A plan that is being carried out in a turn."""

    turn: Turn
    narrator: Narrator
    earlier: Sequence[Exchange]
    steps: Steps
    verdicts: Mapping[str, Verdict] = field(default_factory=dict)
    calls: dict[str, tuple[Wanted, ...]] = field(default_factory=dict)
    errors: list[BaseException] = field(default_factory=list)


@dataclass(frozen=True)
class Planned:
    """Plans a turn and carries the plan out.

    Attributes:
        conductor: runs the agents.
        planner: makes the plans.
        fan_out: steps that may run at the same time.
        enabled: whether plans are made; one that waits for a person is carried out anyway.
        limits: what a plan may take.
    """

    conductor: Conductor
    planner: Planner
    fan_out: int
    enabled: bool = True
    limits: Limits = field(default_factory=Limits)

    def wanted(self, turn: Turn, decision: Decision) -> bool:
        """Whether a plan may help; cheap."""
        return self.enabled and self.planner.wanted(turn.message, decision)

    async def plan(self, turn: Turn, decision: Decision, earlier: Sequence[Exchange]) -> Plan:
        """How the turn is to be answered: by a plan, or as it was decided; with a note where the plan was no good."""
        as_decided = Plan(decision.route, tuple(decision.domains))
        with tracer.start_as_current_span("plan") as span:
            try:
                with self._traced(turn):
                    drafted = await self.planner.plan(self._asked(turn, earlier), context_of(turn), run_config(turn))
                plan = checked(drafted, self._known(turn), self.limits) if drafted else None
            except Exception as error:
                reason = error.sentence if isinstance(error, PlanError) else self.conductor.explain(error).sentence
                span.set_status(Status(StatusCode.ERROR, reason))
                span.set_attribute("glassdesk.plan.refused", reason)
                turn.log.append(EventType.PLANNED, steps=[], note=NO_PLAN.format(reason=reason))
                logger.info("No plan for turn %s", turn.id, exc_info=error)
                return replace(as_decided, route="orchestrated")  # it is for several, whoever it seemed to be for
            if plan is None or turn.offers.off.domains & {*plan.domains}:
                return as_decided
            turn.offers.hidden = turn.offers.settled = frozenset()  # that was decided for the question as a whole
            span.set_attributes(
                {
                    "glassdesk.plan.steps": [f"{step.id} {step.domain}: {step.task}" for step in plan.steps],
                    "glassdesk.plan.estimated_tokens": plan.tokens,
                    "glassdesk.plan.estimated_ms": plan.latency_ms,
                }
            )
        return Plan("planned", plan.domains, plan)

    async def answer(
        self, turn: Turn, plan: WorkPlan, earlier: Sequence[Exchange], narrator: Narrator
    ) -> Answer | Pause:
        """Carry a plan out, to its end or to where a person must decide.

        Raises:
            Whatever the steps raised, where none of them was done.
        """
        narrator.remembers(memory(earlier, self._tokens))
        return await self._carried_out(Work(turn, narrator, earlier, Steps.begin(plan)))

    async def resume(
        self,
        turn: Turn,
        state: Mapping[str, Any],
        earlier: Sequence[Exchange],
        verdicts: Mapping[str, Verdict],
        narrator: Narrator,
    ) -> Answer | Pause:
        """Go on where it waited; arguments as of `Conductor.resume`."""
        return await self._carried_out(Work(turn, narrator, earlier, Steps.recall(state), verdicts))

    async def _carried_out(self, work: Work) -> Answer | Pause:
        self._tell(work)
        with self._traced(work.turn):
            resumed = work.steps.waiting()
            while True:
                await self._rounds(work, resumed)
                if waiting := work.steps.waiting():
                    calls = tuple(call for run in waiting for call in work.calls[run.step.id])
                    return Pause(calls, work.steps.json())
                if not await self._replanned(work):
                    return await self._told(work)
                resumed = []

    async def _rounds(self, work: Work, resumed: Sequence[StepRun]) -> None:
        """Run what can be run until nothing can: all is done, or waits, or has failed."""
        queue, running = list(resumed), dict[asyncio.Task[None], StepRun]()
        try:
            while True:
                queue += [run for run in work.steps.ready() if run not in queue]
                while queue and len(running) < self.fan_out:
                    run = queue.pop(0)
                    again, run.state = run.state == "waiting", "running"
                    running[asyncio.create_task(self._step(work, run, again))] = run
                if not running:
                    return
                done, _ = await asyncio.wait(running, return_when=asyncio.FIRST_COMPLETED)
                for task in done:
                    del running[task]
                    task.result()
                while lost := work.steps.hopeless():
                    for run in lost:
                        self._end(work, run, "skipped", NOT_BEGUN)
        finally:
            for task in running:
                task.cancel()
            if running:
                await asyncio.wait(running)

    async def _step(self, work: Work, run: StepRun, again: bool) -> None:
        """One step, from its beginning or from where it waited, to its end or to where it waits."""
        started = time.perf_counter_ns()
        before = work.steps.before(run) if run.step.hears == "results" else []
        direct = [self._result(work, work.steps.runs[name]) for name in run.step.depends_on]
        task = run.asked or task_of(run.step, direct)
        if task is None:
            return self._end(work, run, "skipped", why_not(run.step))
        run.asked = task
        self._tell_step(work, run)
        try:
            came_to, vain = await self._performed(work, run, before, again)
        except Exception as error:
            logger.info("Step %s of turn %s failed", run.step.id, work.turn.id, exc_info=error)
            work.errors.append(error)
            return self._end(work, run, "failed", self.conductor.explain(error).sentence)
        finally:
            run.ns = (run.ns or 0) + time.perf_counter_ns() - started
        if isinstance(came_to, Pause):
            run.state, run.run, work.calls[run.step.id] = "waiting", came_to.state, came_to.calls
            return self._tell_step(work, run)
        run.run = None
        return self._end(work, run, "failed" if vain else "done", came_to.text)

    async def _performed(
        self, work: Work, run: StepRun, before: Sequence[StepRun], again: bool
    ) -> tuple[Answer | Pause, bool]:
        past = [*work.earlier, *(exchange_of(work.turn, one) for one in before if one.state == "done")]
        agent, ear = self._agent(work.turn, run), Ear(work.narrator, run)
        if again and run.run is not None:
            state = await self.conductor.recalled(work.turn, agent, run.run, work.verdicts)
            return await self.conductor.run(work.turn, agent, state, ear), ear.vain
        items = history(past, agent.limits.history_tokens)
        await self.conductor.narrow(work.turn, run.step.domain, run.asked)
        asked: list[Item] = [*items, {"role": "user", "content": run.asked + work.turn.attached}]
        return await self.conductor.run(work.turn, agent, asked, ear), ear.vain

    def _agent(self, turn: Turn, run: StepRun) -> ReadiedAgent:
        now = datetime.now(UTC)
        agent = self.conductor.team.specialist(run.step.domain, turn.user, now)
        return replace(agent, instructions=f"{agent.instructions}\n\n{load_prompt(STEP_PROMPT, turn.user, now).text}")

    async def _replanned(self, work: Work) -> bool:
        """Plan once more, once, where a step has failed; whether there is anything new to do."""
        steps = work.steps
        if steps.replanned or not steps.of("failed"):
            return False
        steps.replanned = True
        done = [run.step.id for run in steps.of("done")]
        with tracer.start_as_current_span("plan") as span:
            try:
                asked, results = self._asked(work.turn, work.earlier), self._results(work)
                drafted = await self.planner.again(asked, results, context_of(work.turn), run_config(work.turn))
                new = checked(drafted, self._known(work.turn), self.limits, done) if drafted else None
            except Exception as error:
                span.set_status(Status(StatusCode.ERROR, self.conductor.explain(error).sentence))
                logger.info("No second plan for turn %s", work.turn.id, exc_info=error)
                return False
        if new is None or steps.runs.keys() & {step.id for step in new.steps}:
            return False
        for run in steps.of("failed", "skipped"):
            run.state = "replaced"
        steps.add(new.steps)
        self._tell(work)
        return True

    async def _told(self, work: Work) -> Answer:
        """The one answer: the built-in assistant's, or a model's; where that fails, what the steps said."""
        results = self._results(work)
        if not work.steps.of("done"):
            raise work.errors[0] if work.errors else PlanError(combined(results, self._titles(work)))
        partial = bool(work.steps.of("failed", "skipped"))
        text = self.planner.answer(results)
        if text is None:
            try:
                return replace(await self._summed_up(work, results), partial=partial)
            except Exception as error:
                logger.info("Nothing sums turn %s up", work.turn.id, exc_info=error)
                text, partial = combined(results, self._titles(work)), True
                work.narrator.restart()
        work.narrator.say(text)
        return Answer(text, partial)

    async def _summed_up(self, work: Work, results: Sequence[StepResult]) -> Answer:
        agent = summarizer(self.conductor.team, work.turn.user)
        past = history(work.earlier, self._tokens)
        question: Item = {"role": "user", "content": f"{work.turn.heard}\n\n{as_data(results)}"}
        came_to = await self.conductor.run(work.turn, agent, [*past, question], work.narrator)
        assert isinstance(came_to, Answer)
        return came_to

    def _end(self, work: Work, run: StepRun, state: Any, answer: str) -> None:
        run.state, run.answer = state, answer
        self._tell_step(work, run)

    def _tell(self, work: Work) -> None:
        steps = work.steps.shown(self._titles(work))
        work.narrator.outline = steps
        work.turn.log.append(EventType.PLANNED, steps=steps, note="")

    def _tell_step(self, work: Work, run: StepRun) -> None:
        work.narrator.outline = work.steps.shown(self._titles(work))
        work.turn.log.append(EventType.STEP, **shown(run, self._titles(work)))

    def _results(self, work: Work) -> list[StepResult]:
        return [self._result(work, run) for run in work.steps.runs.values() if run.ended and run.state != "replaced"]

    def _result(self, work: Work, run: StepRun) -> StepResult:
        reads = {tool.name for _, tool in self._known(work.turn).tools() if tool.reads}
        called = {str(item.get("name")) for item in run.items if item.get("type") == "function_call"}
        return StepResult(run.step, run.state, run.answer, bool(called - reads))

    def _titles(self, work: Work) -> dict[str, str]:
        return {name: domain.agent.title for name, domain in self._known(work.turn).domains.items()}

    def _known(self, turn: Turn) -> Catalogue:
        return self.conductor.team.known(turn.user)

    @property
    def _tokens(self) -> int:
        """What planning and summing up hear of earlier turns."""
        return self.conductor.team.limits.history_tokens

    def _asked(self, turn: Turn, earlier: Sequence[Exchange]) -> Asked:
        last_domain = next((exchange.domain for exchange in reversed(earlier) if exchange.domain), None)
        return Asked(turn.user, turn.heard, history(earlier, self._tokens), last_domain)

    def _traced(self, turn: Turn) -> Any:
        """One trace of the Agents SDK around runs at the same time: each would end the others' spans with its own."""
        config = run_config(turn)
        return sdk_trace(config.workflow_name, trace_id=config.trace_id, group_id=config.group_id)


def exchange_of(turn: Turn, run: StepRun) -> Exchange:
    """A step that is done, as a turn of the conversation for those that come after it."""
    results = {item["call_id"] for item in run.items if str(item["type"]).endswith("_output")}
    called = [item for item in run.items if item["call_id"] in results]
    said = [{"role": "user", "content": run.asked}, *called, {"role": "assistant", "content": run.answer}]
    return Exchange(
        turn_id=f"{turn.id}-{run.step.id}",
        conversation_id=turn.conversation_id,
        user_id=turn.user.id,
        question=run.asked,
        answer=run.answer,
        status="done",
        domain=run.step.domain,
        items=said,
    )
