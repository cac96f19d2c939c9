"""Requests that change rows and columns: inserted, appended, deleted, sized."""

from typing import Any, Literal

from core.sandbox.sheets.book import Sheet
from core.sandbox.sheets.reader import Reader
from core.sandbox.sheets.work import Json, Refused, Work, span

Axis = Literal["ROWS", "COLUMNS"]
ENDS = {"ROWS": ("startRowIndex", "endRowIndex"), "COLUMNS": ("startColumnIndex", "endColumnIndex")}
MOST_CELLS = 10_000_000


def insert_dimension(work: Work, body: Json) -> Json:
    """insertDimension."""
    sheet, axis, start, end = dimension_range(work, body.get("range") or {})
    if start > length(sheet, axis):
        raise Refused(f"range.startIndex[{start}] is after last {axis} in grid[{length(sheet, axis)}]")
    insert(work, sheet, axis, start, end - start)
    return {}


def append_dimension(work: Work, body: Json) -> Json:
    """appendDimension."""
    sheet, axis = work.sheet(body.get("sheetId")), axis_of(body)
    grow(sheet, axis, int(body.get("length") or 0))
    return {}


def delete_dimension(work: Work, body: Json) -> Json:
    """deleteDimension."""
    sheet, axis, start, end = dimension_range(work, body.get("range") or {})
    if end > length(sheet, axis):
        raise Refused(f"range.endIndex[{end}] is after last {axis} in grid[{length(sheet, axis)}]")
    if end - start == length(sheet, axis):
        raise Refused(f"You can't delete all the {axis.lower()} on the sheet.")
    remove(work, sheet, axis, start, end - start)
    return {}


def update_properties(work: Work, body: Json) -> Json:
    """updateDimensionProperties: sizes of columns."""
    sheet, axis, start, end = dimension_range(work, body.get("range") or {})
    if axis == "COLUMNS":
        known = sheet.more.setdefault("columnMetadata", {})
        known |= {str(at): {**known.get(str(at), {}), **(body.get("properties") or {})} for at in range(start, end)}
    return {}


def auto_resize(work: Work, body: Json) -> Json:
    """autoResizeDimensions: columns as wide as their longest text."""
    sheet, axis, start, end = dimension_range(work, body.get("dimensions") or {})
    if axis == "COLUMNS":
        reader, rows = Reader.of(work.book, sheet), range(work.book.used(sheet).bottom or 0)
        known = sheet.more.setdefault("columnMetadata", {})
        for column in range(start, min(end, sheet.columns)):
            longest = max((len(reader.text(row, column)) for row in rows), default=0)
            known[str(column)] = {"pixelSize": 7 * longest + 12}
    return {}


def dimension_range(work: Work, where: Json) -> tuple[Sheet, Axis, int, int]:
    """Sheet, axis, start and exclusive end of a DimensionRange."""
    sheet, axis = work.sheet(where.get("sheetId")), axis_of(where)
    start, end = span(where, "startIndex", "endIndex", length(sheet, axis))
    return sheet, axis, start, end


def axis_of(where: Json) -> Axis:
    """Rows or columns.

    Raises:
        Refused: it is not said.
    """
    axis = where.get("dimension")
    if axis == "ROWS":
        return "ROWS"
    if axis == "COLUMNS":
        return "COLUMNS"
    raise Refused(f"Invalid dimension: {axis or 'DIMENSION_UNSPECIFIED'}")


def length(sheet: Sheet, axis: Axis) -> int:
    """How many rows or columns a sheet has."""
    return sheet.rows if axis == "ROWS" else sheet.columns


def grow(sheet: Sheet, axis: Axis, count: int) -> None:
    """Add rows or columns at the end.

    Raises:
        Refused: it would be too large.
    """
    rows = sheet.rows + (count if axis == "ROWS" else 0)
    columns = sheet.columns + (count if axis == "COLUMNS" else 0)
    if rows * columns > MOST_CELLS:
        raise Refused(
            f"This action would increase the number of cells in the workbook above the limit of {MOST_CELLS} cells."
        )
    sheet.rows, sheet.columns = rows, columns


def insert(work: Work, sheet: Sheet, axis: Axis, start: int, count: int) -> None:
    """Insert empty rows or columns; formulas and rules move along."""
    grow(sheet, axis, count)
    place = work.book.place(sheet)
    if axis == "ROWS":
        work.book.engine.insert_rows(place, start + 1, count)
    else:
        work.book.engine.insert_columns(place, start + 1, count)
    shift(sheet, axis, start, count)


def remove(work: Work, sheet: Sheet, axis: Axis, start: int, count: int) -> None:
    """Delete rows or columns; formulas and rules move along."""
    place = work.book.place(sheet)
    if axis == "ROWS":
        work.book.engine.delete_rows(place, start + 1, count)
        sheet.rows -= count
    else:
        work.book.engine.delete_columns(place, start + 1, count)
        sheet.columns -= count
    shift(sheet, axis, start, -count)


def shift(sheet: Sheet, axis: Axis, start: int, count: int) -> None:
    """Move what is kept beside the engine: `count` rows or columns came at `start`, or went if it is negative."""
    at = 0 if axis == "ROWS" else 1
    moved: dict[str, dict[str, Any]] = {}
    for key, extra in sheet.extras.items():
        cell = [int(part) for part in key.split(",")]
        new = new_index(cell[at], start, count)
        if new is not None:
            cell[at] = new
            moved[f"{cell[0]},{cell[1]}"] = extra
    sheet.extras = moved
    if axis == "COLUMNS" and "columnMetadata" in sheet.more:
        known = sheet.more["columnMetadata"].items()
        placed = {new_index(int(column), start, count): size for column, size in known}
        sheet.more["columnMetadata"] = {str(column): size for column, size in placed.items() if column is not None}
    for rule in sheet.rules:
        rule["ranges"] = [one for old in rule.get("ranges") or [] if (one := new_range(old, axis, start, count))]
    sheet.rules = [rule for rule in sheet.rules if rule["ranges"]]


def new_index(index: int, start: int, count: int) -> int | None:
    """Where a row or a column is after others came or went; None where it went itself."""
    if index < start:
        return index
    return None if index < start - count else index + count


def new_range(grid: Json, axis: Axis, start: int, count: int) -> Json | None:
    """A GridRange after rows or columns came or went; None where nothing of it is left."""
    first, last = ENDS[axis]
    begin, end = int(grid.get(first) or 0), grid.get(last)
    removed = max(-count, 0)
    if count > 0:
        begin += count if begin >= start else 0
        end = end + count if end is not None and end > start else end
    else:
        begin -= min(max(begin - start, 0), removed)
        end = None if end is None else end - min(max(end - start, 0), removed)
    return {**grid, first: begin, last: end} if end is None or end > begin else None
