"""A spreadsheet in hand: the calculation engine with its cells, and what is kept beside them."""

import random
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass, field
from datetime import date
from functools import cached_property
from typing import Any, Self

import ironcalc
from ironcalc import CellType, Model, UserModel, WorkbookError

from core.a1 import Area
from core.sandbox.sheets import formulas, looks
from core.sandbox.sheets.entry import understood
from core.sandbox.sheets.numbers import AUTOMATIC, automatic, dated, is_date
from core.sandbox.sheets.tables import BookRow

Value = str | float | bool | None
ROWS, COLUMNS = 1000, 26
BOOK = "spreadsheet"
SHOWN_ERRORS = {"#CIRC!": "#REF!", "#SPILL!": "#REF!", "#CALC!": "#N/A", "#N/IMPL!": "#NAME?"}
"""Errors of the engine that Sheets calls by another name."""


@dataclass
class Sheet:
    """One sheet of a spreadsheet.

    Attributes:
        name: what the engine calls it: it takes fewer titles than Sheets does.
        more: SheetProperties beyond id, title, position and size.
        rules: its conditional formats, in order.
        extras: `row,column` → what the engine cannot keep of a cell: `look`, `note`, `runs`, `array`.
    """

    id: int
    title: str
    name: str
    rows: int = ROWS
    columns: int = COLUMNS
    more: dict[str, Any] = field(default_factory=dict)
    rules: list[dict[str, Any]] = field(default_factory=list)
    extras: dict[str, dict[str, Any]] = field(default_factory=dict)


class Book:
    """A spreadsheet's content. Rows and columns count from 0.

    Args:
        engine: holds the cells.
        sheets: in their order.
        zone: IANA name; empty is the persona's.
        end: the row that stands for open ends in its formulas.
        live: whether it must be computed whenever it is opened.
    """

    def __init__(
        self,
        engine: Model,
        sheets: list[Sheet],
        locale: str = "en_US",
        zone: str = "",
        end: int = formulas.ENDS[0],
        live: bool = False,
    ) -> None:
        self.engine, self.sheets, self.locale, self.zone, self.end, self.live = engine, sheets, locale, zone, end, live

    @classmethod
    def empty(cls) -> Self:
        """A new one, with one sheet."""
        return cls(ironcalc.create(BOOK), [Sheet(0, "Sheet1", "Sheet1")])

    @classmethod
    def load(cls, row: BookRow) -> Self:
        """As it was stored."""
        about = {**row.about, "sheets": [Sheet(**sheet) for sheet in row.about["sheets"]]}
        book = cls(ironcalc.load_from_bytes(row.cells), **about)
        if book.live:
            book.engine.evaluate()
        return book

    def stored(self, file_id: str, mark: str = "") -> BookRow:
        """Ready to be stored."""
        self.reach()
        about = {
            "sheets": [asdict(sheet) for sheet in self.sheets],
            "locale": self.locale,
            "zone": self.zone,
            "end": self.end,
            "live": self.live,
        }
        return BookRow(file_id=file_id, cells=self.engine.to_bytes(), about=about, mark=mark)

    def reach(self) -> None:
        """Let open ends reach the last row of sheets that have grown."""
        needed = formulas.end_for(max(sheet.rows for sheet in self.sheets))
        if needed <= self.end:
            return
        self.end = needed
        for sheet in self.sheets:
            writer = self.writer(sheet, date.min)
            cells = [
                (row - 1, column - 1) for place, row, column in self.engine.get_all_cells() if place == writer.place
            ]
            for at, formula in [(at, formula) for at in cells if (formula := writer.formula(*at))]:
                writer.calculate(*at, formula)
        self.engine.evaluate()

    def titles(self) -> list[str]:
        """The sheets' titles in order."""
        return [sheet.title for sheet in self.sheets]

    def named(self, title: str | None) -> Sheet:
        """The sheet of a title, the first for None."""
        return self.sheets[0] if title is None else next(one for one in self.sheets if one.title == title)

    def aliases(self) -> dict[str, str]:
        """Title → name in the engine, where they differ."""
        return {sheet.title: sheet.name for sheet in self.sheets if sheet.title != sheet.name}

    def place(self, sheet: Sheet) -> int:
        """Where the engine has a sheet."""
        return [known["name"] for known in self.engine.get_worksheets_properties()].index(sheet.name)

    def add(self, title: str, sheet_id: int | None = None) -> Sheet:
        """Add a sheet at the end; the title must be new."""
        if sheet_id is None:
            sheet_id = random.randrange(1, 2**31)
        sheet = Sheet(sheet_id, title, self.engine_name(title, sheet_id))
        self.engine.add_sheet(sheet.name)
        self.sheets.append(sheet)
        return sheet

    def engine_name(self, title: str, sheet_id: int) -> str:
        """What the engine is to call a sheet."""
        fine = len(title) <= 31 and not set(title) & set("/\\?*[]:")
        return title if fine and title not in {sheet.name for sheet in self.sheets} else f"sheet {sheet_id}"

    def rename(self, sheet: Sheet, title: str) -> None:
        """Give a sheet another title; formulas follow."""
        if title == sheet.title:
            return
        others = Book(self.engine, [one for one in self.sheets if one is not sheet])
        name = others.engine_name(title, sheet.id)
        if name != sheet.name:
            self.engine.rename_sheet(self.place(sheet), name)
        sheet.title, sheet.name = title, name

    def remove(self, sheet: Sheet) -> None:
        """Delete a sheet."""
        self.engine.delete_sheet(self.place(sheet))
        self.sheets.remove(sheet)
        self.engine.evaluate()

    def duplicate(self, sheet: Sheet, title: str, sheet_id: int, position: int) -> Sheet:
        """Copy a sheet."""
        copier = UserModel.from_bytes(self.engine.to_bytes())
        known = {one["name"] for one in copier.get_worksheets_properties()}
        copier.duplicate_sheet(self.place(sheet))
        self.engine = ironcalc.load_from_bytes(copier.to_bytes())
        made = next(one["name"] for one in self.engine.get_worksheets_properties() if one["name"] not in known)
        copied = Sheet(**{**asdict(sheet), "id": sheet_id, "title": made, "name": made})
        self.sheets.insert(position, copied)
        self.rename(copied, title)
        self.engine.evaluate()
        return copied

    def used(self, sheet: Sheet) -> Area:
        """The smallest area from A1 on that holds all that the engine keeps of a sheet."""
        _, bottom, _, right = self.engine.get_sheet_dimensions(self.place(sheet))
        return Area(0, 0, bottom, right).within(sheet.rows, sheet.columns)

    def reader(self, sheet: Sheet) -> "Reader":
        """Reads the cells of a sheet."""
        return Reader(self, sheet, self.place(sheet))

    def writer(self, sheet: Sheet, today: date) -> "Writer":
        """Writes cells of a sheet; call `engine.evaluate` when all is written."""
        return Writer(self, sheet, self.place(sheet), today)


@dataclass(frozen=True)
class Reader:
    """Reads cells of one sheet, as long as no sheet is added or removed."""

    book: Book
    sheet: Sheet
    place: int

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


@dataclass(frozen=True)
class Writer(Reader):
    """Writes cells of one sheet."""

    today: date

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
