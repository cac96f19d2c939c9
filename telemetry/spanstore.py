"""Spans and their payloads into the database, in the caller's transaction."""

from collections.abc import Sequence

from sqlalchemy import Connection

from telemetry.rows import COLUMNS, Record
from telemetry.tables import Payload, Span
from telemetry.upsert import table_of, upsert, upsert_values


def put(connection: Connection, records: Sequence[Record]) -> None:
    """Store spans, each of them once; the JSON of a record that was journalled is not made again."""
    if connection.dialect.name == "sqlite":
        upsert_values(connection, table_of(Span), COLUMNS, [one.values() for one in records])
    else:
        upsert(connection, Span, [one.row for one in records])
    upsert(connection, Payload, [payload for one in records for payload in one.payloads])
