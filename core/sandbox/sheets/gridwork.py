"""Requests that change cells: written, repeated, appended, found and replaced, sorted, merged."""

import re
from collections.abc import Mapping
from datetime import date
from functools import partial
from typing import Any

from core.a1 import Area
from core.sandbox.sheets import cells, formulas
from core.sandbox.sheets.book import Book, Sheet
from core.sandbox.sheets.reader import Reader
from core.sandbox.sheets.work import Json, Refused, Work
from core.sandbox.sheets.writer import Writer


def repeat_cell(work: Work, body: Json) -> Json:
    """repeatCell."""
    sheet, area = work.area(body.get("range") or {})
    mask, cell = cells.read_mask(body.get("fields"), "repeatCell"), body.get("cell") or {}
    writer = Writer.on(work.book, sheet, work.today)
    formula = (cell.get("userEnteredValue") or {}).get("formulaValue")
    for row in range(area.top, area.bottom or 0):
        for column in range(area.left, area.right or 0):
            if formula:
                shifted = formulas.moved(formula, row - area.top, column - area.left)
                cell = {**cell, "userEnteredValue": {"formulaValue": shifted}}
            cells.change(writer, row, column, cell, mask)
    return {}


def update_cells(work: Work, body: Json) -> Json:
    """updateCells: from a start, or in a range, where what has no data is cleared."""
    mask = cells.read_mask(body.get("fields"), "updateCells")
    rows = [row.get("values") or [] for row in body.get("rows") or []]
    if "start" in body:
        start = body["start"]
        sheet = work.sheet(start.get("sheetId"))
        top, left = int(start.get("rowIndex") or 0), int(start.get("columnIndex") or 0)
        area = Area(top, left, top + len(rows), left + max(map(len, rows), default=0))
    else:
        sheet, area = work.area(body.get("range") or {})
    if (area.bottom or 0) > sheet.rows or (area.right or 0) > sheet.columns:
        raise Refused(f"Attempting to write row: {area.bottom}, beyond the last row: {sheet.rows}")
    writer = Writer.on(work.book, sheet, work.today)
    for row in range(area.top, area.bottom or 0):
        given = rows[row - area.top] if row - area.top < len(rows) else []
        last = area.left + len(given) if "start" in body else area.right or 0
        for column in range(area.left, last):
            at = column - area.left
            cells.change(writer, row, column, given[at] if at < len(given) else {}, mask)
    return {}


def append_cells(work: Work, body: Json) -> Json:
    """appendCells: after the last row with data."""
    sheet, mask = work.sheet(body.get("sheetId")), cells.read_mask(body.get("fields"), "appendCells")
    reader = Reader.of(work.book, sheet)
    used = work.book.used(sheet)
    columns = range(used.right or 0)
    filled = (row for row in range((used.bottom or 0) - 1, -1, -1) if any(not reader.empty(row, c) for c in columns))
    top = next(filled, -1) + 1
    rows = [row.get("values") or [] for row in body.get("rows") or []]
    sheet.rows = max(sheet.rows, top + len(rows))
    sheet.columns = max(sheet.columns, *(len(row) for row in rows), 1)
    writer = Writer.on(work.book, sheet, work.today)
    for down, row in enumerate(rows):
        for column, cell in enumerate(row):
            cells.change(writer, top + down, column, cell, mask)
    return {}


def place_cells(book: Book, sheet: Sheet, data: Mapping[str, Any], today: date) -> None:
    """Lay the cells of a GridData into a sheet."""
    writer = Writer.on(book, sheet, today)
    for down, row in enumerate(data.get("rowData") or []):
        for across, cell in enumerate(row.get("values") or []):
            at = int(data.get("startRow") or 0) + down, int(data.get("startColumn") or 0) + across
            cells.change(
                writer, *at, cell, {name: {} for name in cell if name in (cells.CONTENT, cells.DRESS, cells.NOTE)}
            )


def find_replace(work: Work, body: Json) -> Json:
    """findReplace."""
    if not body.get("find"):
        raise Refused("Find must not be empty.")
    pattern = str(body["find"]) if body.get("searchByRegex") else re.escape(str(body["find"]))
    pattern = rf"(?:{pattern})\Z" if body.get("matchEntireCell") else pattern
    try:
        search = re.compile(pattern, 0 if body.get("matchCase") else re.IGNORECASE)
    except re.error as error:
        raise Refused(f"Invalid regular expression: {error}") from error
    replacement = str(body.get("replacement") or "")
    if body.get("searchByRegex"):
        replacement = re.sub(r"\$(\d)", r"\\\1", replacement)
    else:
        replacement = replacement.replace("\\", r"\\")
    found: Json = {
        "valuesChanged": 0,
        "formulasChanged": 0,
        "rowsChanged": 0,
        "sheetsChanged": 0,
        "occurrencesChanged": 0,
    }
    for sheet, area in searched(work, body):
        replace_in(Writer.on(work.book, sheet, work.today), area, partial(changed, search, replacement, body), found)
    return {"findReplace": {name: number for name, number in found.items() if number}}


def searched(work: Work, body: Json) -> list[tuple[Sheet, Area]]:
    """Where a find looks."""
    if body.get("allSheets"):
        return [(sheet, work.book.used(sheet)) for sheet in work.book.sheets]
    if "range" in body:
        sheet, area = work.area(body["range"])
        used = work.book.used(sheet)
        return [(sheet, area.within(used.bottom or 0, used.right or 0))]
    sheet = work.sheet(body.get("sheetId"))
    return [(sheet, work.book.used(sheet))]


def changed(search: re.Pattern[str], replacement: str, body: Json, text: str, formula: bool) -> tuple[str, int]:
    """A cell's content with everything replaced, and how often that was."""
    if formula and not body.get("includeFormulas"):
        return text, 0
    if body.get("matchEntireCell"):
        match = search.match(text)
        return (match.expand(replacement), 1) if match else (text, 0)
    return search.subn(replacement, text)


def replace_in(writer: Writer, area: Area, change: Any, found: Json) -> None:
    """Replace in one sheet, and count."""
    before = found["occurrencesChanged"]
    for row in range(area.top, area.bottom or 0):
        times = sum(replace_cell(writer, row, column, change, found) for column in range(area.left, area.right or 0))
        found["occurrencesChanged"] += times
        found["rowsChanged"] += bool(times)
    found["sheetsChanged"] += found["occurrencesChanged"] > before


def replace_cell(writer: Writer, row: int, column: int, change: Any, found: Json) -> int:
    """Replace in one cell; returns how often."""
    formula = writer.formula(row, column)
    text = formula or writer.text(row, column)
    if not text:
        return 0
    new, times = change(text, formula is not None)
    if times:
        writer.put(row, column, new, typed=True)
        found["formulasChanged" if formula else "valuesChanged"] += 1
    return int(times)


def sort_range(work: Work, body: Json) -> Json:
    """sortRange: numbers, texts, truth values; what is empty comes last."""
    sheet, area = work.area(body.get("range") or {})
    used = work.book.used(sheet)
    area = area.within(used.bottom or 0, used.right or 0)
    writer = Writer.on(work.book, sheet, work.today)
    columns = range(area.left, area.right or 0)
    order = list(range(area.top, area.bottom or 0))
    for spec in reversed(body.get("sortSpecs") or []):
        down = spec.get("sortOrder") == "DESCENDING"
        column = int(spec.get("dimensionIndex") or 0)
        order.sort(key=lambda row: rank(writer, row, column), reverse=down)
        order.sort(key=lambda row: writer.empty(row, column))
    rows = {row: [(content(writer, row, column), writer.look(row, column)) for column in columns] for row in order}
    for target, row in enumerate(order, area.top):
        if target == row:
            continue
        for column, (value, look) in zip(columns, rows[row], strict=True):
            moved = (
                formulas.moved(value, target - row, 0) if isinstance(value, str) and value.startswith("=") else value
            )
            writer.put(target, column, moved, typed=isinstance(moved, str) and moved.startswith("="))
            writer.dress(target, column, look)
    return {}


def rank(reader: Reader, row: int, column: int) -> tuple[int, float, str]:
    """Where a cell stands in an order."""
    value = reader.value(row, column)
    if isinstance(value, bool):
        return 2, float(value), ""
    if isinstance(value, float):
        return 0, value, ""
    return 1, 0.0, str(value or "").casefold()


def content(reader: Reader, row: int, column: int) -> Any:
    """What was entered into a cell."""
    return reader.formula(row, column) or reader.value(row, column)


def merge_cells(work: Work, body: Json) -> Json:
    """mergeCells."""
    sheet, area = work.area(body.get("range") or {})
    kind, place = body.get("mergeType") or "MERGE_ALL", work.book.place(sheet)
    merge = {
        "MERGE_ALL": work.book.engine.merge_cells,
        "MERGE_ROWS": work.book.engine.merge_cells_across,
        "MERGE_COLUMNS": work.book.engine.merge_cells_down,
    }.get(str(kind))
    if merge is None:
        raise Refused(f"Invalid mergeType: {kind}")
    merge(place, area.top + 1, area.left + 1, area.bottom or 0, area.right or 0)
    return {}


def unmerge_cells(work: Work, body: Json) -> Json:
    """unmergeCells."""
    sheet, area = work.area(body.get("range") or {})
    work.book.engine.unmerge_cells(
        work.book.place(sheet), area.top + 1, area.left + 1, area.bottom or 0, area.right or 0
    )
    return {}
