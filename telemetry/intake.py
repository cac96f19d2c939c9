"""Stores spans that come from outside, in one transaction a request: spans, payloads, and the turns they belong to."""

import logging
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

from sqlalchemy import Connection, delete, select
from sqlalchemy.exc import DBAPIError

from telemetry import rollup
from telemetry.outgoing import not_ours
from telemetry.rows import Record
from telemetry.spanstore import put as put_spans
from telemetry.store import Store
from telemetry.tables import Unrolled
from telemetry.trace_in import (
    AT_ONCE,
    KNOWN,
    SPAN,
    Key,
    Trace,
    by_trace,
    chunks,
    is_others,
    is_running,
    is_turn,
    is_whole,
    key_of,
    spans_in,
)
from telemetry.upsert import table_of, upsert

log = logging.getLogger(__name__)

UNROLLED: Final = table_of(Unrolled)
MANY: Final = 32
"""Spans from which on a trace may wait for its roll-up."""
PATIENCE_SECONDS: Final = 2.0
SPANS_A_SECOND: Final = 2_000
"""How many more spans make a trace wait a second longer: rolling them up takes as long as there are spans."""
MOST_GROWING: Final = 10_000
"""Traces that are remembered because more may come."""


@dataclass
class Taken:
    """What became of the spans.

    Attributes:
        stored: new ones.
        known: those that were there already.
        refused: those in a trace of somebody else.
        traces: that have new spans.
    """

    stored: int = 0
    known: int = 0
    refused: int = 0
    traces: set[str] = field(default_factory=set)


@dataclass
class Growing:
    """A trace to which spans come, after it was rolled up.

    Attributes:
        spans: that its roll-up knows.
        more: that came since.
        due: when it is rolled up again at the latest, in seconds of the clock.
    """

    user_id: str
    spans: int
    due: float
    more: int = 0


class Intake:
    """Where spans from outside come in. Safe for any threads; when `put` returns, they are committed.

    A trace may come in thousands of requests. Once it has some spans, it is rolled up again when they have doubled or
    some seconds have passed: a thread sees to that, and `close`, and after a kill the next start.
    """

    def __init__(self, store: Store, clock: Callable[[], float] = time.monotonic) -> None:
        self._store, self._clock = store, clock
        self._alone = threading.Lock()
        self._growing: dict[str, Growing] = {}
        self._timer: threading.Timer | None = None

    def put(self, user_id: str, records: Iterable[Record]) -> Taken:
        """Store a user's spans. What is there stays as it is, so that sending again changes nothing.

        Raises:
            sqlalchemy.exc.DBAPIError: The database does not take them; nothing was stored.
        """
        came = {key_of(one.row): one for one in records}
        taken = Taken()
        if came:
            with self._alone:
                few, late = self._divided(user_id, came)
                with self._store.write() as connection:
                    if late:
                        add(connection, user_id, late, taken)
                    traces = self._put(connection, user_id, few, taken) if few else []
                self._note(user_id, traces, Counter(trace_id for trace_id, _ in late))
                self._wake()
        return taken

    def settle(self, at_once: bool = False) -> None:
        """Roll up what has waited long enough, or all that waits."""
        with self._alone:
            self._timer, now = None, self._clock()
            waiting = {key: one for key, one in self._growing.items() if one.more and (at_once or one.due <= now)}
            try:
                for trace_id, one in waiting.items():
                    with self._store.write() as connection:
                        traces = roll_up_again(connection, trace_id)
                    del self._growing[trace_id]
                    self._note(one.user_id, traces, {})
            except DBAPIError as error:
                log.warning("Spans that came in are not rolled up yet; it is tried again: %s.", error.orig)
            if not at_once:
                self._wake()

    def close(self) -> None:
        """Roll up all that waits; what cannot be now is at the next start."""
        if self._timer is not None:
            self._timer.cancel()
        self.settle(at_once=True)

    def _divided(self, user_id: str, came: Mapping[Key, Record]) -> tuple[dict[Key, Record], dict[Key, Record]]:
        """Spans by whether their traces are rolled up with them now, or later."""
        numbers, now = Counter(trace_id for trace_id, _ in came), self._clock()
        late = {
            trace_id
            for trace_id, number in numbers.items()
            if (one := self._growing.get(trace_id)) is not None
            and one.user_id == user_id
            and one.more + number < one.spans
            and now < one.due
        }
        few: dict[Key, Record] = {key: record for key, record in came.items() if key[0] not in late}
        return few, {key: record for key, record in came.items() if key[0] in late}

    def _note(self, user_id: str, traces: Iterable[Trace], late: Mapping[str, int]) -> None:
        """Remember what is rolled up and what waits."""
        for trace_id, number in late.items():
            self._growing[trace_id].more += number
        for trace in traces:
            self._growing.pop(trace.trace_id, None)
            spans = len(trace.known) + len(trace.added)
            if spans >= MANY and trace.rooted:
                due = self._clock() + PATIENCE_SECONDS + spans / SPANS_A_SECOND
                self._growing[trace.trace_id] = Growing(user_id, spans, due)
        while len(self._growing) > MOST_GROWING:
            settled = next((trace_id for trace_id, one in self._growing.items() if not one.more), None)
            if settled is None:
                break
            del self._growing[settled]

    def _wake(self) -> None:
        """See to it that what waits is rolled up."""
        if self._timer is None and any(one.more for one in self._growing.values()):
            self._timer = threading.Timer(PATIENCE_SECONDS, self.settle)
            self._timer.daemon = True
            self._timer.start()

    def _put(self, connection: Connection, user_id: str, came: Mapping[Key, Record], taken: Taken) -> list[Trace]:
        known = spans_in(connection, {trace_id for trace_id, _ in came})
        for trace_id in unrolled(connection, list(known)):
            known[trace_id] = rollup.spans_of(connection, trace_id)
        foreign = {trace_id for trace_id, rows in known.items() if any(is_others(row, user_id) for row in rows)}
        whole = {key_of(row) for rows in known.values() for row in rows if is_whole(row)}
        fresh = [one for key, one in sorted(came.items()) if key[0] not in foreign and key not in whole]
        refused = sum(key[0] in foreign for key in came)
        taken.refused += refused
        taken.stored += len(fresh)
        taken.known += len(came) - refused - len(fresh)
        traces = [Trace(trace_id, known.get(trace_id, []), added) for trace_id, added in by_trace(fresh).items()]
        for trace in traces:
            trace.complete(connection)
        put_spans(connection, fresh)
        not_ours(connection, [key_of(one.row) for one in fresh])
        taken.traces |= {trace.trace_id for trace in traces}
        roll_up(connection, traces)
        return traces


def roll_up(connection: Connection, traces: Sequence[Trace]) -> None:
    """Roll up traces that have ended, as all their spans are; none of them waits any more."""
    ended = [trace for trace in traces if not any(is_turn(row) and is_running(row) for row in trace.known)]
    rollup.store_turns(connection, {trace.trace_id: trace.in_hand for trace in ended})
    for some in chunks([trace.trace_id for trace in traces], AT_ONCE):
        connection.execute(delete(UNROLLED).where(UNROLLED.c.trace_id.in_(some)))


def roll_up_again(connection: Connection, trace_id: str) -> list[Trace]:
    """Roll up a trace whose spans are all stored; of one that is deleted, nothing is left to do."""
    rows = rollup.spans_of(connection, trace_id)
    traces = [Trace(trace_id, rows, [])] if rows else []
    for trace in traces:
        trace.complete(connection)
    roll_up(connection, traces)
    return traces


def roll_up_waiting(store: Store) -> int:
    """At the start: roll up what an earlier process had not.

    Returns:
        The number of traces.
    """
    with store.reader() as session:
        waiting = list(session.connection().scalars(select(UNROLLED.c.trace_id)))
    for trace_id in waiting:
        with store.write() as connection:
            roll_up_again(connection, trace_id)
            connection.execute(delete(UNROLLED).where(UNROLLED.c.trace_id == trace_id))
    return len(waiting)


def unrolled(connection: Connection, trace_ids: Sequence[str]) -> list[str]:
    """Those of the traces that have spans which nobody has seen beside the others yet."""
    found: list[str] = []
    for some in chunks(trace_ids, AT_ONCE):
        found += connection.scalars(select(UNROLLED.c.trace_id).where(UNROLLED.c.trace_id.in_(some)))
    return found


def add(connection: Connection, user_id: str, came: Mapping[Key, Record], taken: Taken) -> None:
    """Store spans of traces that are rolled up later; what is there already stays as it is."""
    there: set[Key] = set()
    for trace_id, some in by_trace(list(came.values())).items():
        ids = SPAN.c.trace_id == trace_id, SPAN.c.span_id.in_([one.row["span_id"] for one in some])
        known = map(dict, connection.execute(select(*KNOWN).where(*ids)).mappings())
        there |= {key_of(row) for row in known if is_whole(row)}
    fresh = [one for key, one in sorted(came.items()) if key not in there]
    put_spans(connection, fresh)
    not_ours(connection, [key_of(one.row) for one in fresh])
    traces = {one.row["trace_id"] for one in fresh}
    upsert(connection, Unrolled, [{"trace_id": trace_id, "user_id": user_id} for trace_id in sorted(traces)])
    taken.stored += len(fresh)
    taken.known += len(came) - len(fresh)
    taken.traces |= traces
