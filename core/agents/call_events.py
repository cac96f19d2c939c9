"""An answer's stream of events, changed so that calls which were written as text come as calls."""

from collections.abc import Iterator
from typing import Any
from uuid import uuid4

from agents.items import TResponseOutputItem, TResponseStreamEvent
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

from core.agents.call_reader import CallReader
from core.agents.call_values import TextCall


class Rewriting:
    """One answer's events on their way: its message is opened when it has words to show."""

    def __init__(self, reader: CallReader) -> None:
        self._reader = reader
        self._shown, self._blank = "", ""
        self._held: list[TResponseStreamEvent] = []
        self._delta: ResponseTextDeltaEvent | None = None
        self._opened = self._came = False
        self._items = 0

    def change(self, event: TResponseStreamEvent) -> list[TResponseStreamEvent]:
        """What becomes of one event."""
        if isinstance(event, ResponseTextDeltaEvent):
            self._delta, self._came = event, True
            return self._show(self._reader.feed(event.delta))
        if opens_text(event) and not self._opened:
            self._held.append(event)
            return []
        if isinstance(event, ResponseCompletedEvent):
            return self._completed(event)
        if ends_text(event):
            shown = self._end()
            return [*shown, with_text(event, self._shown)] if self._opened else shown
        return [*(self._open() if is_refusal(event) else ()), self._counted(event)]

    def _counted(self, event: TResponseStreamEvent) -> TResponseStreamEvent:
        """The event; how many items there are is remembered."""
        if isinstance(event, ResponseOutputItemAddedEvent):
            self._items = max(self._items, event.output_index + 1)
        return event

    def _show(self, text: str) -> list[TResponseStreamEvent]:
        """Show text in the message; blanks wait for words."""
        self._blank += text
        shows = self._delta is not None and (self._blank.strip() or (self._shown and self._blank))
        return self._words() if shows else []

    def _words(self) -> list[TResponseStreamEvent]:
        """Show what waits."""
        assert self._delta is not None
        as_it_came, self._came = self._came and self._delta.delta == self._blank, False
        words = self._delta if as_it_came else self._delta.model_copy(update={"delta": self._blank})
        self._shown, self._blank = self._shown + self._blank, ""
        return [*self._open(), words] if self._held else [words]

    def _open(self) -> list[TResponseStreamEvent]:
        """Open the message."""
        held, self._held = self._held, []
        self._opened = self._opened or bool(held)
        return [self._counted(event) for event in held]

    def _end(self) -> list[TResponseStreamEvent]:
        """The text has ended: show what is left of it."""
        shown = self._show(self._reader.finish())
        return [*shown, *self._words()] if self._blank and not self._reader.calls else shown

    def _completed(self, event: ResponseCompletedEvent) -> list[TResponseStreamEvent]:
        """The calls' own events, then the whole answer with them."""
        shown = self._end()
        calls = [as_item(call) for call in self._reader.calls]
        made = [one for index, call in enumerate(calls, self._items) for one in events_of(call, index)]
        output = said(event.response.output, self._shown) + calls
        whole = event.model_copy(update={"response": event.response.model_copy(update={"output": output})})
        return [*shown, *made, whole]


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
