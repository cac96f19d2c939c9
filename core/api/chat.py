"""`POST /api/chat`, and the events of a turn as a stream."""

import asyncio
import json
from collections.abc import AsyncIterator

from pydantic import BaseModel, ConfigDict, ValidationError
from sse_starlette import EventSourceResponse, ServerSentEvent
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from core.api.caller import Caller, api
from core.errors import BadInput
from core.runtime.events import EventType
from core.runtime.turn import Turn

MAX_BODY = 1_000_000
"""Bytes."""


class ChatRequest(BaseModel):
    """The body of `POST /api/chat`."""

    model_config = ConfigDict(extra="forbid", strict=True)

    message: str
    conversation_id: str | None = None
    stream: bool = False


@api
async def chat(request: Request, caller: Caller) -> Response:
    """Answer a question: the finished turn, or its events as they happen."""
    asked = await body(request)
    turn = await asyncio.to_thread(caller.services.runtime.start, caller.user, asked.message, asked.conversation_id)
    if asked.stream or "text/event-stream" in request.headers.get("accept", ""):
        return event_stream(turn)
    async for event in turn.log.follow():
        if event.type is EventType.FINISHED:
            return JSONResponse(event.data)
    raise AssertionError("a log ends with `finished`")


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
    async for event in turn.log.follow():
        if event.type is EventType.FINISHED:
            return JSONResponse(event.data)
    raise AssertionError("a log ends with `finished`")


async def body(request: Request) -> ChatRequest:
    """The request's body.

    Raises:
        BadInput: names the field that is wrong.
    """
    content = bytearray()
    async for chunk in request.stream():
        content += chunk
        if len(content) > MAX_BODY:
            raise BadInput(f"The body is larger than {MAX_BODY:,} bytes. Send a shorter message.")
    try:
        return ChatRequest.model_validate_json(bytes(content))
    except ValidationError as error:
        problem = error.errors()[0]
        field = ".".join(str(part) for part in problem["loc"]) or "body"
        raise BadInput(f"{field}: {problem['msg']}.") from error


def event_stream(turn: Turn, offset: int = 0) -> EventSourceResponse:
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
