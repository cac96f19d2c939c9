"""Requests about text: put in, taken out, replaced, styled."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import regex

from core.sandbox.docs.edits import Place, insertion, mask_of, masked, refuse, span_of, uncut
from core.sandbox.docs.model import Document
from core.sandbox.docs.places import balanced, newlines, paragraph, whole
from core.sandbox.docs.units import Json, Kind, Unit, Units, length, restyled, text_units

DROPPED = regex.compile("[\x00-\x08\x0c-\x1f\ue000-\uf8ff]")
CLUSTER = regex.compile(r"\X")
TEXT_FIELDS = (
    "bold",
    "italic",
    "underline",
    "strikethrough",
    "smallCaps",
    "backgroundColor",
    "foregroundColor",
    "fontSize",
    "weightedFontFamily",
    "baselineOffset",
    "link",
)
LINK_LOOK: Json = {
    "underline": True,
    "foregroundColor": {"color": {"rgbColor": {"red": 0.06666667, "green": 0.33333334, "blue": 0.8}}},
}


def insert_text(document: Document, asked: Json) -> Json:
    """insertText: never into the middle of what a reader sees as one character."""
    place, index = insertion(document, asked)
    text = DROPPED.sub("", asked.get("text", ""))
    if not asked.get("text"):
        refuse("The insertion text must not be empty.")
    index = behind_cluster(place.units, index)
    _, end = paragraph(place.units, index)
    data = without_heading_id(place.units[end - 1].data)
    place.splice(index, index, list(text_units(text, style_at(place.units, index), data)))
    return {}


def without_heading_id(data: Mapping[str, Any]) -> Json:
    """A paragraph's data for another paragraph: heading ids are unique."""
    return {**data, "style": {name: value for name, value in data["style"].items() if name != "headingId"}}


def behind_cluster(units: Units, index: int) -> int:
    """The index, or the end of the grapheme cluster that it is inside of."""
    start, end = paragraph(units, index)
    shown = "".join(unit.text or ("" if unit.kind is Kind.TAIL else "\ufffc") for unit in units[start:end])
    for match in CLUSTER.finditer(shown):
        begin, start = start, start + length(match.group())
        if begin < index < start:
            return start
    return index


def style_at(units: Units, index: int) -> Mapping[str, Any]:
    """The style of text inserted at an index: of what stands before it in the paragraph, or else after it.

    A link does not grow at its end.
    """
    before, after = units[index - 1] if index else None, units[index]
    if before is None or not before.inline or before.kind is Kind.NEWLINE:
        return unlinked(after.style) if after.style.get("link") else after.style
    if "link" in before.style and before.style.get("link") != after.style.get("link"):
        return unlinked(before.style)
    return before.style


def unlinked(style: Mapping[str, Any]) -> Json:
    """A text style without its link and the look that the link gave it."""
    return {name: value for name, value in style.items() if name != "link" and LINK_LOOK.get(name) != value}


def delete_range(document: Document, asked: Json) -> Json:
    """deleteContentRange."""
    place, start, end = span_of(document, asked.get("range", {}))
    if end == len(place.units):
        refuse("The range cannot include the newline character at the end of the segment.")
    uncut(place, start, end)
    remove(place, start, end)
    return {}


def remove(place: Place, start: int, end: int) -> None:
    """Take a range out; where paragraphs merge, the first one's style stays if any of it is left."""
    units = place.units
    rest = units[:start] + units[end:]
    if not balanced(units[start:end]) or not whole(rest):
        refuse("Invalid deletion range. Cannot delete the requested range.")
    first_end = next((at for at in newlines(units, start, end) if at < end), None)
    kept = units[first_end].data if first_end is not None and begun(units, start) else None
    place.splice(start, end, [])
    if kept is not None:
        _, stop = paragraph(place.units, start)
        place.units[stop - 1] = Unit(Kind.NEWLINE, "\n", place.units[stop - 1].style, kept)


def begun(units: Units, index: int) -> bool:
    """Whether something of its paragraph stands before an index."""
    return units[index].inline and paragraph(units, index)[0] < index


def replace_all(document: Document, asked: Json) -> Json:
    """replaceAllText: within paragraphs, in every segment of the tabs that are meant."""
    criteria = asked.get("containsText", {})
    if not criteria.get("text"):
        refuse("The substring to match must not be empty.")
    pattern = matcher(criteria)
    wanted = asked.get("tabsCriteria", {}).get("tabIds") or [tab.id for tab in document.tabs]
    text, count = DROPPED.sub("", asked.get("replaceText", "")), 0
    for tab_id in wanted:
        tab = document.tab(tab_id)
        if tab is None:
            refuse(f"Tab with ID {tab_id} not found.")
        for segment in tab.segments:
            count += replace_in(Place(document, tab, segment), pattern, text)
    return {"replaceAllText": {"occurrencesChanged": count} if count else {}}


def matcher(criteria: Json) -> Any:
    """What finds a text."""
    text = criteria["text"] if criteria.get("searchByRegex") else regex.escape(criteria["text"])
    try:
        return regex.compile(text, 0 if criteria.get("matchCase") else regex.IGNORECASE)
    except regex.error as error:
        refuse(f"Invalid regular expression: {error}")


def replace_in(place: Place, pattern: Any, text: str) -> int:
    """Replace in one segment, from its end, so that what was found stays where it is."""
    found = list(matches(place.units, pattern))
    for start, end in reversed(found):
        _, stop = paragraph(place.units, start)
        data = without_heading_id(place.units[stop - 1].data)
        place.splice(start, end, list(text_units(text, place.units[start].style, data)))
    return len(found)


def matches(units: Units, pattern: Any) -> Iterator[tuple[int, int]]:
    """Where a pattern is found, paragraph by paragraph."""
    start = 0
    for end in [index for index, unit in enumerate(units) if unit.kind is Kind.NEWLINE]:
        shown = [unit.text or ("" if unit.kind is Kind.TAIL else "\ufffc") for unit in units[start:end]]
        text = "".join(shown)
        for match in pattern.finditer(text):
            if match.group():
                begin = start + length(text[: match.start()])
                yield begin, begin + length(match.group())
        start = end + 1


def style_text(document: Document, asked: Json) -> Json:
    """updateTextStyle."""
    names, new = mask_of(asked, TEXT_FIELDS), asked.get("textStyle", {})
    place, start, end = span_of(document, asked.get("range", {}))
    uncut(place, start, end)
    if "link" in names:
        names, new = linked(names, new)
    chosen = {name: value for name, value in new.items() if value is not False and value not in ({}, {"color": {}})}
    for index in range(start, end):
        unit = place.units[index]
        if unit.inline:
            place.units[index] = restyled(unit, masked(unit.style, chosen, names))
    return {}


def linked(names: Sequence[str], new: Json) -> tuple[list[str], Json]:
    """A link brings its look with it, and takes it away again, unless the request says another."""
    look = [name for name in LINK_LOOK if name not in names]
    worn = {name: LINK_LOOK[name] for name in look} if new.get("link") else {}
    return [*names, *look], {**new, **worn}
