"""Requests about tables: made, grown, shrunk, styled."""

from collections.abc import Iterator

from core.sandbox.docs.edits import Place, insertion, mask_of, masked, refuse, table_at
from core.sandbox.docs.model import Document
from core.sandbox.docs.places import TableSpan, paragraph
from core.sandbox.docs.text import behind_cluster, without_heading_id
from core.sandbox.docs.units import Json, Kind, Unit, Units, newline

CELL_FIELDS = (
    "backgroundColor",
    "borderLeft",
    "borderRight",
    "borderTop",
    "borderBottom",
    "paddingLeft",
    "paddingRight",
    "paddingTop",
    "paddingBottom",
    "contentAlignment",
)
LARGEST = 20
"""Columns that a table may have."""


def insert_table(document: Document, asked: Json) -> Json:
    """insertTable: after a newline of its own."""
    place, index = insertion(document, asked)
    rows, columns = asked.get("rows", 0), asked.get("columns", 0)
    if place.kind == "footnote":
        refuse("Tables cannot be inserted inside a footnote.")
    if rows < 1 or columns < 1:
        refuse("The table must have at least one row and one column.")
    if columns > LARGEST:
        refuse(f"The table cannot have more than {LARGEST} columns.")
    index = behind_cluster(place.units, index)
    _, end = paragraph(place.units, index)
    before = newline(without_heading_id(place.units[end - 1].data))
    place.splice(index, index, [before, *grid(rows, columns)])
    return {}


def grid(rows: int, columns: int) -> Iterator[Unit]:
    """An empty table."""
    yield Unit(Kind.TABLE)
    for _ in range(rows):
        yield Unit(Kind.ROW)
        for _ in range(columns):
            yield from empty_cell()
    yield Unit(Kind.END)


def empty_cell() -> Units:
    """A cell with an empty paragraph."""
    return [Unit(Kind.CELL), newline()]


def located(document: Document, asked: Json) -> tuple[Place, TableSpan, int, int]:
    """The table, row and column of a cell location."""
    cell = asked.get("tableCellLocation", {})
    place, table = table_at(document, cell.get("tableStartLocation", {}))
    row, column = cell.get("rowIndex", 0), cell.get("columnIndex", 0)
    inside(table, row, column)
    return place, table, row, column


def inside(table: TableSpan, row: int, column: int) -> None:
    """Refuse a cell that the table does not have."""
    if not 0 <= row < len(table.rows):
        refuse(f"Row index {row} must be less than the number of rows in the table, {len(table.rows)}.")
    if not 0 <= column < table.columns:
        refuse(f"Column index {column} must be less than the number of columns in the table, {table.columns}.")


def insert_row(document: Document, asked: Json) -> Json:
    """insertTableRow."""
    place, table, row, _ = located(document, asked)
    span = table.rows[row]
    index = span.end if asked.get("insertBelow") else span.start
    cells = [unit for _ in span.cells for unit in empty_cell()]
    place.splice(index, index, [Unit(Kind.ROW), *cells])
    return {}


def insert_column(document: Document, asked: Json) -> Json:
    """insertTableColumn."""
    place, table, _, column = located(document, asked)
    if table.columns >= LARGEST:
        refuse(f"The table cannot have more than {LARGEST} columns.")
    side = 1 if asked.get("insertRight") else 0
    for row in reversed(table.rows):
        index = row.cells[column][side]
        place.splice(index, index, empty_cell())
    forget_widths(place, table)
    return {}


def delete_row(document: Document, asked: Json) -> Json:
    """deleteTableRow; a table's last row takes the table with it."""
    place, table, row, _ = located(document, asked)
    if len(table.rows) == 1:
        place.splice(table.start, table.end, [])
    else:
        place.splice(table.rows[row].start, table.rows[row].end, [])
    return {}


def delete_column(document: Document, asked: Json) -> Json:
    """deleteTableColumn; a table's last column takes the table with it."""
    place, table, _, column = located(document, asked)
    if table.columns == 1:
        place.splice(table.start, table.end, [])
        return {}
    for row in reversed(table.rows):
        place.splice(*row.cells[column], [])
    forget_widths(place, table)
    return {}


def forget_widths(place: Place, table: TableSpan) -> None:
    """A table with another number of columns shares its width evenly again."""
    place.units[table.start] = Unit(Kind.TABLE)


def style_cells(document: Document, asked: Json) -> Json:
    """updateTableCellStyle: of a rectangle of cells, or of a whole table."""
    names, new = mask_of(asked, CELL_FIELDS), asked.get("tableCellStyle", {})
    if "tableStartLocation" in asked:
        place, table = table_at(document, asked["tableStartLocation"])
        chosen = [cell for row in table.rows for cell in row.cells]
    else:
        area = asked.get("tableRange", {})
        place, table, row, column = located(document, area)
        height, width = area.get("rowSpan", 1), area.get("columnSpan", 1)
        inside(table, row + height - 1, column + width - 1)
        chosen = [cell for one in table.rows[row : row + height] for cell in one.cells[column : column + width]]
    for start, _ in chosen:
        place.units[start] = Unit(Kind.CELL, data=masked(place.units[start].data, new, names))
    return {}


def style_rows(document: Document, asked: Json) -> Json:
    """updateTableRowStyle: of some rows, or of all."""
    names = mask_of(asked, ("minRowHeight", "preventOverflow", "tableHeader"))
    place, table = table_at(document, asked.get("tableStartLocation", {}))
    for row in asked.get("rowIndices") or range(len(table.rows)):
        inside(table, row, 0)
        start = table.rows[row].start
        data = masked(place.units[start].data, asked.get("tableRowStyle", {}), names)
        place.units[start] = Unit(Kind.ROW, data=data)
    return {}


def style_columns(document: Document, asked: Json) -> Json:
    """updateTableColumnProperties: of some columns, or of all."""
    names = mask_of(asked, ("width", "widthType"))
    place, table = table_at(document, asked.get("tableStartLocation", {}))
    known = place.units[table.start].data.get("columns") or [{"widthType": "EVENLY_DISTRIBUTED"}] * table.columns
    widths = [dict(one) for one in known]
    for column in asked.get("columnIndices") or range(table.columns):
        inside(table, 0, column)
        widths[column] = masked(widths[column], asked.get("tableColumnProperties", {}), names)
    place.units[table.start] = Unit(Kind.TABLE, data={"columns": widths})
    return {}
