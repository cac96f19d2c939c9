"""OTLP/HTTP out: committed spans to a collector, in the background, until it has had them."""

import gzip
import logging
import random
import threading
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from email.utils import parsedate_to_datetime
from typing import Final
from urllib.parse import unquote, urlsplit

import httpx2
from google.protobuf.message import DecodeError
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceResponse

from telemetry import outgoing
from telemetry.errors import TelemetryError
from telemetry.otlp_wire import request_of
from telemetry.outgoing import Waiting
from telemetry.outward import sent
from telemetry.store import Store

log = logging.getLogger(__name__)

PATH: Final = "/v1/traces"
BATCH: Final = 512
BYTES: Final = 4_000_000
IDLE_SECONDS: Final = 1.0
SHORTEST_PAUSE, LONGEST_PAUSE = 1.0, 300.0
TIMEOUT_SECONDS: Final = 10.0
UNFIT: Final = (400, 413, 422)
"""Answers that mean the spans, not the collector or its settings: the same ones would be refused again."""


@dataclass(frozen=True)
class Destination:
    """Where spans go, and how much of them.

    Attributes:
        endpoint: URL of the collector; `/v1/traces` is added unless it is there.
        headers: such as the collector's key; secret.
        content: whether messages, arguments and results leave.
        openinference: whether OpenInference's attributes are added.
    """

    endpoint: str
    headers: Mapping[str, str] = field(default_factory=dict)
    content: bool = False
    openinference: bool = False

    @property
    def url(self) -> str:
        """Where to post."""
        return self.endpoint if urlsplit(self.endpoint).path.endswith(PATH) else self.endpoint.rstrip("/") + PATH

    @property
    def host(self) -> str:
        """Who gets them, without anything that could be a secret."""
        parts = urlsplit(self.endpoint)
        return f"{parts.scheme}://{parts.hostname}" + (f":{parts.port}" if parts.port else "")


@dataclass(frozen=True)
class Sending:
    """How the sending is.

    Attributes:
        host: who gets the spans.
        pending: on the list.
        sent, refused: since the start.
        last_error: what went wrong last, a sentence; None if the last attempt went well.
        last_sent: when something was sent.
    """

    host: str
    content: bool
    pending: int
    sent: int = 0
    refused: int = 0
    last_error: str | None = None
    last_sent: datetime | None = None


@dataclass(frozen=True)
class Outcome:
    """What the collector said: taken (of that, so many refused), unfit, or to come again later."""

    taken: bool = False
    unfit: bool = False
    refused: int = 0
    error: str | None = None
    wait: float | None = None


class Forwarder:
    """Sends what the store has committed; a collector that is away or slow keeps nobody waiting.

    The list of what is still to be sent is in the database, so a restart loses nothing. Where an answer was lost,
    spans are sent again under the same ids.
    """

    def __init__(self, store: Store, destination: Destination) -> None:
        self._store, self._to = store, destination
        self._state = Sending(destination.host, destination.content, 0)
        self._stopped = threading.Event()
        self._thread = threading.Thread(target=self._run, name="otlp-out", daemon=True)

    def start(self) -> None:
        """Begin to list what ends, and to send it."""
        outgoing.begin(self._store)
        self._thread.start()

    def stop(self, timeout: float = 5.0) -> None:
        """Stop sending, within `timeout` seconds; what is left is sent after the next start."""
        self._stopped.set()
        if self._thread.is_alive():
            self._thread.join(timeout)

    def state(self) -> Sending:
        """How it is now."""
        return replace(self._state, pending=outgoing.pending(self._store))

    def _run(self) -> None:
        """The thread: rounds until it is stopped, with growing pauses while the collector takes nothing."""
        pause, size = SHORTEST_PAUSE, BATCH
        with httpx2.Client(timeout=TIMEOUT_SECONDS, headers=dict(self._to.headers), follow_redirects=False) as client:
            while not self._stopped.is_set():
                try:
                    outcome, tried = self._round(client, size)
                except Exception as error:
                    log.exception("Spans could not be sent on.")
                    outcome, tried = Outcome(error=f"{type(error).__name__}; the log says more."), 0
                if outcome.taken:
                    pause, size = SHORTEST_PAUSE, min(BATCH, size * 2)
                    self._stopped.wait(0 if tried else IDLE_SECONDS)
                elif outcome.unfit:
                    size = max(1, tried // 2)
                else:
                    self._stopped.wait(outcome.wait or pause * random.uniform(0.8, 1.2))
                    pause = min(pause * 2, LONGEST_PAUSE)

    def _round(self, client: httpx2.Client, size: int) -> tuple[Outcome, int]:
        """Send the next spans: what came of it, and how many were tried."""
        waiting = outgoing.first(self._store, size, self._to.content)
        there = [one for one in waiting if one.row is not None]
        if not waiting:
            return Outcome(taken=True), 0
        body, tried = self._body(there)
        outcome = post(client, self._to.url, body) if tried else Outcome(taken=True)
        gone = [one.number for one in waiting if one.row is None]
        if outcome.taken or (outcome.unfit and tried == 1):
            outgoing.done(self._store, gone + [one.number for one in there[:tried]])
        self._note(outcome, tried)
        return outcome, tried

    def _body(self, waiting: Sequence[Waiting]) -> tuple[bytes, int]:
        """As many spans as fit into one request: the request, and how many they are."""
        spans, size = [], 0
        for one in waiting:
            assert one.row is not None
            spans.append(sent(one.row, one.texts, content=self._to.content, inferred=self._to.openinference))
            size += len(repr(one.row["attributes"])) + sum(map(len, one.texts.values()))
            if size > BYTES:
                break
        return gzip.compress(request_of(spans).SerializeToString(), 1), len(spans)

    def _note(self, outcome: Outcome, tried: int) -> None:
        """Remember what came of a round."""
        lost = tried if outcome.unfit and tried == 1 else outcome.refused
        done = tried - lost if outcome.taken else 0
        if outcome.error and outcome.error != self._state.last_error:
            log.warning("The collector at %s: %s", self._to.host, outcome.error)
        self._state = replace(
            self._state,
            sent=self._state.sent + done,
            refused=self._state.refused + lost,
            last_error=outcome.error,
            last_sent=datetime.now(UTC) if done else self._state.last_sent,
        )


def post(client: httpx2.Client, url: str, body: bytes) -> Outcome:
    """Send one request."""
    headers = {"Content-Type": "application/x-protobuf", "Content-Encoding": "gzip"}
    try:
        answer = client.post(url, content=body, headers=headers)
    except httpx2.HTTPError as error:
        return Outcome(error=f"It cannot be reached ({type(error).__name__}). Check that it runs, and its address.")
    if answer.is_success:
        return accepted(answer.content)
    if answer.status_code in UNFIT:
        return Outcome(unfit=True, error=f"It refused spans (HTTP {answer.status_code}).")
    wait = seconds_of(answer.headers.get("retry-after"))
    return Outcome(error=f"It answered HTTP {answer.status_code}. Check its address and headers.", wait=wait)


def accepted(content: bytes) -> Outcome:
    """What a collector took; one that answers in some other form took all."""
    try:
        partial = ExportTraceServiceResponse.FromString(content).partial_success
    except DecodeError:
        return Outcome(taken=True)
    if not partial.rejected_spans:
        return Outcome(taken=True)
    return Outcome(taken=True, refused=partial.rejected_spans, error=f"It refused {partial.rejected_spans} spans.")


def seconds_of(retry_after: str | None) -> float | None:
    """The seconds of a Retry-After header, in either of its forms, up to the longest pause."""
    if not retry_after:
        return None
    try:
        seconds = float(retry_after) if retry_after.isdigit() else until(retry_after).total_seconds()
    except ValueError:
        return None
    return min(max(seconds, SHORTEST_PAUSE), LONGEST_PAUSE)


def until(date: str) -> timedelta:
    """From now to a date of HTTP.

    Raises:
        ValueError: It is none.
    """
    found = parsedate_to_datetime(date)
    return (found if found.tzinfo else found.replace(tzinfo=UTC)) - datetime.now(UTC)


def headers_of(text: str) -> dict[str, str]:
    """Headers as OpenTelemetry writes them in settings: `key=value,other=value`, values percent-encoded.

    Raises:
        TelemetryError: They are not so; the sentence does not repeat them.
    """
    found = {}
    for pair in filter(None, (part.strip() for part in text.split(","))):
        name, equals, value = pair.partition("=")
        plain = unquote(value.strip())
        if not equals or not name.strip() or not plain.isprintable() or not plain.isascii():
            raise TelemetryError("headers have to be name=value pairs with commas between them")
        found[name.strip()] = plain
    return found
