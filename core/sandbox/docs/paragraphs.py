"""Requests about paragraphs: their style, and the lists that they join and leave."""

from core.sandbox.docs.bullets import PRESETS, in_list, out_of_list
from core.sandbox.docs.edits import Place, mask_of, masked, refuse, span_of
from core.sandbox.docs.model import Document
from core.sandbox.docs.places import newlines, paragraph
from core.sandbox.docs.units import Json, Unit, newline

PARAGRAPH_FIELDS = (
    "namedStyleType",
    "alignment",
    "lineSpacing",
    "direction",
    "spacingMode",
    "spaceAbove",
    "spaceBelow",
    "borderBetween",
    "borderTop",
    "borderBottom",
    "borderLeft",
    "borderRight",
    "indentFirstLine",
    "indentStart",
    "indentEnd",
    "keepLinesTogether",
    "keepWithNext",
    "avoidWidowAndOrphan",
    "shading",
    "pageBreakBefore",
    "tabStops",
)


def style_paragraphs(document: Document, asked: Json) -> Json:
    """updateParagraphStyle: all paragraphs that the range overlaps."""
    if "headingId" in asked.get("fields", ""):
        refuse("Unallowed field: headingId")
    names, new = mask_of(asked, PARAGRAPH_FIELDS), asked.get("paragraphStyle", {})
    place, start, end = span_of(document, asked.get("range", {}))
    for index in newlines(place.units, start, end):
        unit = place.units[index]
        style = masked(unit.data["style"], new, names)
        style.setdefault("namedStyleType", "NORMAL_TEXT")
        style.setdefault("direction", "LEFT_TO_RIGHT")
        put(place, index, {**unit.data, "style": style})
    return {}


def put(place: Place, index: int, data: Json) -> None:
    """Give a paragraph, by its end, other data."""
    place.units[index] = newline(data, place.units[index].style)


def create_bullets(document: Document, asked: Json) -> Json:
    """createParagraphBullets: leading tabs become levels, and are gone."""
    preset = asked.get("bulletPreset", "")
    if preset not in PRESETS:
        refuse("The bullet preset must be specified.")
    place, start, end = span_of(document, asked.get("range", {}))
    ends = list(newlines(place.units, start, end))
    if not ends:
        return {}
    list_id = list_before(place, ends[0], preset) or new_list(place, preset)
    for index in reversed(ends):
        begin, _ = paragraph(place.units, index)
        tabs = leading_tabs(place.units[begin:index])
        level = tabs + place.units[index].data.get("bullet", {}).get("level", 0)
        put(place, index, in_list(place.units[index].data, list_id, level))
        place.splice(begin, begin + tabs, [])
    return {}


def leading_tabs(units: list[Unit]) -> int:
    """How many tabs a paragraph begins with."""
    return next((count for count, unit in enumerate(units) if unit.text != "\t"), len(units))


def list_before(place: Place, index: int, preset: str) -> str | None:
    """The list of the paragraph before, where it has the same preset."""
    begin, _ = paragraph(place.units, index)
    before = place.units[begin - 1] if begin else None
    if before is None or "bullet" not in before.data:
        return None
    list_id: str = before.data["bullet"]["list"]
    return list_id if place.tab.lists[list_id] == preset else None


def new_list(place: Place, preset: str) -> str:
    """The id of a new list."""
    list_id = place.document.new_id("kix.")
    place.tab.lists[list_id] = preset
    return list_id


def delete_bullets(document: Document, asked: Json) -> Json:
    """deleteParagraphBullets."""
    place, start, end = span_of(document, asked.get("range", {}))
    for index in newlines(place.units, start, end):
        if "bullet" in place.units[index].data:
            put(place, index, out_of_list(place.units[index].data))
    return {}
