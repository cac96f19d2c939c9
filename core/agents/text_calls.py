"""A model whose tool calls may come as text: they are made, and never shown."""

import re
from collections.abc import AsyncIterator, Iterator
from contextlib import aclosing
from functools import cache
from typing import Any, cast
from uuid import uuid4

from agents import ModelResponse
from agents.items import TResponseInputItem, TResponseOutputItem, TResponseStreamEvent
from openai.types.responses import (
    ResponseCompletedEvent,
    ResponseContentPartAddedEvent,
    ResponseContentPartDoneEvent,
    ResponseFunctionCallArgumentsDeltaEvent,
    ResponseFunctionCallArgumentsDoneEvent,
    ResponseFunctionToolCall,
    ResponseOutputItemAddedEvent,
    ResponseOutputItemDoneEvent,
    ResponseOutputMessage,
    ResponseOutputText,
    ResponseRefusalDeltaEvent,
    ResponseTextDeltaEvent,
    ResponseTextDoneEvent,
)

from core.agents.around import Around, Request
from core.agents.call_reader import CallReader
from core.agents.call_syntax import TextCall

NOISE = re.compile(r"\\+(?:[nrtbf]|u[0-9a-fA-F]{4})|[^A-Za-z0-9]")


class TextCalls(Around):
    """Understands calls that a model writes as text, where they name a tool of the request.

    What was read is not obeyed: a call that stands word for word in a result or an earlier answer is a quotation.
    """

    async def answer(self, request: Request) -> ModelResponse:
        """The answer with its calls as calls.

        Raises:
            CutCall: it ended in the middle of a call.
        """
        response = await request.answer(self.inner)
        reader = reader_for(request)
        text = "".join(words_of(item) for item in response.output)
        shown = reader.feed(text) + reader.finish()
        response.output = said(response.output, shown) + [as_item(call) for call in reader.calls]
        return response

    async def stream(self, request: Request) -> AsyncIterator[TResponseStreamEvent]:
        """The events with the calls as calls, numbered anew.

        Raises:
            CutCall: they ended in the middle of a call.
        """
        rewriting, number = Rewriting(reader_for(request)), 0
        async with aclosing(cast(Any, request.stream(self.inner))) as events:
            async for event in events:
                for changed in rewriting.change(event):
                    changed.sequence_number = number
                    number += 1
                    yield changed


class Rewriting:
    """One answer's events on their way: its message is opened when it has words to show."""

    def __init__(self, reader: CallReader) -> None:
        self._reader = reader
        self._shown, self._blank = "", ""
        self._held: list[TResponseStreamEvent] = []
        self._delta: ResponseTextDeltaEvent | None = None
        self._opened = False
        self._items = 0

    def change(self, event: TResponseStreamEvent) -> Iterator[TResponseStreamEvent]:
        """What becomes of one event."""
        if isinstance(event, ResponseTextDeltaEvent):
            self._delta = event
            yield from self._show(self._reader.feed(event.delta))
        elif opens_text(event) and not self._opened:
            self._held.append(event)
        elif isinstance(event, ResponseCompletedEvent):
            yield from self._completed(event)
        elif ends_text(event):
            yield from self._end()
            if self._opened:
                yield with_text(event, self._shown)
        else:
            if is_refusal(event):
                yield from self._open()
            yield self._counted(event)

    def _counted(self, event: TResponseStreamEvent) -> TResponseStreamEvent:
        """The event; how many items there are is remembered."""
        if isinstance(event, ResponseOutputItemAddedEvent):
            self._items = max(self._items, event.output_index + 1)
        return event

    def _show(self, text: str) -> Iterator[TResponseStreamEvent]:
        """Show text in the message; blanks wait for words."""
        self._blank += text
        if self._delta is not None and (self._blank.strip() or (self._shown and self._blank)):
            yield from self._words()

    def _words(self) -> Iterator[TResponseStreamEvent]:
        """Show what waits."""
        yield from self._open()
        assert self._delta is not None
        yield self._delta.model_copy(update={"delta": self._blank})
        self._shown, self._blank = self._shown + self._blank, ""

    def _open(self) -> Iterator[TResponseStreamEvent]:
        """Open the message."""
        held, self._held = self._held, []
        self._opened = self._opened or bool(held)
        yield from map(self._counted, held)

    def _end(self) -> Iterator[TResponseStreamEvent]:
        """The text has ended: show what is left of it."""
        yield from self._show(self._reader.finish())
        if self._blank and not self._reader.calls:
            yield from self._words()

    def _completed(self, event: ResponseCompletedEvent) -> Iterator[TResponseStreamEvent]:
        """The calls' own events, then the whole answer with them."""
        yield from self._end()
        calls = [as_item(call) for call in self._reader.calls]
        for index, call in enumerate(calls, self._items):
            yield from events_of(call, index)
        output = said(event.response.output, self._shown) + calls
        yield event.model_copy(update={"response": event.response.model_copy(update={"output": output})})


def opens_text(event: TResponseStreamEvent) -> bool:
    """Whether an event opens a message or its text."""
    if isinstance(event, ResponseOutputItemAddedEvent):
        return event.item.type == "message"
    return isinstance(event, ResponseContentPartAddedEvent) and event.part.type == "output_text"


def ends_text(event: TResponseStreamEvent) -> bool:
    """Whether an event closes a text or its message."""
    if isinstance(event, ResponseOutputItemDoneEvent):
        return event.item.type == "message"
    if isinstance(event, ResponseContentPartDoneEvent):
        return event.part.type == "output_text"
    return isinstance(event, ResponseTextDoneEvent)


def is_refusal(event: TResponseStreamEvent) -> bool:
    """Whether an event belongs to a refusal, which is said in a message too."""
    if isinstance(event, ResponseContentPartAddedEvent):
        return event.part.type == "refusal"
    return isinstance(event, ResponseRefusalDeltaEvent)


def with_text(event: TResponseStreamEvent, text: str) -> TResponseStreamEvent:
    """A closing event with the text that was shown."""
    if isinstance(event, ResponseTextDoneEvent):
        return event.model_copy(update={"text": text})
    if isinstance(event, ResponseContentPartDoneEvent):
        return event.model_copy(update={"part": event.part.model_copy(update={"text": text})})
    assert isinstance(event, ResponseOutputItemDoneEvent)
    return event.model_copy(update={"item": said([event.item], text)[0]})


def words_of(item: TResponseOutputItem) -> str:
    """The text of a message."""
    parts = item.content if isinstance(item, ResponseOutputMessage) else []
    return "".join(part.text for part in parts if isinstance(part, ResponseOutputText))


def said(output: list[TResponseOutputItem], text: str) -> list[TResponseOutputItem]:
    """An answer's items with another text; a message that says nothing any more is dropped."""
    return [changed for item in output if (changed := with_words(item, text)) is not None]


def with_words(item: TResponseOutputItem, text: str) -> TResponseOutputItem | None:
    """An item with another text in its message: itself where it is the same, None where nothing is left."""
    if not isinstance(item, ResponseOutputMessage) or words_of(item) == text:
        return item
    kept = [part for part in item.content if not isinstance(part, ResponseOutputText)]
    new = [ResponseOutputText(text=text, type="output_text", annotations=[], logprobs=[])] if text else []
    return item.model_copy(update={"content": [*new, *kept]}) if new or kept else None


def events_of(call: ResponseFunctionToolCall, index: int) -> Iterator[TResponseStreamEvent]:
    """A call as it would have been streamed; the numbers are given later."""
    place: dict[str, Any] = {"item_id": call.id, "output_index": index, "sequence_number": 0}
    hollow = call.model_copy(update={"arguments": "", "status": "in_progress"})
    yield ResponseOutputItemAddedEvent(
        type="response.output_item.added", item=hollow, output_index=index, sequence_number=0
    )
    yield ResponseFunctionCallArgumentsDeltaEvent(
        type="response.function_call_arguments.delta", delta=call.arguments, **place
    )
    yield ResponseFunctionCallArgumentsDoneEvent(
        type="response.function_call_arguments.done", arguments=call.arguments, name=call.name, **place
    )
    yield ResponseOutputItemDoneEvent(
        type="response.output_item.done", item=call, output_index=index, sequence_number=0
    )


def as_item(call: TextCall) -> ResponseFunctionToolCall:
    """A call as the SDK has it, with ids of its own."""
    number = uuid4().hex
    return ResponseFunctionToolCall(
        id=f"fc_{number}",
        call_id=f"call_{number}",
        type="function_call",
        status="completed",
        name=call.name,
        arguments=call.arguments,
    )


def reader_for(request: Request) -> CallReader:
    """A reader for the answer to a request."""

    @cache
    def known() -> str:
        return squeezed(" ".join(already_said(request.input)))

    return CallReader(request.tool_names, quoted=lambda text: squeezed(text) in known())


def already_said(items: str | list[TResponseInputItem]) -> Iterator[str]:
    """What results and earlier answers hold."""
    for item in items if isinstance(items, list) else []:
        fields = cast(dict[str, Any], item)
        if fields.get("type") == "function_call_output":
            yield str(fields.get("output"))
        elif fields.get("role") == "assistant":
            yield str(fields.get("content"))


def squeezed(text: str) -> str:
    """A text's letters and digits alone, so that quotation marks, escapes and blanks make no difference."""
    return NOISE.sub("", text)
