"""Reading ahead: a read that the question plainly asks for begins before the model is asked for the first time.

The built-in assistant understands everyday questions in a millisecond. Where it is sure which of the specialist's
tools reads what is wanted, its call stands for the model's first answer; the model then answers with the result at
hand, or calls what it likes. That saves one of two waits for the model. Writes are never begun this way.
"""

from collections.abc import AsyncIterator, Callable
from datetime import UTC, datetime
from zoneinfo import ZoneInfo

from agents import FunctionTool, ModelResponse, Usage
from agents.items import TResponseStreamEvent
from agents.models.interface import Model
from openai.types.responses import ResponseUsage
from openai.types.responses.response_usage import InputTokensDetails, OutputTokensDetails
from opentelemetry import trace
from opentelemetry.trace import Span

from core.agents.around import Around, Request
from core.agents.offline import replies
from core.agents.offline.acts import Call
from core.agents.offline.model import OfflineBrain, offer

NAME = "read.ahead"
NOTHING = ResponseUsage(
    input_tokens=0,
    output_tokens=0,
    total_tokens=0,
    input_tokens_details=InputTokensDetails(cached_tokens=0, cache_write_tokens=0),
    output_tokens_details=OutputTokensDetails(reasoning_tokens=0),
)


class ReadAhead(Around):
    """A model that is asked only once the plain reads are done.

    Args:
        inner: the language model.
        brain: the built-in assistant's.
        zone: of the user.
        current_span: the OpenTelemetry span of the Agents SDK's current span.
    """

    def __init__(self, inner: Model, brain: OfflineBrain, zone: ZoneInfo, current_span: Callable[[], Span]) -> None:
        super().__init__(inner)
        self._brain, self._zone, self._current_span = brain, zone, current_span

    async def stream(self, request: Request) -> AsyncIterator[TResponseStreamEvent]:
        """The foreseen call, or what the inner model says."""
        call = self._foreseen(request)
        if call is None:
            async for event in request.stream(self.inner):
                yield event
            return
        for event in replies.events(replies.items([call]), NAME, lambda: NOTHING):
            yield event

    async def answer(self, request: Request) -> ModelResponse:
        """The foreseen call, or what the inner model says."""
        call = self._foreseen(request)
        if call is None:
            return await request.answer(self.inner)
        return ModelResponse(output=replies.items([call]), usage=Usage(), response_id=None)

    def _foreseen(self, request: Request) -> Call | None:
        """A read that the last question plainly asks for; None where anything was done about it already."""
        last = request.input if isinstance(request.input, str) else request.input[-1]
        if not isinstance(last, str) and last.get("role") != "user":
            return None
        parent = self._current_span()
        context = trace.set_span_in_context(parent) if parent.get_span_context().is_valid else None
        with trace.get_tracer("glassdesk").start_as_current_span(NAME, context=context) as span:
            offers = [offer(tool) for tool in request.tools if isinstance(tool, FunctionTool)]
            call = self._brain.foresee(request.input, offers, datetime.now(UTC).astimezone(self._zone))
            span.set_attribute("glassdesk.read_ahead", call.name if call else "nothing")
        return call
