"""What a batch of changes works on, and the places that its requests name."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date
from typing import Any

from core.a1 import Area, shown
from core.sandbox.drive.tables import DriveFile
from core.sandbox.sheets.book import Book, Sheet

Json = dict[str, Any]


class Refused(Exception):
    """A request cannot be done; the message follows Google's `Invalid requests[0].kind: `."""


@dataclass(frozen=True)
class Work:
    """A spreadsheet under change.

    Attributes:
        today: for dates that are written without a year.
    """

    book: Book
    file: DriveFile
    today: date

    def sheet(self, sheet_id: Any) -> Sheet:
        """The sheet of an id; 0 is an id, and what is left out is 0.

        Raises:
            Refused: there is none.
        """
        found = [sheet for sheet in self.book.sheets if sheet.id == int(sheet_id or 0)]
        if not found:
            raise Refused(f"No grid with id: {sheet_id or 0}")
        return found[0]

    def area(self, grid: Mapping[str, Any]) -> tuple[Sheet, Area]:
        """The sheet and the area of a GridRange.

        Raises:
            Refused: it is not all inside the sheet.
        """
        sheet = self.sheet(grid.get("sheetId"))
        rows = span(grid, "startRowIndex", "endRowIndex", sheet.rows)
        columns = span(grid, "startColumnIndex", "endColumnIndex", sheet.columns)
        area = Area(rows[0], columns[0], rows[1], columns[1])
        if rows[1] > sheet.rows or columns[1] > sheet.columns:
            size = f"Max rows: {sheet.rows}, max columns: {sheet.columns}"
            raise Refused(f"Range ({shown(sheet.title, area)}) exceeds grid limits. {size}")
        return sheet, area


def span(where: Mapping[str, Any], first: str, last: str, size: int) -> tuple[int, int]:
    """Start and exclusive end of a range; what is left out is open.

    Raises:
        Refused: they are the wrong way round.
    """
    start, end = int(where.get(first) or 0), int(size if where.get(last) is None else where[last])
    if start < 0 or end <= start:
        raise Refused(f"{last} must be greater than {first}: {end} is not greater than {start}.")
    return start, end
