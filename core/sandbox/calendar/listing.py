"""Lists of events: a calendar's, and the instances of a series."""

from collections.abc import Callable
from datetime import datetime
from typing import Any
from zoneinfo import ZoneInfo

from sqlmodel import Session, col, select

from core.sandbox.calendar import shelf
from core.sandbox.calendar.access import Seen, seen
from core.sandbox.calendar.calendars import REMINDERS
from core.sandbox.calendar.match import matcher
from core.sandbox.calendar.occurrences import Moments, moments
from core.sandbox.calendar.pages import decode, encode, page
from core.sandbox.calendar.resource import shown
from core.sandbox.calendar.tables import EventRow
from core.sandbox.calendar.times import KEY, asked_range, read_instant, read_zone
from core.sandbox.calls import ApiError, Call
from core.sandbox.routes import Route

NOT_WITH_SYNC = ("iCalUID", "orderBy", "privateExtendedProperty", "q", "sharedExtendedProperty", "timeMin", "timeMax")
Order = Callable[[Moments], tuple[Any, ...]]


def list_events(call: Call) -> dict[str, Any]:
    """events.list."""
    order = ordering(call)
    low, high = asked_range(call)
    with call.world.session() as session:
        calendar = seen(session, call)
        zone = ZoneInfo(calendar.calendar.zone)
        found: list[Moments]
        if call.arg("syncToken"):
            found = since(session, call, calendar, zone)
        else:
            rows = candidates(session, calendar, low, high)
            found = list(filter(wanted(call), moments(rows, call.flag("singleEvents"), low, high, zone, call.now())))
        return answer(session, call, calendar, sorted(found, key=order))


def list_instances(call: Call) -> dict[str, Any]:
    """events.instances."""
    low, high = asked_range(call)
    with call.world.session() as session:
        calendar = seen(session, call)
        zone = ZoneInfo(calendar.calendar.zone)
        row = shelf.find(session, calendar.calendar, call.params["event"])
        if "recurrence" not in row.body:
            raise ApiError(400, "invalid", "The event is not recurring.")
        rows = [row, *shelf.exceptions(session, row)]
        found = [item for item in moments(rows, True, low, high, zone, call.now()) if visible(call, item)]
        key = original_key(call.arg("originalStart"))
        found = [item for item in found if key in ("", item.key)]
        return answer(session, call, calendar, sorted(found, key=by_start))


def candidates(session: Session, calendar: Seen, low: datetime | None, high: datetime | None) -> list[EventRow]:
    """The rows that may have to do with a range; exceptions come all, as they hide occurrences of their series."""
    query = select(EventRow).where(EventRow.calendar_id == calendar.calendar.id)
    exception = col(EventRow.series_id).is_not(None)
    if high is not None:
        query = query.where((col(EventRow.first) < high.timestamp()) | exception)
    if low is not None:
        query = query.where(col(EventRow.last).is_(None) | (col(EventRow.last) > low.timestamp() - 1) | exception)
    return list(session.exec(query).all())


def since(session: Session, call: Call, calendar: Seen, zone: ZoneInfo) -> list[Moments]:
    """What has changed since a sync token, deleted events too.

    Raises:
        ApiError: 400 beside parameters that do not go with it, 410 for a token that is none.
    """
    if any(call.arg(name) for name in NOT_WITH_SYNC):
        raise ApiError(400, "badRequest", "Sync token cannot be combined with other query restrictions.")
    change = decode("sync", call.arg("syncToken"))
    if change is None:
        message = "Sync token is no longer valid, a full sync is required."
        raise ApiError(410, "fullSyncRequired", message, domain="calendar", location="parameter:syncToken")
    rows = candidates(session, calendar, None, None)
    found = moments(rows, call.flag("singleEvents"), None, None, zone, call.now())
    return [item for item in found if item.row.change > change]


def answer(session: Session, call: Call, calendar: Seen, found: list[Moments]) -> dict[str, Any]:
    """A page of the list."""
    items, token = page(call, found, 250, 2500)
    zone = read_zone(call.arg("timeZone"), calendar.calendar.zone)
    most = call.number("maxAttendees", 0, 1000)
    last = shelf.next_change(session) - 1
    return {
        "kind": "calendar#events",
        "etag": f'"{last:016d}"',
        "summary": calendar.calendar.summary,
        "description": calendar.calendar.description,
        "updated": max((item.row.updated for item in found), default="1970-01-01T00:00:00Z"),
        "timeZone": calendar.calendar.zone,
        "accessRole": calendar.role,
        "defaultReminders": REMINDERS if calendar.primary else [],
        "items": [shown(item.event(), calendar, zone, most) for item in items],
        **({"nextPageToken": token} if token else {"nextSyncToken": encode("sync", last)}),
    }


def wanted(call: Call) -> Callable[[Moments], bool]:
    """The filter that a call's parameters make, apart from the range."""
    matches = matcher(call)
    return lambda item: matches(item.row) and visible(call, item)


def visible(call: Call, item: Moments) -> bool:
    """Whether a deleted event is shown: on demand, where changes are asked for, or as the hole in a series."""
    if not item.row.cancelled or call.flag("showDeleted") or call.arg("updatedMin"):
        return True
    return bool(item.row.series_id) and not call.flag("singleEvents") and call.path.endswith("/events")


def ordering(call: Call) -> Order:
    """The order of the list.

    Raises:
        ApiError: 400 for an order that this list cannot have.
    """
    order = call.arg("orderBy")
    if order not in ("", "startTime", "updated") or (order == "startTime" and not call.flag("singleEvents")):
        message = "The requested ordering is not available for the particular query."
        raise ApiError(400, "invalid", message, location="parameter:orderBy")
    return by_update if order == "updated" else by_start


def original_key(text: str) -> str:
    """The key of the occurrence that `originalStart` names; empty for none."""
    if not text or "T" not in text:
        return text.replace("-", "")
    return read_instant(text, "originalStart").strftime(KEY)


def by_start(item: Moments) -> tuple[Any, ...]:
    """Order of the start."""
    return (item.start, item.end, item.row.id)


def by_update(item: Moments) -> tuple[Any, ...]:
    """Order of the last change."""
    return (item.row.updated, item.row.change, item.start)


EVENTS = "/calendar/v3/calendars/{calendar}/events"
ROUTES = (
    Route("GET", EVENTS, list_events),
    Route("GET", f"{EVENTS}/{{event}}/instances", list_instances),
)
