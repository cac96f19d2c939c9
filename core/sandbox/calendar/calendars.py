"""The calendar list, calendars, and the settings that a calendar client reads."""

from typing import Any

from sqlmodel import col, select

from core.sandbox.calendar.access import ROLES, Seen, seen
from core.sandbox.calendar.pages import page
from core.sandbox.calendar.tables import AccessRow, CalendarRow
from core.sandbox.calls import ApiError, Call
from core.sandbox.routes import Route

COLORS = {"1": "#ac725e", "8": "#16a765", "14": "#9fe1e7", "15": "#9fc6e7", "17": "#9a9cff", "24": "#a47ae2"}
REMINDERS = [{"method": "popup", "minutes": 10}]


def list_calendars(call: Call) -> dict[str, Any]:
    """calendarList.list."""
    least = call.arg("minAccessRole", ROLES[0])
    if least not in ROLES:
        raise ApiError(400, "invalid", f"Invalid value for: {least}", location="parameter:minAccessRole")
    query = select(AccessRow, CalendarRow).where(
        AccessRow.account == call.account, AccessRow.listed, AccessRow.calendar_id == CalendarRow.id
    )
    with call.world.session() as session:
        rows = session.exec(query.order_by(col(AccessRow.position), col(AccessRow.calendar_id))).all()
    found = [entry for access, row in rows if (entry := Seen(row, access)).at_least(least)]
    items, token = page(call, found, 100, 250)
    answer = {"kind": "calendar#calendarList", "etag": '"calendars"', "items": [list_entry(item) for item in items]}
    return {**answer, **({"nextPageToken": token} if token else {"nextSyncToken": "calendars"})}


def get_list_entry(call: Call) -> dict[str, Any]:
    """calendarList.get."""
    with call.world.session() as session:
        return list_entry(seen(session, call))


def get_calendar(call: Call) -> dict[str, Any]:
    """calendars.get."""
    with call.world.session() as session:
        return {"kind": "calendar#calendar", **described(seen(session, call).calendar)}


def list_entry(item: Seen) -> dict[str, Any]:
    """A calendar as an entry of the list."""
    entry = {
        "kind": "calendar#calendarListEntry",
        **described(item.calendar),
        "colorId": item.access.color_id,
        "backgroundColor": COLORS.get(item.access.color_id, "#9fe1e7"),
        "foregroundColor": "#000000",
        "selected": True,
        "accessRole": item.role,
        "defaultReminders": REMINDERS if item.primary else [],
        "conferenceProperties": {"allowedConferenceSolutionTypes": ["hangoutsMeet"]},
    }
    return {**entry, "primary": True} if item.primary else entry


def described(row: CalendarRow) -> dict[str, Any]:
    """What all forms of a calendar share."""
    about = {"description": row.description} if row.description else {}
    return {"etag": f'"{row.id}"', "id": row.id, "summary": row.summary, **about, "timeZone": row.zone}


def settings(call: Call) -> dict[str, str]:
    """The account's settings by their ids."""
    with call.world.session() as session:
        primary = session.get(CalendarRow, call.account)
    zone = primary.zone if primary else "UTC"
    return {"timezone": zone, "locale": "en_GB", "weekStart": "1", "format24HourTime": "true"}


def list_settings(call: Call) -> dict[str, Any]:
    """settings.list."""
    items = [setting(name, value) for name, value in settings(call).items()]
    return {"kind": "calendar#settings", "etag": '"settings"', "items": items, "nextSyncToken": "settings"}


def get_setting(call: Call) -> dict[str, Any]:
    """settings.get."""
    name, known = call.params["setting"], settings(call)
    if name not in known:
        raise ApiError(404, "notFound", "Not Found")
    return setting(name, known[name])


def setting(name: str, value: str) -> dict[str, Any]:
    """One setting."""
    return {"kind": "calendar#setting", "etag": f'"{value}"', "id": name, "value": value}


ROUTES = (
    Route("GET", "/calendar/v3/users/me/calendarList", list_calendars),
    Route("GET", "/calendar/v3/users/me/calendarList/{calendar}", get_list_entry),
    Route("GET", "/calendar/v3/calendars/{calendar}", get_calendar),
    Route("GET", "/calendar/v3/users/me/settings", list_settings),
    Route("GET", "/calendar/v3/users/me/settings/{setting}", get_setting),
)
