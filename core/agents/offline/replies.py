"""The assistant's acts in the Responses form: output items, and the events by which they stream."""

import itertools
import json
import time
import uuid
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any

from agents.items import TResponseOutputItem, TResponseStreamEvent
from openai.types.responses import (
    Response,
    ResponseCompletedEvent,
    ResponseContentPartAddedEvent,
    ResponseContentPartDoneEvent,
    ResponseCreatedEvent,
    ResponseFunctionCallArgumentsDeltaEvent,
    ResponseFunctionCallArgumentsDoneEvent,
    ResponseFunctionToolCall,
    ResponseOutputItemAddedEvent,
    ResponseOutputItemDoneEvent,
    ResponseOutputMessage,
    ResponseOutputText,
    ResponseTextDeltaEvent,
    ResponseTextDoneEvent,
    ResponseUsage,
)

from core.agents.offline.acts import Call, Say

CHUNK = 24
Numbered = Callable[[], int]


def items(acts: Iterable[Say | Call]) -> list[TResponseOutputItem]:
    """Output items with fresh ids."""
    return [message(act.text) if isinstance(act, Say) else call(act) for act in acts]


def message(text: str) -> ResponseOutputMessage:
    """An answer."""
    part = ResponseOutputText(text=text, type="output_text", annotations=[], logprobs=[])
    return ResponseOutputMessage(
        id=f"msg_{uuid.uuid4().hex}", type="message", role="assistant", status="completed", content=[part]
    )


def call(act: Call) -> ResponseFunctionToolCall:
    """A call of a tool."""
    return ResponseFunctionToolCall(
        id=f"fc_{uuid.uuid4().hex}",
        call_id=f"call_{uuid.uuid4().hex}",
        type="function_call",
        name=act.name,
        arguments=json.dumps(act.args, ensure_ascii=False),
        status="completed",
    )


def events(
    output: Sequence[TResponseOutputItem], model: str, usage: Callable[[], ResponseUsage]
) -> Iterator[TResponseStreamEvent]:
    """All events of a response, in the order in which OpenAI sends them; text in chunks of words."""
    numbers = itertools.count()

    def number() -> int:
        return next(numbers)

    begun = response(model, [], None)
    yield ResponseCreatedEvent(type="response.created", response=begun, sequence_number=number())
    for index, item in enumerate(output):
        if isinstance(item, ResponseOutputMessage):
            yield from message_events(item, index, number)
        elif isinstance(item, ResponseFunctionToolCall):
            yield from call_events(item, index, number)
        yield ResponseOutputItemDoneEvent(
            type="response.output_item.done", item=item, output_index=index, sequence_number=number()
        )
    done = response(model, output, usage()).model_copy(update={"id": begun.id})
    yield ResponseCompletedEvent(type="response.completed", response=done, sequence_number=number())


def message_events(item: ResponseOutputMessage, index: int, number: Numbered) -> Iterator[TResponseStreamEvent]:
    """An answer's events."""
    part = item.content[0]
    assert isinstance(part, ResponseOutputText)
    place: dict[str, Any] = {"item_id": item.id, "output_index": index, "content_index": 0}
    begun = item.model_copy(update={"content": [], "status": "in_progress"})
    yield ResponseOutputItemAddedEvent(
        type="response.output_item.added", item=begun, output_index=index, sequence_number=number()
    )
    empty = part.model_copy(update={"text": ""})
    yield ResponseContentPartAddedEvent(
        type="response.content_part.added", part=empty, sequence_number=number(), **place
    )
    for piece in pieces(part.text):
        yield ResponseTextDeltaEvent(
            type="response.output_text.delta", delta=piece, logprobs=[], sequence_number=number(), **place
        )
    yield ResponseTextDoneEvent(
        type="response.output_text.done", text=part.text, logprobs=[], sequence_number=number(), **place
    )
    yield ResponseContentPartDoneEvent(type="response.content_part.done", part=part, sequence_number=number(), **place)


def call_events(item: ResponseFunctionToolCall, index: int, number: Numbered) -> Iterator[TResponseStreamEvent]:
    """A call's events."""
    place: dict[str, Any] = {"item_id": item.id, "output_index": index}
    begun = item.model_copy(update={"arguments": "", "status": "in_progress"})
    yield ResponseOutputItemAddedEvent(
        type="response.output_item.added", item=begun, output_index=index, sequence_number=number()
    )
    yield ResponseFunctionCallArgumentsDeltaEvent(
        type="response.function_call_arguments.delta", delta=item.arguments, sequence_number=number(), **place
    )
    yield ResponseFunctionCallArgumentsDoneEvent(
        type="response.function_call_arguments.done",
        arguments=item.arguments,
        name=item.name,
        sequence_number=number(),
        **place,
    )


def response(model: str, output: Sequence[TResponseOutputItem], usage: ResponseUsage | None) -> Response:
    """A response object."""
    return Response(
        id=f"resp_{uuid.uuid4().hex}",
        created_at=time.time(),
        model=model,
        object="response",
        output=list(output),
        tool_choice="auto",
        tools=[],
        parallel_tool_calls=True,
        usage=usage,
        status="completed" if usage else "in_progress",
    )


def pieces(text: str) -> Iterator[str]:
    """The text in pieces of about so many characters, cut after a space where there is one."""
    start = 0
    while start < len(text):
        end = start + CHUNK
        space = text.rfind(" ", start, end)
        stop = space + 1 if start < space and end < len(text) else end
        yield text[start:stop]
        start = stop
