"""What a request refers to: the tab, the segment, the index; each refused in Google's words where it is not there."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NoReturn

from core.sandbox.calls import ApiError
from core.sandbox.docs.model import BODY, Document, Tab
from core.sandbox.docs.places import TableSpan, tables
from core.sandbox.docs.units import Json, Kind, Units

BOUNDS = (
    "The insertion index must be inside the bounds of an existing paragraph. "
    "You can still create new paragraphs by inserting newlines."
)
SPLIT = "The range cannot begin or end between the two code units of a surrogate pair."


class Refused(Exception):
    """A request cannot be carried out; the dispatcher adds which one it was."""


@dataclass(frozen=True)
class Place:
    """A segment of a tab."""

    document: Document
    tab: Tab
    segment: str

    @property
    def units(self) -> Units:
        """What the segment holds."""
        return self.tab.segments[self.segment]

    @property
    def kind(self) -> str:
        """`body`, `header`, `footer` or `footnote`."""
        return self.tab.kinds.get(self.segment, "body")

    def splice(self, start: int, end: int, units: Units) -> None:
        """Put units in the place of others."""
        self.tab.splice(self.segment, start, end, units)


def refuse(message: str) -> NoReturn:
    """Say why a request cannot be carried out."""
    raise Refused(message)


def place_of(document: Document, location: Json) -> Place:
    """The segment that a location or range is in."""
    tab = document.tab(location.get("tabId", ""))
    if tab is None:
        refuse(f"Tab with ID {location['tabId']} not found.")
    segment = location.get("segmentId", BODY)
    if segment not in tab.segments:
        refuse(f"Segment with ID {segment} was not found.")
    return Place(document, tab, segment)


def insertion(document: Document, asked: Json) -> tuple[Place, int]:
    """Where something is to be inserted."""
    if "endOfSegmentLocation" in asked:
        place = place_of(document, asked["endOfSegmentLocation"])
        return place, len(place.units) - 1
    if "location" not in asked:
        refuse("The insertion location is required.")
    place = place_of(document, asked["location"])
    index = asked["location"].get("index", 0)
    below_end(place, index)
    if index < 0 or not place.units[index].inline:
        refuse(BOUNDS)
    return place, index


def below_end(place: Place, index: int) -> None:
    """Refuse an index behind a segment."""
    if index >= len(place.units):
        refuse(f"Index {index} must be less than the end index of the referenced segment, {len(place.units)}.")


def span_of(document: Document, span: Json) -> tuple[Place, int, int]:
    """A range; it may not be empty, reach out of its segment or cut a character in two."""
    place = place_of(document, span)
    start, end = span.get("startIndex", 0), span.get("endIndex", 0)
    if start >= end:
        refuse("The range should not be empty.")
    below_end(place, start)
    if end > len(place.units):
        refuse(
            f"Index {end} must be less than or equal to the end index of the referenced segment, {len(place.units)}."
        )
    first = 1 if place.segment == BODY else 0
    if start < first:
        refuse(f"Index {start} must be greater than or equal to {first}.")
    return place, start, end


def uncut(place: Place, start: int, end: int) -> None:
    """Refuse a range that cuts a character in two."""
    if any(index < len(place.units) and place.units[index].kind is Kind.TAIL for index in (start, end)):
        refuse(SPLIT)


def table_at(document: Document, location: Json) -> tuple[Place, TableSpan]:
    """The table that begins at a location."""
    place, index = place_of(document, location), location.get("index", 0)
    found = next((table for table in tables(place.units) if table.start == index), None)
    if found is None:
        refuse(f"The provided table start location is invalid: no table starts at index {index}.")
    return place, found


def mask_of(asked: Json, allowed: Sequence[str]) -> list[str]:
    """The fields that a request names, by their first names."""
    text = asked.get("fields", "")
    if not text:
        refuse("At least one field must be listed in 'fields'. (Use '*' to indicate all fields.)")
    names = list(dict.fromkeys(name.strip().split(".")[0].split("/")[0] for name in text.split(",")))
    if "*" in names:
        return list(allowed)
    for name in names:
        if name not in allowed:
            refuse(f"Invalid field: {name}")
    return names


def masked(old: Mapping[str, Any], new: Mapping[str, Any], names: Sequence[str]) -> Json:
    """A style with the named fields taken from another; what is not there is reset."""
    kept = {name: value for name, value in old.items() if name not in names}
    return {**kept, **{name: new[name] for name in names if name in new}}


def bad_request(message: str) -> ApiError:
    """400, as Docs says it."""
    return ApiError(400, "badRequest", message)
