"""Changes of a spreadsheet: values, looks, conditional formats, sheets."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from core.a1 import Area
from core.mcp_server.desk import BadArgument, Desk
from core.mcp_server.results_sheets import CellError, SheetChange, SheetRow
from core.mcp_server.shaping import cells, formats
from core.mcp_server.workbooks import Json, Page, Place, Tab, Workbook, link

SHOWN = 20
"""Rows of what was written that a result shows."""


@dataclass(frozen=True)
class Wanted:
    """What a conditional format is to be; None leaves a part as it is."""

    condition_type: str | None
    condition_values: Sequence[Any] | str | None
    background_color: str | None
    text_color: str | None
    gradient_points: Sequence[Any] | str | None


def write(book: Workbook, range_name: str, values: list[Any] | str | None, option: str) -> SheetChange:
    """Write rows from a range's first cell on; a sheet that is too small gets more rows and columns first."""
    if values is None:
        raise BadArgument("values", "give rows to write, or clear_values=true to empty the range")
    rows = cells.table(values)
    place, grown = fitted(book, range_name, rows)
    answer = book.write(place, rows, option)
    written, shown = answer.get("updatedRange", place.name), answer.get("updatedData", {}).get("values", [])
    said = cells.rows(shown, place.area.top)
    count = answer.get("updatedCells", 0)
    return SheetChange(
        spreadsheet_id=book.id,
        title=book.title,
        range=written,
        changed=f"{plural(count, 'cell')} written in {written}.{grown}",
        cells=count,
        rows=said[:SHOWN],
        errors=failures(book, place, said, len(rows)),
        link=link(book.id, place.tab.id),
        next_step="Correct the formulas that failed." if any_failed(said) else "Read the range to see all of it.",
    )


def fitted(book: Workbook, range_name: str, rows: Sequence[Sequence[Any]]) -> tuple[Place, str]:
    """Where rows go, and what had to be added to the sheet for them, in words."""
    place = book.place(range_name)
    bottom, right = place.area.top + len(rows), place.area.left + max(map(len, rows))
    missing = {"ROWS": bottom - place.tab.rows, "COLUMNS": right - place.tab.columns}
    grow = [
        {"appendDimension": {"sheetId": place.tab.id, "dimension": axis, "length": count}}
        for axis, count in missing.items()
        if count > 0
    ]
    whole = place.area == Area(0, 0, place.tab.rows, place.tab.columns)
    if not grow or not (place.area.single or whole):
        return place, ""
    book.change(*grow)
    added = " and ".join(f"{count} {axis.lower()}" for axis, count in missing.items() if count > 0)
    tab = Tab(place.tab.id, place.tab.title, max(place.tab.rows, bottom), max(place.tab.columns, right))
    return Place(tab, Area(place.area.top, place.area.left, bottom, right)), f" The sheet got {added} more."


def any_failed(rows: Sequence[SheetRow]) -> bool:
    """Whether a formula failed."""
    return any(cells.looks_failed(text) for row in rows for text in row.cells)


def failures(book: Workbook, place: Place, rows: list[SheetRow], height: int) -> list[CellError]:
    """Why written formulas failed."""
    if not any_failed(rows):
        return []
    bottom = min(place.area.top + height, place.tab.rows)
    width = max(len(row.cells) for row in rows)
    area = Area(place.area.top, place.area.left, bottom, place.area.left + width)
    return book.notes(Page(rows, Place(place.tab, area), None), hyperlinks=False)[0]


def clear(book: Workbook, range_name: str, values: object) -> SheetChange:
    """Empty a range."""
    if values:
        raise BadArgument("clear_values", "either values or clear_values, not both")
    place = book.place(range_name)
    cleared = book.clear(place).get("clearedRange", place.name)
    return changed(book, place, f"The values of {cleared} are cleared; formats stay.", "Write new values when needed.")


def dress(
    book: Workbook, range_name: str, look: Mapping[str, Any], background: str | None, text: str | None
) -> SheetChange:
    """Give a range another look."""
    wanted = said_only({**look, "textFormat": said_only(look["textFormat"])})
    shade = formats.shade(background, text)
    wanted = {**wanted, **shade, "textFormat": {**wanted.get("textFormat", {}), **shade.get("textFormat", {})}}
    fields = [f"textFormat.{name}" for name in wanted["textFormat"]] + [one for one in wanted if one != "textFormat"]
    if not fields:
        raise BadArgument("range_name", "say what to change: a colour, number format, alignment, wrapping or font")
    place = book.place(range_name)
    mask = f"userEnteredFormat({','.join(fields)})"
    book.change({"repeatCell": {"range": place.grid(), "cell": {"userEnteredFormat": wanted}, "fields": mask}})
    what = ", ".join(sorted(fields)).replace("textFormat.", "")
    return changed(book, place, f"Formatted {place.name}: {what}.", "Conditional formats still win over it.")


def said_only(values: Mapping[str, Any]) -> Json:
    """What was said."""
    return {name: value for name, value in values.items() if value is not None and value != {}}


def number_format(kind: str | None, pattern: str | None) -> Json | None:
    """A NumberFormat, None where nothing was said."""
    if kind is None and pattern is None:
        return None
    return said_only({"type": kind or "NUMBER", "pattern": pattern})


def add_rule(book: Workbook, range_name: str, wanted: Wanted, index: int) -> SheetChange:
    """Add a conditional format."""
    place = book.place(range_name)
    rule = {"ranges": [place.grid()], **rule_body(wanted, {})}
    book.change({"addConditionalFormatRule": {"rule": rule, "index": index}})
    return ruled(book, place.tab, f"A rule was added for {place.name} at index {index}.", place.name)


def update_rule(
    book: Workbook, index: int, range_name: str | None, sheet_name: str | None, wanted: Wanted
) -> SheetChange:
    """Change a conditional format; what is not named stays."""
    place = book.place(range_name) if range_name else None
    tab = book.tab(sheet_name) if sheet_name or place is None else place.tab
    if place is not None and place.tab != tab:
        raise BadArgument("range_name", f"it is on the sheet {place.tab.title!r}, and the rule on {tab.title!r}")
    old = rule_at(book, tab, index)
    rule = {"ranges": [place.grid()] if place else old["ranges"], **rule_body(wanted, old)}
    book.change({"updateConditionalFormatRule": {"index": index, "sheetId": tab.id, "rule": rule}})
    return ruled(book, tab, f"The rule {index} of the sheet {tab.title!r} was changed.", place.name if place else None)


def delete_rule(book: Workbook, index: int, sheet_name: str | None) -> SheetChange:
    """Delete a conditional format."""
    tab = book.tab(sheet_name)
    gone = formats.rule(index, rule_at(book, tab, index))
    book.change({"deleteConditionalFormatRule": {"index": index, "sheetId": tab.id}})
    return ruled(book, tab, f"The rule {index} ({gone.condition} on {', '.join(gone.ranges)}) was deleted.", None)


def rule_at(book: Workbook, tab: Tab, index: int) -> Json:
    """A rule by its index.

    Raises:
        BadArgument: there is none.
    """
    rules = book.rules_of(tab)
    if index >= len(rules):
        raise BadArgument("rule_index", f"the sheet {tab.title!r} has {plural(len(rules), 'rule')}, counted from 0")
    return rules[index]


def rule_body(wanted: Wanted, old: Json) -> Json:
    """The rule apart from its ranges."""
    if wanted.gradient_points:
        return {"gradientRule": formats.gradient(wanted.gradient_points)}
    new = formats.shade(wanted.background_color, wanted.text_color)
    if "gradientRule" in old and not wanted.condition_type and not new:
        return {"gradientRule": old["gradientRule"]}
    known = old.get("booleanRule", {})
    condition = known.get("condition")
    if wanted.condition_type or wanted.condition_values is not None:
        kind = wanted.condition_type or (condition or {}).get("type", "")
        condition = formats.condition(kind, wanted.condition_values)
    if condition is None:
        raise BadArgument("condition_type", "the rule is a colour scale; name a condition to make it another rule")
    look = {**known.get("format", {}), **new}
    if "backgroundColor" in new:
        look.pop("backgroundColorStyle", None)
    if not look:
        raise BadArgument("background_color", "say how it shows: background_color, text_color or gradient_points")
    return {"booleanRule": {"condition": condition, "format": look}}


def ruled(book: Workbook, tab: Tab, what: str, where: str | None) -> SheetChange:
    """A change of rules, with all rules that the sheet now has."""
    rules = [formats.rule(index, one) for index, one in enumerate(book.rules_of(tab)[:SHOWN])]
    return SheetChange(
        spreadsheet_id=book.id,
        title=book.title,
        range=where,
        changed=what,
        rules=rules,
        link=link(book.id, tab.id),
        next_step="The indices of rules have changed: use those of this list.",
    )


def changed(book: Workbook, place: Place, what: str, next_step: str) -> SheetChange:
    """A change of a place."""
    return SheetChange(
        spreadsheet_id=book.id,
        title=book.title,
        range=place.name,
        changed=what,
        link=link(book.id, place.tab.id),
        next_step=next_step,
    )


def create(desk: Desk, title: str, sheet_names: Sequence[str]) -> SheetChange:
    """A new spreadsheet."""
    if len({name.casefold() for name in sheet_names}) < len(sheet_names):
        raise BadArgument("sheet_names", "each sheet needs a name of its own")
    body: Json = {"properties": {"title": title, "timeZone": desk.zone.key}}
    if sheet_names:
        body["sheets"] = [{"properties": {"title": name}} for name in sheet_names]
    fields = "spreadsheetId,properties.title,sheets.properties.title"
    made = desk.google.execute(desk.google.resource("sheets.spreadsheets").create(body=body, fields=fields))
    return SheetChange(
        spreadsheet_id=made["spreadsheetId"],
        title=made["properties"]["title"],
        changed=f"The spreadsheet {made['properties']['title']!r} was made in My Drive.",
        sheets=[one["properties"]["title"] for one in made["sheets"]],
        link=link(made["spreadsheetId"]),
        next_step="Write values with modify_sheet_values; share it with share_drive_file.",
    )


def add_sheet(book: Workbook, name: str) -> SheetChange:
    """A new sheet."""
    if any(tab.title.casefold() == name.casefold() for tab in book.tabs):
        raise BadArgument("sheet_name", f"the spreadsheet has a sheet {name!r} already")
    (reply,) = book.change({"addSheet": {"properties": {"title": name}}})
    made = reply["addSheet"]["properties"]
    return SheetChange(
        spreadsheet_id=book.id,
        title=book.title,
        changed=f"The sheet {made['title']!r} was added.",
        sheets=[*(tab.title for tab in book.tabs), made["title"]],
        link=link(book.id, made.get("sheetId", 0)),
        next_step="Write values with modify_sheet_values.",
    )


def plural(count: int, noun: str) -> str:
    """A number of things."""
    return f"{count:,} {noun}{'' if count == 1 else 's'}"
