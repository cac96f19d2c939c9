"""An event as an answer shows it."""

from base64 import urlsafe_b64encode
from typing import Any
from zoneinfo import ZoneInfo

from core.sandbox.calendar.access import Seen
from core.sandbox.calendar.recurrence import Occurrence
from core.sandbox.calendar.tables import EventRow
from core.sandbox.calendar.times import When

HIDDEN = ("private", "confidential")
BUSY_ONLY = ("kind", "etag", "id", "status", "start", "end", "recurringEventId", "originalStartTime", "transparency")
CANCELLED = ("kind", "etag", "id", "status", "recurringEventId", "originalStartTime")


def shown(row: EventRow, seen: Seen, zone: ZoneInfo, most_guests: int = 0) -> dict[str, Any]:
    """The event resource.

    Args:
        seen: the calendar that it is read from.
        zone: in which its times are given.
        most_guests: above it only the reader is listed; 0 is no limit.
    """
    event = {
        "kind": "calendar#event",
        "etag": etag(row),
        "htmlLink": link(row),
        "updated": row.updated,
        "eventType": "default",
        **row.body,
        "id": row.id,
        "status": "cancelled" if row.cancelled else row.body.get("status", "confirmed"),
    }
    for name in ("start", "end", "originalStartTime"):
        if name in event:
            event[name] = When.stored(event[name]).shown(zone)
    if row.cancelled and row.series_id and not seen.at_least("owner"):
        return {name: event[name] for name in CANCELLED if name in event}
    if not seen.at_least("reader") or (not seen.at_least("writer") and event.get("visibility") in HIDDEN):
        return {**{name: event[name] for name in BUSY_ONLY if name in event}, "visibility": "private"}
    return with_people(event, seen.calendar.id, most_guests)


def with_people(event: dict[str, Any], owner: str, most_guests: int) -> dict[str, Any]:
    """Mark who is the reader and who the organizer; leave the guests out where there are too many."""
    for name in ("organizer", "creator"):
        if event.get(name, {}).get("email") == owner:
            event[name] = {**event[name], "self": True}
    host = event.get("organizer", {}).get("email")
    guests = [mark(guest, owner, host) for guest in event.get("attendees", [])]
    if most_guests and len(guests) > most_guests:
        return {**event, "attendees": [guest for guest in guests if guest.get("self")], "attendeesOmitted": True}
    return {**event, "attendees": guests} if guests else event


def mark(guest: dict[str, Any], owner: str, host: str | None) -> dict[str, Any]:
    """A guest with the marks that depend on who reads."""
    marks = {"self": guest["email"] == owner, "organizer": guest["email"] == host}
    return {**guest, **{name: True for name, holds in marks.items() if holds}}


def instance(series: EventRow, found: Occurrence) -> EventRow:
    """One occurrence of a series as an event of its own, not stored."""
    times = {
        "start": found.start.store(),
        "end": found.end.store(),
        "recurringEventId": series.id,
        "originalStartTime": found.start.store(),
    }
    body = {name: value for name, value in series.body.items() if name != "recurrence"} | times
    return EventRow(
        calendar_id=series.calendar_id,
        id=f"{series.id}_{found.key}",
        change=series.change,
        body=body,
        updated=series.updated,
        cancelled=series.cancelled,
        first=0,
        series_id=series.id,
        original=found.key,
        seed=series.seed,
    )


def etag(row: EventRow) -> str:
    """The ETag of an event."""
    return f'"{row.change:016d}"'


def link(row: EventRow) -> str:
    """Where Google's own interface would show it."""
    eid = urlsafe_b64encode(f"{row.id} {row.calendar_id}".encode()).decode().rstrip("=")
    return f"https://www.google.com/calendar/event?eid={eid}"
