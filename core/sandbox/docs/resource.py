"""Documents as the REST API shows them: structural elements with their indices."""

from collections.abc import Mapping
from itertools import groupby
from typing import Any

from core.sandbox.docs.bullets import nesting_levels
from core.sandbox.docs.model import BODY, Document, Tab, points
from core.sandbox.docs.units import Json, Kind, Unit, Units, text_of

HEADING_SIZES = {
    "TITLE": 26,
    "SUBTITLE": 15,
    **{f"HEADING_{n}": size for n, size in enumerate((20, 16, 14, 12, 11, 11), 1)},
}
"""Points of the named styles; normal text has 11."""

TAB_FIELDS = (
    "body",
    "headers",
    "footers",
    "footnotes",
    "documentStyle",
    "namedStyles",
    "lists",
    "namedRanges",
    "inlineObjects",
)


def document(stored: Document, file_id: str, title: str, revision: str, with_tabs: bool) -> Json:
    """A document resource.

    Args:
        with_tabs: whether the content goes into `tabs`, or the first tab's into the fields of old.
    """
    head = {"title": title, "revisionId": revision, "suggestionsViewMode": "SUGGESTIONS_INLINE", "documentId": file_id}
    if with_tabs:
        return {**head, "tabs": tab_list(stored, "", 0)}
    first = next(stored.ordered())[0]
    return {**head, **content_fields(first)}


def tab_list(stored: Document, parent: str, level: int) -> list[Json]:
    """The tabs below one, each with its own below it."""
    return [tab(stored, one, index, level) for index, one in enumerate(stored.children(parent))]


def tab(stored: Document, one: Tab, index: int, level: int) -> Json:
    """A tab with its content."""
    properties: Json = {"tabId": one.id, "title": one.title, "index": index}
    properties |= {"parentTabId": one.parent, "nestingLevel": level} if one.parent else {}
    properties |= {"iconEmoji": one.icon} if one.icon else {}
    below = tab_list(stored, one.id, level + 1)
    return {
        "tabProperties": properties,
        "documentTab": content_fields(one),
        **({"childTabs": below} if below else {}),
    }


def content_fields(one: Tab) -> Json:
    """The content of a tab."""
    found: Json = {
        "body": {"content": content(one.body)},
        "headers": segments(one, "header"),
        "footers": segments(one, "footer"),
        "footnotes": segments(one, "footnote"),
        "documentStyle": one.style,
        "namedStyles": {"styles": named_styles()},
        "lists": {
            key: {"listProperties": {"nestingLevels": nesting_levels(preset)}} for key, preset in one.lists.items()
        },
        "namedRanges": named_ranges(one),
        "inlineObjects": one.objects,
    }
    return {name: value for name, value in found.items() if value}


def segments(one: Tab, kind: str) -> Json:
    """The headers, footers or footnotes by their ids."""
    return {
        key: {f"{kind}Id": key, "content": content(units)}
        for key, units in one.segments.items()
        if key != BODY and one.kinds[key] == kind
    }


def named_ranges(one: Tab) -> Json:
    """The named ranges by their names."""
    found: Json = {}
    for key, known in one.ranges.items():
        span: Json = {"startIndex": known.start, "endIndex": known.end}
        span |= {"segmentId": known.segment} if known.segment else {}
        entry = {"namedRangeId": key, "name": known.name, "ranges": [span | {"tabId": one.id}]}
        found.setdefault(known.name, {"name": known.name, "namedRanges": []})["namedRanges"].append(entry)
    return found


def named_styles() -> list[Json]:
    """The styles that a new document has."""
    normal = {"fontSize": points(11), "weightedFontFamily": {"fontFamily": "Arial", "weight": 400}}
    spacing = {"lineSpacing": 115, "direction": "LEFT_TO_RIGHT", "alignment": "START"}
    first = {
        "namedStyleType": "NORMAL_TEXT",
        "textStyle": normal,
        "paragraphStyle": {"namedStyleType": "NORMAL_TEXT", **spacing},
    }
    rest = [
        {
            "namedStyleType": name,
            "textStyle": {"fontSize": points(size)},
            "paragraphStyle": {"namedStyleType": "NORMAL_TEXT", "keepWithNext": True},
        }
        for name, size in HEADING_SIZES.items()
    ]
    return [first, *rest]


def content(units: Units) -> list[Json]:
    """A whole segment as structural elements."""
    return Reader(units).elements(0, len(units))


def at(start: int, end: int) -> Json:
    """The indices of an element; Google leaves out a zero."""
    return {"startIndex": start, "endIndex": end} if start else {"endIndex": end}


class Reader:
    """Reads structural elements off a segment."""

    def __init__(self, units: Units) -> None:
        self._units = units

    def elements(self, start: int, end: int) -> list[Json]:
        """The elements of a stretch that holds only whole ones."""
        found: list[Json] = []
        while start < end:
            element = self._element(start)
            found.append(element)
            start = element["endIndex"]
        return found

    def _element(self, start: int) -> Json:
        kind = self._units[start].kind
        if kind is Kind.SECTION:
            return {**at(start, start + 1), "sectionBreak": {"sectionStyle": dict(self._units[start].data)}}
        return self._table(start) if kind is Kind.TABLE else self._paragraph(start)

    def _paragraph(self, start: int) -> Json:
        end = start
        while self._units[end].kind is not Kind.NEWLINE:
            end += 1
        data = self._units[end].data
        shown = {"elements": self._runs(start, end + 1), "paragraphStyle": dict(data["style"])}
        if "bullet" in data:
            level = {"nestingLevel": data["bullet"]["level"]} if data["bullet"]["level"] else {}
            shown["bullet"] = {"listId": data["bullet"]["list"], **level, "textStyle": dict(self._units[end].style)}
        return {**at(start, end + 1), "paragraph": shown}

    def _runs(self, start: int, end: int) -> list[Json]:
        found: list[Json] = []
        for _, group in groupby(range(start, end), key=lambda index: run_key(index, self._units[index])):
            indices = list(group)
            found.append({**at(indices[0], indices[-1] + 1), **run(self._units[indices[0] : indices[-1] + 1])})
        return found

    def _table(self, start: int) -> Json:
        rows, index = list[Json](), start + 1
        while self._units[index].kind is Kind.ROW:
            row = self._row(index)
            rows.append(row)
            index = row["endIndex"]
        mark = self._units[start].data
        columns = max((len(row["tableCells"]) for row in rows), default=0)
        widths = list(mark.get("columns") or [{"widthType": "EVENLY_DISTRIBUTED"}] * columns)
        style = {"tableColumnProperties": widths}
        table = {"rows": len(rows), "columns": columns, "tableRows": rows, "tableStyle": style}
        return {**at(start, index + 1), "table": table}

    def _row(self, start: int) -> Json:
        cells, index = list[Json](), start + 1
        while self._units[index].kind is Kind.CELL:
            cell = self._cell(index)
            cells.append(cell)
            index = cell["endIndex"]
        style = {"minRowHeight": points(0), **self._units[start].data}
        return {**at(start, index), "tableCells": cells, "tableRowStyle": style}

    def _cell(self, start: int) -> Json:
        found, index = list[Json](), start + 1
        while self._units[index].inline or self._units[index].kind is Kind.TABLE:
            element = self._element(index)
            found.append(element)
            index = element["endIndex"]
        return {**at(start, index), "content": found, "tableCellStyle": {**CELL_STYLE, **self._units[start].data}}


CELL_STYLE: Json = {
    "rowSpan": 1,
    "columnSpan": 1,
    "backgroundColor": {},
    **{f"padding{side}": points(5) for side in ("Left", "Right", "Top", "Bottom")},
    "contentAlignment": "TOP",
}


def run_key(index: int, unit: Unit) -> tuple[object, str]:
    """What neighbouring units must share to be one run; an object is always alone."""
    return (index if unit.kind is Kind.OBJECT else "text", repr(sorted(unit.style.items())))


def run(units: Units) -> Json:
    """A paragraph element of some units with one style."""
    style: Mapping[str, Any] = dict(units[0].style)
    if units[0].kind is not Kind.OBJECT:
        return {"textRun": {"content": text_of(units), "textStyle": style}}
    ((name, value),) = units[0].data.items()
    return {name: {**value, "textStyle": style}}
