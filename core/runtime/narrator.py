"""Tells a turn's event log what the agents do, and keeps what was said and called."""

import json
import time
from collections.abc import Callable, Collection, Mapping, Sequence
from typing import Any

from agents import Agent, RunHooks, StreamEvent, Tool
from agents.items import ToolCallItem, ToolCallOutputItem
from agents.run_context import AgentHookContext, RunContextWrapper
from agents.tool_context import ToolContext
from openai.types.responses import ResponseTextDeltaEvent

from core.agents.context import TurnContext
from core.agents.readied import ReadiedAgent
from core.runtime.events import EventLog, EventType
from core.runtime.history import Memory

Hooks = RunHooks[TurnContext]
SUMMARY_LENGTH = 160
KEPT = ("text", "first_token_ns", "agents", "steps", "items", "outline", "shortened", "prompts")


class Narrator(Hooks):
    """Hears one run, its specialists included.

    Args:
        log: where the events go.
        start_ns: when the turn began, Unix nanoseconds.
        delegations: names of the tools that stand for a specialist; they are told as agents, not as tools.
        began: told of each agent that begins, where its span is the Agents SDK's current one.
    """

    def __init__(
        self,
        log: EventLog,
        start_ns: int,
        delegations: Collection[str],
        began: Callable[[str], None] = lambda _: None,
    ) -> None:
        self.log, self.start_ns, self.delegations, self.began = log, start_ns, delegations, began
        self._began: dict[str, int] = {}
        self.text = ""
        self.first_token_ns: int | None = None
        self.agents: list[str] = []
        self.prompts: list[str] = []
        self.steps: list[dict[str, Any]] = []
        self.items: list[dict[str, Any]] = []
        self.outline: list[dict[str, Any]] = []
        self.shortened: dict[str, int] = {}

    def told(self) -> dict[str, Any]:
        """What must be known to go on in another process, as JSON."""
        return {name: getattr(self, name) for name in KEPT}

    def so_far(self) -> tuple[str, list[dict[str, Any]], list[dict[str, Any]]]:
        """What was said, the steps that were taken, and the plan."""
        return self.text, self.steps, self.outline

    def recall(self, told: Mapping[str, Any]) -> None:
        """Take up what an earlier narrator of this turn had told."""
        for name in KEPT:
            setattr(self, name, told.get(name, getattr(self, name)))

    def hear(self, event: StreamEvent) -> None:
        """Take an event of the outermost agent: its words are the answer."""
        if event.type == "raw_response_event" and isinstance(event.data, ResponseTextDeltaEvent):
            self.say(event.data.delta)
        self.keep(event)

    def remembers(self, past: Memory) -> None:
        """Tell where earlier turns reach the model only in part."""
        if past.shortened and not self.shortened:
            self.shortened = {"turns": past.turns, "kept": past.kept}
            self.log.append(EventType.COMPACTED, **self.shortened)

    def recite(self, text: str, items: Sequence[Mapping[str, Any]]) -> None:
        """Say an answer that is remembered, with the calls that it rests on."""
        self.items = [dict(item) for item in items]
        self.say(text)

    def keep(self, event: StreamEvent) -> None:
        """Remember calls and results, the outermost agent's or a specialist's."""
        if event.type != "run_item_stream_event":
            return
        if isinstance(event.item, ToolCallItem | ToolCallOutputItem):
            item = dict(event.item.to_input_item())
            item.pop("id", None)
            self.add(item)

    def add(self, item: dict[str, Any]) -> None:
        """Remember a call or a result, in the Agents SDK's input form."""
        self.items.append(item)

    def conversation_items(self, question: str, answer: str) -> list[dict[str, Any]]:
        """The turn in the Agents SDK's input form: question, calls with their results, answer."""
        results = {item["call_id"] for item in self.items if item["type"].endswith("_output")}
        hidden = {item["call_id"] for item in self.items if item.get("name") in self.delegations}
        called = [item for item in self.items if item["call_id"] in results - hidden]
        said = [{"role": "user", "content": question}, *called]
        return [*said, {"role": "assistant", "content": answer}] if answer else said

    async def on_llm_start(
        self, context: RunContextWrapper[TurnContext], agent: Agent[TurnContext], *_: object
    ) -> None:
        """A new model call of the speaking agent: what it said before its tools was no answer."""
        if self.text and agent.name == self.agents[0]:
            self.restart()

    async def on_agent_start(self, context: AgentHookContext[TurnContext], agent: Agent[TurnContext]) -> None:
        """An agent takes over."""
        if agent.name not in self.agents:
            self.agents.append(agent.name)
        if isinstance(agent, ReadiedAgent) and agent.template.version not in self.prompts:
            self.prompts.append(agent.template.version)
        self.began(agent.name)
        self.log.append(EventType.AGENT, agent=agent.name)

    async def on_tool_start(
        self, context: RunContextWrapper[TurnContext], agent: Agent[TurnContext], tool: Tool
    ) -> None:
        """A tool begins."""
        if not isinstance(context, ToolContext) or tool.name in self.delegations:
            return
        self._began[context.tool_call_id] = time.perf_counter_ns()
        self.log.append(
            EventType.TOOL_STARTED,
            call_id=context.tool_call_id,
            tool=tool.name,
            title=getattr(tool, "_mcp_title", None) or tool.name,
            agent=agent.name,
            arguments=arguments_of(context.tool_arguments) or {},
        )

    async def on_tool_end(
        self, context: RunContextWrapper[TurnContext], agent: Agent[TurnContext], tool: Tool, result: object
    ) -> None:
        """A tool is done."""
        if not isinstance(context, ToolContext) or tool.name in self.delegations:
            return
        ended = time.perf_counter_ns()
        step = {
            "call_id": context.tool_call_id,
            "tool": tool.name,
            "agent": agent.name,
            "arguments": arguments_of(context.tool_arguments) or {},
            "status": "ok" if context.tool_call_id in context.context.succeeded else "error",
            "ns": ended - self._began.pop(context.tool_call_id, ended),
            "summary": summary_of(result),
        }
        if context.tool_call_id in context.context.connects:
            step["connect"] = context.context.connects[context.tool_call_id]
        self.steps.append(step)
        self.log.append(EventType.TOOL_FINISHED, **step)

    def restart(self) -> None:
        """What was said so far was no answer."""
        self.text = ""
        self.log.append(EventType.RESTART)

    def say(self, text: str) -> None:
        """Words of the answer."""
        if self.first_token_ns is None:
            self.first_token_ns = time.time_ns() - self.start_ns
        self.text += text
        self.log.append(EventType.DELTA, text=text)


def arguments_of(text: str | None) -> dict[str, Any] | None:
    """A call's arguments; None where the model wrote no JSON object."""
    try:
        value = json.loads(text or "{}")
    except ValueError:
        return None
    return value if isinstance(value, dict) else None


def summary_of(result: object) -> str:
    """One line about a tool's result: how many of what, or its first words."""
    text = str(result.get("text", "")) if isinstance(result, dict) else str(result)
    try:
        value = json.loads(text)
    except ValueError:
        return " ".join(text.split())[:SUMMARY_LENGTH]
    lists = (
        {name: len(part) for name, part in value.items() if isinstance(part, list)} if isinstance(value, dict) else {}
    )
    return " · ".join(f"{count} {name.replace('_', ' ')}" for name, count in lists.items() if count)
