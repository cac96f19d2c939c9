"""The agents' side of the tool server: in the process, or as one warm subprocess; and what one specialist sees."""

import asyncio
from collections.abc import Callable, Collection, Iterator
from contextlib import contextmanager
from typing import Any

from agents.mcp import MCPServer, MCPServerStdio, MCPServerStdioParams, MCPToolMetaContext
from agents.tracing import get_current_span
from mcp import Client, MCPError
from mcp.server.mcpserver import MCPServer as Server
from mcp_types import CONNECTION_CLOSED, CallToolResult, GetPromptResult, ListPromptsResult, TextContent, Tool
from opentelemetry import trace
from opentelemetry.trace import Span

from core.mcp_server.server import ACCOUNT, ZONE

CALL_TIMEOUT = 60.0
STOPPED = "The tool server stopped in the middle of the call and was started again. {next}"
CurrentSpan = Callable[[], Span]
MISSING_PROMPT = "This server has tools only"


class InProcessTools(MCPServer):
    """The tool server in this process; calls run in parallel, in the caller's own task.

    Args:
        server: what `build_server` made.
        current_span: the OpenTelemetry span of the Agents SDK's current span.
    """

    def __init__(self, server: Server[Any], current_span: CurrentSpan) -> None:
        super().__init__()
        self._server, self._current_span = server, current_span
        self._tools: list[Tool] = []
        self._client: Client | None = None
        self._holder: asyncio.Task[None] | None = None
        self._closing = asyncio.Event()

    @property
    def name(self) -> str:
        """What people read in errors."""
        return "tools"

    async def connect(self) -> None:
        """Open the session; nothing happens where it is open."""
        if self._client is not None:
            return
        ready: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        with connecting("inproc"):
            self._closing = asyncio.Event()
            self._holder = asyncio.create_task(self._hold(ready), name="tool server")
            await ready

    async def cleanup(self) -> None:
        """Close the session."""
        self._closing.set()
        if self._holder is not None:
            await self._holder
            self._holder = None

    async def list_tools(self, run_context: Any = None, agent: Any = None) -> list[Tool]:
        """The tools, asked for once."""
        return self._tools

    async def call_tool(
        self, tool_name: str, arguments: dict[str, Any] | None, meta: dict[str, Any] | None = None
    ) -> CallToolResult:
        """Call a tool."""
        if self._client is None:
            raise RuntimeError("connect() comes first")
        with calling(self._current_span):
            return marked(await self._client.call_tool(tool_name, arguments, meta=meta))  # type: ignore[arg-type]

    async def list_prompts(self) -> ListPromptsResult:
        """None."""
        return ListPromptsResult(prompts=[])

    async def get_prompt(self, name: str, arguments: dict[str, Any] | None = None) -> GetPromptResult:
        """There is none."""
        raise LookupError(MISSING_PROMPT)

    async def _hold(self, ready: "asyncio.Future[None]") -> None:
        """Own the session from its beginning to its end: its task group must be left by the task that entered it."""
        try:
            async with Client(self._server, cache=None) as client:
                self._tools = (await client.list_tools()).tools
                self._client = client
                ready.set_result(None)
                await self._closing.wait()
        except Exception as error:
            if ready.done():
                raise
            ready.set_exception(error)
        finally:
            self._client = None


class WarmStdioTools(MCPServerStdio):
    """The tool server as a subprocess that stays, and that is started again inside a call when it has died.

    Args:
        params: how to start it.
        current_span: the OpenTelemetry span of the Agents SDK's current span.
    """

    def __init__(self, params: MCPServerStdioParams, current_span: CurrentSpan) -> None:
        super().__init__(params, cache_tools_list=True, name="tools", client_session_timeout_seconds=CALL_TIMEOUT)
        self._current_span = current_span
        self._gate = asyncio.Lock()
        self._starts = 0

    async def connect(self) -> None:
        """Start the subprocess and list its tools."""
        with connecting("pipe"):
            await super().connect()  # type: ignore[no-untyped-call]
            self._starts += 1
            self.invalidate_tools_cache()  # type: ignore[no-untyped-call]
            await super().list_tools()

    async def call_tool(
        self, tool_name: str, arguments: dict[str, Any] | None, meta: dict[str, Any] | None = None
    ) -> CallToolResult:
        """Call a tool; where the server has died, start it again, and repeat what is safe to repeat."""
        with calling(self._current_span):
            if self.session is None:
                await self._heal(self._starts)
            starts, repeatable = self._starts, self._repeatable(tool_name)
            try:
                return marked(await super().call_tool(tool_name, arguments, meta))
            except MCPError as error:
                if error.code != CONNECTION_CLOSED:
                    raise
            await self._heal(starts)
            if not repeatable:
                return marked(failed(STOPPED.format(next="Whether the change was made is unknown: check first.")))
            return marked(await super().call_tool(tool_name, arguments, meta))

    async def _heal(self, seen: int) -> None:
        """Start the server again, unless another call did that already."""
        async with self._gate:
            if self._starts == seen or self.session is None:
                await self.cleanup()  # type: ignore[no-untyped-call]
                await self.connect()

    def _repeatable(self, name: str) -> bool:
        hints = next((tool.annotations for tool in self.cached_tools or [] if tool.name == name), None)
        return bool(hints and (hints.read_only_hint or hints.idempotent_hint))


class ToolView(MCPServer):
    """Exactly one specialist's tools of a server that several share; it neither opens nor closes it.

    Args:
        server: the shared server.
        name: what people read, such as `gmail`.
        tools: names of the tools that are shown; any other is refused.
    """

    def __init__(self, server: MCPServer, name: str, tools: Collection[str]) -> None:
        super().__init__(tool_meta_resolver=acting)
        self._shared, self._name, self._shown = server, name, frozenset(tools)

    @property
    def name(self) -> str:
        """What people read in errors."""
        return self._name

    async def connect(self) -> None:
        """The owner of the shared server connects it."""

    async def cleanup(self) -> None:
        """The owner of the shared server closes it."""

    async def list_tools(self, run_context: Any = None, agent: Any = None) -> list[Tool]:
        """The specialist's tools."""
        return [tool for tool in await self._shared.list_tools(run_context, agent) if tool.name in self._shown]

    async def call_tool(
        self, tool_name: str, arguments: dict[str, Any] | None, meta: dict[str, Any] | None = None
    ) -> CallToolResult:
        """Call one of the specialist's tools."""
        if tool_name not in self._shown:
            return marked(failed(f"{tool_name} is not one of the {self._name} tools."))
        return await self._shared.call_tool(tool_name, arguments, meta)

    async def list_prompts(self) -> ListPromptsResult:
        """None."""
        return ListPromptsResult(prompts=[])

    async def get_prompt(self, name: str, arguments: dict[str, Any] | None = None) -> GetPromptResult:
        """There is none."""
        raise LookupError(MISSING_PROMPT)


def acting(call: MCPToolMetaContext) -> dict[str, Any]:
    """The request's `_meta`: who acts, and in which zone; from the run's context, never from the model."""
    who = call.run_context.context
    return {ACCOUNT: who.account, ZONE: who.zone}


@contextmanager
def connecting(transport: str) -> Iterator[None]:
    """The span of opening a session."""
    attributes = {"network.transport": transport}
    with trace.get_tracer("glassdesk").start_as_current_span("mcp.connect", attributes=attributes):
        yield


@contextmanager
def calling(current_span: CurrentSpan) -> Iterator[None]:
    """The agent's span of the call is current, so that the server's and Google's spans go below it."""
    with trace.use_span(current_span(), end_on_exit=False, record_exception=False, set_status_on_exception=False):
        yield


def failed(sentence: str) -> CallToolResult:
    """A failure as a tool would say it."""
    return CallToolResult(content=[TextContent(type="text", text=sentence)], is_error=True)


def marked(result: CallToolResult) -> CallToolResult:
    """The result as it is; the agent's span of the call is marked where it failed, which the SDK leaves out."""
    span = get_current_span()
    if result.is_error and span is not None:
        text = " ".join(item.text for item in result.content if isinstance(item, TextContent))
        span.set_error({"message": text, "data": {"type": "tool_error"}})
    return result
