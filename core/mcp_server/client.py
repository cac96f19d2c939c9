"""The agents' side of the tool server: in the process, or as one warm subprocess; and what one specialist sees."""

import asyncio
import os
import sys
from collections import OrderedDict
from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import Any, Protocol

from agents import AgentBase, RunContextWrapper
from agents import Tool as AgentTool
from agents.mcp import (
    MCPServer,
    MCPServerStdio,
    MCPServerStdioParams,
    MCPToolCustomDataContext,
    MCPToolMetaContext,
    MCPUtil,
)
from agents.tool_context import ToolContext
from mcp import Client, MCPError
from mcp.server.mcpserver import MCPServer as Server
from mcp_types import (
    CONNECTION_CLOSED,
    CallToolRequest,
    CallToolRequestParams,
    CallToolResult,
    GetPromptResult,
    ListPromptsResult,
    Tool,
    ToolAnnotations,
)

from core.google.needs import CONNECT
from core.mcp_server.calls import CurrentSpan, calling, connecting, failed, marked, sending
from core.mcp_server.guard import unknown
from core.mcp_server.meta import ACCOUNT, CALL, TURN, USER, ZONE, Caller, caller_of
from core.registry.manifests import DomainManifest
from core.settings import ROOT, Settings

CALL_TIMEOUT = 60.0
READY_SETS = 8
"""Sets of tools that a view keeps ready: they differ where a server was started again."""
STOPPED = "The tool server stopped in the middle of the call and was started again. "
STOPPED_IN_READ = STOPPED + "Repeating the call stopped it once more: try another way."
STOPPED_IN_WRITE = STOPPED + "Whether the change was made is unknown: check first."
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
        request = CallToolRequest(params=CallToolRequestParams(name=tool_name, arguments=arguments, _meta=meta))
        with calling(self._current_span), sending(tool_name):
            # Not Client.call_tool: that checks results against their schema once more, for up to 50 ms on the loop.
            return marked(await self._client.session.send_request(request, CallToolResult))

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
        """Call a tool; where the server has died, start it again, and repeat what is safe to repeat, once."""
        with calling(self._current_span):
            if self.session is None:
                await self._heal(self._starts)
            for _ in range(2 if self._repeatable(tool_name) else 1):
                starts = self._starts
                try:
                    return marked(await super().call_tool(tool_name, arguments, meta))
                except MCPError as error:
                    if error.code != CONNECTION_CLOSED:
                        raise
                await self._heal(starts)
            return marked(failed(STOPPED_IN_READ) if self._reads(tool_name) else unknown(STOPPED_IN_WRITE))

    async def _heal(self, seen: int) -> None:
        """Start the server again, unless another call did that already."""
        async with self._gate:
            if self._starts == seen or self.session is None:
                await self.cleanup()  # type: ignore[no-untyped-call]
                await self.connect()

    def _repeatable(self, name: str) -> bool:
        return self._hints(name).idempotent_hint is True or self._reads(name)

    def _reads(self, name: str) -> bool:
        return self._hints(name).read_only_hint is True

    def _hints(self, name: str) -> ToolAnnotations:
        found = next((tool.annotations for tool in self.cached_tools or [] if tool.name == name), None)
        return found or ToolAnnotations()


Call = Callable[[dict[str, Any]], Awaitable[CallToolResult]]


class Gate(Protocol):
    """Stands before every tool."""

    def reads(self, tool: str) -> bool:
        """Whether a tool is known to change nothing, so that nobody is asked; at once."""
        ...

    def asks(self, user_id: str, account: str, tool: str) -> bool:
        """Whether a person must say yes first; may block."""
        ...

    async def passes(self, caller: Caller, tool: str, arguments: Mapping[str, Any], call: Call) -> CallToolResult:
        """Make a call with the arguments that were approved, or say why not."""
        ...


class ToolView(MCPServer):
    """Exactly one specialist's tools of a server that several share; it neither opens nor closes it.

    Args:
        server: the shared server.
        domain: whose tools are shown; any other is refused.
        gate: decides which calls a person must approve, and lets each through once.
    """

    def __init__(self, server: MCPServer, domain: DomainManifest, gate: Gate) -> None:
        super().__init__(require_approval=self._asks, tool_meta_resolver=acting, custom_data_extractor=noted)
        self._shared, self._name, self._gate = server, domain.agent.domain, gate
        self._shown = frozenset(tool.name for tool in domain.tools)
        self._ready: OrderedDict[tuple[int, ...], tuple[list[Tool], list[AgentTool]]] = OrderedDict()

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

    async def ready(self, run_context: RunContextWrapper[Any], agent: AgentBase[Any]) -> list[AgentTool]:
        """The specialist's tools as the Agents SDK calls them, made anew only where the server lists others.

        Nothing of the first agent that asks goes into them but its place in our own `_asks`, which ignores it.
        """
        listed = await self.list_tools(run_context, agent)
        known = tuple(map(id, listed))  # no other tool gets these as long as the list is held here
        if known not in self._ready:
            self._ready[known] = (listed, await MCPUtil.get_function_tools(self, False, run_context, agent))
            while len(self._ready) > READY_SETS:
                self._ready.popitem(last=False)
        return list(self._ready[known][1])

    async def call_tool(
        self, tool_name: str, arguments: dict[str, Any] | None, meta: dict[str, Any] | None = None
    ) -> CallToolResult:
        """Call one of the specialist's tools; the model gets the result's text, so nothing else goes on from here."""
        if tool_name not in self._shown:
            return marked(failed(f"{tool_name} is not one of the {self._name} tools."))

        async def call(final: dict[str, Any]) -> CallToolResult:
            return await self._shared.call_tool(tool_name, final, meta)

        result = marked(await self._gate.passes(caller_of(meta), tool_name, arguments or {}, call))
        return result.model_copy(update={"structured_content": None})  # the SDK would copy it, part by part

    async def list_prompts(self) -> ListPromptsResult:
        """None."""
        return ListPromptsResult(prompts=[])

    async def get_prompt(self, name: str, arguments: dict[str, Any] | None = None) -> GetPromptResult:
        """There is none."""
        raise LookupError(MISSING_PROMPT)

    async def _asks(self, context: RunContextWrapper[Any], agent: AgentBase[Any], tool: Tool) -> bool:
        if self._gate.reads(tool.name):
            return False
        who = context.context
        return await asyncio.to_thread(self._gate.asks, who.user_id, who.account, tool.name)


def stdio_parameters(settings: Settings, domains: Sequence[str]) -> MCPServerStdioParams:
    """How the app starts the tool server as a subprocess: with the same data, and with its spans in the app's traces.

    A subprocess inherits next to nothing, and is given nothing that it does not need, such as the model's key.
    """
    known = {name: value for name, value in os.environ.items() if name in ("PATH", "HOME", "TZ", "LANG", "TMPDIR")}
    own = {
        "GLASSDESK_DATA_DIR": str(settings.data_dir),
        "GLASSDESK_ZONE": settings.zone,
        "GLASSDESK_CAPTURE": settings.capture.value,
        "GLASSDESK_APP_DB": settings.app_db.get_secret_value(),
        "GLASSDESK_TELEMETRY_DB": settings.telemetry_db.get_secret_value(),
        "GLASSDESK_MODEL_API_KEY": "",
        **google_settings(settings),
    }
    arguments = ["-m", "core.mcp_server", "--trace", "--tools", *domains]
    return MCPServerStdioParams(command=sys.executable, args=arguments, env={**known, **own}, cwd=ROOT)


def google_settings(settings: Settings) -> dict[str, str]:
    """What a subprocess needs to reach Google, and to open the vault."""
    return {
        "GLASSDESK_WORKSPACE": settings.workspace.value,
        "GLASSDESK_GOOGLE_CLIENT_ID": settings.google_client_id,
        "GLASSDESK_GOOGLE_CLIENT_SECRET": settings.google_client_secret.get_secret_value(),
        "GLASSDESK_GOOGLE_SERVICE_ACCOUNT": settings.google_service_account,
        "GLASSDESK_VAULT_KEY": settings.vault_key.get_secret_value(),
    }


def acting(call: MCPToolMetaContext) -> dict[str, Any]:
    """The request's `_meta`: who acts, in which zone, for which call; from the run's context, never from the model."""
    who = call.run_context.context
    call_id = call.run_context.tool_call_id if isinstance(call.run_context, ToolContext) else ""
    return {ACCOUNT: who.account, ZONE: who.zone, USER: who.user_id, TURN: who.turn_id, CALL: call_id}


def noted(call: MCPToolCustomDataContext) -> None:
    """Tell the run which of its calls succeeded, and which lack a connection: the SDK's hooks see only a text."""
    if not isinstance(call.run_context, ToolContext):
        return
    context, call_id = call.run_context.context, call.run_context.tool_call_id
    if not call.is_error:
        context.succeeded.add(call_id)
    elif CONNECT in (call.result_meta or {}):
        context.connects[call_id] = dict((call.result_meta or {})[CONNECT])
