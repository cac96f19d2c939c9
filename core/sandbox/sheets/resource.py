"""A spreadsheet as Google answers it: its properties, its sheets, and the grid data that a call asks for."""

from collections.abc import Sequence
from datetime import date
from typing import Any

from core.a1 import Area
from core.sandbox.calls import Call
from core.sandbox.drive.tables import DriveFile
from core.sandbox.fields import Mask, parse
from core.sandbox.sheets import cells, looks
from core.sandbox.sheets.access import spot
from core.sandbox.sheets.book import Book, Sheet
from core.sandbox.sheets.conditions import Shades
from core.sandbox.sheets.reader import Reader, trimmed

Json = dict[str, Any]
PIXELS = 100, 21
"""Width of a column and height of a row that nobody has touched."""


def spreadsheet(call: Call, file: DriveFile, book: Book, ranges: Sequence[str] = (), grids: bool = False) -> Json:
    """The resource.

    Args:
        ranges: only the sheets that these name, and only these parts of their grids.
        grids: with the cells.
    """
    areas: dict[int, list[Area]] = {}
    for text in ranges:
        sheet, area = spot(book, text)
        areas.setdefault(sheet.id, []).append(area)
    shown = [sheet for sheet in book.sheets if not ranges or sheet.id in areas]
    return {
        "spreadsheetId": file.id,
        "properties": {
            "title": file.name,
            "locale": book.locale,
            "autoRecalc": "ON_CHANGE",
            "timeZone": book.zone or call.world.zone,
            "defaultFormat": looks.twinned(looks.DEFAULT),
        },
        "sheets": [
            whole_sheet(book, sheet, areas.get(sheet.id, [Area()]) if grids else [], call.now().date())
            for sheet in shown
        ],
        "spreadsheetUrl": f"https://docs.google.com/spreadsheets/d/{file.id}/edit",
    }


def wants_grids(call: Call) -> bool:
    """Whether a call asks for cells: a field mask that names them counts more than `includeGridData`."""
    if not call.arg("fields"):
        return call.flag("includeGridData")
    return asks(parse(call.arg("fields")), ("sheets", "data"))


def asks(mask: Mask, path: Sequence[str]) -> bool:
    """Whether a mask keeps something at a path."""
    for name in path:
        found = mask.get(name, mask.get("*"))
        if found is None or not found:
            return found is not None
        mask = found
    return True


def whole_sheet(book: Book, sheet: Sheet, areas: Sequence[Area], today: date) -> Json:
    """One sheet."""
    answer: Json = {"properties": properties(book, sheet)}
    if areas:
        answer["data"] = [grid(book, sheet, area.within(sheet.rows, sheet.columns), today) for area in areas]
    merges = [merge(sheet, one) for one in book.engine.get_merged_cells(book.place(sheet))]
    answer |= {"merges": merges} if merges else {}
    return answer | ({"conditionalFormats": sheet.rules} if sheet.rules else {})


def properties(book: Book, sheet: Sheet) -> Json:
    """SheetProperties."""
    grid = {"rowCount": sheet.rows, "columnCount": sheet.columns, **sheet.more.get("gridProperties", {})}
    return {
        "sheetId": sheet.id,
        "title": sheet.title,
        "index": book.sheets.index(sheet),
        "sheetType": "GRID",
        **{name: value for name, value in sheet.more.items() if name not in ("gridProperties", "columnMetadata")},
        "gridProperties": grid,
    }


def merge(sheet: Sheet, one: Any) -> Json:
    """A merged range as GridRange."""
    top, left = one["row"] - 1, one["column"] - 1
    return grid_range(sheet, Area(top, left, top + one["height"], left + one["width"]))


def grid_range(sheet: Sheet, area: Area) -> Json:
    """An area as GridRange."""
    return {
        "sheetId": sheet.id,
        "startRowIndex": area.top,
        "endRowIndex": area.bottom,
        "startColumnIndex": area.left,
        "endColumnIndex": area.right,
    }


def grid(book: Book, sheet: Sheet, area: Area, today: date) -> Json:
    """GridData of an area, without the untouched cells at the ends."""
    reader, used = Reader.of(book, sheet), book.used(sheet)
    shades = Shades(book, sheet, area.within(used.bottom or 0, used.right or 0), today)
    rows = list(
        reader.rows(area, lambda row, column: cells.data(reader, row, column, shades.look(row, column)) or None)
    )
    kept = [{"values": [cell or {} for cell in row]} if row else {} for row in trimmed(rows)]
    start: Json = {name: at for name, at in (("startRow", area.top), ("startColumn", area.left)) if at}
    columns = sheet.more.get("columnMetadata", {})
    widths = [columns.get(str(at), {"pixelSize": PIXELS[0]}) for at in range(area.left, area.right or 0)]
    heights = [{"pixelSize": PIXELS[1]} for _ in range(area.top, area.bottom or 0)]
    return {**start, "rowData": kept, "rowMetadata": heights, "columnMetadata": widths}
