"""Calls that come from clients elsewhere: their spans carry the user, and a write is told to whoever must know."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any

from mcp.server.context import CallNext, HandlerResult, ServerRequestContext
from opentelemetry import trace
from opentelemetry.propagate import extract
from opentelemetry.trace import SpanKind

from core.mcp_server.calls import failed
from core.mcp_server.meta import ACCOUNT, CALL, TURN, USER, ZONE
from core.mcp_server.server import ToolServer
from core.users import READ_ONLY, User

TOOLS_CALL = "tools/call"
TRACE = ("traceparent", "tracestate")
OTHER_ACCOUNT = f"This server does not act for that account. Leave `{ACCOUNT}` out."
Wrote = Callable[[str, str, str], object]


@dataclass(frozen=True)
class Outside:
    """Stands around each request of a server that outside clients use.

    Attributes:
        user_of: whose request it is, and whose account acts.
        writing: the tools that change something, with their domains.
        wrote: is told of each write, whatever came of it: user, account, domain.
    """

    user_of: Callable[[Any], User]
    writing: Mapping[str, str]
    wrote: Wrote

    async def __call__(self, ctx: ServerRequestContext[Any, Any], call_next: CallNext) -> HandlerResult:
        """Serve a request."""
        if ctx.method != TOOLS_CALL:
            return await call_next(ctx)
        user = self.user_of(ctx.request)
        domain = self.writing.get(str((ctx.params or {}).get("name", "")))
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

    def _request(self, user: User, meta: Mapping[str, Any]) -> Any:
        """A span in the client's trace that says whose request it is, before anything below it begins."""
        return trace.get_tracer("glassdesk").start_as_current_span(
            "mcp.request",
            context=extract(carrier(meta)),
            kind=SpanKind.SERVER,
            attributes={"glassdesk.user.id": user.id, "network.transport": "tcp"},
            record_exception=False,
        )


def carrier(meta: Mapping[str, Any]) -> dict[str, str]:
    """What a client says of its trace."""
    return {name: str(meta[name]) for name in TRACE if name in meta}


def acting(user: User, meta: Mapping[str, Any]) -> Any:
    """The rest of what it says, so that the SDK's span goes below ours; who acts is known better here."""
    kept = {name: value for name, value in meta.items() if name not in (*TRACE, TURN, CALL)}
    return {ZONE: user.zone.key, **kept, USER: user.id, ACCOUNT: user.account}


def opened(server: ToolServer, user_of: Callable[[Any], User], writing: Mapping[str, str], wrote: Wrote) -> ToolServer:
    """The server, made ready for outside clients, each of which acts as its user."""
    server.middleware.insert(0, Outside(user_of, writing, wrote))
    return server
