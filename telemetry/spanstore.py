"""Spans and their payloads into the database, in the caller's transaction."""

from collections.abc import Collection, Sequence
from operator import itemgetter
from typing import Final

from sqlalchemy import Connection, bindparam, select

from telemetry.rows import COLUMNS, Record
from telemetry.tables import Payload, Span
from telemetry.upsert import table_of, upsert, upsert_values

SPAN: Final = table_of(Span)
PLACE: Final = itemgetter(*(COLUMNS.index(column.name) for column in SPAN.primary_key))
ENDED: Final = select(SPAN.c.span_id).where(
    SPAN.c.trace_id.in_(bindparam("traces", expanding=True)),
    SPAN.c.span_id.in_(bindparam("spans", expanding=True)),
    SPAN.c.end_ns.is_not(None),
)


def without_ended(connection: Connection, records: Sequence[Record], reopened: Collection[str]) -> Sequence[Record]:
    """All but the starts of spans whose end is stored: two processes may open a turn again, and one of them ends it.

    Args:
        reopened: the traces of such turns; of any other, this process alone knows the spans that it starts.
    """
    started = [one.row for one in records if one.row["status"] == "running" and one.row["trace_id"] in reopened]
    if not started:
        return records
    names = {"traces": list({row["trace_id"] for row in started}), "spans": [row["span_id"] for row in started]}
    ended = set(connection.scalars(ENDED, names))
    return [one for one in records if one.row["status"] != "running" or one.row["span_id"] not in ended]


def put(connection: Connection, records: Sequence[Record]) -> None:
    """Store spans, each of them once; the JSON of a record that was journalled is not made again."""
    if connection.dialect.name == "sqlite":
        rows = sorted((one.values() for one in records), key=PLACE)  # neighbours in the table, one after the other
        upsert_values(connection, SPAN, COLUMNS, rows)
    else:
        upsert(connection, Span, [one.row for one in records])
    upsert(connection, Payload, [payload for one in records for payload in one.payloads])
