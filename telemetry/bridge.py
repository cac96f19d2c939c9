"""The Agents SDK's own tracing → OpenTelemetry spans, named by the GenAI conventions."""

import logging
from dataclasses import dataclass
from typing import Any, Final

from agents.tracing import FunctionSpanData, SpanData, Trace, TracingProcessor, get_current_span
from agents.tracing import Span as SdkSpan
from opentelemetry import trace
from opentelemetry.trace import SpanKind, StatusCode, Tracer, set_span_in_context

from telemetry import attributes as names
from telemetry.spandata import attributes_of, name_of
from telemetry.tokens import Counts, given, tokens_of

log = logging.getLogger(__name__)

HOUSEKEEPING: Final = frozenset({"task", "turn", "mcp_tools"})
"""The SDK's spans that only group others or list tools: their children hang on what is above them."""

NAMED_AT_END: Final = frozenset({"response", "handoff"})


@dataclass(frozen=True)
class Live:
    """An SDK span that is open: its OpenTelemetry span, or for a skipped one that of its nearest kept ancestor."""

    trace_id: str
    span: trace.Span
    kept: bool


class AgentsBridge(TracingProcessor):
    """Opens and ends an OpenTelemetry span for each of the SDK's.

    A span hangs on its SDK parent; without one, on the OpenTelemetry span that is current where it starts: the
    turn's, also in a resumed run, for which the SDK starts no trace. Nothing is attached to the context here,
    because SDK spans end in other contexts than they start in: whoever wants spans of his own below an SDK span
    uses `current_span()`.

    Args:
        content: Whether messages, arguments and results are handed on at all.
        provider_name: The provider of a model that does not tell.
        count_tokens: Tokens of a text for a typical model; without it, sizes of results in tokens are not known.
    """

    def __init__(
        self, tracer: Tracer, *, content: bool = True, provider_name: str = "openai", count_tokens: Counts | None = None
    ) -> None:
        self._tracer, self._count = tracer, count_tokens
        self._content = content
        self._provider = provider_name
        self._live: dict[str, Live] = {}

    def current_span(self) -> trace.Span:
        """The OpenTelemetry span of the SDK's current span; `INVALID_SPAN` if there is none."""
        current = get_current_span()
        live = self._live.get(current.span_id) if current is not None else None
        return live.span if live is not None else trace.INVALID_SPAN

    def on_trace_start(self, trace: Trace) -> None:
        """SDK traces make no span: the runtime opens the turn's."""

    def on_trace_end(self, trace: Trace) -> None:
        """End what the SDK left open, such as spans of a stream that nobody read to its end."""
        left = [span_id for span_id, live in list(self._live.items()) if live.trace_id == trace.trace_id]
        for span_id in left:
            live = self._live.pop(span_id, None)
            if live is not None and live.kept:
                live.span.end()

    def on_span_start(self, span: SdkSpan[Any]) -> None:
        """Open its twin."""
        parent = self._live.get(span.parent_id or "")
        above = parent.span if parent is not None else trace.get_current_span()
        kept = span.span_data.type not in HOUSEKEEPING
        self._live[span.span_id] = Live(span.trace_id, self._open(span, above) if kept else above, kept)

    def _open(self, span: SdkSpan[Any], above: trace.Span) -> trace.Span:
        """Start a twin below a span."""
        data = span.span_data
        kind = SpanKind.CLIENT if data.type in ("generation", "response") else SpanKind.INTERNAL
        return self._tracer.start_span(
            name_of(data),
            context=set_span_in_context(above),
            kind=kind,
            attributes=attributes_of(data, self._provider, content=False),
        )

    def on_span_end(self, span: SdkSpan[Any]) -> None:
        """Give its twin what is known at the end, and end it, whatever happens."""
        live = self._live.pop(span.span_id, None)
        if live is None or not live.kept:
            return
        try:
            if span.span_data.type in NAMED_AT_END:
                live.span.update_name(name_of(span.span_data))
            live.span.set_attributes(attributes_of(span.span_data, self._provider, content=self._content))
            live.span.set_attributes(self._size_of(span.span_data))
            set_error(live.span, span)
        except Exception:
            log.exception("What the Agents SDK says about a %s span could not be read.", span.span_data.type)
        finally:
            live.span.end()

    def _size_of(self, data: SpanData) -> dict[str, int]:
        """What a tool's result adds to the model's input."""
        if self._count is None or not self._content or not isinstance(data, FunctionSpanData) or data.output is None:
            return {}
        return {names.TOOL_RESULT_TOKENS: tokens_of(given(data.output), self._count)}

    def shutdown(self) -> None:
        """Nothing to do: the spans are stored by the writer."""

    def force_flush(self) -> None:
        """Nothing to do."""


def set_error(twin: trace.Span, span: SdkSpan[Any]) -> None:
    """Pass on the SDK's error: its kind, and what it says in words."""
    error = span.error
    if not error:
        return
    message, data = str(error.get("message") or "error"), error.get("data") or {}
    detail = str(data.get("error") or "")
    kind = data.get("error_type") or data.get("name") or message
    twin.set_attribute(names.ERROR_TYPE, str(kind)[:200])
    twin.set_status(StatusCode.ERROR, f"{message}: {detail}" if detail and detail not in message else message)
