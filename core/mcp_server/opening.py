"""The tool server as the app opens it: for its own agents, and for MCP clients elsewhere."""

from collections.abc import Callable
from typing import Any
from zoneinfo import ZoneInfo

from agents.mcp import MCPServer

from core.google.accounts import Accounts
from core.mcp_server.calls import CurrentSpan
from core.mcp_server.client import InProcessTools, WarmStdioTools, stdio_parameters
from core.mcp_server.outside import Wrote, opened
from core.mcp_server.server import ToolServer, build_server
from core.registry.manifests import Catalogue
from core.settings import McpTransport, Settings
from core.store.switches import Off
from core.users import User


def tool_server(settings: Settings, catalogue: Catalogue, accounts: Accounts, current_span: CurrentSpan) -> MCPServer:
    """All tools behind one server, in this process or in a subprocess that stays."""
    if settings.mcp is McpTransport.STDIO:
        return WarmStdioTools(stdio_parameters(settings, list(catalogue.domains)), current_span)
    return InProcessTools(served(settings, catalogue, accounts, read_only=False), current_span)


def outside_server(
    settings: Settings,
    catalogue: Catalogue,
    accounts: Accounts,
    user_of: Callable[[Any], User],
    wrote: Wrote,
    off: Callable[[str], Off],
) -> ToolServer:
    """The tools for MCP clients elsewhere; each acts as its token's user, and nobody asks that user before a write."""
    server = served(settings, catalogue, accounts, read_only=not settings.mcp_writes)
    writing = {tool.name: domain for domain, tool in catalogue.tools() if not tool.reads}
    return opened(server, user_of, writing, wrote, off)


def served(settings: Settings, catalogue: Catalogue, accounts: Accounts, read_only: bool) -> ToolServer:
    """The server of all domains; each request says for which account."""
    return build_server(
        catalogue,
        list(catalogue.domains),
        accounts.clients,
        account=None,
        zone=ZoneInfo(settings.zone),
        downloads=settings.downloads,
        uploads=settings.uploads,
        read_only=read_only,
        permits=accounts.require,
    )
