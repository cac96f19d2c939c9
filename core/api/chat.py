"""`POST /api/chat`, and the events of a turn as a stream."""

import asyncio
import json
from collections.abc import AsyncIterator
from typing import TYPE_CHECKING, Any

from pydantic import BaseModel, ConfigDict
from sse_starlette import EventSourceResponse, ServerSentEvent
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from core.api.body import body
from core.api.caller import Caller, api
from core.errors import BadInput
from core.runtime.events import EventType

if TYPE_CHECKING:
    from core.runtime.turn import Turn


class ChatRequest(BaseModel):
    """The body of `POST /api/chat`."""

    model_config = ConfigDict(extra="forbid", strict=True)

    message: str
    conversation_id: str | None = None
    stream: bool = False


@api
async def chat(request: Request, caller: Caller) -> Response:
    """Answer a question: the finished turn, or its events as they happen."""
    asked = await body(request, ChatRequest)
    turn = await asyncio.to_thread(caller.services.runtime.start, caller.user, asked.message, asked.conversation_id)
    if asked.stream or "text/event-stream" in request.headers.get("accept", ""):
        return event_stream(turn)
    return JSONResponse(await rest(turn, EventType.WAITING, EventType.FINISHED))


@api
async def events(request: Request, caller: Caller) -> Response:
    """The event log of a turn, from `?after=` on."""
    after = request.query_params.get("after", "-1")
    if not after.lstrip("-").isdigit():
        raise BadInput("after: an offset is needed, such as 0.")
    return event_stream(caller.services.runtime.turn(caller.user, request.path_params["turn_id"]), int(after) + 1)


@api
async def cancel(request: Request, caller: Caller) -> Response:
    """Stop a turn; what was said, and what it cost, is kept."""
    turn = caller.services.runtime.turn(caller.user, request.path_params["turn_id"])
    turn.cancel()
    return JSONResponse(await rest(turn, EventType.FINISHED))


async def rest(turn: "Turn", *kinds: EventType) -> dict[str, Any]:
    """The turn as its first event of these kinds tells it; the last event of a log is `finished`."""
    data: dict[str, Any] = {}
    async for event in turn.log.follow():
        data = event.data
        if event.type in kinds:
            break
    return data


def event_stream(turn: "Turn", offset: int = 0) -> EventSourceResponse:
    """A turn's events, server-sent; a client that goes away changes nothing."""

    async def send() -> AsyncIterator[ServerSentEvent]:
        async for event in turn.log.follow(max(0, offset)):
            data = {**event.data, "at": event.at.isoformat()}
            yield ServerSentEvent(
                json.dumps(data, ensure_ascii=False), id=str(event.offset), event=event.type.value, sep="\n"
            )

    return EventSourceResponse(send(), sep="\n")


ROUTES = [
    Route("/api/chat", chat, methods=["POST"]),
    Route("/api/turns/{turn_id}/events", events),
    Route("/api/turns/{turn_id}/cancel", cancel, methods=["POST"]),
]
