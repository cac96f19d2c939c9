"""An added server as the Agents SDK sees it: its tools as they were looked at, behind the gate of all tools."""

import asyncio
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import Any

from agents.mcp import MCPServer
from mcp_types import CallToolResult, GetPromptResult, ListPromptsResult, Tool
from opentelemetry import trace
from opentelemetry.trace import Span, SpanKind, StatusCode

from core.mcp_server.calls import CurrentSpan, calling, failed, marked, text_of
from core.mcp_server.client import Call
from core.mcp_server.guard import anybody
from core.mcp_server.meta import Caller
from core.runtime.gate import Gate
from core.runtime.summaries import summary_of
from core.servers.manifests import Own, Server
from core.servers.servers import Servers

Say = Callable[[str, str, str, Mapping[str, Any]], str]
NOT_YOURS = "This tool belongs to somebody else. It was not called."


class ServerTools(MCPServer):
    """The tools of one server of one user. Listing them asks nobody, so a server that is away fails only its calls.

    Nothing of ours but the arguments goes to the server: no account, no user, no ids.
    """

    def __init__(self, servers: Servers, server: Server, current_span: CurrentSpan) -> None:
        super().__init__()
        self._servers, self._row, self._current_span = servers, server.row, current_span
        self._tools = [
            Tool(name=tool.name, title=tool.title, description=tool.description, input_schema=tool.schema)
            for tool in server.tools
        ]

    @property
    def name(self) -> str:
        """What people read in errors."""
        return self._row.title

    async def connect(self) -> None:
        """The first call connects."""

    async def cleanup(self) -> None:
        """The servers' owner closes it."""

    async def list_tools(self, run_context: Any = None, agent: Any = None) -> list[Tool]:
        """The tools."""
        return self._tools

    async def call_tool(
        self, tool_name: str, arguments: dict[str, Any] | None, meta: dict[str, Any] | None = None
    ) -> CallToolResult:
        """Call a tool."""
        with calling(self._current_span), reaching(tool_name) as span:
            result = marked(await self._servers.call(self._row.user_id, self._row.id, tool_name, arguments or {}))
            if result.is_error:
                span.set_attribute("error.type", "tool_error")
                span.set_status(StatusCode.ERROR, text_of(result))
            return result

    async def list_prompts(self) -> ListPromptsResult:
        """None."""
        return ListPromptsResult(prompts=[])

    async def get_prompt(self, name: str, arguments: dict[str, Any] | None = None) -> GetPromptResult:
        """There is none."""
        raise LookupError("Prompts of outside servers are not used")


@contextmanager
def reaching(tool: str) -> Iterator[Span]:
    """The client's span of a call, under the name that the tool has here: there, it may have that of one of ours."""
    attributes = {"mcp.method.name": "tools/call", "gen_ai.tool.name": tool}
    tracer = trace.get_tracer("glassdesk")
    with tracer.start_as_current_span(
        f"MCP send tools/call {tool}", kind=SpanKind.CLIENT, attributes=attributes
    ) as span:
        yield span


@dataclass(frozen=True)
class ServerGate:
    """The gate before a user's added tools: what only reads is what the user says, as it is at this moment.

    Attributes:
        gate: of all tools.
        user_id: whose tools they are.
        own: what the user works with, read anew; blocks.
    """

    gate: Gate
    user_id: str
    own: Callable[[str], Own]

    def reads(self, tool: str) -> bool:
        """Not known without a look at the database."""
        return False

    def asks(self, user_id: str, account: str, tool: str) -> bool:
        """Whether the person must say yes first."""
        return self._now().asks(user_id, account, tool)

    async def passes(self, caller: Caller, tool: str, arguments: Mapping[str, Any], call: Call) -> CallToolResult:
        """Make a call, if it may be made."""
        if caller.user_id != self.user_id:
            return failed(NOT_YOURS)
        gate = await asyncio.to_thread(self._now)
        return await gate.passes(caller, tool, arguments, call)

    def _now(self) -> Gate:
        """The gate as it stands; who may not write is not believed either that something only reads."""
        own = self.own(self.user_id)
        if self.gate.read_only(self.user_id):
            own = replace(own, servers=tuple(replace(server, reading=frozenset()) for server in own.servers))
            domains = {**own.catalogue.domains, **{one.row.domain: one.manifest for one in own.servers}}
            own = replace(own, catalogue=replace(own.catalogue, domains=domains))
        return replace(self.gate, catalogue=own.catalogue, permits=anybody)


def telling(servers: Servers, say: Say) -> Say:
    """What a call will do, in a sentence; of an added server's tool with the server's name, and with no look at Google.

    Args:
        say: tells what any other does: for whom, on which account, tool, arguments.
    """

    def told(user_id: str, account: str, tool: str, arguments: Mapping[str, Any]) -> str:
        own = servers.of(user_id)
        found = own.serving(tool)
        if found is None:
            return say(user_id, account, tool, arguments)
        return f"{found[0].row.title}: {summary_of(own.catalogue, tool, arguments)}"

    return told
