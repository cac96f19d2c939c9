"""Stores spans that come from outside, in one transaction a request: spans, payloads, and the turns they belong to."""

import threading
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from sqlalchemy import Connection, and_, delete, select, update

from telemetry import attributes as names
from telemetry import rollup
from telemetry.outgoing import not_ours
from telemetry.rows import Record
from telemetry.spanstore import put as put_spans
from telemetry.store import Store
from telemetry.tables import Span
from telemetry.upsert import table_of, upsert

Row = Mapping[str, Any]
Key = tuple[str, str]
SPAN: Final = table_of(Span)
MISSING: Final = "missing"
"""The kind of a row that stands for a parent which others name and which has not come."""
STAND_IN: Final = "parent not received"
KNOWN: Final = (
    SPAN.c.trace_id,
    SPAN.c.span_id,
    SPAN.c.parent_id,
    SPAN.c.type,
    SPAN.c.kind,
    SPAN.c.status,
    SPAN.c.user_id,
    SPAN.c.conversation_id,
    SPAN.c.start_ns,
    SPAN.c.end_ns,
)
AT_ONCE: Final = 500


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


class Intake:
    """Where spans from outside come in. Safe for any threads; when `put` returns, they are committed."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._alone = threading.Lock()

    def put(self, user_id: str, records: Iterable[Record]) -> Taken:
        """Store a user's spans. What is there stays as it is, so that sending again changes nothing.

        Raises:
            sqlalchemy.exc.DBAPIError: The database does not take them; nothing was stored.
        """
        came = {key_of(one.row): one for one in records}
        taken = Taken()
        if came:
            with self._alone, self._store.write() as connection:
                self._put(connection, user_id, came, taken)
        return taken

    def _put(self, connection: Connection, user_id: str, came: Mapping[Key, Record], taken: Taken) -> None:
        known = spans_in(connection, {trace_id for trace_id, _ in came})
        foreign = {trace_id for trace_id, rows in known.items() if any(is_others(row, user_id) for row in rows)}
        whole = {key_of(row) for rows in known.values() for row in rows if is_whole(row)}
        fresh = [one for key, one in sorted(came.items()) if key[0] not in foreign and key not in whole]
        taken.refused = sum(key[0] in foreign for key in came)
        taken.stored = len(fresh)
        taken.known = len(came) - taken.refused - taken.stored
        traces = [Trace(trace_id, known.get(trace_id, []), added) for trace_id, added in by_trace(fresh).items()]
        for trace in traces:
            trace.complete(connection)
        put_spans(connection, fresh)
        not_ours(connection, [key_of(one.row) for one in fresh])
        taken.traces = {trace.trace_id for trace in traces}
        ended = [trace for trace in traces if not any(is_turn(row) and is_running(row) for row in trace.known)]
        rollup.store_turns(connection, {trace.trace_id: trace.in_hand for trace in ended})


class Trace:
    """One trace: what is known of it, and what comes to that."""

    def __init__(self, trace_id: str, known: Sequence[Row], added: Sequence[Record]) -> None:
        self.trace_id = trace_id
        self.added = [one.row for one in added]
        arrived = {row["span_id"] for row in self.added}
        kept = [row for row in known if row["span_id"] not in arrived]
        self.stand_ins = [row for row in kept if row["kind"] == MISSING]
        self.real = [*(row for row in kept if row["kind"] != MISSING), *self.added]
        self.known = kept

    @property
    def in_hand(self) -> Sequence[Row] | None:
        """All its rows, if they are at hand: nothing of it was stored before, and nothing stands in."""
        return self.added if not self.known and any(row["parent_id"] is None for row in self.added) else None

    def complete(self, connection: Connection) -> None:
        """Give all spans the trace's conversation, and a root where the real one is not here."""
        self.name_conversation(connection)
        wanted = self.stand_in()
        gone = [row["span_id"] for row in self.stand_ins if wanted is None or row["span_id"] != wanted["span_id"]]
        if gone:
            connection.execute(delete(SPAN).where(SPAN.c.trace_id == self.trace_id, SPAN.c.span_id.in_(gone)))
        if wanted is not None and wanted["span_id"] in {row["span_id"] for row in self.stand_ins}:
            its = and_(SPAN.c.trace_id == self.trace_id, SPAN.c.span_id == wanted["span_id"])
            changes = {name: wanted[name] for name in ("start_ns", "end_ns", "status")}
            connection.execute(update(SPAN).where(its).values(changes))
        elif wanted is not None:
            upsert(connection, Span, [wanted])

    def name_conversation(self, connection: Connection) -> None:
        """What one span says of the conversation holds for all."""
        found = next((row["conversation_id"] for row in (*self.known, *self.added) if row["conversation_id"]), None)
        if found is None:
            return
        for row in self.added:
            row["conversation_id"] = row["conversation_id"] or found
        if any(row["conversation_id"] is None for row in self.known):
            unnamed = and_(SPAN.c.trace_id == self.trace_id, SPAN.c.conversation_id.is_(None))
            connection.execute(update(SPAN).where(unnamed).values(conversation_id=found))

    def stand_in(self) -> dict[str, Any] | None:
        """The row for a parent that is not here; it spans what is, until the parent comes and takes its place."""
        ids = {row["span_id"] for row in self.real}
        orphans = [row for row in self.real if row["parent_id"] not in ids]
        foreign = [row for row in orphans if names.SERVICE in row.get("attributes", ())]
        if any(row["parent_id"] is None for row in orphans) or not (foreign or self.stand_ins) or not orphans:
            return None
        first = min(foreign or orphans, key=lambda row: (row["start_ns"], row["span_id"]))
        there = self.stand_ins[0] if self.stand_ins else None
        return {
            "span_id": there["span_id"] if there else first["parent_id"],
            "trace_id": self.trace_id,
            "parent_id": None,
            "name": STAND_IN,
            "type": "turn",
            "kind": MISSING,
            "start_ns": min(row["start_ns"] for row in self.real),
            "end_ns": max(row["end_ns"] or row["start_ns"] for row in self.real),
            "status": "error" if any(row["status"] == "error" for row in orphans) else "ok",
            "user_id": self.added[0]["user_id"],
            "conversation_id": self.added[0]["conversation_id"],
            "attributes": {names.SERVICE: service_of(foreign)},
            "events": [],
        }


def service_of(rows: Sequence[Row]) -> str:
    """Who sent the first of these."""
    return str(rows[0]["attributes"][names.SERVICE]) if rows else "unknown_service"


def spans_in(connection: Connection, trace_ids: Iterable[str]) -> dict[str, list[Row]]:
    """What is stored of some traces, without attributes."""
    found: dict[str, list[Row]] = defaultdict(list)
    for some in chunks(sorted(trace_ids), AT_ONCE):
        for row in connection.execute(select(*KNOWN).where(SPAN.c.trace_id.in_(some))).mappings():
            found[row["trace_id"]].append(dict(row))
    return found


def by_trace(records: Sequence[Record]) -> dict[str, list[Record]]:
    """Records by their trace."""
    found: dict[str, list[Record]] = defaultdict(list)
    for one in records:
        found[one.row["trace_id"]].append(one)
    return found


def chunks(values: Sequence[str], size: int) -> Iterator[Sequence[str]]:
    """The values, some at a time."""
    for start in range(0, len(values), size):
        yield values[start : start + size]


def key_of(row: Row) -> Key:
    """Trace id and span id."""
    return row["trace_id"], row["span_id"]


def is_turn(row: Row) -> bool:
    """Whether a row is the root of one of our own turns."""
    return bool(row["type"] == "turn" and row["parent_id"] is None)


def is_running(row: Row) -> bool:
    """Whether a span of this app goes on, now."""
    return bool(row["status"] == "running")


def is_whole(row: Row) -> bool:
    """Whether there is nothing more to come of a span."""
    return not is_running(row) and row["kind"] != MISSING


def is_others(row: Row, user_id: str) -> bool:
    """Whether a row is known to be another user's."""
    return row["user_id"] not in (None, user_id)
