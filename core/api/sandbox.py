"""`/sandbox/oauth/…`: the sandbox's sign-in for browsers and programs; only where the sandbox is the Workspace."""

import asyncio
from collections.abc import Callable
from typing import TYPE_CHECKING
from urllib.parse import parse_qs

from starlette.requests import Request
from starlette.responses import HTMLResponse, Response
from starlette.routing import Route

from core.api.access import error_response
from core.api.caller import serving
from core.errors import GlassdeskError, NotFound

if TYPE_CHECKING:
    from core.sandbox.oauth.consent import ConsentPages, Shown
    from core.sandbox.sandbox import Sandbox

BASE = "/sandbox/oauth"
PLACES = {
    "token": "https://oauth2.googleapis.com/token",
    "revoke": "https://oauth2.googleapis.com/revoke",
    "userinfo": "https://openidconnect.googleapis.com/v1/userinfo",
    "certs": "https://www.googleapis.com/oauth2/v1/certs",
}
"""Each endpoint, and Google's that it stands for."""
LARGEST = 64_000
NONE = "There is no sandbox here: the Workspace is Google's."
STARTING = "Glassdesk is still starting. Load this page again in a few seconds."


async def sandbox() -> "tuple[Sandbox, ConsentPages]":
    """The sandbox and its pages.

    Raises:
        NotFound: the Workspace is Google's.
        Unavailable: the app is starting.
    """
    services = await serving(STARTING)
    if services.workspace.pages is None:
        raise NotFound(NONE)
    return services.sandbox, services.workspace.pages


async def authorize(request: Request) -> Response:
    """The consent page, and its form."""
    try:
        _, pages = await sandbox()
        if request.method == "POST":
            form = parse_qs((await request.body())[:LARGEST].decode("utf-8", "replace"), keep_blank_values=True)
            return page(await asyncio.to_thread(pages.answer, form))
        return page(await asyncio.to_thread(pages.open, dict(request.query_params)))
    except GlassdeskError as error:
        return error_response(error)


def page(shown: "Shown") -> Response:
    """A page as an HTTP answer."""
    return HTMLResponse(shown.body, shown.status, shown.headers())


def endpoint(name: str, methods: list[str]) -> Route:
    """The route of one of Google's endpoints, answered by the sandbox."""

    async def answer(request: Request) -> Response:
        try:
            world, _ = await sandbox()
            body = (await request.body())[:LARGEST]
            line = world.line()
            asked: Callable[[], tuple[object, bytes]] = lambda: line.request(  # noqa: E731
                PLACES[name], request.method, body, dict(request.headers)
            )
            told, content = await asyncio.to_thread(asked)
        except GlassdeskError as error:
            return error_response(error)
        status = int(getattr(told, "status", 500))
        return Response(content, status, {"cache-control": "no-store"}, "application/json")

    return Route(f"{BASE}/{name}", answer, methods=methods)


ROUTES = [
    Route(f"{BASE}/authorize", authorize, methods=["GET", "POST"]),
    endpoint("token", ["POST"]),
    endpoint("revoke", ["POST"]),
    endpoint("userinfo", ["GET"]),
    endpoint("certs", ["GET"]),
]
