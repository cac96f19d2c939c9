"""The durable span processor: a row when a span starts, the final one when it ends, nothing dropped."""

import logging
import queue
import threading
import time
from collections import OrderedDict
from collections.abc import Sequence, Set
from dataclasses import dataclass, replace
from typing import Any, Final

from opentelemetry.context import Context
from opentelemetry.sdk.trace import ReadableSpan, Span, SpanProcessor
from sqlalchemy.exc import DatabaseError, InternalError, OperationalError

from telemetry import rollup
from telemetry.redaction import Redactor
from telemetry.rows import Identity, Record, attributes_now, is_housekeeping, record
from telemetry.store import Store
from telemetry.tables import Payload
from telemetry.tables import Span as SpanTable
from telemetry.upsert import upsert

log = logging.getLogger(__name__)

Key = tuple[int, int]

LINGER_SECONDS: Final = 0.01
BATCH: Final = 2_000
HIGH_WATER: Final = 5_000
BREATH_SECONDS: Final = 0.001
LONGEST_PAUSE_SECONDS: Final = 2.0
KNOWN_TRACES: Final = 10_000


@dataclass(frozen=True)
class Started:
    """A span that has just started, with the attributes it had then: the span itself goes on changing."""

    span: Span
    attributes: dict[str, Any]


@dataclass(frozen=True)
class Health:
    """How the writer is doing; `queued` counts starts and ends that are not yet in the store."""

    queued: int
    stored: int
    lost: int
    last_error: str | None


class DurableSpanProcessor(SpanProcessor):
    """Stores spans in group commits on one thread.

    The caller only enqueues. A group is what came in while the last one was being stored. When the store cannot
    take it (locked, disk full), the group is kept and tried again; callers are slowed down, never refused. What
    ended is safe from a kill once its group is committed, usually within 20 ms.
    """

    def __init__(self, store: Store, redactor: Redactor) -> None:
        self._store = store
        self._redactor = redactor
        self._queue: queue.SimpleQueue[Started | ReadableSpan | threading.Event] = queue.SimpleQueue()
        self._urgent = threading.Event()
        self._committed = threading.Condition()
        self._identities: OrderedDict[int, Identity] = OrderedDict()
        self._open_turns: set[str] = set()
        self._in_hand = 0
        self._stored = 0
        self._lost = 0
        self._last_error: str | None = None
        self._deadline: float | None = None
        self._thread = threading.Thread(target=self._run, name="span-writer", daemon=True)
        self._thread.start()

    @property
    def health(self) -> Health:
        """How it is doing now."""
        return Health(self._queue.qsize() + self._in_hand, self._stored, self._lost, self._last_error)

    @property
    def closed(self) -> bool:
        """Whether it takes no more spans."""
        return self._deadline is not None

    def on_start(self, span: Span, parent_context: Context | None = None) -> None:
        """Enqueue the start row."""
        if not self.closed and not is_housekeeping(span):
            self._queue.put(Started(span, attributes_now(span)))

    def on_end(self, span: ReadableSpan) -> None:
        """Enqueue the final row; far behind, give the writer a moment."""
        if self.closed or is_housekeeping(span):
            return
        self._queue.put(span)
        if self._queue.qsize() > HIGH_WATER:
            time.sleep(BREATH_SECONDS)

    def force_flush(self, timeout_millis: int = 30_000) -> bool:
        """Wait until all that is queued now is stored; False if that takes longer."""
        if not self._thread.is_alive():
            return self._lost == 0
        done = threading.Event()
        self._queue.put(done)
        self._urgent.set()
        return done.wait(timeout_millis / 1_000)

    def wait_for_commit(self, timeout: float) -> None:
        """Wait for the next group commit, for at most `timeout` seconds."""
        with self._committed:
            self._committed.wait(timeout)

    def shutdown(self, timeout: float = 5.0) -> None:
        """Store what is queued and stop; after `timeout` seconds give up what the store does not take."""
        if self._deadline is None:
            self._deadline = time.monotonic() + timeout
            self.force_flush(int(timeout * 1_000))
        if self._thread is not threading.current_thread():
            self._thread.join(timeout + 1)

    def _run(self) -> None:
        """The writer thread."""
        while not (self.closed and self._queue.empty()):
            batch = self._take()
            try:
                self._store_all(self._records(batch))
            except Exception:
                log.exception("A group of spans could not be stored.")
            self._in_hand = 0
            for item in batch:
                if isinstance(item, threading.Event):
                    item.set()
            with self._committed:
                self._committed.notify_all()

    def _take(self) -> list[Started | ReadableSpan | threading.Event]:
        """The next group; a moment's wait lets the spans of one step share a commit."""
        batch = [self._queue.get()]
        self._in_hand = 1
        if self._queue.qsize() < BATCH:
            self._urgent.wait(LINGER_SECONDS)
        self._urgent.clear()
        while len(batch) < BATCH:
            try:
                batch.append(self._queue.get_nowait())
            except queue.Empty:
                break
            self._in_hand = len(batch)
        return batch

    def _records(self, batch: Sequence[Started | ReadableSpan | threading.Event]) -> list[Record]:
        """The rows of a group: one a span, the last that is known of it."""
        records: dict[Key, Record] = {}
        ended = {key_of(item) for item in batch if isinstance(item, ReadableSpan)}
        for item in batch:
            if isinstance(item, threading.Event):
                continue
            try:
                key, one = self._record(item, ended)
            except Exception:
                self._lost += 1
                log.exception("A span could not be read.")
            else:
                if one is not None:
                    records[key] = one
        return list(records.values())

    def _record(self, item: Started | ReadableSpan, ended: Set[Key]) -> tuple[Key, Record | None]:
        """A span's key and row; no row for the start of one that has also ended."""
        running = isinstance(item, Started)
        span = item.span if isinstance(item, Started) else item
        attributes = item.attributes if isinstance(item, Started) else attributes_now(item)
        key = key_of(span)
        identity = self._identity(key[0], attributes)
        if running and key in ended:
            return key, None
        return key, record(span, attributes, identity, self._redactor, running=running)

    def _identity(self, trace_id: int, attributes: Any) -> Identity:
        """Whose trace it is, as far as its spans have said."""
        known = self._identities.get(trace_id)
        learnt = (known or Identity()).learn(attributes)
        if learnt is not known:
            self._identities[trace_id] = learnt
            if len(self._identities) > KNOWN_TRACES:
                self._identities.popitem(last=False)
        return learnt

    def _store_all(self, records: list[Record]) -> None:
        """Store a group, however long it takes; what the database refuses for good is stored without its content."""
        if not records:
            return
        try:
            self._insist(records)
        except Exception as error:
            if len(records) > 1:
                for one in records:
                    self._store_all([one])
            elif records[0].row["attributes"]:
                log.warning("The content of a span was dropped: the database refused it (%s).", type(error).__name__)
                self._store_all(
                    [replace(records[0], row={**records[0].row, "attributes": {}, "events": []}, payloads=[])]
                )
            else:
                self._lost += 1
                log.exception("A span could not be stored.")

    def _insist(self, records: Sequence[Record]) -> None:
        """Try until it is stored. Raises what would fail again; gives up when the shutdown's time is over."""
        pause = 0.02
        while True:
            try:
                self._write(records)
            except (OperationalError, InternalError, DatabaseError) as error:
                if not passing(error):
                    raise
                self._last_error = str(error.orig)
                if self._deadline is not None and time.monotonic() + pause > self._deadline:
                    self._give_up(records)
                    return
                time.sleep(pause)
                pause = min(pause * 2, LONGEST_PAUSE_SECONDS)
            else:
                self._last_error = None
                self._stored += len(records)
                return

    def _write(self, records: Sequence[Record]) -> None:
        """One transaction: spans, payloads, and the roll-ups of the turns that they belong to."""
        rows = [one.row for one in records]
        with self._store.write() as connection:
            upsert(connection, SpanTable, rows)
            upsert(connection, Payload, [payload for one in records for payload in one.payloads])
            open_turns = rollup.refresh(connection, rows, self._open_turns)
        self._open_turns = open_turns

    def _give_up(self, records: Sequence[Record]) -> None:
        """Say what is lost."""
        self._lost += len(records)
        log.error("%d spans could not be stored before the end: %s.", len(records), self._last_error)


def key_of(item: ReadableSpan) -> Key:
    """Trace id and span id."""
    context = item.get_span_context()
    assert context is not None
    return context.trace_id, context.span_id


def passing(error: DatabaseError) -> bool:
    """Whether the same write may work later: the database is locked, full, away, not: refuses these values."""
    return isinstance(error, (OperationalError, InternalError)) or type(error) is DatabaseError
