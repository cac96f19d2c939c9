"""`/healthz` and `/readyz`."""

import platform
from importlib.metadata import version

from starlette.requests import Request
from starlette.responses import JSONResponse
from starlette.routing import Route

from core.errors import GlassdeskError
from core.host import host

SHOWN = ("streamlit", "openai-agents", "mcp", "google-api-python-client", "opentelemetry-sdk")


async def healthz(request: Request) -> JSONResponse:
    """200 as soon as the process serves."""
    return JSONResponse({"status": "ok"})


async def readyz(request: Request) -> JSONResponse:
    """200 once requests are served, with versions and modes; 503 before, or where the start failed.

    A question that comes while the assistant is getting ready waits for it, for a second or two.
    """
    try:
        front, services = host().front(), host().ready()
    except GlassdeskError as error:
        return JSONResponse({"status": "failed", "error": {"code": error.code, "message": error.sentence}}, 503)
    if front is None:
        return JSONResponse({"status": "starting"}, 503)
    settings = front.settings
    return JSONResponse(
        {
            "status": "ready",
            "model": settings.model or "glassdesk-offline",
            "assistant": "starting" if services is None else "ready",
            "workspace": (front.kind if services is None else services.workspace.kind).value,
            "mcp": settings.mcp.value,
            "capture": settings.capture.value,
            "running_turns": 0 if services is None else services.runtime.running(),
            "versions": {"python": platform.python_version(), **{name: version(name) for name in SHOWN}},
        }
    )


ROUTES = [Route("/healthz", healthz), Route("/readyz", readyz)]
