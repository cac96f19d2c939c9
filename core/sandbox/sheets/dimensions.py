"""Requests that change rows and columns: inserted, appended, deleted, sized."""

from collections.abc import Iterator
from typing import Any

from core.sandbox.sheets.book import Book, Sheet
from core.sandbox.sheets.reader import Reader
from core.sandbox.sheets.references import Axis, Move, moved
from core.sandbox.sheets.work import Json, Refused, Work, span
from core.sandbox.sheets.writer import Writer

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
    place, known = work.book.place(sheet), list(written(work.book))
    if axis == "ROWS":
        work.book.engine.insert_rows(place, start + 1, count)
    else:
        work.book.engine.insert_columns(place, start + 1, count)
    shift(work, sheet, known, Move(sheet.title, axis, start, count))


def remove(work: Work, sheet: Sheet, axis: Axis, start: int, count: int) -> None:
    """Delete rows or columns; formulas and rules move along."""
    place, known = work.book.place(sheet), list(written(work.book))
    if axis == "ROWS":
        work.book.engine.delete_rows(place, start + 1, count)
        sheet.rows -= count
    else:
        work.book.engine.delete_columns(place, start + 1, count)
        sheet.columns -= count
    shift(work, sheet, known, Move(sheet.title, axis, start, -count))


def written(book: Book) -> Iterator[tuple[Sheet, int, int, str]]:
    """All formulas, with their places."""
    readers = {book.place(sheet): Reader.of(book, sheet) for sheet in book.sheets}
    for place, row, column in book.engine.get_all_cells():
        formula = readers[place].formula(row - 1, column - 1) if place in readers else None
        if formula:
            yield readers[place].sheet, row - 1, column - 1, formula


def shift(work: Work, sheet: Sheet, known: list[tuple[Sheet, int, int, str]], move: Move) -> None:
    """Move what the engine does not move, or moves otherwise than Sheets does.

    Args:
        known: the formulas before.
    """
    shift_extras(sheet, move)
    for rule in sheet.rules:
        rule["ranges"] = [one for old in rule.get("ranges") or [] if (one := new_range(old, move))]
    sheet.rules = [rule for rule in sheet.rules if rule["ranges"]]
    for home, row, column, formula in known:
        at: list[int | None] = [row, column]
        if home is sheet:
            axis = 0 if move.axis == "ROWS" else 1
            at[axis] = move.index(at[axis] or 0)
        meant = moved(formula, home.title, move)
        writer = Writer.on(work.book, home, work.today)
        if at[0] is not None and at[1] is not None and writer.formula(at[0], at[1]) != meant:
            writer.calculate(at[0], at[1], meant)


def shift_extras(sheet: Sheet, move: Move) -> None:
    """Move what is kept of cells and columns beside the engine."""
    at = 0 if move.axis == "ROWS" else 1
    kept: dict[str, dict[str, Any]] = {}
    for key, extra in sheet.extras.items():
        cell = [int(part) for part in key.split(",")]
        new = move.index(cell[at])
        if new is not None:
            cell[at] = new
            kept[f"{cell[0]},{cell[1]}"] = extra
    sheet.extras = kept
    if move.axis == "COLUMNS" and "columnMetadata" in sheet.more:
        placed = {move.index(int(column)): size for column, size in sheet.more["columnMetadata"].items()}
        sheet.more["columnMetadata"] = {str(column): size for column, size in placed.items() if column is not None}


def new_range(grid: Json, move: Move) -> Json | None:
    """A GridRange after rows or columns came or went; None where nothing of it is left."""
    first, last = ENDS[move.axis]
    span = move.span(int(grid.get(first) or 0), grid.get(last))
    return None if span is None else {**grid, first: span[0], last: span[1]}
