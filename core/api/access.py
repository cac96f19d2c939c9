"""Who may call the API: everyone on this machine, or whoever has the token."""

import hmac
import ipaddress
from urllib.parse import urlsplit

from starlette.responses import JSONResponse
from starlette.types import ASGIApp, Receive, Scope, Send

from core.errors import GlassdeskError

GUARDED = ("api", "v1", "mcp")
"""First parts of the paths that are not open."""
LOCAL_NAMES = {"localhost", "127.0.0.1", "::1"}


class Refused(GlassdeskError):
    """A caller that may not come in."""

    code = "refused"
    http_status = 403


class Unauthorized(GlassdeskError):
    """A caller without the right token."""

    code = "unauthorized"
    http_status = 401


class AccessGuard:
    """ASGI middleware over the API's routes; Streamlit gives them no protection of its own.

    Args:
        token: empty: only callers on this machine are served, and a foreign Host or Origin is refused, so that
            neither a web page nor a rebound name can use the API. Otherwise the token is needed.
    """

    def __init__(self, app: ASGIApp, token: str) -> None:
        self._app, self._token = app, token

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve the request, or answer with why not."""
        if scope["type"] == "http" and guarded(scope["path"]):
            try:
                self.check(scope)
            except GlassdeskError as error:
                await error_response(error)(scope, receive, send)
                return
        await self._app(scope, receive, send)

    def check(self, scope: Scope) -> None:
        """Let a request pass.

        Raises:
            Unauthorized: the token is missing or wrong.
            Refused: the caller, Host or Origin is foreign.
        """
        headers = {name.decode("latin-1"): value.decode("latin-1") for name, value in scope["headers"]}
        if self._token:
            sent = headers.get("authorization", "").encode()
            if not hmac.compare_digest(sent, f"Bearer {self._token}".encode()):
                raise Unauthorized("The API needs a valid token: send Authorization: Bearer with GLASSDESK_API_TOKEN.")
            return
        caller = (scope.get("client") or ("", 0))[0]
        if not is_loopback(caller):
            raise Refused("Without an API token only callers on this machine are served. Set GLASSDESK_API_TOKEN.")
        if hostname(f"//{headers.get('host', '')}") not in LOCAL_NAMES:
            raise Refused("The Host header names another machine. Call http://127.0.0.1 or http://localhost.")
        if "origin" in headers and hostname(headers["origin"]) not in LOCAL_NAMES:
            raise Refused("Pages of other sites may not use this API.")


def guarded(path: str) -> bool:
    """Whether a path needs the right to call; the last part of a path may be missing, or empty."""
    return path.lstrip("/").split("/", 1)[0] in GUARDED


def hostname(url: str) -> str:
    """The host part of a URL; empty where there is none."""
    try:
        return urlsplit(url).hostname or ""
    except ValueError:
        return ""


def is_loopback(address: str) -> bool:
    """Whether an IP address is this machine's own."""
    try:
        return ipaddress.ip_address(address).is_loopback
    except ValueError:
        return False


def error_response(error: GlassdeskError) -> JSONResponse:
    """An error as the contract has it."""
    return JSONResponse({"error": {"code": error.code, "message": error.sentence}}, error.http_status)
