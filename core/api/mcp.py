"""`/mcp`: the tools for MCP clients from elsewhere, over streamable HTTP."""

import asyncio
from collections.abc import Callable
from functools import cache
from typing import TYPE_CHECKING, Any

from starlette.routing import Route
from starlette.types import Receive, Scope, Send

from core.api.access import error_response
from core.api.caller import STARTING
from core.errors import GlassdeskError, Unavailable
from core.host import host

if TYPE_CHECKING:
    from mcp.server.streamable_http_manager import StreamableHTTPSessionManager

    from core.bootstrap import Services
    from core.mcp_server.server import ToolServer


class Door:
    """An ASGI endpoint over a tool server; the sessions live from the first request to `close`.

    Args:
        services: what serves, None while the app is starting; may block.
    """

    def __init__(self, services: "Callable[[], Services | None]") -> None:
        self._services = services
        self._opening, self._closing = asyncio.Lock(), asyncio.Event()
        self._holder: asyncio.Task[None] | None = None
        self._manager: StreamableHTTPSessionManager | None = None

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one request."""
        try:
            manager = await self._open()
        except GlassdeskError as error:
            await error_response(error)(scope, receive, send)
            return
        await manager.asgi_app(scope, receive, send)

    async def close(self) -> None:
        """End what is open."""
        self._closing.set()
        if self._holder is not None:
            await self._holder

    async def _open(self) -> "StreamableHTTPSessionManager":
        async with self._opening:
            if self._manager is None:
                services = await asyncio.to_thread(self._services)
                if services is None:
                    raise Unavailable(STARTING)
                server = await asyncio.to_thread(services.outside)
                ready: asyncio.Future[Any] = asyncio.get_running_loop().create_future()
                self._holder = asyncio.create_task(self._hold(server, ready), name="mcp door")
                self._manager = await ready
            return self._manager

    async def _hold(self, server: "ToolServer", ready: "asyncio.Future[Any]") -> None:
        """Own the sessions from beginning to end: their task group must be left by the task that entered it."""
        from mcp.server.transport_security import (
            TransportSecuritySettings,
        )  # a second, which the start does not wait for

        checked_before = TransportSecuritySettings(enable_dns_rebinding_protection=False)  # by the API's own rule
        server.streamable_http_app(stateless_http=True, json_response=True, transport_security=checked_before)
        async with server.session_manager.run():
            ready.set_result(server.session_manager)
            await self._closing.wait()


@cache
def door() -> Door:
    """The door of this process."""
    return Door(lambda: host().serving())


ROUTES = [Route("/mcp", door())]
