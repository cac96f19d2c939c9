"""Telemetry of a process: provider, bridge, writer and store, put together; and installed once."""

import logging
import threading
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from random import getrandbits
from time import monotonic, time_ns
from typing import TYPE_CHECKING, Any, Final

from opentelemetry import context, trace
from opentelemetry.context import Context
from opentelemetry.sdk.resources import Resource
from opentelemetry.sdk.trace import ReadableSpan, Span, SpanProcessor, TracerProvider
from opentelemetry.sdk.trace.id_generator import RandomIdGenerator
from opentelemetry.sdk.trace.sampling import ALWAYS_OFF, ALWAYS_ON, Sampler, SamplingResult

from telemetry import attributes as names
from telemetry import outgoing
from telemetry.errors import TelemetryError
from telemetry.forget import forget, forget_conversations
from telemetry.intake import Intake
from telemetry.journal import Journal, stem_of
from telemetry.own_prices import own_prices
from telemetry.presence import Presence
from telemetry.recovery import recover
from telemetry.redaction import Redactor
from telemetry.retention import Limits, Retention
from telemetry.rollup import computed_of
from telemetry.store import Store
from telemetry.tables import LlmCall, ToolCall, Turn
from telemetry.tokens import Counts
from telemetry.upkeep import Job, Upkeep
from telemetry.webhook import Webhook
from telemetry.writer import DurableSpanProcessor, Health

if TYPE_CHECKING:
    from telemetry.alerts import Alerts
    from telemetry.bridge import AgentsBridge
    from telemetry.meter import Meter
    from telemetry.otlp_in import OtlpReceiver
    from telemetry.otlp_out import Destination, Forwarder, Sending

log = logging.getLogger(__name__)

TRACER: Final = "glassdesk"
RESOURCE: Final = {"service.name": "glassdesk"}
ALERT_SECONDS: Final = 60
RETENTION_SECONDS: Final = 3_600
RELAY: Final = "glassdesk_relay"
QUIET: Final = "glassdesk.quiet"
INSTALLING: Final = threading.Lock()


@dataclass(frozen=True)
class Reckoned:
    """A turn and its calls, as they will be stored."""

    turn: Turn
    llm_calls: Sequence[LlmCall]
    tool_calls: Sequence[ToolCall]


class Telemetry:
    """One telemetry: spans go in through `tracer_provider` and `bridge`, and come to rest in `store`.

    Making one touches no globals; `install` does.

    Args:
        database_url: Any SQLAlchemy URL; its tables are made or brought up to date.
        capture: How much of messages, arguments and results is stored: off, metadata or full.
        secrets: Values to hide wherever they appear.
        provider_name: Name of the model's provider where a span does not tell.
        mark_interrupted: Take up what an earlier process left: its journal, and what runs no more. A helper process
            must not.
        folder: Where spans wait for their commit if the database is no file; None: in memory alone.
        count_tokens: Tokens of a text for a typical model, for the size of what tools return.
        tracer_provider: Where spans come from if not from a provider of its own; then someone else passes its
            spans to `writer`.

    Raises:
        TelemetryError: The database cannot be opened or brought up to date.
    """

    def __init__(
        self,
        database_url: str,
        *,
        capture: str = "full",
        secrets: tuple[str, ...] = (),
        provider_name: str = "openai",
        mark_interrupted: bool = True,
        folder: Path | None = None,
        count_tokens: Counts | None = None,
        tracer_provider: TracerProvider | None = None,
    ) -> None:
        self.store = Store(database_url)
        self.presence = Presence(database_url)
        self.presence.follow(self.store.engine)
        stem = stem_of(database_url, folder)
        if mark_interrupted:
            recover(self.store, stem, self.presence.living)
        self.redactor = Redactor(capture, secrets)
        journal = Journal(stem) if stem else None
        self.writer = DurableSpanProcessor(self.store, self.redactor, journal, self.presence.id)
        self.store.settle = self.writer.catch_up
        with self.store.reader() as session:
            self.writer.own = own_prices(session.connection())
        self.intake = Intake(self.store)
        self.forwarder: Forwarder | None = None
        self.retention = Retention(self.store)
        self.webhook: Webhook | None = None
        self.upkeep: Upkeep | None = None
        self.meter = self._make_meter() if mark_interrupted else None
        self.tracer_provider = tracer_provider or make_provider(self.writer, self.meter)
        self._content = capture != "off"
        self._provider_name, self.count_tokens = provider_name, count_tokens

    def _make_meter(self) -> "Meter":
        """What counts for `/metrics`. Imported here, because a tool server does without."""
        from telemetry.meter import Meter

        return Meter(self.store, lambda: self.health, lambda: self.sending)

    @cached_property
    def alerts(self) -> "Alerts":
        """What watches numbers. Imported here, because a tool server does without."""
        from telemetry.alerts import Alerts

        made = Alerts(self.store)
        made.webhook = self.webhook
        return made

    @cached_property
    def bridge(self) -> "AgentsBridge":
        """What the Agents SDK reports to. Imported here, because a tool server does without the SDK's 2 s of import."""
        from telemetry.bridge import AgentsBridge

        tracer = self.tracer_provider.get_tracer(TRACER)
        return AgentsBridge(
            tracer, content=self._content, provider_name=self._provider_name, count_tokens=self.count_tokens
        )

    @cached_property
    def receiver(self) -> "OtlpReceiver":
        """What takes other agents' traces. Imported here, because a tool server does without protobuf."""
        from telemetry.otlp_in import OtlpReceiver

        return OtlpReceiver(self.intake, self.redactor)

    def forward(self, destination: "Destination | None") -> None:
        """Send what is stored from now on to a collector; None: to nobody. Once, at the start."""
        if destination is None:
            outgoing.end(self.store)
            return
        from telemetry.otlp_out import Forwarder

        self.forwarder = Forwarder(self.store, destination)
        self.forwarder.start()

    def keep(self, limits: Limits, webhook: Webhook | None = None) -> None:
        """From now on, keep the store within limits and look at the alerts now and then. Once, at the start.

        Args:
            webhook: Who is told of alerts; None: the app's pages alone say them.
        """
        self.retention.settings, self.webhook = limits, webhook
        jobs = Job(ALERT_SECONDS, lambda now_ns: self.alerts.look(now_ns)), Job(RETENTION_SECONDS, self.retention.start)
        self.upkeep = Upkeep(jobs)
        self.upkeep.start()

    @property
    def sending(self) -> "Sending | None":
        """How the collector is doing; None where there is none."""
        return None if self.forwarder is None else self.forwarder.state()

    @property
    def health(self) -> Health:
        """How far behind the writer is, and what the store last refused."""
        return self.writer.health

    def current_span(self) -> trace.Span:
        """The OpenTelemetry span of the Agents SDK's current span; `INVALID_SPAN` if there is none."""
        return self.bridge.current_span()

    def account(self, turn_id: str, timeout: float = 5) -> Turn:
        """The roll-up of a turn whose root span has ended. Blocks until it is stored: not for an event loop.

        Args:
            timeout: Seconds.

        Raises:
            TelemetryError: It is not there in time.
        """
        deadline = monotonic() + timeout
        self.writer.force_flush(int(timeout * 1_000))
        while True:
            turn = self._turn(turn_id)
            if turn is not None and turn.status != "running":
                return turn
            if monotonic() >= deadline:
                raise TelemetryError(f"Turn {turn_id} is not accounted for within {timeout:g} s.")
            self.writer.wait_for_commit(min(0.05, timeout))

    def reckoned(self, turn_id: str) -> Reckoned | None:
        """A turn that has just ended in this process, without a wait for the database.

        Only where no other process adds spans to it: those are not known here.

        Returns:
            What `account` and `Glass` say of it once it is stored; None: ask them.
        """
        spans = self.writer.ended(turn_id)
        rolled = None if spans is None else computed_of(turn_id, spans, self.writer.own)
        if rolled is None:
            return None
        calls = [LlmCall(**row) for row in rolled.llm_calls]
        return Reckoned(Turn(**rolled.turn), calls, [ToolCall(**row) for row in rolled.tool_calls])

    def _turn(self, turn_id: str) -> Turn | None:
        """A turn's row, detached."""
        with self.store.reader() as session:
            turn = session.get(Turn, turn_id)
            if turn is not None:
                session.expunge(turn)
            return turn

    def flush(self, timeout: float = 30) -> bool:
        """Wait until all spans so far are stored; False if that takes longer than `timeout` seconds."""
        return self.writer.force_flush(int(timeout * 1_000))

    def forget(self, user_id: str) -> None:
        """Delete all that is stored about a user, once what is on its way has arrived."""
        self.flush()
        forget(self.store, user_id)

    def forget_conversations(self, conversations: Iterable[tuple[str, str]]) -> None:
        """Delete what was said in conversations (user id, conversation id); the numbers of their turns stay."""
        wanted = list(conversations)
        if wanted:
            self.flush()
            forget_conversations(self.store, wanted)

    def shutdown(self) -> None:
        """Store what is there and stop. Spans that come later are not recorded."""
        self.retention.stop()
        if self.upkeep is not None:
            self.upkeep.stop()
        self.intake.close()
        self.writer.shutdown()
        if self.forwarder is not None:
            self.forwarder.stop()
        self.presence.close()
        self.store.close()


@dataclass
class Relay(SpanProcessor):
    """Passes the spans of the process's provider, which can be set only once, to the present telemetry."""

    telemetry: Telemetry | None = None

    def on_start(self, span: Span, parent_context: Context | None = None) -> None:
        """Pass it on."""
        if self.telemetry is not None:
            self.telemetry.writer.on_start(span, parent_context)

    def on_end(self, span: ReadableSpan) -> None:
        """Pass it on."""
        if self.telemetry is not None:
            self.telemetry.writer.on_end(span)
            if self.telemetry.meter is not None:
                self.telemetry.meter.on_end(span)

    def force_flush(self, timeout_millis: int = 30_000) -> bool:
        """Pass it on."""
        return self.telemetry is None or self.telemetry.writer.force_flush(timeout_millis)

    def shutdown(self) -> None:
        """At the end of the process."""
        if self.telemetry is not None:
            self.telemetry.shutdown()


class OurIds(RandomIdGenerator):
    """Ids of traces that begin with the time, so that what is stored together lies together, however much there is.

    Of 128 bits the first 48 are Unix milliseconds, as in a UUID of version 7; the rest is random, of which W3C's
    Trace Context asks 56 bits at the end. A span that takes the place of one that an earlier process left open has its
    ids: the context then says (trace id, span id) under `attributes.REOPEN`.
    """

    def generate_span_id(self) -> int:
        """64 bits."""
        again = context.get_value(names.REOPEN)
        return again[1] if isinstance(again, tuple) else super().generate_span_id()

    def generate_trace_id(self) -> int:
        """128 bits."""
        again = context.get_value(names.REOPEN)
        return again[0] if isinstance(again, tuple) else (time_ns() // 10**6 << 80) + getrandbits(80)


class AllButQuiet(Sampler):
    """Records every span but one whose context says that it tells again what another span tells (`QUIET`)."""

    def should_sample(self, parent_context: Context | None, *given: Any, **more: Any) -> SamplingResult:
        """Decide for a span."""
        sampler = ALWAYS_OFF if context.get_value(QUIET, parent_context) else ALWAYS_ON
        return sampler.should_sample(parent_context, *given, **more)

    def get_description(self) -> str:
        """What it is called."""
        return "AllButQuiet"


def make_provider(*processors: SpanProcessor | None) -> TracerProvider:
    """A provider that records every span, whatever the environment says about sampling."""
    provider = TracerProvider(sampler=AllButQuiet(), resource=Resource(RESOURCE), id_generator=OurIds())
    for processor in processors:
        if processor is not None:
            provider.add_span_processor(processor)
    return provider


def install(
    database_url: str,
    *,
    capture: str = "full",
    secrets: tuple[str, ...] = (),
    provider_name: str = "openai",
    mark_interrupted: bool = True,
    folder: Path | None = None,
    count_tokens: Counts | None = None,
    sdk: bool = True,
) -> Telemetry:
    """Make the telemetry of this process, or return the one it has.

    As long as that one is not shut down and has the same database, nothing changes however often this is called.

    Args:
        sdk: Whether this process runs the Agents SDK, whose own tracing then comes here and nowhere else.
        database_url, capture, secrets, provider_name, mark_interrupted, folder, count_tokens: As of `Telemetry`.
    """
    with INSTALLING:
        provider, relay = process_provider()
        present = relay.telemetry
        if present is not None and not present.writer.closed:
            if present.store.url == database_url:
                return present
            present.flush()
        relay.telemetry = Telemetry(
            database_url,
            capture=capture,
            secrets=secrets,
            provider_name=provider_name,
            mark_interrupted=mark_interrupted,
            folder=folder,
            count_tokens=count_tokens,
            tracer_provider=provider,
        )
        if sdk:
            receive_sdk_spans(relay.telemetry)
        return relay.telemetry


def receive_sdk_spans(telemetry: Telemetry) -> None:
    """Have the Agents SDK report to the bridge only; by default it uploads prompts as soon as a key is set."""
    from agents import set_trace_processors

    set_trace_processors([telemetry.bridge])


def process_provider() -> tuple[TracerProvider, Relay]:
    """The provider of this process with our relay on it; a provider that somebody else has set is kept."""
    provider = trace.get_tracer_provider()
    relay = getattr(provider, RELAY, None)
    if isinstance(provider, TracerProvider) and isinstance(relay, Relay):
        return provider, relay
    relay = Relay()
    if isinstance(provider, TracerProvider):
        provider.add_span_processor(relay)
    else:
        provider = make_provider(relay)
        trace.set_tracer_provider(provider)
    setattr(provider, RELAY, relay)
    return provider, relay
