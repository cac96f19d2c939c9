"""What each answer tells the browser to refuse: foreign scripts, frames, guesses, leaks of addresses."""

from collections.abc import Mapping

from starlette.datastructures import MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

POLICY: Mapping[str, str] = {
    "default-src": "'self'",
    "script-src": "'self' 'unsafe-inline' 'unsafe-eval' blob:",
    "style-src": "'self' 'unsafe-inline'",
    "img-src": "'self' data: blob:",
    "font-src": "'self' data:",
    "media-src": "'self' data: blob:",
    "connect-src": "'self'",
    "worker-src": "'self' blob:",
    "frame-src": "'self' blob:",
    "object-src": "'none'",
    "base-uri": "'self'",
    "form-action": "'self'",
    "frame-ancestors": "'none'",
}
"""What Streamlit's pages need; nothing is loaded from, or sent to, any other place."""
NEVER = "camera=(), geolocation=(), microphone=(), payment=(), usb=(), serial=(), display-capture=()"
HEADERS: Mapping[str, str] = {
    "Content-Security-Policy": "; ".join(f"{name} {value}" for name, value in POLICY.items()),
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Referrer-Policy": "same-origin",
    "Permissions-Policy": NEVER,
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
}
STRICT_TRANSPORT = "max-age=31536000"
ANSWERS = ("/api/", "/v1/", "/mcp", "/metrics", "/oauth", "/sandbox/", "/auth/")
"""Paths whose answers are somebody's own: no cache keeps them."""


class SecurityHeaders:
    """ASGI middleware, outermost of all.

    Args:
        secure: whether people open the app over https: then browsers keep to it, and cookies travel no other way.
    """

    def __init__(self, app: ASGIApp, secure: bool) -> None:
        self._app, self._secure = app, secure

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve a request, and add the headers to its answer."""
        if scope["type"] not in ("http", "websocket"):
            await self._app(scope, receive, send)
            return

        async def dressed(message: Message) -> None:
            if message["type"] in ("http.response.start", "websocket.http.response.start"):
                self._dress(MutableHeaders(scope=message), scope["path"])
            await send(message)

        await self._app(scope, receive, dressed)

    def _dress(self, headers: MutableHeaders, path: str) -> None:
        for name, value in HEADERS.items():
            headers.setdefault(name, value)  # an answer may be stricter about itself
        if path.startswith(ANSWERS):
            headers.setdefault("Cache-Control", "no-store")
        if not self._secure:
            return
        headers["Strict-Transport-Security"] = STRICT_TRANSPORT
        cookies = [value for name, value in headers.items() if name == "set-cookie"]
        if cookies:
            del headers["set-cookie"]
        for cookie in cookies:
            headers.append("set-cookie", cookie if "secure" in cookie.lower().split("; ") else f"{cookie}; Secure")
