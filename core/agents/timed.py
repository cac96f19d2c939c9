"""The time to a model's first chunk, and who answered, on the current chat span."""

import time
from collections.abc import AsyncIterator, Callable
from contextlib import aclosing
from decimal import Decimal
from typing import Any, cast

from agents import ModelResponse
from agents.items import TResponseStreamEvent
from agents.models.fake_id import FAKE_RESPONSES_ID
from agents.models.interface import Model
from openai.types.responses import ResponseCompletedEvent
from opentelemetry.trace import Span

from core.agents.around import Around, Request

CONTENT = frozenset(
    {
        "response.output_text.delta",
        "response.refusal.delta",
        "response.function_call_arguments.delta",
        "response.reasoning_text.delta",
        "response.reasoning_summary_text.delta",
    }
)
RAW_USAGE = "_agents_sdk_raw_usage"


class Timed(Around):
    """Measures while the answer streams; the chat span is open only then.

    Args:
        inner: the model that opens the SDK's generation span.
        current_span: the OpenTelemetry span of the SDK's current span.
        attributes: set on the chat span of each call, such as the server.
        clock: monotonic seconds.
    """

    def __init__(
        self,
        inner: Model,
        current_span: Callable[[], Span],
        attributes: dict[str, str] | None = None,
        clock: Callable[[], float] = time.perf_counter,
    ) -> None:
        super().__init__(inner)
        self._current_span, self._attributes, self._clock = current_span, attributes or {}, clock

    async def answer(self, request: Request) -> ModelResponse:
        """The answer as it is: its span has ended when it is here."""
        return await request.answer(self.inner)

    async def stream(self, request: Request) -> AsyncIterator[TResponseStreamEvent]:
        """The events as they are; attributes are set at the first, the first with content and the last."""
        started, seen, timed = self._clock(), False, False
        async with aclosing(cast(Any, request.stream(self.inner))) as events:
            async for event in events:
                if not seen:
                    seen = True
                    self._current_span().set_attributes(self._attributes)
                if not timed and event.type in CONTENT:
                    timed = True
                    self._current_span().set_attribute("gen_ai.response.time_to_first_chunk", self._clock() - started)
                if isinstance(event, ResponseCompletedEvent):
                    self._current_span().set_attributes(closing_attributes(event))
                yield event


def closing_attributes(event: ResponseCompletedEvent) -> dict[str, str]:
    """Who answered and what the provider says it cost, as far as the last event knows.

    The SDK makes a Chat Completions response up, with the requested model's name: that is not an answer's.
    """
    found: dict[str, str] = {}
    if event.response.id != FAKE_RESPONSES_ID and event.response.model:
        found["gen_ai.response.model"] = str(event.response.model)
    if (cost := provider_cost(event)) is not None:
        found["glassdesk.usage.cost_usd"] = cost
    return found


def provider_cost(event: ResponseCompletedEvent) -> str | None:
    """OpenRouter's `usage.cost` in US dollars, as a decimal string. Needs `preserve_raw_usage`."""
    usage = getattr(event.response, RAW_USAGE, None)
    cost = usage.get("cost") if isinstance(usage, dict) else None
    if isinstance(cost, bool) or not isinstance(cost, int | float) or cost < 0:
        return None
    return format(Decimal(str(cost)), "f")
