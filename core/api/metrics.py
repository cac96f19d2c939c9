"""`GET /metrics`: the app's own numbers in OpenMetrics, for whoever may see everybody's numbers."""

import asyncio

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from core.api.caller import Reader, api_of_numbers
from core.errors import NotAllowed, NotFound
from telemetry.meter import MEDIA_TYPE


@api_of_numbers
async def metrics(request: Request, caller: Reader) -> Response:
    """Turns, model calls, tokens, money, tools, the span writer and the collector."""
    if not caller.user.administers:
        raise NotAllowed("These are everybody's numbers: an administrator's token is needed.")
    meter = caller.services.telemetry.meter
    if meter is None:
        raise NotFound("This process counts nothing.")
    return Response(await asyncio.to_thread(meter.text), headers={"Content-Type": MEDIA_TYPE})


ROUTES = [Route("/metrics", metrics)]
