"""Values of ranges as answers give them."""

from collections.abc import Sequence
from typing import Any

from core.a1 import Area, shown
from core.sandbox.calls import ApiError
from core.sandbox.sheets.access import spot
from core.sandbox.sheets.book import Book
from core.sandbox.sheets.numbers import AUTOMATIC, is_date
from core.sandbox.sheets.reader import Reader, Value, trimmed

Json = dict[str, Any]
RENDERINGS = ("FORMATTED_VALUE", "UNFORMATTED_VALUE", "FORMULA")


def dimension(text: str) -> str:
    """ROWS or COLUMNS."""
    return choice(text, ("ROWS", "COLUMNS"), "major_dimension", "ROWS")


def choice(text: str, choices: Sequence[str], name: str, default: str) -> str:
    """One of some words.

    Raises:
        ApiError: 400, as Google says it.
    """
    if text and text not in choices:
        raise ApiError(400, "badRequest", f"Invalid value at '{name}' (TYPE_ENUM), \"{text}\"")
    return text or default


def value_range(book: Book, text: str, render: str, dates: str, dimension: str) -> Json:
    """A ValueRange: the values of a range without the empty ones at the ends."""
    sheet, area = spot(book, text)
    reader = Reader.of(book, sheet)
    rows = list(reader.rows(area, lambda row, column: rendered(reader, row, column, render, dates)))
    if dimension == "COLUMNS":
        rows = [list(column) for column in zip(*rows, strict=True)]
    values = trimmed(rows)
    answer: Json = {"range": shown(sheet.title, area), "majorDimension": dimension}
    return {**answer, "values": values} if values else answer


def rendered(reader: Reader, row: int, column: int, render: str, dates: str) -> Value:
    """One cell as an answer says it; an empty one is empty text."""
    if render == "FORMATTED_VALUE":
        return reader.text(row, column)
    if render == "FORMULA" and (formula := reader.formula(row, column)):
        return formula
    value = reader.value(row, column)
    if isinstance(value, float) and not isinstance(value, bool):
        pattern = reader.pattern(row, column)
        if dates == "FORMATTED_STRING" and pattern != AUTOMATIC and is_date(pattern):
            return reader.text(row, column)
        return int(value) if value == int(value) and abs(value) < 1e15 else value
    return "" if value is None else value


def size(area: Area) -> tuple[int, int]:
    """Rows and columns of an area that begins at A1."""
    return area.bottom or 0, area.right or 0
