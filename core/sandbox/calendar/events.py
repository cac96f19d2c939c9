"""Single events: get, insert, update, patch, delete, move."""

from collections.abc import Mapping
from typing import Any
from zoneinfo import ZoneInfo

from sqlmodel import Session

from core.sandbox.calendar import drafts, notices, shelf
from core.sandbox.calendar.access import Seen, see, seen
from core.sandbox.calendar.conferences import with_conference
from core.sandbox.calendar.resource import etag, shown
from core.sandbox.calendar.tables import EventRow
from core.sandbox.calendar.times import read_zone, utc_text
from core.sandbox.calls import ApiError, Call, Reply
from core.sandbox.routes import Route

KEPT = ("id", "iCalUID", "created", "creator", "organizer", "recurringEventId", "originalStartTime", "hangoutLink")
"""Properties that no request changes."""


def get_event(call: Call) -> dict[str, Any]:
    """events.get; a deleted event is still there, cancelled."""
    with call.world.session() as session:
        calendar = seen(session, call)
        return answer(call, calendar, shelf.find(session, calendar.calendar, call.params["event"]))


def insert_event(call: Call) -> dict[str, Any]:
    """events.insert."""
    request = call.json()
    with call.world.change() as session:
        calendar = seen(session, call, "writer")
        event_id = shelf.new_id(session, calendar.calendar, request.get("id"))
        person = {"email": calendar.calendar.id}
        known = {
            "iCalUID": f"{event_id}@google.com",
            "created": utc_text(call.now()),
            "creator": {"email": call.account},
            "organizer": person,
            "sequence": 0,
        }
        body = prepared(call, calendar, request, known)
        row = EventRow(calendar_id=calendar.calendar.id, id=event_id, change=0, body=body, updated="", first=0)
        return saved(session, call, calendar, row, "created")


def update_event(call: Call) -> dict[str, Any]:
    """events.update: what the request leaves out is gone."""
    with call.world.change() as session:
        calendar, row = found(session, call)
        return changed(session, call, calendar, row, call.json())


def patch_event(call: Call) -> dict[str, Any]:
    """events.patch: what the request leaves out stays."""
    with call.world.change() as session:
        calendar, row = found(session, call)
        return changed(session, call, calendar, row, drafts.merged(drafts.writable(row.body), call.json()))


def delete_event(call: Call) -> Reply:
    """events.delete; an instance becomes a cancelled exception."""
    with call.world.change() as session:
        calendar, row = found(session, call)
        if row.cancelled:
            raise ApiError(410, "deleted", "Resource has been deleted")
        row.cancelled, row.body = True, {**row.body, "status": "cancelled"}
        stored = shelf.put(session, row, calendar.calendar, call.now())
        shelf.drop_orphans(session, stored, calendar.calendar)
        notices.notify(session, call, stored, "cancelled")
    return Reply(None)


def move_event(call: Call) -> dict[str, Any]:
    """events.move: to another calendar, whose owner becomes the organizer."""
    with call.world.change() as session:
        _, row = found(session, call)
        target = see(session, call.account, call.arg("destination"))
        if target is None:
            raise ApiError(404, "notFound", "Not Found")
        if not target.at_least("writer"):
            message = "You need to have writer access to this calendar."
            raise ApiError(403, "requiredAccessLevel", message, domain="calendar")
        if row.series_id:
            raise ApiError(400, "cannotChangeOrganizerOfInstance", "Cannot change the organizer of an instance.")
        body = {**row.body, "organizer": {"email": target.calendar.id}}
        session.delete(row)
        session.flush()
        moved = EventRow(calendar_id=target.calendar.id, id=row.id, change=0, body=body, updated="", first=0)
        return saved(session, call, target, moved, "updated")


def found(session: Session, call: Call) -> tuple[Seen, EventRow]:
    """The event that a call wants to change.

    Raises:
        ApiError: 404, 403, and 412 where `If-Match` names another state of the event.
    """
    calendar = seen(session, call, "writer")
    row = shelf.find(session, calendar.calendar, call.params["event"])
    if call.headers.get("if-match", "*") not in ("*", etag(row)):
        raise ApiError(412, "conditionNotMet", "Precondition Failed", location="header:If-Match")
    return calendar, row


def changed(session: Session, call: Call, calendar: Seen, row: EventRow, request: Mapping[str, Any]) -> dict[str, Any]:
    """Store a changed event."""
    known = {name: row.body[name] for name in KEPT if name in row.body}
    known["sequence"] = row.body.get("sequence", 0) + 1
    check_organizer(calendar, row.body, request)
    row.body = prepared(call, calendar, request, known, row.body)
    row.cancelled = row.body.get("status") == "cancelled"
    return saved(session, call, calendar, row, "cancelled" if row.cancelled else "updated")


def prepared(
    call: Call,
    calendar: Seen,
    request: Mapping[str, Any],
    known: Mapping[str, Any],
    old: Mapping[str, Any] | None = None,
) -> dict[str, Any]:
    """A request as the body to store."""
    old = old or {}
    draft = drafts.writable(request)
    if not call.flag("supportsAttachments"):
        draft["attachments"] = old.get("attachments")
    if "recurringEventId" in known:
        draft.pop("recurrence", None)
    host = known["organizer"]["email"]
    event = {**known, **drafts.checked(draft, calendar.calendar.zone, host)}
    return with_conference(event, old, call.number("conferenceDataVersion", 0, 1))


def saved(session: Session, call: Call, calendar: Seen, row: EventRow, what: str) -> dict[str, Any]:
    """Store an event, tell the guests, and answer with it."""
    stored = shelf.put(session, row, calendar.calendar, call.now())
    shelf.drop_orphans(session, stored, calendar.calendar)
    notices.notify(session, call, stored, what)
    return answer(call, calendar, stored)


def check_organizer(calendar: Seen, old: Mapping[str, Any], request: Mapping[str, Any]) -> None:
    """Some properties belong to the organizer alone.

    Raises:
        ApiError: 403 where a guest sets one of them.
    """
    mine = old.get("organizer", {}).get("email") == calendar.calendar.id
    if not mine and any(name in request and request[name] != old.get(name) for name in drafts.ORGANIZERS):
        message = "Shared properties can only be changed by the organizer of the event."
        raise ApiError(403, "forbiddenForNonOrganizer", message, domain="calendar")


def answer(call: Call, calendar: Seen, row: EventRow) -> dict[str, Any]:
    """An event in the zone that the call asks for."""
    zone: ZoneInfo = read_zone(call.arg("timeZone"), calendar.calendar.zone)
    return shown(row, calendar, zone, call.number("maxAttendees", 0, 1000))


EVENTS = "/calendar/v3/calendars/{calendar}/events"
ROUTES = (
    Route("GET", f"{EVENTS}/{{event}}", get_event),
    Route("POST", EVENTS, insert_event),
    Route("PUT", f"{EVENTS}/{{event}}", update_event),
    Route("PATCH", f"{EVENTS}/{{event}}", patch_event),
    Route("DELETE", f"{EVENTS}/{{event}}", delete_event),
    Route("POST", f"{EVENTS}/{{event}}/move", move_event),
)
