"""Values of ranges as requests write them."""

import sys
from dataclasses import dataclass
from datetime import date
from typing import Any

from core.a1 import Area, column_letters, shown
from core.sandbox.calls import ApiError
from core.sandbox.sheets.access import beyond, spot
from core.sandbox.sheets.book import Book, Sheet
from core.sandbox.sheets.reader import Value
from core.sandbox.sheets.reading import choice, dimension, size
from core.sandbox.sheets.writer import Writer

Json = dict[str, Any]
INPUTS = ("RAW", "USER_ENTERED")
LONGEST = 50_000
"""Characters of a cell."""


@dataclass(frozen=True)
class Written:
    """What a write covered. `cells` counts those that got a value; null leaves a cell as it is."""

    sheet: Sheet
    area: Area
    cells: int


def emptied(book: Book, text: str) -> str:
    """Clear a range's values; returns what was cleared."""
    sheet, area = spot(book, text)
    used = area.within(*size(book.used(sheet)))
    if (used.bottom or 0) > used.top and (used.right or 0) > used.left:
        book.engine.range_clear_contents(
            book.place(sheet), used.top + 1, used.left + 1, used.bottom or 0, used.right or 0
        )
        book.engine.evaluate()
    return shown(sheet.title, area)


def write(book: Book, text: str, body: Json, how: bool, today: date) -> Written:
    """Write a ValueRange into a range; returns what was written.

    Raises:
        ApiError: 400 where the values do not fit into the range, or the range not into the sheet.
    """
    sheet, area = spot(book, text)
    if body.get("range") and spot(book, str(body["range"])) != (sheet, area):
        raise ApiError(400, "badRequest", f"Requested writing within range [{text}], but body names {body['range']}")
    values = rows_of(body)
    height, width = len(values), max((len(row) for row in values), default=0)
    rows, columns = (area.bottom or 0) - area.top, (area.right or 0) - area.left
    if not area.single and (height > rows or width > columns):
        column = column_letters(area.left + columns + 1)
        outside = f"row [{area.top + rows + 1}]" if height > rows else f"column [{column}]"
        message = f"Requested writing within range [{shown(sheet.title, area)}], but tried writing to {outside}"
        raise ApiError(400, "badRequest", message)
    if area.top + height > sheet.rows or area.left + width > sheet.columns:
        raise beyond(sheet, Area(area.top, area.left, area.top + height, area.left + width))
    return fill(book, sheet, area.top, area.left, values, how, today)


def fill(book: Book, sheet: Sheet, top: int, left: int, values: list[list[Value]], how: bool, today: date) -> Written:
    """Write rows of values; null leaves a cell as it is."""
    writer = Writer.on(book, sheet, today)
    for down, row in enumerate(values):
        for across, value in enumerate(row):
            if value is not None:
                writer.put(top + down, left + across, value, how)
    book.engine.evaluate()
    width = max((len(row) for row in values), default=0)
    count = sum(value is not None for row in values for value in row)
    return Written(sheet, Area(top, left, top + max(len(values), 1), left + max(width, 1)), count)


def rows_of(body: Json) -> list[list[Value]]:
    """The values of a ValueRange, row by row.

    Raises:
        ApiError: 400 where they are not rows of plain values.
    """
    values = body.get("values") or []
    if not isinstance(values, list) or not all(isinstance(row, list) for row in values):
        raise ApiError(
            400, "badRequest", "Invalid value at 'data.values' (type.googleapis.com/google.protobuf.ListValue)"
        )
    for down, row in enumerate(values):
        for across, value in enumerate(row):
            if not isinstance(value, (str, int, float, bool, type(None))):
                kind = "list_value" if isinstance(value, list) else "struct_value"
                raise ApiError(400, "badRequest", f"Invalid values[{down}][{across}]: {kind}")
            if isinstance(value, str) and len(value) > LONGEST:
                message = f"Your input contains more than the maximum of {LONGEST} characters in a single cell."
                raise ApiError(400, "badRequest", message)
            if isinstance(value, (int, float)) and not abs(value) <= sys.float_info.max:
                raise ApiError(400, "badRequest", f"Invalid values[{down}][{across}]: {value}")
    if dimension(str(body.get("majorDimension") or "")) == "ROWS":
        return values
    tallest = max((len(column) for column in values), default=0)
    return [[column[row] if row < len(column) else None for column in values] for row in range(tallest)]


def typed(option: str) -> bool:
    """Whether values are to be understood as typed.

    Raises:
        ApiError: 400 where it is not said.
    """
    if option not in INPUTS:
        if option and option != "INPUT_VALUE_OPTION_UNSPECIFIED":
            choice(option, INPUTS, "value_input_option", "")
        raise ApiError(400, "badRequest", "'valueInputOption' is required but not specified")
    return option == "USER_ENTERED"
