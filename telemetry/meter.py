"""The app's own numbers in OpenMetrics, under OpenTelemetry's GenAI names. No users, no content."""

import threading
from collections.abc import Callable, Iterator, Mapping
from functools import lru_cache
from typing import TYPE_CHECKING, Any, Final

from opentelemetry.context import Context
from opentelemetry.sdk.trace import ReadableSpan, Span, SpanProcessor
from opentelemetry.trace import StatusCode
from prometheus_client import CollectorRegistry, Histogram
from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily, Metric
from prometheus_client.openmetrics.exposition import CONTENT_TYPE_LATEST, generate_latest
from sqlalchemy import func
from sqlmodel import col, select

from telemetry import attributes as names
from telemetry.hour_tables import Facet, LlmDay
from telemetry.pricing import PICO_PER_USD
from telemetry.queries import EVERYBODY, Readable
from telemetry.rows import TOOLS_CALL
from telemetry.writer import Health

if TYPE_CHECKING:
    from telemetry.otlp_out import Sending

MEDIA_TYPE: Final = CONTENT_TYPE_LATEST
MOST: Final = 100
"""Different values of a label; any further one is `other`."""
OTHER: Final = "other"
MOST_AT_HAND: Final = 1_000
"""Different combinations of values of which the sums are found at once."""
SECONDS: Final = (0.01, 0.02, 0.04, 0.08, 0.16, 0.32, 0.64, 1.28, 2.56, 5.12, 10.24, 20.48, 40.96, 81.92)
"""The conventions' buckets of an operation's duration."""
TOKENS: Final = tuple(4.0**power for power in range(14))
"""The conventions' buckets of token counts."""
CALL: Final = ("gen_ai_operation_name", "gen_ai_provider_name", "gen_ai_request_model")


class Labels:
    """Keeps the number of different values of each label bounded, whatever is asked of the app."""

    def __init__(self) -> None:
        self._known: dict[str, set[str]] = {}
        self._lock = threading.Lock()

    def value(self, label: str, value: Any) -> str:
        """The value, or `other` where there are very many already."""
        text = shown(value)
        with self._lock:
            known = self._known.setdefault(label, set())
            if text not in known and len(known) >= MOST:
                return OTHER
            known.add(text)
            return text


def shown(value: Any) -> str:
    """A label's value as a text; none stands for what is not known."""
    return "" if value is None else str(value)[:100]


class Meter(SpanProcessor):
    """Counts the spans that end in this process, since its start.

    Args:
        store: Has the money, which only the roll-ups know.
        health: How the writer is doing.
        sending: How the collector is doing; None where there is none.
    """

    def __init__(
        self, store: Readable, health: Callable[[], Health], sending: "Callable[[], Sending | None]" = lambda: None
    ) -> None:
        self._store, self._health, self._sending = store, health, sending
        self._labels = Labels()
        self._labelled = lru_cache(maxsize=MOST_AT_HAND)(self._with_labels)
        self._registry = CollectorRegistry()
        self._operations = self._histogram(
            "gen_ai_client_operation_duration_seconds", "Duration of model calls", (*CALL, "error_type"), SECONDS
        )
        self._tokens = self._histogram(
            "gen_ai_client_token_usage", "Tokens of model calls", (*CALL, "gen_ai_token_type"), TOKENS
        )
        self._turns = self._histogram("glassdesk_turn_duration_seconds", "Turns", ("route", "status"), SECONDS)
        self._tools = self._histogram(
            "glassdesk_tool_duration_seconds", "Tool calls", ("gen_ai_tool_name", "error_type"), SECONDS
        )
        self._registry.register(self)

    def _histogram(self, name: str, text: str, labels: tuple[str, ...], buckets: tuple[float, ...]) -> Histogram:
        return Histogram(name, text, labels, registry=self._registry, buckets=buckets)

    def on_start(self, span: Span, parent_context: Context | None = None) -> None:
        """Nothing is counted yet."""

    def on_end(self, span: ReadableSpan) -> None:
        """Count a model call, a tool call or a turn; nothing else takes time."""
        found = span.attributes or {}
        seconds = ((span.end_time or 0) - (span.start_time or 0)) / 1e9
        failed = span.status.status_code is StatusCode.ERROR
        error = found.get(names.ERROR_TYPE, "_OTHER") if failed else None
        if found.get(names.OPERATION) == "chat":
            self._model_call(found, seconds, error)
        elif found.get(names.MCP_METHOD) == TOOLS_CALL and span.name.startswith("MCP "):
            labels = {"gen_ai_tool_name": found.get(names.TOOL_NAME), "error_type": error}
            self._observe(self._tools, labels, seconds)
        elif span.name == "turn" and span.parent is None:
            status = found.get(names.STATUS) or ("failed" if failed else "done")
            self._observe(self._turns, {"route": found.get(names.ROUTE), "status": status}, seconds)

    def _model_call(self, found: Mapping[str, Any], seconds: float, error: Any) -> None:
        call = {
            "gen_ai_operation_name": "chat",
            "gen_ai_provider_name": names.read(found, names.PROVIDER),
            "gen_ai_request_model": names.read(found, names.REQUEST_MODEL) or names.read(found, names.RESPONSE_MODEL),
        }
        self._observe(self._operations, {**call, "error_type": error}, seconds)
        for kind, name in (("input", names.INPUT_TOKENS), ("output", names.OUTPUT_TOKENS)):
            count = names.read(found, name)
            if isinstance(count, (int, float)):
                self._observe(self._tokens, {**call, "gen_ai_token_type": kind}, count)

    def _observe(self, histogram: Histogram, labels: Mapping[str, Any], value: float) -> None:
        self._labelled(histogram, *((label, shown(text)) for label, text in labels.items())).observe(value)

    def _with_labels(self, histogram: Histogram, *labels: tuple[str, str]) -> Histogram:
        return histogram.labels(**{label: self._labels.value(label, text) for label, text in labels})

    def text(self) -> bytes:
        """All of it, as `/metrics` answers it; one small read of the database."""
        return bytes(generate_latest(self._registry))  # type: ignore[no-untyped-call]

    def describe(self) -> list[Metric]:
        """Nothing is asked of the database before somebody wants numbers."""
        return []

    def collect(self) -> Iterator[Metric]:
        """What is known elsewhere: money, the writer, the collector."""
        yield from self._money()
        health = self._health()
        yield CounterMetricFamily("glassdesk_spans_stored", "Spans stored since the start", health.stored)
        yield CounterMetricFamily("glassdesk_spans_lost", "Spans lost since the start", health.lost)
        yield GaugeMetricFamily("glassdesk_span_queue_depth", "Spans that wait to be stored", health.queued)
        yield GaugeMetricFamily("glassdesk_span_writer_lag_seconds", "How far storing is behind", health.behind)
        sending = self._sending()
        if sending is not None:
            yield GaugeMetricFamily("glassdesk_otlp_pending", "Spans that a collector is to get", sending.pending)
            yield CounterMetricFamily("glassdesk_otlp_sent", "Spans that a collector got", sending.sent)
            yield CounterMetricFamily("glassdesk_otlp_refused", "Spans that a collector refused", sending.refused)

    def _money(self) -> Iterator[Metric]:
        """What all model calls so far have cost, by model, from the daily sums, which outlive spans."""
        sums = func.sum(col(LlmDay.pico_usd)), func.sum(col(LlmDay.unpriced))
        query = select(Facet.value, *sums).join(LlmDay, col(LlmDay.call_facet) == Facet.facet_id)
        query = query.where(col(LlmDay.user_id) == EVERYBODY).group_by(col(Facet.facet_id))
        with self._store.reader() as session:
            rows = session.connection().execute(query).all()
        cost = CounterMetricFamily("glassdesk_cost_usd", "Cost of model calls that are priced", labels=CALL[1:])
        unpriced = CounterMetricFamily("glassdesk_unpriced_calls", "Model calls without a price", labels=CALL[1:])
        totals: dict[tuple[str, str], list[int]] = {}
        for (_, _, provider, model), pico_usd, calls in rows:
            key = self._labels.value(CALL[1], provider), self._labels.value(CALL[2], model)
            total = totals.setdefault(key, [0, 0])
            total[0] += pico_usd or 0
            total[1] += calls or 0
        for key, (pico_usd, calls) in totals.items():
            cost.add_metric(key, pico_usd / PICO_PER_USD)
            unpriced.add_metric(key, calls)
        yield from (cost, unpriced)
