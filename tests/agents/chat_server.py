"""An OpenAI-compatible server on loopback that follows a script: real HTTP, real streams, real faults."""

import asyncio
import json
import socket
import threading
import time
from collections.abc import AsyncIterator, Callable, Iterable
from dataclasses import dataclass, field
from typing import Any, Self

import uvicorn
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, Response, StreamingResponse
from starlette.routing import Route

from tests.agents.chat_wire import Answer, chunks, completion, response, response_events


@dataclass(frozen=True)
class Fail:
    """An HTTP error with a JSON body in OpenAI's shape."""

    status: int
    message: str = "It does not work."
    code: str | int | None = None
    headers: dict[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Raw:
    """Any bytes, whatever was asked for."""

    body: str
    content_type: str = "text/event-stream"


@dataclass(frozen=True)
class Broken:
    """A stream whose connection is lost after so many of the answer's events."""

    answer: Answer
    after: int


@dataclass(frozen=True)
class Slow:
    """A step after a pause, or a stream with a pause between its events. Seconds."""

    step: "Step"
    before: float = 0.0
    between: float = 0.0


Step = Answer | Fail | Raw | Broken | Slow
Script = Callable[[dict[str, Any]], Step]


class ChatServer:
    """Serves while it is entered: `with ChatServer([Answer("Hello.")]) as server: … server.url`.

    Args:
        script: the steps, one a request, or a function from a request's JSON body to its step. When the steps
            are used up, every further request gets a 500 that is not worth repeating.
    """

    def __init__(self, script: Iterable[Step] | Script) -> None:
        self._script = script if callable(script) else in_order(script)
        self.requests: list[dict[str, Any]] = []
        self.headers: list[dict[str, str]] = []
        routes = [
            Route("/v1/chat/completions", self._chat, methods=["POST"]),
            Route("/v1/responses", self._responses, methods=["POST"]),
        ]
        config = uvicorn.Config(Starlette(routes=routes), log_level="critical", lifespan="off", ws="none")
        self._server = uvicorn.Server(config)
        self._socket = socket.socket()
        self._thread = threading.Thread(target=self._server.run, kwargs={"sockets": [self._socket]}, daemon=True)

    @property
    def url(self) -> str:
        """The base URL, as a client is told it."""
        host, port = self._socket.getsockname()
        return f"http://{host}:{port}/v1"

    def __enter__(self) -> Self:
        self._socket.bind(("127.0.0.1", 0))
        self._thread.start()
        while not self._server.started:
            time.sleep(0.002)
        return self

    def __exit__(self, *_: object) -> None:
        self._server.should_exit = self._server.force_exit = True
        self._thread.join(timeout=10)
        self._socket.close()

    async def _chat(self, request: Request) -> Response:
        body = await self._seen(request)
        usage = bool((body.get("stream_options") or {}).get("include_usage"))
        return await self._reply(body, completion, lambda answer: chunks(answer, usage))

    async def _responses(self, request: Request) -> Response:
        return await self._reply(await self._seen(request), response, response_events)

    async def _seen(self, request: Request) -> dict[str, Any]:
        body: dict[str, Any] = await request.json()
        self.requests.append(body)
        self.headers.append(dict(request.headers))
        return body

    async def _reply(
        self, body: dict[str, Any], whole: Callable[[Answer], Any], events: Callable[[Answer], Iterable[Any]]
    ) -> Response:
        step, between = self._script(body), 0.0
        if isinstance(step, Slow):
            await asyncio.sleep(step.before)
            step, between = step.step, step.between
        if isinstance(step, Fail):
            error = {"message": step.message, "type": "error", "code": step.code}
            return JSONResponse({"error": error}, step.status, step.headers)
        if isinstance(step, Raw):
            return Response(step.body, media_type=step.content_type)
        if isinstance(step, Broken):
            return StreamingResponse(sse(events(step.answer), 0.0, step.after), media_type="text/event-stream")
        assert isinstance(step, Answer)
        if not body.get("stream"):
            return JSONResponse(whole(step))
        return StreamingResponse(sse(events(step), between), media_type="text/event-stream")


def in_order(steps: Iterable[Step]) -> Script:
    """A script that takes its steps in order."""
    left = iter(list(steps))
    over = Fail(500, "The script has no more steps.", headers={"x-should-retry": "false"})
    return lambda _: next(left, over)


async def sse(events: Iterable[dict[str, Any]], between: float, lost_after: int | None = None) -> AsyncIterator[bytes]:
    """Events as a server sends them; a lost connection ends them without a last chunk."""
    for number, event in enumerate(events):
        if number == lost_after:
            raise ConnectionResetError
        kind = f"event: {event['type']}\n" if "type" in event else ""
        yield f"{kind}data: {json.dumps(event, ensure_ascii=False)}\n\n".encode()
        await asyncio.sleep(between)
    yield b"data: [DONE]\n\n"
