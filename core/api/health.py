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
    """200 once questions can be answered, with versions and modes; 503 before, or where the start failed."""
    try:
        services = host().ready()
    except GlassdeskError as error:
        return JSONResponse({"status": "failed", "error": {"code": error.code, "message": error.sentence}}, 503)
    if services is None:
        return JSONResponse({"status": "starting"}, 503)
    settings = services.settings
    return JSONResponse(
        {
            "status": "ready",
            "model": settings.model or "glassdesk-offline",
            "workspace": services.workspace.kind.value,
            "mcp": settings.mcp.value,
            "capture": settings.capture.value,
            "running_turns": services.runtime.running(),
            "versions": {"python": platform.python_version(), **{name: version(name) for name in SHOWN}},
        }
    )


ROUTES = [Route("/healthz", healthz), Route("/readyz", readyz)]
