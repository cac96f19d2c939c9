"""`POST /v1/traces`: OTLP/HTTP, so that any OpenTelemetry agent's traces appear in the same pages."""

import asyncio
import logging

from sqlalchemy.exc import DBAPIError
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from core.api.caller import Reader, api_of_numbers
from telemetry.errors import TelemetryError
from telemetry.otlp_in import LARGEST_BODY, Answer, TooLarge, Unsupported, refusal
from telemetry.otlp_wire import Malformed

STATUSES = {TooLarge: 413, Unsupported: 415, Malformed: 400}
AGAIN_SECONDS = "5"
logger = logging.getLogger(__name__)


@api_of_numbers
async def traces(request: Request, caller: Reader) -> Response:
    """Store the spans as the caller's; what was answered with 200 is on the disk's side of a kill."""
    kind = request.headers.get("content-type", "")
    try:
        body = await body_of(request)
        encoding = request.headers.get("content-encoding", "")
        return reply(
            await asyncio.to_thread(caller.services.telemetry.receiver.receive, caller.user.id, body, kind, encoding)
        )
    except TelemetryError as error:
        return reply(refusal(str(error), kind), STATUSES.get(type(error), 400))
    except DBAPIError:
        logger.exception("Traces from outside could not be stored")
        sentence = "The traces could not be stored now. Send them again in a few seconds."
        answer = reply(refusal(sentence, kind), 503)
        answer.headers["Retry-After"] = AGAIN_SECONDS
        return answer


async def body_of(request: Request) -> bytes:
    """The body as it was sent.

    Raises:
        TooLarge: it is larger than is taken.
    """
    content = bytearray()
    async for chunk in request.stream():
        content += chunk
        if len(content) > LARGEST_BODY:
            raise TooLarge(f"The body is larger than {LARGEST_BODY:,} bytes. Send fewer spans at once, or use gzip.")
    return bytes(content)


def reply(answer: Answer, status: int = 200) -> Response:
    """An answer of the protocol as a response."""
    return Response(answer.body, status, media_type=answer.media_type)


ROUTES = [Route("/v1/traces", traces, methods=["POST"])]
