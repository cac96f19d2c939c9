"""The durable span processor: a row when a span starts, the final one when it ends, nothing dropped."""

import logging
import queue
import threading
import time
from collections import OrderedDict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Final

from opentelemetry.context import Context, get_value
from opentelemetry.sdk.trace import ReadableSpan, Span, SpanProcessor
from sqlalchemy.exc import DatabaseError, InternalError, OperationalError

from telemetry.attributes import REOPEN, USER
from telemetry.brief import BriefLock
from telemetry.journal import Journal
from telemetry.open_turns import OpenTurns
from telemetry.own_prices import own_prices
from telemetry.pricing import Override
from telemetry.redaction import Redactor
from telemetry.rows import Identity, Record, attributes_now, is_housekeeping, record
from telemetry.spanstore import put, without_ended
from telemetry.store import Store
from telemetry.turns import Row, is_root
from telemetry.unsettled import Unsettled

log = logging.getLogger(__name__)

Key = tuple[int, int]

LINGER_SECONDS: Final = 0.1
BATCH: Final = 4_000
HIGH_WATER: Final = 10_000
BREATH_SECONDS: Final = 0.001
LONGEST_PAUSE_SECONDS: Final = 2.0
KNOWN_TRACES: Final = 10_000
READERS_MILLISECONDS: Final = 3_000
"""How long who reads waits for what has begun or ended to be stored."""


@dataclass(frozen=True)
class Health:
    """How the writer is doing.

    Attributes:
        queued: starts and ends that are not yet in the store.
        behind: seconds for which the group that is being stored has been under way.
    """

    queued: int
    stored: int
    lost: int
    last_error: str | None
    behind: float = 0.0


Item = Record | threading.Event | None
"""What the queue holds: a span to store, somebody who waits for all before, or just the news that a span started."""


class DurableSpanProcessor(SpanProcessor):
    """Stores spans in group commits on one thread.

    A span that ends is redacted and journalled before its caller goes on, so that a kill cannot take it; all else is
    the thread's work. A group is what came in while the last one was being stored. When the store cannot take it
    (locked, disk full), the group is kept and tried again; callers are slowed down, never refused.

    Args:
        journal: where spans wait for their commit; None: nowhere but in memory.
        process: who runs the turns that begin here.

    Attributes:
        own: the prices that were set on the page, as they were when a turn last began or ended.
    """

    def __init__(self, store: Store, redactor: Redactor, journal: Journal | None = None, process: str = "") -> None:
        self._store = store
        self._redactor = redactor
        self._journal = journal
        self._ending = BriefLock()
        self._queue: queue.SimpleQueue[Item] = queue.SimpleQueue()
        self._fresh: dict[Key, tuple[Span, dict[str, Any]]] = {}
        self._told = False
        self._urgent = threading.Event()
        self._committed = threading.Condition()
        self._identities: OrderedDict[int, Identity] = OrderedDict()
        self._reopened: set[str] = set()
        self._turns = OpenTurns(process)
        self._unsettled = Unsettled()
        self.own: Sequence[Override] = ()
        self._in_hand = 0
        self._since: float | None = None
        self._stored = 0
        self._lost = 0
        self._left = 0
        self._last_error: str | None = None
        self._deadline: float | None = None
        self._thread = threading.Thread(target=self._run, name="span-writer", daemon=True)
        self._thread.start()

    @property
    def health(self) -> Health:
        """How it is doing now."""
        queued, since = self._queue.qsize() + self._in_hand + len(self._fresh), self._since
        behind = 0.0 if since is None else time.monotonic() - since
        return Health(queued, self._stored, self._lost, self._last_error, behind)

    @property
    def closed(self) -> bool:
        """Whether it takes no more spans."""
        return self._deadline is not None

    def on_start(self, span: Span, parent_context: Context | None = None) -> None:
        """Note the start; a turn's own is journalled, so that a kill cannot hide the turn.

        A span that ends before the writer comes by costs no row of its own for its start.
        """
        if self.closed or is_housekeeping(span):
            return
        attributes = attributes_now(span)
        if span.parent is None:
            self._put(span, attributes, running=True)
            return
        if USER in attributes:  # known before anything below it ends
            self._identity(key_of(span)[0], attributes)
        self._fresh[key_of(span)] = span, attributes
        if not self._told:
            self._told = True
            self._queue.put(None)

    def on_end(self, span: ReadableSpan) -> None:
        """Journal and enqueue the final row; far behind, give the writer a moment."""
        if self.closed or is_housekeeping(span):
            return
        self._fresh.pop(key_of(span), None)
        self._put(span, attributes_now(span), running=False)
        if self._queue.qsize() > HIGH_WATER:
            time.sleep(BREATH_SECONDS)

    def _put(self, span: ReadableSpan, attributes: dict[str, Any], running: bool) -> None:
        """Make a span's row, journal it, and enqueue it in the journal's order."""
        one = self._record(span, attributes, running)
        if one is None:
            return
        if running and is_root(one.row) and get_value(REOPEN) is not None:
            self._reopened.add(one.row["trace_id"])
        with self._ending:
            if self._journal is not None:
                self._journal.append(one)
            self._unsettled.hear(one.row, again=one.row["trace_id"] in self._reopened)
            self._queue.put(one)

    def _record(self, span: ReadableSpan, attributes: dict[str, Any], running: bool) -> Record | None:
        """A span's row; None if it cannot be read."""
        try:
            return record(
                span, attributes, self._identity(key_of(span)[0], attributes), self._redactor, running=running
            )
        except Exception:
            self._lost += 1
            log.exception("A span could not be read.")
            return None

    def force_flush(self, timeout_millis: int = 30_000) -> bool:
        """Wait until all that is queued now is stored; False if that takes longer."""
        if not self._thread.is_alive():
            return self._lost == 0
        done = threading.Event()
        self._queue.put(done)
        self._urgent.set()
        return done.wait(timeout_millis / 1_000)

    def ended(self, turn_id: str) -> Sequence[Row] | None:
        """The spans of a turn of this process that has ended and is not yet stored; None where not all are here."""
        spans = self._unsettled.spans(turn_id)
        if spans is None:
            return None
        unended = [started for key, started in list(self._fresh.items()) if key[0] == int(turn_id, 16)]
        left = (self._record(*started, running=True) for started in unended)
        return [*spans, *(one.row for one in left if one is not None)]

    def catch_up(self) -> None:
        """Wait a moment for what has begun or ended to be stored: who reads shall find it."""
        if self._unsettled.news and self._last_error is None and threading.current_thread() is not self._thread:
            self.force_flush(READERS_MILLISECONDS)

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
        if self._journal is not None and not self._thread.is_alive():
            self._journal.close()
            self._journal = None

    def _run(self) -> None:
        """The writer thread."""
        while not (self.closed and self._queue.empty()):
            batch = self._take()
            try:
                self._store_all(self._records(batch))
            except Exception:
                log.exception("A group of spans could not be stored.")
            if self._journal is not None and not self._left:
                self._journal.committed(sum(isinstance(item, Record) for item in batch))
            self._in_hand, self._since = 0, None
            for item in batch:
                if isinstance(item, threading.Event):
                    item.set()
            with self._committed:
                self._committed.notify_all()

    def _take(self) -> list[Item]:
        """The next group; a moment's wait lets the spans of one step share a commit."""
        batch = [self._queue.get()]
        self._in_hand, self._since = 1, time.monotonic()
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

    def _records(self, batch: Sequence[Item]) -> list[Record]:
        """The rows of a group: those of spans that run and were not seen before, then one a span that is known."""
        records = {(one.row["trace_id"], one.row["span_id"]): one for one in self._started()}
        for item in batch:
            if isinstance(item, Record):
                records[item.row["trace_id"], item.row["span_id"]] = item
        return list(records.values())

    def _started(self) -> Iterator[Record]:
        """The rows of spans that have started since the last group and still run."""
        self._told = False
        for key in list(self._fresh):
            started = self._fresh.pop(key, None)
            one = None if started is None else self._record(*started, running=True)
            if one is not None:
                yield one

    def _identity(self, trace_id: int, attributes: Any) -> Identity:
        """Whose trace it is, as far as its spans have said."""
        known = self._identities.get(trace_id)
        if known is not None and known.whole:
            return known
        with self._ending:
            learnt = self._identities.get(trace_id, Identity()).learn(attributes)
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
                self._store_all([Record({**records[0].row, "attributes": {}, "events": []})])
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
        with self._store.write() as connection:
            records = without_ended(connection, records, self._reopened)
            put(connection, records)
            self._turns.store(connection, [one.row for one in records], self._reopened)
            if any(is_root(one.row) for one in records):
                self.own = own_prices(connection)
        begun, ended = self._turns.forget_ended()
        self._unsettled.settle(begun, ended)
        self._reopened -= ended

    def _give_up(self, records: Sequence[Record]) -> None:
        """Leave it to the journal, or say what is lost."""
        if self._journal is not None:
            self._left += len(records)
            log.warning("%d spans wait in the journal for the next start: %s.", len(records), self._last_error)
            return
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
