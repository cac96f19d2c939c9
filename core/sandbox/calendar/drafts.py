"""What a person may write into an event, checked and brought into the stored form."""

import re
from collections.abc import Mapping
from typing import Any

from core.sandbox.calendar.recurrence import Series
from core.sandbox.calendar.times import When, empty_range, read_when
from core.sandbox.calls import ApiError

WRITABLE = frozenset(
    (
        "summary",
        "description",
        "location",
        "colorId",
        "start",
        "end",
        "recurrence",
        "attendees",
        "transparency",
        "visibility",
        "reminders",
        "attachments",
        "conferenceData",
        "guestsCanModify",
        "guestsCanInviteOthers",
        "guestsCanSeeOtherGuests",
        "extendedProperties",
        "source",
        "status",
        "eventType",
        "focusTimeProperties",
        "outOfOfficeProperties",
        "workingLocationProperties",
        "anyoneCanAddSelf",
    )
)
ORGANIZERS = ("guestsCanModify", "guestsCanInviteOthers", "guestsCanSeeOtherGuests")
"""Properties that only the organizer may set."""
CHOICES = {
    "status": ("confirmed", "tentative", "cancelled"),
    "transparency": ("opaque", "transparent"),
    "visibility": ("default", "public", "private", "confidential"),
    "eventType": ("default", "focusTime", "outOfOffice", "workingLocation", "birthday", "fromGmail"),
    "colorId": tuple(str(number) for number in range(1, 12)),
}
KINDS = {
    str: ("summary", "description", "location"),
    list: ("recurrence", "attendees", "attachments"),
    dict: ("reminders", "conferenceData", "extendedProperties", "source"),
}
"""Of what JSON type a property is."""
RESPONSES = ("needsAction", "declined", "tentative", "accepted")
ADDRESS = re.compile(r"[^@\s<>,;]+@[^@\s<>,;]+\.[^@\s<>,;]+")
MOST_REMINDERS, MOST_ATTACHMENTS = 5, 25
FURTHEST_REMINDER = 40320


def writable(body: Mapping[str, Any]) -> dict[str, Any]:
    """The part of a request that counts; everything else is ignored, as Google does."""
    return {name: value for name, value in body.items() if name in WRITABLE}


def merged(old: Any, new: Any) -> Any:
    """Patch semantics: objects are merged, lists and values replaced, null removes."""
    if not isinstance(old, dict) or not isinstance(new, dict):
        return new
    whole = {**old, **{name: merged(old.get(name), value) for name, value in new.items()}}
    return {name: value for name, value in whole.items() if value is not None}


def checked(draft: Mapping[str, Any], zone: str, organizer: str) -> dict[str, Any]:
    """A draft in the stored form.

    Args:
        draft: an event's writable properties, nulls allowed.
        zone: the calendar's IANA zone.
        organizer: the organizer's address; if invited, they have accepted.

    Raises:
        ApiError: 400, as Google says it.
    """
    event = {name: value for name, value in draft.items() if value is not None}
    check_kinds(event)
    recurrence = event.get("recurrence", [])
    end = read_when(event.get("end"), "end", zone, bool(recurrence))
    start = read_when(event.get("start"), "start", zone, bool(recurrence))
    check_span(start, end)
    check_choices(event)
    if recurrence:
        Series(start, end, recurrence)
    event |= {"start": start.store(), "end": end.store(), "reminders": reminders(event.get("reminders"))}
    if "attendees" in event:
        event["attendees"] = [attendee(item, organizer) for item in event["attendees"]]
    if len(event.get("attachments", [])) > MOST_ATTACHMENTS:
        raise ApiError(400, "invalid", f"An event can have at most {MOST_ATTACHMENTS} attachments.")
    return {name: value for name, value in event.items() if value not in ([], "")}


def check_span(start: When, end: When) -> None:
    """Both are days or both are times, and the end is not before the start."""
    if (start.moment is None) != (end.moment is None):
        raise ApiError(400, "invalid", "Start and end times must either both be date or both be dateTime.")
    length = end.minus(start).total_seconds()
    if length < 0 or (length == 0 and start.moment is None):
        raise empty_range()


def check_kinds(event: Mapping[str, Any]) -> None:
    """Properties are of the JSON type that they must have."""
    properties = [event.get("extendedProperties", {})]
    properties += list(properties[0].values()) if isinstance(properties[0], dict) else []
    wrong = [name for kind, names in KINDS.items() for name in names if not isinstance(event.get(name, kind()), kind)]
    if wrong or not all(isinstance(item, dict) for item in properties):
        raise ApiError(400, "parseError", "Parse Error")


def check_choices(event: Mapping[str, Any]) -> None:
    """Properties with a fixed set of values hold one of them."""
    for name, choices in CHOICES.items():
        if name in event and event[name] not in choices:
            raise ApiError(400, "invalid", f"Invalid value for: {event[name]}", location=f"parameter:{name}")


def attendee(item: Any, organizer: str) -> dict[str, Any]:
    """A guest in the stored form."""
    email = str(item.get("email", "")).strip() if isinstance(item, dict) else ""
    if not ADDRESS.fullmatch(email):
        raise ApiError(400, "invalid", "Invalid attendee email.")
    response = item.get("responseStatus") or ("accepted" if email.casefold() == organizer else "needsAction")
    if response not in RESPONSES:
        raise ApiError(400, "invalid", f"Invalid value for: {response}", location="parameter:responseStatus")
    known = {name: value for name, value in item.items() if name not in ("self", "organizer") and value is not None}
    return {**known, "email": email, "responseStatus": response}


def reminders(value: Any) -> dict[str, Any]:
    """Reminders in the stored form; the default is the calendar's."""
    if not isinstance(value, dict):
        return {"useDefault": True}
    overrides = value.get("overrides") or []
    if not isinstance(overrides, list):
        raise ApiError(400, "parseError", "Parse Error")
    use_default = bool(value.get("useDefault", not overrides))
    if use_default and overrides:
        message = "Cannot specify both default reminders and overrides at the same time."
        reason = "cannotUseDefaultRemindersAndSpecifyOverride"
        raise ApiError(400, reason, message, domain="calendar")
    if len(overrides) > MOST_REMINDERS or not all(fits(item) for item in overrides):
        raise ApiError(400, "invalid", "Invalid reminder override.")
    return {"useDefault": use_default, **({"overrides": overrides} if overrides else {})}


def fits(reminder: Any) -> bool:
    """Whether a reminder is one: a method and 0 to 40,320 minutes."""
    if not isinstance(reminder, dict) or reminder.get("method") not in ("email", "popup"):
        return False
    minutes = reminder.get("minutes")
    return type(minutes) is int and 0 <= minutes <= FURTHEST_REMINDER
