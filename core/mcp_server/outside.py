"""Calls that come from clients elsewhere: their spans carry the user, and a write is told to whoever must know."""

import asyncio
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, replace
from typing import Any

from mcp.server.context import CallNext, HandlerResult, ServerRequestContext
from opentelemetry import trace
from opentelemetry.propagate import extract
from opentelemetry.trace import SpanKind

from core.mcp_server.calls import failed
from core.mcp_server.meta import ACCOUNT, CALL, TURN, USER, ZONE
from core.mcp_server.server import ToolServer
from core.store.switches import Off, nothing
from core.users import READ_ONLY, User

TOOLS_CALL, TOOLS_LIST = "tools/call", "tools/list"
TRACE = ("traceparent", "tracestate")
OTHER_ACCOUNT = f"This server does not act for that account. Leave `{ACCOUNT}` out."
SWITCHED_OFF = "This tool is switched off. It can be switched on on Glassdesk's page Agents."
Wrote = Callable[[str, str, str], object]


@dataclass(frozen=True)
class Outside:
    """Stands around each request of a server that outside clients use.

    Attributes:
        user_of: whose request it is, and whose account acts.
        writing: the tools that change something, with their domains.
        wrote: is told of each write, whatever came of it: user, account, domain.
        off: what a user has switched off, tools of agents included; blocks for a read of the database.
    """

    user_of: Callable[[Any], User]
    writing: Mapping[str, str]
    wrote: Wrote
    off: Callable[[str], Off] = nothing

    async def __call__(self, ctx: ServerRequestContext[Any, Any], call_next: CallNext) -> HandlerResult:
        """Serve a request."""
        if ctx.method == TOOLS_LIST:
            return await self._listed(ctx, call_next)
        if ctx.method != TOOLS_CALL:
            return await call_next(ctx)
        user = self.user_of(ctx.request)
        name = str((ctx.params or {}).get("name", ""))
        if name in (await asyncio.to_thread(self.off, user.id)).tools:
            return failed(SWITCHED_OFF)
        domain = self.writing.get(name)
        if domain is not None and user.read_only:
            return failed(READ_ONLY)
        if (ctx.meta or {}).get(ACCOUNT, user.account) != user.account:
            return failed(OTHER_ACCOUNT)
        try:
            with self._request(user, ctx.meta or {}):
                return await call_next(replace(ctx, meta=acting(user, ctx.meta or {})))
        finally:
            if domain is not None:
                self.wrote(user.id, user.account, domain)

    async def _listed(self, ctx: ServerRequestContext[Any, Any], call_next: CallNext) -> HandlerResult:
        """The tools, without those that the user has switched off."""
        off = (await asyncio.to_thread(self.off, self.user_of(ctx.request).id)).tools
        result = await call_next(ctx)
        return without(result, off) if isinstance(result, dict) and off else result

    def _request(self, user: User, meta: Mapping[str, Any]) -> Any:
        """A span in the client's trace that says whose request it is, before anything below it begins."""
        return trace.get_tracer("glassdesk").start_as_current_span(
            "mcp.request",
            context=extract(carrier(meta)),
            kind=SpanKind.SERVER,
            attributes={"glassdesk.user.id": user.id, "network.transport": "tcp"},
            record_exception=False,
        )


def without(listed: Mapping[str, Any], off: Collection[str]) -> dict[str, Any]:
    """A list of tools, as it is sent, without some of them."""
    return {**listed, "tools": [tool for tool in listed.get("tools", ()) if tool.get("name") not in off]}


def carrier(meta: Mapping[str, Any]) -> dict[str, str]:
    """What a client says of its trace."""
    return {name: str(meta[name]) for name in TRACE if name in meta}


def acting(user: User, meta: Mapping[str, Any]) -> Any:
    """The rest of what it says, so that the SDK's span goes below ours; who acts is known better here."""
    kept = {name: value for name, value in meta.items() if name not in (*TRACE, TURN, CALL)}
    return {ZONE: user.zone.key, **kept, USER: user.id, ACCOUNT: user.account}


def opened(
    server: ToolServer,
    user_of: Callable[[Any], User],
    writing: Mapping[str, str],
    wrote: Wrote,
    off: Callable[[str], Off] = nothing,
) -> ToolServer:
    """The server, made ready for outside clients, each of which acts as its user."""
    server.middleware.insert(0, Outside(user_of, writing, wrote, off))
    return server
