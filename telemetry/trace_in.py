"""One trace as its spans come in: a conversation and a root for all, and which of them are there already."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, Final

from sqlalchemy import Connection, and_, delete, select, update

from telemetry import attributes as names
from telemetry.rows import Record
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
        self.stood_in = False
        self.conversation_id: str | None = None

    @property
    def rooted(self) -> bool:
        """Whether it is a turn, with a root or what stands in for one."""
        return self.stood_in or any(row["parent_id"] is None for row in self.real)

    @property
    def in_hand(self) -> Sequence[Row] | None:
        """All its rows, if they are at hand: nothing of it was stored before, and nothing stands in."""
        return self.added if not self.known and any(row["parent_id"] is None for row in self.added) else None

    def complete(self, connection: Connection) -> None:
        """Give all spans the trace's conversation, and a root where the real one is not here."""
        self.name_conversation(connection)
        wanted = self.stand_in()
        self.stood_in = wanted is not None
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
        self.conversation_id = found
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
            "user_id": (self.added or self.real)[0]["user_id"],
            "conversation_id": self.conversation_id,
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
