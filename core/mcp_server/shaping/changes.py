"""What a change of an event comes to, property by property, as people read it."""

from collections.abc import Mapping
from typing import Any
from zoneinfo import ZoneInfo

from core.mcp_server.results import FieldChange
from core.mcp_server.shaping.events import meet_link, moment

Json = Mapping[str, Any]
PLAIN = {
    "title": "summary",
    "location": "location",
    "description": "description",
    "color": "colorId",
    "shown as": "transparency",
    "visibility": "visibility",
}
RIGHTS = {
    "guests can change it": ("guestsCanModify", False),
    "guests can invite others": ("guestsCanInviteOthers", True),
    "guests see each other": ("guestsCanSeeOtherGuests", True),
}
LONGEST = 300


def changes(before: Json, after: Json, zone: ZoneInfo) -> list[FieldChange]:
    """The properties that differ between two states of an event."""
    old, new = described(before, zone), described(after, zone)
    return [FieldChange(field=name, before=old[name], after=new[name]) for name in old if old[name] != new[name]]


def described(event: Json, zone: ZoneInfo) -> dict[str, str | None]:
    """An event's properties in words; None where it has none."""
    plain = {name: str(event[key])[:LONGEST] if event.get(key) else None for name, key in PLAIN.items()}
    return {
        **plain,
        "start": moment(event.get("start", {}), zone) or None,
        "end": moment(event.get("end", {}), zone) or None,
        "repeats": "; ".join(event.get("recurrence", [])) or None,
        "guests": ", ".join(guest(one) for one in event.get("attendees", [])) or None,
        "call": meet_link(dict(event)),
        "reminders": reminders(event.get("reminders", {})),
        "files": ", ".join(one.get("title") or one.get("fileUrl", "") for one in event.get("attachments", [])) or None,
        **{name: "yes" if event.get(key, usual) else "no" for name, (key, usual) in RIGHTS.items()},
    }


def guest(item: Json) -> str:
    """A guest and what they answered."""
    return f"{item.get('email', '')} ({item.get('responseStatus', 'needsAction')})"


def reminders(item: Json) -> str | None:
    """When one is reminded."""
    if item.get("useDefault", True):
        return "as usual in this calendar"
    return ", ".join(f"{one['minutes']} min ({one['method']})" for one in item.get("overrides", [])) or None
