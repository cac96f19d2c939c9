"""Free/busy: when calendars are taken, without saying by what."""

from collections.abc import Iterable, Iterator
from datetime import datetime
from typing import Any
from zoneinfo import ZoneInfo

from sqlmodel import Session, col, select

from core.sandbox.calendar.access import Seen, see
from core.sandbox.calendar.occurrences import Moments, moments
from core.sandbox.calendar.tables import CalendarRow, EventRow
from core.sandbox.calendar.times import read_range, read_zone, zone_text
from core.sandbox.calls import ApiError, Call
from core.sandbox.routes import Route

MOST_CALENDARS = 50
Span = tuple[datetime, datetime]


def query(call: Call) -> dict[str, Any]:
    """freebusy.query."""
    request = call.json()
    for name in ("timeMin", "timeMax"):
        if not request.get(name):
            raise ApiError(400, "required", f"Missing {name} parameter.", location=f"parameter:{name}")
    low, high = read_range(request["timeMin"], request["timeMax"])
    assert low is not None and high is not None
    zone = read_zone(str(request.get("timeZone") or ""), "UTC")
    items = request.get("items") or []
    if not isinstance(items, list) or not all(isinstance(item, dict) for item in items):
        raise ApiError(400, "parseError", "Parse Error")
    names = [str(item.get("id", "")) for item in items]
    too_many = len(names) > most_calendars(request.get("calendarExpansionMax"))
    with call.world.session() as session:
        taken = list(everything(session, (low, high), call.now()))
        seen = {name: see(session, call.account, name) for name in names}
    found = {name: calendar(known, taken, (low, high), zone, too_many) for name, known in seen.items()}
    times = {"timeMin": zone_text(low, zone), "timeMax": zone_text(high, zone)}
    return {"kind": "calendar#freeBusy", **times, "calendars": found}


def most_calendars(asked: Any) -> int:
    """How many calendars a query may name."""
    return min(asked, MOST_CALENDARS) if isinstance(asked, int) and asked > 0 else MOST_CALENDARS


def calendar(known: Seen | None, taken: list[Moments], window: Span, zone: ZoneInfo, too_many: bool) -> dict[str, Any]:
    """One calendar's busy times, or why they cannot be had."""
    if known is None or too_many:
        reason, domain = ("tooManyCalendarsRequested", "calendar") if too_many else ("notFound", "global")
        return {"errors": [{"domain": domain, "reason": reason}], "busy": []}
    spans = united(clipped(((m.start, m.end) for m in taken if takes_time(m, known.calendar.id)), window))
    return {"busy": [{"start": zone_text(start, zone), "end": zone_text(end, zone)} for start, end in spans]}


def everything(session: Session, window: Span, now: datetime) -> Iterator[Moments]:
    """All that happens in a window, in every calendar: others' events make those busy who are invited to them."""
    low, high = (moment.timestamp() for moment in window)
    near = (col(EventRow.first) < high) & (col(EventRow.last).is_(None) | (col(EventRow.last) > low))
    for owner in session.exec(select(CalendarRow)).all():
        query = select(EventRow).where(EventRow.calendar_id == owner.id, near | col(EventRow.series_id).is_not(None))
        yield from moments(session.exec(query).all(), True, *window, ZoneInfo(owner.zone), now)


def takes_time(item: Moments, person: str) -> bool:
    """Whether an event makes somebody busy: their own, or one that they are invited to and have not declined."""
    body = item.row.body
    responses = {guest["email"]: guest["responseStatus"] for guest in body.get("attendees", [])}
    involved = item.row.calendar_id == person or person in responses
    free = item.row.cancelled or body.get("transparency") == "transparent" or body.get("eventType") == "workingLocation"
    return involved and not free and responses.get(person) != "declined"


def clipped(spans: Iterable[Span], window: Span) -> Iterator[Span]:
    """Spans cut to a window."""
    for start, end in spans:
        if max(start, window[0]) < min(end, window[1]):
            yield max(start, window[0]), min(end, window[1])


def united(spans: Iterable[Span]) -> list[Span]:
    """Spans in order, those that touch joined."""
    whole: list[Span] = []
    for start, end in sorted(spans):
        if whole and start <= whole[-1][1]:
            whole[-1] = whole[-1][0], max(end, whole[-1][1])
        else:
            whole.append((start, end))
    return whole


ROUTES = (Route("POST", "/calendar/v3/freeBusy", query),)
