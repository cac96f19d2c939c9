"""Tables of the Docs API: where their cells are, rows and columns, styles, and what cannot be deleted."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from core.sandbox.sandbox import Sandbox
from tests.sandbox.docs_world import Docs, Json, a_world, at, docs_of, span


@pytest.fixture(scope="module")
def world(seeded: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Sandbox]:
    with a_world(seeded, tmp_path_factory.mktemp("docs")) as one:
        yield one


@pytest.fixture(scope="module")
def docs(world: Sandbox) -> Docs:
    return docs_of(world)


def cell(row: int, column: int, start: int = 3) -> Json:
    return {"tableCellLocation": {"tableStartLocation": at(start), "rowIndex": row, "columnIndex": column}}


@pytest.fixture
def table(docs: Docs) -> str:
    """A document `a`, a table of two rows and two columns at 3, `b`."""
    document_id = docs.new("ab")
    docs.change(document_id, {"insertTable": {"location": at(2), "rows": 2, "columns": 2}})
    return document_id


def grid(docs: Docs, document_id: str) -> Json:
    return next(one for one in docs.get(document_id)["body"]["content"] if "table" in one)


def test_a_table_comes_after_a_newline_and_its_first_cell_is_four_further(docs: Docs, table: str) -> None:
    found = grid(docs, table)
    first = found["table"]["tableRows"][0]["tableCells"][0]["content"][0]
    assert docs.text(table) == "a\n[|/|]b\n"
    assert (found["startIndex"], found["endIndex"], first["startIndex"]) == (3, 15, 6)


def test_cells_are_filled_from_the_last_to_the_first(docs: Docs, table: str) -> None:
    fills = [
        {"insertText": {"location": at(index), "text": text}}
        for index, text in [(13, "d"), (11, "😀"), (8, "b"), (6, "a")]
    ]
    docs.change(table, *fills)
    assert docs.text(table) == "a\n[a|b/😀|d]b\n"


def test_rows_and_columns_come_and_go(docs: Docs, table: str) -> None:
    docs.change(table, {"insertText": {"location": at(6), "text": "x"}})
    docs.change(table, {"insertTableRow": {**cell(0, 0), "insertBelow": True}})
    docs.change(table, {"insertTableColumn": {**cell(0, 0), "insertRight": False}})
    assert docs.text(table) == "a\n[|x|/||/||]b\n"
    docs.change(table, {"deleteTableRow": cell(1, 0)}, {"deleteTableColumn": cell(0, 2)})
    assert docs.text(table) == "a\n[|x/|]b\n"
    docs.change(table, {"deleteTableRow": cell(0, 0)}, {"deleteTableRow": cell(0, 0)})
    assert docs.text(table) == "a\nb\n"


@pytest.mark.parametrize("span_of", [(2, 3), (4, 9), (3, 9), (6, 7), (9, 15), (1, 4)])
def test_part_of_a_table_or_the_newline_before_it_cannot_be_deleted(
    docs: Docs, table: str, span_of: tuple[int, int]
) -> None:
    said = docs.refusal(table, {"deleteContentRange": {"range": span(*span_of)}})
    assert (
        said[1] == "Invalid requests[0].deleteContentRange: Invalid deletion range. Cannot delete the requested range."
    )


def test_a_whole_table_can_be_deleted(docs: Docs, table: str) -> None:
    docs.change(table, {"deleteContentRange": {"range": span(3, 15)}})
    assert docs.text(table) == "a\nb\n"


def test_nothing_is_inserted_between_cells(docs: Docs, table: str) -> None:
    for index in (3, 4, 5, 14):
        assert "inside the bounds" in docs.refusal(table, {"insertText": {"location": at(index), "text": "x"}})[1]


def test_cells_rows_and_columns_are_styled(docs: Docs, table: str) -> None:
    red = {"backgroundColor": {"color": {"rgbColor": {"red": 1}}}}
    area = {"tableRange": {**cell(0, 0), "rowSpan": 1, "columnSpan": 2}}
    start = {"tableStartLocation": at(3)}
    width = {"widthType": "FIXED_WIDTH", "width": {"magnitude": 90, "unit": "PT"}}
    docs.change(
        table,
        {"updateTableCellStyle": {**area, "tableCellStyle": red, "fields": "backgroundColor"}},
        {
            "updateTableRowStyle": {
                **start,
                "tableRowStyle": {"tableHeader": True},
                "rowIndices": [0],
                "fields": "tableHeader",
            }
        },
        {"updateTableColumnProperties": {**start, "columnIndices": [1], "tableColumnProperties": width, "fields": "*"}},
    )
    found = grid(docs, table)["table"]
    colours = [[one["tableCellStyle"]["backgroundColor"] for one in row["tableCells"]] for row in found["tableRows"]]
    assert colours == [[red["backgroundColor"]] * 2, [{}, {}]]
    assert found["tableRows"][0]["tableRowStyle"]["tableHeader"] is True
    assert found["tableStyle"]["tableColumnProperties"][1] == width


def test_a_cell_that_is_not_there_is_named(docs: Docs, table: str) -> None:
    assert "Row index 2 must be less than" in docs.refusal(table, {"insertTableRow": cell(2, 0)})[1]
    assert "Column index 5 must be less" in docs.refusal(table, {"deleteTableColumn": cell(0, 5)})[1]
    assert "no table starts at index 1" in docs.refusal(table, {"deleteTableRow": cell(0, 0, 1)})[1]


def test_a_table_inside_a_cell_counts_as_part_of_it(docs: Docs, table: str) -> None:
    docs.change(table, {"insertTable": {"location": at(6), "rows": 1, "columns": 1}})
    assert docs.text(table) == "a\n[\n[]|/|]b\n"
    assert grid(docs, table)["endIndex"] == 21
