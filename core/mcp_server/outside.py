"""Calls that come from clients elsewhere: their spans carry the user, and a write is told to whoever must know."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any

from mcp.server.context import CallNext, HandlerResult, ServerRequestContext
from opentelemetry import trace
from opentelemetry.propagate import extract
from opentelemetry.trace import SpanKind

from core.mcp_server.server import ToolServer
from core.users import User

TOOLS_CALL = "tools/call"
TRACE = ("traceparent", "tracestate")
Wrote = Callable[[str, str, str], object]


@dataclass(frozen=True)
class Outside:
    """Stands around each request of a server that outside clients use.

    Attributes:
        user: whose account acts.
        writing: the tools that change something, with their domains.
        wrote: is told of each write, whatever came of it: user, account, domain.
    """

    user: User
    writing: Mapping[str, str]
    wrote: Wrote

    async def __call__(self, ctx: ServerRequestContext[Any, Any], call_next: CallNext) -> HandlerResult:
        """Serve a request."""
        if ctx.method != TOOLS_CALL:
            return await call_next(ctx)
        domain = self.writing.get(str((ctx.params or {}).get("name", "")))
        try:
            with self._request(ctx.meta or {}):
                return await call_next(replace(ctx, meta=without_trace(ctx.meta)))
        finally:
            if domain is not None:
                self.wrote(self.user.id, self.user.account, domain)

    def _request(self, meta: Mapping[str, Any]) -> Any:
        """A span in the client's trace that says whose request it is, before anything below it begins."""
        return trace.get_tracer("glassdesk").start_as_current_span(
            "mcp.request",
            context=extract(carrier(meta)),
            kind=SpanKind.SERVER,
            attributes={"glassdesk.user.id": self.user.id, "network.transport": "tcp"},
            record_exception=False,
        )


def carrier(meta: Mapping[str, Any]) -> dict[str, str]:
    """What a client says of its trace."""
    return {name: str(meta[name]) for name in TRACE if name in meta}


def without_trace(meta: Any) -> Any:
    """The rest of what it says, so that the SDK's span goes below ours."""
    return meta and {name: value for name, value in meta.items() if name not in TRACE}


def opened(server: ToolServer, user: User, writing: Mapping[str, str], wrote: Wrote) -> ToolServer:
    """The server, made ready for outside clients that act as one user."""
    server.middleware.insert(0, Outside(user, writing, wrote))
    return server
