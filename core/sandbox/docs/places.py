"""Where things are in a segment: paragraphs, tables with their rows and cells, and whether its structure is whole."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from core.sandbox.docs.units import Kind, Unit

Span = tuple[int, int]
MARKS = frozenset({Kind.TABLE, Kind.ROW, Kind.CELL, Kind.END})


@dataclass
class RowSpan:
    """A row from its mark to its end, and its cells from their marks to their ends."""

    start: int
    end: int = 0
    cells: list[Span] = field(default_factory=list)


@dataclass
class TableSpan:
    """A table from its mark to behind its end mark."""

    start: int
    end: int = 0
    rows: list[RowSpan] = field(default_factory=list)

    @property
    def columns(self) -> int:
        """Columns of its widest row."""
        return max((len(row.cells) for row in self.rows), default=0)


def paragraph(units: Sequence[Unit], index: int) -> Span:
    """The paragraph around an index inside one: from its first unit to behind its newline."""
    start = end = index
    while start > 0 and units[start - 1].inline and units[start - 1].kind is not Kind.NEWLINE:
        start -= 1
    while units[end].kind is not Kind.NEWLINE:
        end += 1
    return start, end + 1


def newlines(units: Sequence[Unit], start: int, end: int) -> Iterator[int]:
    """The ends of all paragraphs that a range overlaps, in order."""
    for index in range(start, len(units)):
        if units[index].kind is Kind.NEWLINE:
            yield index
            if index + 1 >= end:
                return
        elif index >= end and not units[index].inline:
            return


def tables(units: Sequence[Unit]) -> list[TableSpan]:
    """All tables, those inside others too, by where they begin."""
    found: list[TableSpan] = []
    open_tables: list[TableSpan] = []
    for index, unit in enumerate(units):
        if unit.kind is Kind.TABLE:
            open_tables.append(TableSpan(index))
            found.append(open_tables[-1])
        elif unit.kind in MARKS:
            close(open_tables[-1], unit.kind, index)
            if unit.kind is Kind.END:
                open_tables.pop().end = index + 1
    return found


def close(table: TableSpan, mark: Kind, index: int) -> None:
    """End the cell (and the row, but at a new cell) that is open in a table, and begin what the mark says."""
    if table.rows and table.rows[-1].cells:
        cells = table.rows[-1].cells
        if cells[-1][1] == 0:
            cells[-1] = (cells[-1][0], index)
    if table.rows and mark is not Kind.CELL:
        table.rows[-1].end = index
    if mark is Kind.ROW:
        table.rows.append(RowSpan(index))
    elif mark is Kind.CELL:
        table.rows[-1].cells.append((index, 0))


def inside_table(units: Sequence[Unit], index: int) -> bool:
    """Whether an index is inside a table."""
    return any(table.start < index < table.end for table in tables(units))


def balanced(units: Sequence[Unit]) -> bool:
    """Whether a range holds only whole tables."""
    depth = 0
    for unit in units:
        depth += (unit.kind is Kind.TABLE) - (unit.kind is Kind.END)
        if depth < 0 or (depth == 0 and unit.kind in (Kind.ROW, Kind.CELL)):
            return False
    return depth == 0


def whole(units: Sequence[Unit]) -> bool:
    """Whether Google allows a segment: its paragraphs end, and one stands before each table, section and cell's end."""
    previous: Kind | None = None
    for index, unit in enumerate(units):
        if not fits(previous, unit.kind, index):
            return False
        previous = unit.kind
    return previous is Kind.NEWLINE and balanced(units)


def fits(previous: Kind | None, kind: Kind, index: int) -> bool:
    """Whether one kind of unit may follow another."""
    if kind is Kind.SECTION:
        return index == 0 or previous is Kind.NEWLINE
    if kind is Kind.ROW:
        return previous in (Kind.TABLE, Kind.NEWLINE)
    if kind is Kind.CELL:
        return previous in (Kind.ROW, Kind.NEWLINE)
    if kind in (Kind.TABLE, Kind.END):
        return previous is Kind.NEWLINE
    return True
