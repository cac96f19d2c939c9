"""The table that a range finds, for what is appended below it."""

from core.a1 import Area
from core.sandbox.sheets.reader import Reader
from core.sandbox.sheets.reading import size


def table_in(reader: Reader, area: Area) -> Area | None:
    """The table that a range finds: the cells with content around its last row that has some."""
    used = area.within(*size(reader.book.used(reader.sheet)))
    rows = range((used.bottom or 0) - 1, used.top - 1, -1)
    columns = range(used.left, used.right or 0)
    row = next((row for row in rows if any(not reader.empty(row, column) for column in columns)), None)
    if row is None:
        return None
    first = next(column for column in columns if not reader.empty(row, column))
    return grown(reader, Area(row, first, row + 1, first + 1))


def grown(reader: Reader, area: Area) -> Area:
    """An area and all content that touches it."""
    top, left, bottom, right = area.top, area.left, area.bottom or 0, area.right or 0

    def filled(rows: range, columns: range) -> bool:
        return any(not reader.empty(row, column) for row in rows for column in columns if row >= 0 and column >= 0)

    while True:
        around = range(top - 1, bottom + 1), range(left - 1, right + 1)
        if top and filled(range(top - 1, top), around[1]):
            top -= 1
        elif bottom < reader.sheet.rows and filled(range(bottom, bottom + 1), around[1]):
            bottom += 1
        elif left and filled(around[0], range(left - 1, left)):
            left -= 1
        elif right < reader.sheet.columns and filled(around[0], range(right, right + 1)):
            right += 1
        else:
            return Area(top, left, bottom, right)
