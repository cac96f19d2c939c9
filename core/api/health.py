"""`/healthz` and `/readyz`."""

import platform
from functools import cache
from importlib.metadata import version

from starlette.requests import Request
from starlette.responses import JSONResponse
from starlette.routing import Route

from core.errors import GlassdeskError
from core.host import host

SHOWN = ("streamlit", "openai-agents", "mcp", "google-api-python-client", "opentelemetry-sdk")


@cache
def versions() -> dict[str, str]:
    """Of Python and the libraries; looked up once, since whoever waits for a start asks again and again."""
    return {"python": platform.python_version(), **{name: version(name) for name in SHOWN}}


async def healthz(request: Request) -> JSONResponse:
    """200 as soon as the process serves."""
    return JSONResponse({"status": "ok"})


async def readyz(request: Request) -> JSONResponse:
    """200 once a question is answered without a wait, with versions and modes; 503 before, or where the start failed.

    As soon as its `stores` are `open`, intake and numbers are served; a question waits for the assistant then.
    """
    try:
        front, services = host().front(), host().ready()
    except GlassdeskError as error:
        return JSONResponse({"status": "failed", "error": {"code": error.code, "message": error.sentence}}, 503)
    if front is None:
        return JSONResponse({"status": "starting", "stores": "opening"}, 503)
    settings = front.settings
    return JSONResponse(
        {
            "status": "starting" if services is None else "ready",
            "stores": "open",
            "model": settings.model or "glassdesk-offline",
            "workspace": (front.kind if services is None else services.workspace.kind).value,
            "mcp": settings.mcp.value,
            "capture": settings.capture.value,
            "running_turns": 0 if services is None else services.runtime.running(),
            "versions": versions(),
        },
        503 if services is None else 200,
    )


ROUTES = [Route("/healthz", healthz), Route("/readyz", readyz)]
