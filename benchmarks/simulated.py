"""A language model that takes its time and always says the same: the tool first, then the answer."""

import asyncio
import itertools
import time
from collections.abc import AsyncGenerator, AsyncIterator
from contextlib import aclosing
from dataclasses import dataclass
from typing import Any

from agents import ModelResponse, generation_span
from agents.items import TResponseStreamEvent
from agents.models.interface import Model
from agents.usage import Usage
from openai.types.responses import (
    Response,
    ResponseCompletedEvent,
    ResponseContentPartAddedEvent,
    ResponseContentPartDoneEvent,
    ResponseCreatedEvent,
    ResponseFunctionToolCall,
    ResponseOutputItemAddedEvent,
    ResponseOutputItemDoneEvent,
    ResponseOutputMessage,
    ResponseOutputText,
    ResponseTextDeltaEvent,
    ResponseUsage,
)
from openai.types.responses.response_usage import InputTokensDetails, OutputTokensDetails

from core.agents.around import Around, Request
from core.agents.call_events import events_of

NAME = "simulated-1"
ANSWER = "You have four unread mails:\n\n" + "\n".join(
    f"{number}. **{subject}**, {sender}, today: needs an answer this week."
    for number, (subject, sender) in enumerate(
        [
            ("Invoice 2041", "Ana Ruiz"),
            ("Roadmap review", "Kenji Mori"),
            ("Release 4.2", "Build bot"),
            ("Offsite", "Lena"),
        ],
        1,
    )
)
PIECE = 5
SEARCH = ("search_gmail_messages", '{"query": "is:unread"}')
DELEGATE = ("gmail_task", '{"query": "Show my unread emails"}')
TOKENS = (1_200, 80)
_numbers = itertools.count(1)


@dataclass(frozen=True)
class Pace:
    """Seconds that each model call takes: the outer loop's two, the specialist's two; and the tool.

    Attributes:
        first_chunk: which share of a call passes before its first chunk.
    """

    outer: tuple[float, float] = (5.0, 5.0)
    inner: tuple[float, float] = (4.0, 4.0)
    tool: float = 1.0
    first_chunk: float = 0.3

    def scaled(self, factor: float) -> "Pace":
        def times(pair: tuple[float, float]) -> tuple[float, float]:
            return pair[0] * factor, pair[1] * factor

        return Pace(times(self.outer), times(self.inner), self.tool * factor, self.first_chunk)

    @property
    def reference_seconds(self) -> float:
        """Model and tool in the reference flow."""
        return sum(self.outer) + sum(self.inner) + self.tool

    @property
    def direct_seconds(self) -> float:
        """Model and tool where the specialist is asked directly."""
        return sum(self.inner) + self.tool

    @property
    def reference_first_word(self) -> float:
        """What passes in model and tool until the reference flow says something."""
        return self.outer[0] + sum(self.inner) + self.tool + self.outer[1] * self.first_chunk

    @property
    def direct_first_word(self) -> float:
        """The same where the specialist is asked directly."""
        return self.inner[0] + self.tool + self.inner[1] * self.first_chunk

    @property
    def ahead_seconds(self) -> float:
        """Model and tool where the read began before the specialist was asked."""
        return self.tool + self.inner[1]

    @property
    def ahead_first_word(self) -> float:
        """The same until the first word."""
        return self.tool + self.inner[1] * self.first_chunk


class Simulated(Around):
    """Calls `gmail_task` where it is offered, else `search_gmail_messages`; then answers.

    Attributes:
        worked: seconds that all of them have spent in making answers up, which no model would spend in this process.
    """

    worked = 0.0

    def __init__(self, pace: Pace) -> None:
        super().__init__(Silent())
        self._pace = pace

    async def answer(self, request: Request) -> ModelResponse:
        """The last event's answer."""
        async for event in self.stream(request):
            if isinstance(event, ResponseCompletedEvent):
                return ModelResponse(output=event.response.output, usage=usage(), response_id=None)
        raise AssertionError("a stream ends with its answer")

    async def stream(self, request: Request) -> AsyncIterator[TResponseStreamEvent]:
        """The events, as slowly as the pace says."""
        since = time.perf_counter()
        async with aclosing(self._events(request)) as events:
            async for event in events:
                Simulated.worked += time.perf_counter() - since
                yield event
                since = time.perf_counter()
        Simulated.worked += time.perf_counter() - since

    async def _events(self, request: Request) -> AsyncGenerator[TResponseStreamEvent, None]:
        outer = DELEGATE[0] in request.tool_names
        again = has_result(request)
        seconds = (self._pace.outer if outer else self._pace.inner)[again]
        item = message() if again else call(*(DELEGATE if outer else SEARCH))
        events = list(message_events(item) if isinstance(item, ResponseOutputMessage) else events_of(item, 0))
        first, gap = seconds * self._pace.first_chunk, seconds * (1 - self._pace.first_chunk) / len(events)
        with generation_span(model=NAME, model_config={"base_url": "http://simulated.example/v1"}) as span:
            started = response([])
            await pause(first)
            yield ResponseCreatedEvent(type="response.created", response=started, sequence_number=0)
            for event in events:
                await pause(gap)
                yield event
            done = started.model_copy(update={"output": [item], "usage": response_usage(), "status": "completed"})
            span.span_data.input = request.input if isinstance(request.input, list) else []
            span.span_data.output = [done.model_dump()]
            span.span_data.usage = {"requests": 1, **response_usage().model_dump()}
            yield ResponseCompletedEvent(type="response.completed", response=done, sequence_number=len(events) + 1)


class Silent(Model):
    """Nobody."""

    async def get_response(self, *_: Any, **__: Any) -> ModelResponse:
        raise NotImplementedError

    def stream_response(self, *_: Any, **__: Any) -> AsyncIterator[TResponseStreamEvent]:
        raise NotImplementedError


async def pause(seconds: float) -> None:
    """Wait; nothing to wait for gives the loop no turn either."""
    if seconds > 0:
        await asyncio.sleep(seconds)


def has_result(request: Request) -> bool:
    """Whether a tool has answered since the person's last words."""
    items: list[Any] = request.input if isinstance(request.input, list) else []
    for item in reversed(items):
        if item.get("type") == "function_call_output":
            return True
        if item.get("role") == "user":
            return False
    return False


def call(name: str, arguments: str) -> ResponseFunctionToolCall:
    number = next(_numbers)
    return ResponseFunctionToolCall(
        id=f"fc_{number}", call_id=f"call_{number}", type="function_call", name=name, arguments=arguments
    )


def message(text: str = ANSWER) -> ResponseOutputMessage:
    part = ResponseOutputText(text=text, type="output_text", annotations=[], logprobs=[])
    return ResponseOutputMessage(
        id=f"msg_{next(_numbers)}", type="message", role="assistant", status="completed", content=[part]
    )


def message_events(item: ResponseOutputMessage) -> list[TResponseStreamEvent]:
    """A message as it is streamed, in pieces of about a token."""
    part = item.content[0]
    assert isinstance(part, ResponseOutputText)
    place: dict[str, Any] = {"output_index": 0, "sequence_number": 0}
    text: dict[str, Any] = place | {"item_id": item.id, "content_index": 0}
    deltas = [part.text[start : start + PIECE] for start in range(0, len(part.text), PIECE)]
    hollow = item.model_copy(update={"content": [], "status": "in_progress"})
    empty = part.model_copy(update={"text": ""})
    return [
        ResponseOutputItemAddedEvent(type="response.output_item.added", item=hollow, **place),
        ResponseContentPartAddedEvent(type="response.content_part.added", part=empty, **text),
        *(ResponseTextDeltaEvent(type="response.output_text.delta", delta=d, logprobs=[], **text) for d in deltas),
        ResponseContentPartDoneEvent(type="response.content_part.done", part=part, **text),
        ResponseOutputItemDoneEvent(type="response.output_item.done", item=item, **place),
    ]


def response(output: list[Any]) -> Response:
    return Response(
        id=f"resp_{next(_numbers)}",
        created_at=time.time(),
        model=NAME,
        object="response",
        output=output,
        tool_choice="auto",
        tools=[],
        parallel_tool_calls=True,
    )


def response_usage() -> ResponseUsage:
    given, made = TOKENS
    return ResponseUsage(
        input_tokens=given,
        output_tokens=made,
        total_tokens=given + made,
        input_tokens_details=InputTokensDetails(cached_tokens=0, cache_write_tokens=0),
        output_tokens_details=OutputTokensDetails(reasoning_tokens=0),
    )


def usage() -> Usage:
    return Usage(requests=1, input_tokens=TOKENS[0], output_tokens=TOKENS[1], total_tokens=sum(TOKENS))
