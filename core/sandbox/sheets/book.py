"""A spreadsheet in hand: the calculation engine with its cells, and what is kept beside them."""

import random
from contextlib import suppress
from dataclasses import asdict, dataclass, field
from typing import Any, Self

import ironcalc
from ironcalc import Model, UserModel, WorkbookError

from core.a1 import Area
from core.sandbox.sheets import formulas
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
    def load(cls, row: BookRow, zone: str = "") -> Self:
        """As it was stored.

        Args:
            zone: the persona's; empty is the one that it was stored with.
        """
        about = {**row.about, "sheets": [Sheet(**sheet) for sheet in row.about["sheets"]]}
        book = cls(ironcalc.load_from_bytes(row.cells), **about)
        book.tell_time(zone)
        if book.live:
            book.engine.evaluate()
        return book

    def tell_time(self, zone: str) -> None:
        """Let TODAY and NOW be those of the spreadsheet's own zone, or else of the persona's."""
        wanted = self.zone or zone
        if wanted and self.engine.get_timezone() != wanted:
            with suppress(WorkbookError):  # a zone that the engine does not know
                self.engine.set_timezone(wanted)

    def stored(self, file_id: str, mark: str = "") -> BookRow:
        """Ready to be stored."""
        about = {
            "sheets": [asdict(sheet) for sheet in self.sheets],
            "locale": self.locale,
            "zone": self.zone,
            "end": self.end,
            "live": self.live,
        }
        return BookRow(file_id=file_id, cells=self.engine.to_bytes(), about=about, mark=mark)

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
