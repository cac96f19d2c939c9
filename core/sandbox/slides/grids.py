"""Requests about tables: made, with rows and columns added and taken away, cells filled and sized."""

from core.sandbox.docs.edits import refuse
from core.sandbox.docs.units import Json
from core.sandbox.slides.geometry import emu, length
from core.sandbox.slides.masks import patched
from core.sandbox.slides.model import Cell, Deck, Element
from core.sandbox.slides.targets import cell_of, element_of, new_id, place_for

ROW = 370840
"""Least height of a row, in EMU."""

NARROWEST = 406400
LARGEST, MOST = 20, 20
"""Rows and columns that a new table may have, and that one request may add."""


def create_table(deck: Deck, asked: Json) -> Json:
    """createTable: as wide as its size says, evenly divided."""
    rows, columns = asked.get("rows", 0), asked.get("columns", 0)
    for name, count in (("rows", rows), ("columns", columns)):
        if not 0 < count <= LARGEST:
            refuse(f"The number of {name} ({count}) should be between 1 and {LARGEST}.")
    page, frame = place_for(deck, asked)
    wide, high = (emu(frame["size"][name]) for name in ("width", "height"))
    if "size" not in asked["elementProperties"]:
        wide, high = 8520600, rows * ROW
    table = Element(new_id(deck, asked.get("objectId", "")), "table", frame, {})
    table.cells = [[Cell() for _ in range(columns)] for _ in range(rows)]
    table.body = {
        "tableColumns": [{"columnWidth": length(max(NARROWEST, wide / columns))} for _ in range(columns)],
        "tableRows": [{"rowHeight": length(max(ROW, high / rows))} for _ in range(rows)],
    }
    resize(table)
    page.elements.append(table)
    return {"createTable": {"objectId": table.id}}


def resize(table: Element) -> None:
    """Let a table be as large as its columns and rows are together."""
    wide = sum(emu(one["columnWidth"]) for one in table.body["tableColumns"])
    high = sum(emu(one["rowHeight"]) for one in table.body["tableRows"])
    table.frame = {**table.frame, "size": {"width": length(wide), "height": length(high)}}


def insert_rows(deck: Deck, asked: Json) -> Json:
    """insertTableRows."""
    table, at = place_in(deck, asked, "rowIndex", "insertBelow")
    heights = table.body["tableRows"]
    for _ in range(number(asked)):
        table.cells.insert(at, [Cell() for _ in table.cells[0]])
        heights.insert(at, {"rowHeight": length(ROW)})
    resize(table)
    return {}


def insert_columns(deck: Deck, asked: Json) -> Json:
    """insertTableColumns: the table grows."""
    table, at = place_in(deck, asked, "columnIndex", "insertRight")
    widths = table.body["tableColumns"]
    model = dict(widths[asked.get("cellLocation", {}).get("columnIndex", 0)])
    for _ in range(number(asked)):
        for row in table.cells:
            row.insert(at, Cell())
        widths.insert(at, dict(model))
    resize(table)
    return {}


def place_in(deck: Deck, asked: Json, name: str, after: str) -> tuple[Element, int]:
    """The table of a request, and where in it something is to go."""
    table = element_of(deck, asked.get("tableObjectId", ""), "table")
    location = asked.get("cellLocation", {})
    cell_of(table, location)
    return table, int(location.get(name, 0)) + bool(asked.get(after))


def number(asked: Json) -> int:
    """How many rows or columns are to be added."""
    count = int(asked.get("number", 1))
    if not 0 < count <= MOST:
        refuse(f"The number ({count}) should be between 1 and {MOST}.")
    return count


def delete_row(deck: Deck, asked: Json) -> Json:
    """deleteTableRow: with its last row a table is gone."""
    table, at = place_in(deck, asked, "rowIndex", "")
    del table.cells[at], table.body["tableRows"][at]
    return end_of(deck, table)


def delete_column(deck: Deck, asked: Json) -> Json:
    """deleteTableColumn: with its last column a table is gone."""
    table, at = place_in(deck, asked, "columnIndex", "")
    for row in table.cells:
        del row[at]
    del table.body["tableColumns"][at]
    return end_of(deck, table)


def end_of(deck: Deck, table: Element) -> Json:
    """Size a table anew, or take it away where nothing is left of it."""
    if table.cells and table.cells[0]:
        resize(table)
        return {}
    found = deck.element(table.id)
    if found is not None:
        found[0].elements.remove(table)
    return {}


def update_cells(deck: Deck, asked: Json) -> Json:
    """updateTableCellProperties: of a range of cells, or of all."""
    table = element_of(deck, asked.get("objectId", ""), "table")
    new, fields = asked.get("tableCellProperties", {}), asked.get("fields", "")
    for cell in cells_in(table, asked.get("tableRange")):
        cell.properties = patched(cell.properties, new, fields, "TableCellProperties")
    return {}


def cells_in(table: Element, span: Json | None) -> list[Cell]:
    """The cells of a range."""
    if span is None:
        return [cell for row in table.cells for cell in row]
    first = span.get("location", {})
    row, column = first.get("rowIndex", 0), first.get("columnIndex", 0)
    last = (row + span.get("rowSpan", 1) - 1, column + span.get("columnSpan", 1) - 1)
    cell_of(table, first)
    cell_of(table, {"rowIndex": last[0], "columnIndex": last[1]})
    return [cell for cells in table.cells[row : last[0] + 1] for cell in cells[column : last[1] + 1]]


def update_columns(deck: Deck, asked: Json) -> Json:
    """updateTableColumnProperties."""
    table = element_of(deck, asked.get("objectId", ""), "table")
    known, new = table.body["tableColumns"], asked.get("tableColumnProperties", {})
    for at in chosen(asked.get("columnIndices"), known, "column"):
        known[at] = patched(known[at], new, asked.get("fields", ""), "TableColumnProperties")
        if emu(known[at].get("columnWidth", {})) < NARROWEST:
            refuse(f"The column width should be at least {NARROWEST} EMU.")
    resize(table)
    return {}


def update_rows(deck: Deck, asked: Json) -> Json:
    """updateTableRowProperties."""
    table = element_of(deck, asked.get("objectId", ""), "table")
    properties = asked.get("tableRowProperties", {})
    for at in chosen(asked.get("rowIndices"), table.body["tableRows"], "row"):
        if "minRowHeight" in properties:
            table.body["tableRows"][at] = {"rowHeight": length(max(ROW, emu(properties["minRowHeight"])))}
    resize(table)
    return {}


def chosen(indices: list[int] | None, known: list[Json], name: str) -> list[int]:
    """The rows or columns that a request names; none named are all."""
    for at in indices or []:
        if not 0 <= at < len(known):
            refuse(f"The {name} index ({at}) should be less than the number of {name}s ({len(known)}).")
    return indices or list(range(len(known)))
