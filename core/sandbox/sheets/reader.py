"""Reads the cells of a sheet."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Self

from ironcalc import CellType

from core.a1 import Area
from core.sandbox.sheets import formulas, looks
from core.sandbox.sheets.book import Book, Sheet
from core.sandbox.sheets.numbers import AUTOMATIC, automatic, dated, is_date

Value = str | float | bool | None
SHOWN_ERRORS = {"#CIRC!": "#REF!", "#SPILL!": "#REF!", "#CALC!": "#N/A", "#N/IMPL!": "#NAME?"}
"""Errors of the engine that Sheets calls by another name."""


@dataclass(frozen=True)
class Reader:
    """Reads cells of one sheet, as long as no sheet is added or removed."""

    book: Book
    sheet: Sheet
    place: int

    @classmethod
    def of(cls, book: Book, sheet: Sheet) -> Self:
        """Reads a sheet of a spreadsheet."""
        return cls(book, sheet, book.place(sheet))

    def value(self, row: int, column: int) -> Value:
        """What a cell holds or its formula gives; an error is its text, see `failed`."""
        found = self.book.engine.get_cell_value(self.place, row + 1, column + 1)
        return SHOWN_ERRORS.get(found, found) if isinstance(found, str) and found.startswith("#") else found

    def failed(self, row: int, column: int) -> str | None:
        """The engine's name of the error in a cell, None where there is none."""
        found = self.book.engine.get_cell_value(self.place, row + 1, column + 1)
        if not isinstance(found, str) or not found.startswith("#"):
            return None
        is_error = self.book.engine.get_cell_type(self.place, row + 1, column + 1) == CellType.ErrorValue
        return found if is_error else None

    def formula(self, row: int, column: int) -> str | None:
        """A cell's formula."""
        found = self.book.engine.get_cell_formula(self.place, row + 1, column + 1)
        array = self.extra(row, column).get("array", False)
        return None if found is None else formulas.from_engine(found, self.book.aliases(), array)

    def pattern(self, row: int, column: int) -> str:
        """A cell's number pattern."""
        return self.book.engine.get_cell_style(self.place, row + 1, column + 1)["num_fmt"]

    def text(self, row: int, column: int) -> str:
        """What a person sees."""
        value = self.value(row, column)
        if isinstance(value, float):
            pattern = self.pattern(row, column)
            if pattern in (AUTOMATIC, "@"):
                return automatic(value)
            if is_date(pattern):
                return dated(value, pattern)
            return self.book.engine.get_formatted_cell_value(self.place, row + 1, column + 1).strip()
        return str(value).upper() if isinstance(value, bool) else value or ""

    def look(self, row: int, column: int) -> looks.Json:
        """What somebody chose of a cell's look, in canonical form."""
        style = self.book.engine.get_cell_style(self.place, row + 1, column + 1)
        return looks.read(style, self.extra(row, column).get("look", {}))

    def link(self, row: int, column: int) -> str | None:
        """The address that a cell leads to."""
        return self.links.get((row, column))

    @cached_property
    def links(self) -> dict[tuple[int, int], str]:
        """The addresses that cells lead to, by row and column."""
        known = self.book.engine.get_links(self.place)
        return {(one["row"] - 1, one["column"] - 1): one["target"] for one in known if "target" in one}

    def extra(self, row: int, column: int) -> dict[str, Any]:
        """What is kept of a cell beside the engine."""
        return self.sheet.extras.get(f"{row},{column}", {})

    def empty(self, row: int, column: int) -> bool:
        """Whether a cell shows nothing."""
        return self.value(row, column) in (None, "")

    def rows(self, area: Area, cell: Callable[[int, int], Any]) -> Iterator[list[Any]]:
        """Each row of an area, as far as the sheet is used.

        Args:
            cell: gives what is wanted of a cell.
        """
        used = self.book.used(self.sheet)
        area = area.within(used.bottom or 0, used.right or 0)
        for row in range(area.top, area.bottom or 0):
            yield [cell(row, column) for column in range(area.left, area.right or 0)]


def trimmed(rows: Sequence[Sequence[Any]]) -> list[list[Any]]:
    """Rows without the empty cells at their ends, and without the empty rows at the end."""
    kept: list[list[Any]] = []
    for row in rows:
        cells = list(row)
        while cells and cells[-1] in ("", None):
            cells.pop()
        kept.append(cells)
    while kept and not kept[-1]:
        kept.pop()
    return kept
