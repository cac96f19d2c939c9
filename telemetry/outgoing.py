"""The list of spans that a collector has not had yet: the database fills it, in the transaction that stores a span.

So nothing is missed, whichever process stores a span, and nothing is sent that was not committed.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from sqlalchemy import Connection, and_, bindparam, delete, exists, func, select

from telemetry.store import Store
from telemetry.tables import Outgoing, Payload, Span
from telemetry.upsert import table_of

OUT: Final = table_of(Outgoing)
SPAN: Final = table_of(Span)
PAYLOAD: Final = table_of(Payload)
NEXT: Final = (
    select(OUT.c.number, SPAN)
    .join(SPAN, and_(SPAN.c.trace_id == OUT.c.trace_id, SPAN.c.span_id == OUT.c.span_id), isouter=True)
    .order_by(OUT.c.number)
)
TEXTS: Final = select(PAYLOAD).where(PAYLOAD.c.trace_id == bindparam("trace"), PAYLOAD.c.span_id == bindparam("span"))
NEW: Final = "NEW.end_ns IS NOT NULL AND NEW.kind <> 'missing'"
ENDED: Final = f"OLD.end_ns IS NULL AND {NEW}"
ADD: Final = "INSERT INTO outgoing (trace_id, span_id) VALUES (NEW.trace_id, NEW.span_id);"
TRIGGERS: Final = {"span_out_new": ("INSERT", NEW), "span_out_ended": ("UPDATE", ENDED)}
FUNCTION: Final = (
    f"CREATE OR REPLACE FUNCTION span_out() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN {ADD} RETURN NULL; END $$"
)
AT_ONCE: Final = 500


@dataclass(frozen=True)
class Waiting:
    """One span on the list, with its long texts; of a span that is gone, its number alone."""

    number: int
    row: Mapping[str, Any] | None
    texts: Mapping[str, str]


def begin(store: Store) -> None:
    """From now on, what ends here is put on the list."""
    with store.write() as connection:
        drop(connection)
        postgres = connection.dialect.name == "postgresql"
        if postgres:
            connection.exec_driver_sql(FUNCTION)
        for name, (event, when) in TRIGGERS.items():
            done = "EXECUTE FUNCTION span_out()" if postgres else f"BEGIN {ADD} END"
            each = f"CREATE TRIGGER {name} AFTER {event} ON span FOR EACH ROW WHEN ({when}) {done}"
            connection.exec_driver_sql(each)


def end(store: Store) -> None:
    """Nothing more is put on the list; what is on it stays, for when there is a collector again."""
    with store.write() as connection:
        drop(connection)


def drop(connection: Connection) -> None:
    """Remove what puts spans on the list."""
    on = " ON span" if connection.dialect.name == "postgresql" else ""
    for name in TRIGGERS:
        connection.exec_driver_sql(f"DROP TRIGGER IF EXISTS {name}{on}")


def pending(store: Store) -> int:
    """How many spans are on the list."""
    with store.reader() as session:
        return int(session.connection().scalar(select(func.count()).select_from(OUT)) or 0)


def first(store: Store, limit: int, texts: bool) -> list[Waiting]:
    """The spans that have waited longest."""
    with store.reader() as session:
        connection = session.connection()
        rows = [dict(row) for row in connection.execute(NEXT.limit(limit)).mappings()]
        return [Waiting(row.pop("number"), row, texts_of(connection, row) if texts else {}) for row in kept(rows)] + [
            Waiting(row["number"], None, {}) for row in rows if row.get("span_id") is None
        ]


def kept(rows: Sequence[dict[str, Any]]) -> Iterator[dict[str, Any]]:
    """The rows whose span is still there."""
    yield from (row for row in rows if row["span_id"] is not None)


def texts_of(connection: Connection, row: Mapping[str, Any]) -> dict[str, str]:
    """The long texts of a span, by attribute."""
    found = connection.execute(TEXTS, {"trace": row["trace_id"], "span": row["span_id"]}).mappings()
    return {payload["key"]: payload["text"] for payload in found}


def done(store: Store, numbers: Sequence[int]) -> None:
    """Take spans off the list."""
    with store.write() as connection:
        for start in range(0, len(numbers), AT_ONCE):
            connection.execute(delete(OUT).where(OUT.c.number.in_(numbers[start : start + AT_ONCE])))


def not_ours(connection: Connection, keys: Sequence[tuple[str, str]]) -> None:
    """Take spans that came from outside off the list: they are not sent on."""
    if keys and connection.scalar(select(exists().select_from(OUT))):
        one = delete(OUT).where(OUT.c.trace_id == bindparam("trace"), OUT.c.span_id == bindparam("span"))
        connection.execute(one, [{"trace": trace_id, "span": span_id} for trace_id, span_id in keys])
