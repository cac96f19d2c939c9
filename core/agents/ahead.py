"""Reading ahead: a read that the question plainly asks for is made before the model is asked for the first time.

The built-in assistant understands everyday questions in a millisecond. Where it is sure which of a specialist's tools
reads what is wanted, the model finds that call and its result in its input; it answers with them at hand, or calls what
it likes. That saves one of two waits for the model, and the Agents SDK's work around it. Writes are never begun this
way.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any
from zoneinfo import ZoneInfo

from agents import Agent, AgentHooks, FunctionTool, ItemHelpers, RunContextWrapper, RunHooks, RunResultStreaming
from agents.run_context import AgentHookContext
from agents.tool import invoke_function_tool
from agents.tool_context import ToolContext
from agents.tracing import function_span
from openai.types.responses import ResponseFunctionToolCall
from opentelemetry import trace
from opentelemetry.trace import Span

from core.agents.context import TurnContext
from core.agents.offline import replies
from core.agents.offline.model import OfflineBrain, offer
from core.agents.readied import ReadiedAgent

NAME = "read.ahead"
Item = dict[str, Any]
Keep = Callable[[Item], object]
tracer = trace.get_tracer("glassdesk")


@dataclass(frozen=True)
class ReadAhead:
    """Makes the read with which any assistant would begin.

    Attributes:
        brain: the built-in assistant's.
        current_span: the OpenTelemetry span of the Agents SDK's current span.
    """

    brain: OfflineBrain
    current_span: Callable[[], Span]

    async def read(
        self,
        agent: ReadiedAgent,
        asked: Sequence[Any],
        context: RunContextWrapper[TurnContext],
        hooks: RunHooks[TurnContext],
        keep: Keep,
    ) -> list[Item]:
        """The call and its result, in the Agents SDK's input form; none unless the question plainly asks for it.

        Args:
            agent: reads with its own tools.
            asked: its input, the question last.
            context: of its run.
            hooks: of its run.
            keep: is given the call and the result.
        """
        tools = {tool.name: tool for tool in await agent.get_mcp_tools(context) if isinstance(tool, FunctionTool)}
        call = self._foreseen(asked, tools.values(), context.context.zone) if tools else None
        if call is None:
            return []
        output = await called(agent, tools[call.name], call, context, hooks)
        items: list[Item] = [
            {name: getattr(call, name) for name in ("type", "call_id", "name", "arguments")},
            dict(ItemHelpers.tool_call_output_item(call, output)),
        ]
        for item in items:
            keep(item)
        return items

    def _foreseen(
        self, asked: Sequence[Any], tools: Iterable[FunctionTool], zone: str
    ) -> ResponseFunctionToolCall | None:
        parent = self.current_span()
        context = trace.set_span_in_context(parent) if parent.get_span_context().is_valid else None
        with tracer.start_as_current_span(NAME, context=context) as span:
            now = datetime.now(UTC).astimezone(ZoneInfo(zone))
            found = self.brain.foresee(asked, [offer(tool) for tool in tools], now)
            span.set_attribute("glassdesk.read_ahead", found.name if found else "nothing")
        return None if found is None else replies.call(found)


class Beginning(AgentHooks[TurnContext]):
    """Reads ahead where a run's agent begins: what was read joins the run's input, as if it had been asked with it.

    Args:
        ahead: reads.
        hooks, keep: as of `ReadAhead.read`.

    Attributes:
        result: of the run, as soon as it is started.
    """

    def __init__(self, ahead: ReadAhead, hooks: RunHooks[TurnContext], keep: Keep) -> None:
        self._ahead, self._hooks, self._keep = ahead, hooks, keep
        self.result: RunResultStreaming | None = None

    async def on_start(self, context: AgentHookContext[TurnContext], agent: Agent[TurnContext]) -> None:
        """Read."""
        result = self.result
        if result is None or isinstance(result.input, str) or not isinstance(agent, ReadiedAgent):
            return
        read: Any = await self._ahead.read(agent, result.input, context, self._hooks, self._keep)
        result.input = [*result.input, *read]
        result._original_input = list(result.input)  # the SDK's own way to change it: a run that waits keeps this one


async def called(
    agent: ReadiedAgent,
    tool: FunctionTool,
    call: ResponseFunctionToolCall,
    context: RunContextWrapper[TurnContext],
    hooks: RunHooks[TurnContext],
) -> Any:
    """Call a tool as the Agents SDK would, with its span and its hooks; returns what the tool gave."""
    own: ToolContext[TurnContext] = ToolContext.from_agent_context(context, call.call_id, tool_call=call, agent=agent)
    with function_span(tool.name) as span:
        span.span_data.input = call.arguments
        await hooks.on_tool_start(own, agent, tool)
        output = await invoke_function_tool(function_tool=tool, context=own, arguments=call.arguments)
        await hooks.on_tool_end(own, agent, tool, output)
        span.span_data.output = output
    return output
