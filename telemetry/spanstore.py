"""Spans and their payloads into the database, in the caller's transaction."""

from collections.abc import Sequence
from typing import Final

from sqlalchemy import Connection, bindparam, select

from telemetry.rows import COLUMNS, Record
from telemetry.tables import Payload, Span
from telemetry.upsert import table_of, upsert, upsert_values

SPAN: Final = table_of(Span)
ENDED: Final = select(SPAN.c.span_id).where(
    SPAN.c.span_id.in_(bindparam("spans", expanding=True)), SPAN.c.end_ns.is_not(None)
)


def without_ended(connection: Connection, records: Sequence[Record]) -> Sequence[Record]:
    """All but the starts of spans whose end is stored: two processes may open a turn again, and one of them ends it."""
    started = [one.row["span_id"] for one in records if one.row["status"] == "running"]
    ended = set(connection.scalars(ENDED, {"spans": started})) if started else set()
    return [one for one in records if one.row["status"] != "running" or one.row["span_id"] not in ended]


def put(connection: Connection, records: Sequence[Record]) -> None:
    """Store spans, each of them once; the JSON of a record that was journalled is not made again."""
    if connection.dialect.name == "sqlite":
        upsert_values(connection, table_of(Span), COLUMNS, [one.values() for one in records])
    else:
        upsert(connection, Span, [one.row for one in records])
    upsert(connection, Payload, [payload for one in records for payload in one.payloads])
