"""The tool server over streamable HTTP, reachable from this machine only, under the same rule as the app's API."""

import socket
import sys

import uvicorn
from mcp.server.transport_security import TransportSecuritySettings

from core.api.access import AccessGuard
from core.errors import GlassdeskError
from core.mcp_server.server import ToolServer

LOOPBACK = "127.0.0.1"


class PortTaken(GlassdeskError):
    """The server cannot listen where it should."""

    code = "port_taken"


def serve_http(server: ToolServer, port: int, token: str) -> None:
    """Serve until a signal ends it; says on stderr where.

    Args:
        port: 0 takes any that is free.
        token: empty: a foreign Host or Origin is refused; otherwise whoever calls must have it.

    Raises:
        PortTaken: the port cannot be had.
    """
    with listening(port) as listener:
        checked_before = TransportSecuritySettings(enable_dns_rebinding_protection=False)  # by AccessGuard
        app = server.streamable_http_app(stateless_http=True, json_response=True, transport_security=checked_before)
        config = uvicorn.Config(AccessGuard(app, token), log_level="warning")
        print(f"Serving MCP at http://{LOOPBACK}:{listener.getsockname()[1]}/mcp", file=sys.stderr, flush=True)
        uvicorn.Server(config).run(sockets=[listener])


def listening(port: int) -> socket.socket:
    """A socket on the loopback address."""
    try:
        return socket.create_server((LOOPBACK, port))
    except OSError as error:
        raise PortTaken(f"Port {port} cannot be had ({error.strerror}). Choose another one with --port.") from error
