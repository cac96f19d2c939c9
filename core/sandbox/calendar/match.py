"""Which events a list's parameters let through: words, ids, kinds, properties, time of the last change."""

import unicodedata
from collections.abc import Callable, Iterator

from core.sandbox.calendar.tables import EventRow
from core.sandbox.calendar.times import read_instant, utc_text
from core.sandbox.calls import Call


def matcher(call: Call) -> Callable[[EventRow], bool]:
    """One test from all parameters of a call.

    Raises:
        ApiError: 400 for an `updatedMin` that is no timestamp.
    """
    words = plain(call.arg("q")).split()
    ical, kinds = call.arg("iCalUID"), call.args("eventTypes")
    updated = utc_text(read_instant(call.arg("updatedMin"), "updatedMin")) if call.arg("updatedMin") else ""
    properties = [("private", text) for text in call.args("privateExtendedProperty")]
    properties += [("shared", text) for text in call.args("sharedExtendedProperty")]

    def matches(row: EventRow) -> bool:
        text = " ".join(texts(row)) if words else ""
        return (
            all(word in text for word in words)
            and ical in ("", row.body.get("iCalUID"))
            and (not kinds or row.body.get("eventType", "default") in kinds)
            and row.updated >= updated
            and all(has_property(row, place, text) for place, text in properties)
        )

    return matches


def texts(row: EventRow) -> Iterator[str]:
    """The texts that `q` searches: title, description, place, people."""
    body = row.body
    for name in ("summary", "description", "location"):
        yield plain(body.get(name, ""))
    for person in (body.get("organizer", {}), *body.get("attendees", [])):
        yield plain(f"{person.get('displayName', '')} {person.get('email', '')}")


def has_property(row: EventRow, place: str, text: str) -> bool:
    """Whether an event has an extended property `name=value`."""
    name, _, value = text.partition("=")
    known = row.body.get("extendedProperties", {}).get(place, {})
    return name in known and str(known[name]) == value


def plain(text: str) -> str:
    """Text without case and accents."""
    parts = unicodedata.normalize("NFKD", text.casefold())
    return "".join(part for part in parts if not unicodedata.combining(part))
