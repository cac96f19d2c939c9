"""Events on their shelf: found by id, instances too, and put back with a new change number."""

import re
from datetime import datetime
from typing import Any
from uuid import uuid4
from zoneinfo import ZoneInfo

from sqlmodel import Session, col, func, select

from core.sandbox.calendar.recurrence import Series
from core.sandbox.calendar.resource import instance
from core.sandbox.calendar.tables import CalendarRow, EventRow
from core.sandbox.calendar.times import When, utc_text
from core.sandbox.calls import ApiError

INSTANCE = re.compile(r"(.+)_(\d{8}(?:T\d{6}Z)?)")
GIVEN_ID = re.compile(r"[a-v0-9]{5,1024}")
BASE32 = "0123456789abcdefghijklmnopqrstuv"


def find(session: Session, calendar: CalendarRow, event_id: str) -> EventRow:
    """An event, a series, an exception, or an instance of a series that is not stored by itself.

    Raises:
        ApiError: 404 where there is none.
    """
    row = session.get(EventRow, (calendar.id, event_id)) or unstored(session, calendar, event_id)
    if row is None:
        raise ApiError(404, "notFound", "Not Found")
    return row


def unstored(session: Session, calendar: CalendarRow, event_id: str) -> EventRow | None:
    """An instance that only its series knows."""
    match = INSTANCE.fullmatch(event_id)
    row = session.get(EventRow, (calendar.id, match.group(1))) if match else None
    if match is None or row is None or "recurrence" not in row.body:
        return None
    try:
        found = series(row).find(match.group(2), ZoneInfo(calendar.zone))
    except ValueError:
        return None
    return instance(row, found) if found else None


def series(row: EventRow) -> Series:
    """The occurrences of a recurring event."""
    body = row.body
    return Series(When.stored(body["start"]), When.stored(body["end"]), body["recurrence"])


def put(session: Session, row: EventRow, calendar: CalendarRow, now: datetime) -> EventRow:
    """Store an event with a new change number; its bounds are computed."""
    row.change, row.updated = next_change(session), utc_text(now)
    row.touched = True
    bound(row, ZoneInfo(calendar.zone))
    touch_series(session, row)
    stored = session.merge(row)
    session.flush()
    return stored


def bound(row: EventRow, zone: ZoneInfo) -> None:
    """Set the moments that bound all occurrences of an event."""
    start, end = When.stored(row.body["start"]), When.stored(row.body["end"])
    row.first, row.last = seconds(start, zone), seconds(end, zone)
    if "recurrence" in row.body:
        last = series(row).last()
        row.last = seconds(last.end, zone) if last else None
        earliest = next(series(row).between(None, start.instant(zone), zone), None)
        row.first = seconds(earliest.start, zone) if earliest else row.first


def touch_series(session: Session, row: EventRow) -> None:
    """A seeded series with an exception made here stays where it is."""
    owner = session.get(EventRow, (row.calendar_id, row.series_id)) if row.series_id else None
    if owner is not None:
        owner.touched = True


def drop_orphans(session: Session, row: EventRow, calendar: CalendarRow) -> None:
    """Forget exceptions whose occurrence a changed series has no more."""
    rule = series(row) if "recurrence" in row.body and not row.cancelled else None
    for exception in exceptions(session, row):
        if rule is None or rule.find(exception.original, ZoneInfo(calendar.zone)) is None:
            session.delete(exception)


def exceptions(session: Session, row: EventRow) -> list[EventRow]:
    """The exceptions of a series."""
    query = select(EventRow).where(EventRow.calendar_id == row.calendar_id, EventRow.series_id == row.id)
    return list(session.exec(query.order_by(col(EventRow.original))).all())


def next_change(session: Session) -> int:
    """The number of the next change; call it inside a write."""
    return (session.exec(select(func.max(EventRow.change))).one() or 0) + 1


def new_id(session: Session, calendar: CalendarRow, given: Any) -> str:
    """The id of a new event: the caller's, or one of ours.

    Raises:
        ApiError: 400 for an id with other characters than a-v and 0-9, 409 for one that is taken.
    """
    if not given:
        return "".join(BASE32[byte % 32] for byte in uuid4().bytes + uuid4().bytes)[:26]
    if not GIVEN_ID.fullmatch(str(given)):
        raise ApiError(400, "invalid", "Invalid resource id value.")
    if session.get(EventRow, (calendar.id, str(given))) is not None:
        raise ApiError(409, "duplicate", "The requested identifier already exists.")
    return str(given)


def seconds(when: When, zone: ZoneInfo) -> int:
    """Seconds since 1970."""
    return int(when.instant(zone).timestamp())
