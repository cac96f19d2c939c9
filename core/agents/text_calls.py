"""A model whose tool calls may come as text: they are made, and never shown."""

import re
from collections.abc import AsyncIterator, Iterator
from contextlib import aclosing
from functools import cache
from typing import Any, cast

from agents import ModelResponse
from agents.items import TResponseInputItem, TResponseStreamEvent

from core.agents.around import Around, Request
from core.agents.call_events import Rewriting, as_item, said, words_of
from core.agents.call_reader import CallReader

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
