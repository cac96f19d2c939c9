"""Writes the cells of a sheet."""

from dataclasses import dataclass
from datetime import date
from typing import Any

from ironcalc import WorkbookError

from core.sandbox.sheets import formulas, looks
from core.sandbox.sheets.book import Book, Sheet
from core.sandbox.sheets.entry import understood
from core.sandbox.sheets.numbers import AUTOMATIC
from core.sandbox.sheets.reader import Reader, Value


@dataclass(frozen=True)
class Writer(Reader):
    """Writes cells of one sheet; `engine.evaluate` computes when all is written.

    Attributes:
        today: for dates that are typed without a year.
    """

    today: date = date.min

    @classmethod
    def on(cls, book: Book, sheet: Sheet, today: date) -> "Writer":
        """Writes a sheet of a spreadsheet."""
        return cls(book, sheet, book.place(sheet), today)

    def put(self, row: int, column: int, value: Value, typed: bool) -> None:
        """Write a cell.

        Args:
            typed: understand text as if a person had typed it.
        """
        engine, at = self.book.engine, (self.place, row + 1, column + 1)
        self.keep(row, column, array=None)
        if value is None or value == "":
            engine.range_clear_contents(self.place, row + 1, column + 1, row + 1, column + 1)
        elif typed and isinstance(value, str) and value.startswith("=") and len(value) > 1:
            self.calculate(row, column, value)
        elif typed and isinstance(value, str):
            entry = understood(value, self.today)
            self.set(row, column, entry.value)
            if entry.pattern and self.pattern(row, column) == AUTOMATIC:
                engine.set_cell_style(*at, {**engine.get_cell_style(*at), "num_fmt": entry.pattern})
        else:
            self.set(row, column, value)

    def set(self, row: int, column: int, value: str | float | bool) -> None:
        """Write a value as it is."""
        engine, at = self.book.engine, (self.place, row + 1, column + 1)
        engine.range_clear_contents(self.place, row + 1, column + 1, row + 1, column + 1)
        if isinstance(value, bool):
            engine.update_cell_with_bool(*at, value)
        elif isinstance(value, (int, float)):
            engine.update_cell_with_number(*at, float(value))
        else:
            engine.update_cell_with_text(*at, value)

    def calculate(self, row: int, column: int, formula: str) -> None:
        """Write a formula; in the place of one that the engine refuses stands an error."""
        self.book.live |= formulas.LIVE.search(formula) is not None
        meant = formulas.for_engine(formula, self.book.aliases(), self.book.end)
        at = (self.place, row + 1, column + 1)
        try:
            self.book.engine.set_user_input(*at, meant if formulas.bearable(meant) else "#ERROR!")
        except WorkbookError:
            self.book.engine.set_user_input(*at, "#ERROR!")
        self.keep(row, column, array=formulas.is_array(formula) or None)

    def dress(self, row: int, column: int, look: looks.Json) -> None:
        """Give a cell a look, in canonical form."""
        style, more = looks.style_of(look)
        at = (self.place, row + 1, column + 1)
        style["quote_prefix"] = self.book.engine.get_cell_style(*at)["quote_prefix"]
        self.book.engine.set_cell_style(*at, style)
        self.keep(row, column, look=more or None)

    def keep(self, row: int, column: int, **values: Any) -> None:
        """Note what the engine cannot keep of a cell; None forgets it."""
        key = f"{row},{column}"
        if key not in self.sheet.extras and not any(value is not None for value in values.values()):
            return
        extra = {**self.sheet.extras.get(key, {}), **values}
        self.sheet.extras[key] = {name: value for name, value in extra.items() if value is not None}
        if not self.sheet.extras[key]:
            del self.sheet.extras[key]


def reach(book: Book) -> None:
    """Let open ends in formulas reach the last row of sheets that have grown."""
    needed = formulas.end_for(max(sheet.rows for sheet in book.sheets))
    if needed <= book.end:
        return
    book.end = needed
    for sheet in book.sheets:
        writer = Writer.of(book, sheet)
        cells = [(row - 1, column - 1) for place, row, column in book.engine.get_all_cells() if place == writer.place]
        for at, formula in [(at, formula) for at in cells if (formula := writer.formula(*at))]:
            writer.calculate(*at, formula)
    book.engine.evaluate()
