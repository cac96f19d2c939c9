"""Requests to the Docs API, made from what a tool was told."""

import re
from collections.abc import Mapping, Sequence
from typing import Any

from core.mcp_server.desk import BadArgument
from core.mcp_server.shaping.documents import utf16

Json = dict[str, Any]
COLOR = re.compile(r"#?([0-9a-fA-F]{6})")
DROPPED = re.compile("[\x00-\x08\x0c-\x1f\ue000-\uf8ff]")
"""What Google takes out of text that is written."""

PRESETS = {
    "UNORDERED": "BULLET_DISC_CIRCLE_SQUARE",
    "ORDERED": "NUMBERED_DECIMAL_ALPHA_ROMAN",
    "CHECKBOX": "BULLET_CHECKBOX",
}
STYLE_FIELDS = (
    "bold,italic,underline,strikethrough,smallCaps,backgroundColor,foregroundColor,fontSize,weightedFontFamily,"
    "baselineOffset,link"
)


def clean(text: str) -> str:
    """Text as Google will keep it, so that its length is known."""
    return DROPPED.sub("", text.replace("\r\n", "\n").replace("\r", "\n"))


def location(index: int, tab_id: str = "", segment_id: str = "") -> Json:
    """A place."""
    return {"index": index, **where(tab_id, segment_id)}


def span(start: int, end: int, tab_id: str = "", segment_id: str = "") -> Json:
    """A range; its end is not part of it.

    Raises:
        BadArgument: it is empty or backwards.
    """
    if end <= start:
        raise BadArgument("end_index", f"{end} must be greater than start_index, {start}.")
    return {"startIndex": start, "endIndex": end, **where(tab_id, segment_id)}


def where(tab_id: str, segment_id: str) -> Json:
    """A tab and a segment, where they are not the first body."""
    return {**({"tabId": tab_id} if tab_id else {}), **({"segmentId": segment_id} if segment_id else {})}


def insert_text(at: Json, text: str) -> Json:
    """Text at a place."""
    return {"insertText": {"location": at, "text": text}}


def delete(area: Json) -> Json:
    """Everything in a range."""
    return {"deleteContentRange": {"range": area}}


def text_style(options: Mapping[str, Any]) -> tuple[Json, str]:
    """A text style and the fields that it sets.

    Args:
        options: bold, italic, underline, strikethrough, font_size (points), font_family, text_color and
            background_color (#RRGGBB), link_url; what is None is left alone.
    """
    made = {name: options[name] for name in ("bold", "italic", "underline", "strikethrough") if is_set(options, name)}
    if is_set(options, "font_size"):
        made["fontSize"] = points(options["font_size"])
    if is_set(options, "font_family"):
        made["weightedFontFamily"] = {"fontFamily": options["font_family"]}
    for name, field in (("text_color", "foregroundColor"), ("background_color", "backgroundColor")):
        if is_set(options, name):
            made[field] = {"color": {"rgbColor": rgb(name, options[name])}}
    if is_set(options, "link_url"):
        made["link"] = {"url": options["link_url"]} if options["link_url"] else {}
    return {name: value for name, value in made.items() if value != {}}, ",".join(made)


def is_set(options: Mapping[str, Any], name: str) -> bool:
    """Whether an option was given."""
    return options.get(name) is not None


def format_text(area: Json, options: Mapping[str, Any]) -> list[Json]:
    """A style for a range; nothing where no option was given."""
    style, fields = text_style(options)
    return [restyle(area, style, fields)] if fields else []


def restyle(area: Json, style: Json, fields: str = STYLE_FIELDS) -> Json:
    """A text style for a range, in Google's own terms."""
    return {"updateTextStyle": {"range": area, "textStyle": style, "fields": fields}}


def rgb(name: str, text: str) -> Json:
    """A colour.

    Raises:
        BadArgument: it is not `#RRGGBB`.
    """
    match = COLOR.fullmatch(text.strip())
    if match is None:
        raise BadArgument(name, f"{text!r} is no colour; give it as #RRGGBB, such as #1A73E8.")
    number = match.group(1)
    parts = zip(("red", "green", "blue"), (0, 2, 4), strict=True)
    return {channel: round(int(number[at : at + 2], 16) / 255, 4) for channel, at in parts}


def points(size: float) -> Json:
    """A length in points."""
    return {"magnitude": size, "unit": "PT"}


def paragraph_style(area: Json, options: Mapping[str, Any]) -> list[Json]:
    """A paragraph style for all paragraphs of a range; nothing where no option was given.

    Args:
        options: heading_level (0 is normal text), alignment, line_spacing (1.0 is single), indent_first_line,
            indent_start, indent_end, space_above, space_below (points).
    """
    made: Json = {}
    if is_set(options, "heading_level"):
        level = options["heading_level"]
        made["namedStyleType"] = f"HEADING_{level}" if level else "NORMAL_TEXT"
    if is_set(options, "alignment"):
        made["alignment"] = {"LEFT": "START", "RIGHT": "END"}.get(options["alignment"], options["alignment"])
    if is_set(options, "line_spacing"):
        made["lineSpacing"] = round(options["line_spacing"] * 100, 2)
    lengths = {
        "indent_first_line": "indentFirstLine",
        "indent_start": "indentStart",
        "indent_end": "indentEnd",
        "space_above": "spaceAbove",
        "space_below": "spaceBelow",
    }
    made |= {field: points(options[name]) for name, field in lengths.items() if is_set(options, name)}
    if not made:
        return []
    return [{"updateParagraphStyle": {"range": area, "paragraphStyle": made, "fields": ",".join(made)}}]


def bullets(area: Json, list_type: str) -> Json:
    """Bullets or numbers for all paragraphs of a range."""
    return {"createParagraphBullets": {"range": area, "bulletPreset": PRESETS[list_type]}}


def checklist(points: Sequence[str], start: int) -> tuple[str, list[Json]]:
    """The text of points with a box before each, a line a point, and what makes the boxes.

    Args:
        start: index at which the text is put.
    """
    lines = [" ".join(clean(point).split()) for point in points]
    text = "\n".join(line for line in lines if line)
    return text, [bullets(span(start, start + utf16(text)), "CHECKBOX")] if text else []


def table_with_data(at: Json, rows: Sequence[Sequence[str]], bold_first: bool) -> list[Json]:
    """A table and its texts in one batch: its cells are filled from the last to the first, so no index moves.

    Args:
        at: the table begins one index further, after a newline.
    """
    width = max(len(row) for row in rows)
    tab_id, segment_id = at.get("tabId", ""), at.get("segmentId", "")
    requests: list[Json] = [{"insertTable": {"location": at, "rows": len(rows), "columns": width}}]
    for row_number in reversed(range(len(rows))):
        for column in reversed(range(len(rows[row_number]))):
            text = clean(rows[row_number][column])
            index = first_cell(at["index"]) + row_number * (2 * width + 1) + 2 * column
            if text:
                requests.append(insert_text(location(index, tab_id, segment_id), text))
                if bold_first and row_number == 0:
                    area = span(index, index + utf16(text), tab_id, segment_id)
                    requests += format_text(area, {"bold": True})
    return requests


def first_cell(index: int) -> int:
    """Where the first cell's text goes for a table at an index: behind a newline and the marks of table, row, cell."""
    return index + 4


def image(at: Json, uri: str, width: float, height: float) -> Json:
    """An image; a width or height of 0 is left to Google."""
    size = {name: points(value) for name, value in (("width", width), ("height", height)) if value}
    return {"insertInlineImage": {"location": at, "uri": uri, **({"objectSize": size} if size else {})}}


def replace_all(old: str, new: str, match_case: bool, tab_id: str = "") -> Json:
    """New text for every occurrence of an old one."""
    tabs = {"tabsCriteria": {"tabIds": [tab_id]}} if tab_id else {}
    return {
        "replaceAllText": {"containsText": {"text": old, "matchCase": match_case}, "replaceText": clean(new), **tabs}
    }
