"""The tool server: typed functions and their manifests, joined into MCP tools."""

import importlib
import inspect
import pkgutil
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

import anyio.to_thread
from mcp.server.context import CallNext, HandlerResult, ServerRequestContext
from mcp.server.mcpserver import Context, MCPServer
from mcp.server.mcpserver.exceptions import ToolError
from mcp.server.mcpserver.tools import Tool
from mcp_types import CallToolResult, InputRequiredResult, ToolAnnotations

from core.errors import BadInput
from core.google.clients import GoogleClients
from core.google.needs import NONE, ConnectNeeded
from core.mcp_server.desk import BODY_LIMIT, NOBODY, Desk, utc_now
from core.mcp_server.guard import Desks, Permits, ToolFunction, anybody, fitting, guarded, said
from core.mcp_server.meta import ACCOUNT, ZONE, caller_of
from core.mcp_server.shaping.files import folder_of
from core.mcp_server.workers import Workers
from core.registry.manifests import Catalogue, ManifestError, ToolManifest
from core.users import LOCAL_USER_ID

TOOLS = "core.mcp_server.tools"


class ToolServer(MCPServer[Any]):
    """An MCP server whose errors are sentences that a model can act on."""

    def __init__(self, tools: Sequence[Tool]) -> None:
        super().__init__("glassdesk", title="Glassdesk Workspace tools", tools=list(tools), log_level="WARNING")
        self._parameters = {tool.name: tool.parameters for tool in tools}

    async def call_tool(
        self, name: str, arguments: dict[str, Any], context: Context[Any, Any] | None = None
    ) -> CallToolResult | InputRequiredResult:
        """Call a tool; its arguments are checked first."""
        if name not in self._parameters:
            raise ToolError(f"There is no tool {name}; there are: {', '.join(sorted(self._parameters))}.")
        try:
            return await super().call_tool(name, fitting(name, self._parameters[name], arguments), context)
        except ToolError as error:
            raise said(name, error) from error.__cause__


@dataclass(frozen=True)
class DeskFinder:
    """Which desk a request is for: the caller's `_meta` says it, never the model.

    Attributes:
        account: acts where a request names none; None refuses such a request.
        zone: used where a request names none.
        downloads: holds one folder an account.
        uploads: likewise, for files that people gave to the app.
        accounts: the only ones that a request may name; None: its sender is this app, or who started this server, and
            is believed, also in which call it is.
        user_id: whose accounts act where a request names nobody, or is not believed.
    """

    clients: GoogleClients
    account: str | None
    zone: ZoneInfo
    downloads: Path
    now: Callable[[], datetime]
    body_limit: int
    uploads: Path | None
    accounts: Collection[str] | None = None
    user_id: str = LOCAL_USER_ID

    def __call__(self, meta: Mapping[str, Any]) -> Desk:
        """The desk of a request.

        Raises:
            BadInput: where no account acts, or one that may not, or the zone is none.
            ConnectNeeded: where the user has connected none.
        """
        account = meta.get(ACCOUNT) or self.account
        if meta.get(ACCOUNT) == "" and not account:
            raise ConnectNeeded(NONE)
        if not isinstance(account, str):
            raise BadInput(f"No Google account is chosen: start the server with --account, or send `{ACCOUNT}`.")
        if self.accounts is not None and account not in self.accounts:
            raise BadInput(f"This server does not act for that account. Leave `{ACCOUNT}` out, or start it for both.")
        folder, caller = folder_of(account), caller_of(meta) if self.accounts is None else NOBODY
        return Desk(
            google=self.clients.for_account(account, caller.user_id or self.user_id),
            zone=self._zone_of(meta.get(ZONE)),
            downloads=self.downloads / folder,
            now=self.now,
            body_limit=self.body_limit,
            uploads=self.uploads / folder if self.uploads else None,
            caller=caller,
        )

    def _zone_of(self, name: object) -> ZoneInfo:
        if not name:
            return self.zone
        try:
            return ZoneInfo(str(name))
        except (ZoneInfoNotFoundError, ValueError) as error:
            raise BadInput(f"`{ZONE}` must be an IANA zone such as Europe/Berlin.") from error


def build_server(
    catalogue: Catalogue,
    domains: Sequence[str],
    clients: GoogleClients,
    *,
    account: str | None,
    zone: ZoneInfo,
    downloads: Path,
    accounts: Collection[str] | None = None,
    uploads: Path | None = None,
    read_only: bool = False,
    flush: Callable[[], object] | None = None,
    now: Callable[[], datetime] = utc_now,
    body_limit: int = BODY_LIMIT,
    permits: Permits = anybody,
) -> ToolServer:
    """The server of some domains' tools.

    Args:
        account: acts where a request's `_meta` names none; None refuses such requests.
        accounts: the only ones that a request may name; None believes what it says.
        downloads: holds a folder an account, for attachments of mails.
        uploads: likewise, for files that people gave to the app; mails may carry files from both.
        read_only: leave out what changes anything.
        flush: called after each request's spans have ended, before its answer leaves.
        now: the clock.
        body_limit: characters of mail or file text in one result.
        permits: raises what keeps a user's account from a tool.

    Raises:
        ManifestError: where a tool has no manifest, or a manifest no tool.
    """
    clients.prepare(domains)
    desks = DeskFinder(clients, account, zone, downloads, now, body_limit, uploads, accounts)
    known = [(domain, *pair) for domain in domains for pair in pairs(catalogue, domain)]
    workers = Workers()
    server = ToolServer([made(*one, desks, workers, permits) for one in known if one[1].reads or not read_only])
    if flush is not None:
        server.middleware.insert(0, Flusher(flush))
    return server


def pairs(catalogue: Catalogue, domain: str) -> list[tuple[ToolManifest, ToolFunction]]:
    """The manifests of a domain with their functions."""
    functions = tool_functions(domain)
    manifests = {tool.name: tool for tool in catalogue.domains[domain].tools}
    if manifests.keys() != functions.keys():
        lonely = ", ".join(sorted(manifests.keys() ^ functions.keys()))
        raise ManifestError(f"{domain}.yaml and {TOOLS}.{domain} differ in: {lonely}. Each tool needs both.")
    return [(manifest, functions[name]) for name, manifest in manifests.items()]


def tool_functions(domain: str) -> dict[str, ToolFunction]:
    """The public functions of a domain's modules, by name: of `<domain>.py` and of every `<domain>_….py`."""
    names = [one.name for one in pkgutil.iter_modules(importlib.import_module(TOOLS).__path__)]
    mine = [name for name in names if name == domain or name.startswith(f"{domain}_")]
    modules = [importlib.import_module(f"{TOOLS}.{name}") for name in mine]
    found = [pair for module in modules for pair in inspect.getmembers(module, inspect.isfunction)]
    tools = {f"{TOOLS}.{name}" for name in mine}
    return {name: one for name, one in found if one.__module__ in tools and not name.startswith("_")}


def made(
    domain: str,
    manifest: ToolManifest,
    function: ToolFunction,
    desks: Desks,
    workers: Workers,
    permits: Permits = anybody,
) -> Tool:
    """One tool; what the manifest says of it becomes its annotations."""
    tool = Tool.from_function(
        guarded(function, desks, manifest, domain, workers, permits),
        name=manifest.name,
        title=manifest.title,
        description=manifest.description,
        annotations=ToolAnnotations(
            read_only_hint=manifest.reads,
            destructive_hint=manifest.destructive and not manifest.reads,
            idempotent_hint=manifest.idempotent or manifest.reads,
            open_world_hint=True,
        ),
    )
    tool.parameters = lean(tool.parameters)
    return tool


def lean(schema: dict[str, Any]) -> dict[str, Any]:
    """A parameter schema without the generated titles, which cost tokens and say nothing."""
    properties = {name: untitled(value) for name, value in schema.get("properties", {}).items()}
    return {**untitled(schema), "properties": properties}


def untitled(schema: dict[str, Any]) -> dict[str, Any]:
    """A schema without its own title."""
    return {key: value for key, value in schema.items() if key != "title"}


@dataclass(frozen=True)
class Flusher:
    """Outermost of all, so that the request's own span has ended when the spans are written."""

    flush: Callable[[], object]

    async def __call__(self, ctx: ServerRequestContext[Any, Any], call_next: CallNext) -> HandlerResult:
        """Serve a request, then flush."""
        try:
            return await call_next(ctx)
        finally:
            await anyio.to_thread.run_sync(self.flush)
