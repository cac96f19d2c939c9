"""References in formulas when rows or columns come or go: ranges shrink and grow as Sheets lets them."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

from core.a1 import column_letters, column_number

Axis = Literal["ROWS", "COLUMNS"]
GONE = "#REF!"
END = r"(\$?)([A-Za-z]{1,3})?(\$?)(\d{1,7})?"
TOKEN = re.compile(
    r'"(?:[^"]|"")*"|(?P<sheet>(?:\'(?:[^\']|\'\')*\'|(?<![\w.$])[^\W\d][\w.]*)!)?'
    r"(?<![\w$.])(?=[$A-Za-z\d])(?P<first>\$?[A-Za-z]{1,3}\$?\d{1,7}|\$?[A-Za-z]{1,3}(?=:)|\$?\d{1,7}(?=:))"
    r"(?::(?P<last>\$?[A-Za-z]{1,3}\$?\d{1,7}|\$?[A-Za-z]{1,3}|\$?\d{1,7}))?(?![\w(!.])"
)
PLACE = re.compile(END)


@dataclass(frozen=True)
class Move:
    """Rows or columns that come (`count` above 0) or go (below) at an index, counted from 0, of a sheet."""

    title: str
    axis: Axis
    start: int
    count: int

    def index(self, index: int) -> int | None:
        """Where a row or a column is afterwards, None where it went itself."""
        if index < self.start:
            return index
        return None if index < self.start - self.count else index + self.count

    def span(self, first: int, last: int | None) -> tuple[int, int | None] | None:
        """A span afterwards, its end not included or open; None where nothing of it is left."""
        if self.count > 0:
            first += self.count if first >= self.start else 0
            return first, last + self.count if last is not None and last > self.start else last
        first -= min(max(first - self.start, 0), -self.count)
        last = None if last is None else last - min(max(last - self.start, 0), -self.count)
        return None if last is not None and last <= first else (first, last)


@dataclass(frozen=True)
class End:
    """One end of a range: its column and row, counted from 1, and what fixes them."""

    fixed_column: str
    column: int | None
    fixed_row: str
    row: int | None

    def __str__(self) -> str:
        column = "" if self.column is None else f"{self.fixed_column}{column_letters(self.column)}"
        return column + ("" if self.row is None else f"{self.fixed_row}{self.row}")

    def on(self, axis: Axis) -> int | None:
        """Its row or column."""
        return self.row if axis == "ROWS" else self.column

    def at(self, axis: Axis, number: int | None) -> "End":
        """The same with another row or column."""
        if axis == "ROWS":
            return End(self.fixed_column, self.column, self.fixed_row, number)
        return End(self.fixed_column, number, self.fixed_row, self.row)


def read_end(text: str) -> End:
    """One end of a range as a formula writes it."""
    match = PLACE.fullmatch(text)
    fixed, letters, second, digits = match.groups() if match else ("", None, "", None)
    if letters is None:
        return End("", None, fixed or second, int(digits) if digits else None)
    return End(fixed, column_number(letters), second, int(digits) if digits else None)


def moved(formula: str, home: str, move: Move) -> str:
    """A formula, as Sheets writes it, after rows or columns came or went.

    Args:
        home: title of the sheet that it stands on.
    """
    return "".join(pieces(formula, home, move))


def pieces(formula: str, home: str, move: Move) -> Iterator[str]:
    """The parts of the formula, each as it reads afterwards."""
    at = 0
    for match in TOKEN.finditer(formula):
        yield formula[at : match.start()]
        at = match.end()
        sheet = match["sheet"]
        title = home if sheet is None else sheet[:-1].removeprefix("'").removesuffix("'").replace("''", "'")
        if match["first"] is None or title.casefold() != move.title.casefold():
            yield match.group()
            continue
        found = shifted(read_end(match["first"]), read_end(match["last"]) if match["last"] else None, move)
        yield GONE if found is None else f"{sheet or ''}{found}"
    yield formula[at:]


def shifted(first: End, last: End | None, move: Move) -> str | None:
    """A reference afterwards, None where what it names is gone."""
    start = first.on(move.axis)
    if last is None:
        index = None if start is None else move.index(start - 1)
        return None if index is None else str(first.at(move.axis, index + 1))
    if start is None:
        return f"{first}:{last}"
    end = last.on(move.axis)
    span = move.span(min(start, end or start) - 1, None if end is None else max(start, end))
    if span is None:
        return None
    return f"{first.at(move.axis, span[0] + 1)}:{last.at(move.axis, span[1])}"
