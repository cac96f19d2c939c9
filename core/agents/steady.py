"""A second try when a model's answer is empty or unreadable, and a sentence for everything else."""

from collections.abc import AsyncIterator
from contextlib import aclosing
from typing import Any, cast

from agents import ModelResponse
from agents.exceptions import AgentsException
from agents.items import TResponseOutputItem, TResponseStreamEvent
from agents.models.interface import Model
from openai import OpenAIError
from openai.types.responses import (
    ResponseCompletedEvent,
    ResponseOutputItemAddedEvent,
    ResponseOutputMessage,
    ResponseOutputRefusal,
    ResponseRefusalDeltaEvent,
    ResponseTextDeltaEvent,
)

from core.agents.around import Around, Request
from core.agents.model_errors import EMPTY, explain_model
from core.errors import GlassdeskError, ModelError

PRELUDE = frozenset(
    {
        "response.created",
        "response.in_progress",
        "response.queued",
        "response.output_item.added",
        "response.content_part.added",
        "response.output_text.delta",
    }
)


class EmptyAnswer(Exception):
    """The model ended without a word or a call."""


class NoAnswer(Exception):
    """The server sent nothing that a model sends, such as a web page."""


class Steady(Around):
    """Asks once more where nothing was said yet; what a person has read is never said twice.

    Args:
        inner: the model.
        host: its server's name, for sentences.
    """

    def __init__(self, inner: Model, host: str) -> None:
        super().__init__(inner)
        self._host = host

    async def answer(self, request: Request) -> ModelResponse:
        """The answer.

        Raises:
            ModelError: with a sentence, for every failure.
        """
        try:
            return await self._whole(request)
        except Exception as error:
            if not worth_another(error):
                raise self._sentence(error) from error
        try:
            return await self._whole(request)
        except Exception as error:
            raise self._sentence(error) from error

    async def stream(self, request: Request) -> AsyncIterator[TResponseStreamEvent]:
        """The events of the first attempt that says something.

        Raises:
            ModelError: with a sentence, for every failure.
        """
        for last in (False, True):
            said = False
            try:
                async with aclosing(self._attempt(request)) as events:
                    async for event in events:
                        said = said or visible(event)
                        yield event
                return
            except Exception as error:
                if said or last or not worth_another(error):
                    raise self._sentence(error) from error

    async def _whole(self, request: Request) -> ModelResponse:
        """One attempt.

        Raises:
            EmptyAnswer: it said nothing.
        """
        response = await request.answer(self.inner)
        if empty(response.output):
            raise EmptyAnswer
        return response

    async def _attempt(self, request: Request) -> Any:
        """One attempt; its prelude waits until it says something.

        Raises:
            EmptyAnswer, NoAnswer: it ended without saying anything.
        """
        held: list[TResponseStreamEvent] | None = []
        done = begun = False
        async with aclosing(cast(Any, request.stream(self.inner))) as events:
            async for event in events:
                if isinstance(event, ResponseCompletedEvent):
                    done = True
                    if empty(event.response.output):
                        raise EmptyAnswer if begun else NoAnswer
                begun = True
                if held is not None and event.type in PRELUDE and not visible(event):
                    held.append(event)
                    continue
                for earlier in held or ():
                    yield earlier
                held = None
                yield event
        if not done and held is not None:
            raise NoAnswer

    def _sentence(self, error: Exception) -> GlassdeskError:
        """The error as a person reads it."""
        return ModelError(EMPTY) if isinstance(error, EmptyAnswer) else explain_model(error, self._host)


def worth_another(error: Exception) -> bool:
    """Whether another attempt may help: what the client has not retried already and no server has decided."""
    return not isinstance(error, OpenAIError | AgentsException | GlassdeskError)


def visible(event: TResponseStreamEvent) -> bool:
    """Whether an event brings words or a call; blanks and thinking may be followed by a second attempt."""
    if isinstance(event, ResponseTextDeltaEvent):
        return bool(event.delta.strip())
    if isinstance(event, ResponseOutputItemAddedEvent):
        return event.item.type not in ("message", "reasoning")
    return isinstance(event, ResponseRefusalDeltaEvent)


def empty(output: list[TResponseOutputItem]) -> bool:
    """Whether an answer holds neither words nor a call; thinking alone is no answer."""
    return not any(says_something(item) for item in output)


def says_something(item: TResponseOutputItem) -> bool:
    """Whether one item is a call or has words."""
    if not isinstance(item, ResponseOutputMessage):
        return item.type != "reasoning"
    return any(
        (part.refusal if isinstance(part, ResponseOutputRefusal) else part.text).strip() for part in item.content
    )
