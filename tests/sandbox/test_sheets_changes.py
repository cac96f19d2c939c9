"""Spreadsheets through Google's client: made, read whole, and changed by batches."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core.sandbox.drive.shelf import seed_id
from tests.sandbox.sheets_world import Json, Sheets, refusal, world

RED = {"red": 1}


@pytest.fixture(scope="module")
def sheets(seeded: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Sheets]:
    with world(seeded, tmp_path_factory.mktemp("sheets")) as sandbox:
        yield Sheets(sandbox)


def rectangle(top: int, bottom: int, left: int, right: int, sheet: int = 0) -> Json:
    rows = {"startRowIndex": top, "endRowIndex": bottom}
    return {"sheetId": sheet, **rows, "startColumnIndex": left, "endColumnIndex": right}


def refused(sheets: Sheets, book: str, *requests: Any) -> str:
    status, sentence = refusal(sheets.books.batchUpdate(spreadsheetId=book, body={"requests": list(requests)}))
    assert status == 400
    return sentence


def test_a_new_spreadsheet_comes_back_as_google_gives_it(sheets: Sheets) -> None:
    made = sheets.books.create(body={"properties": {"title": "Plans"}}).execute()
    about = {name: made["properties"][name] for name in ("title", "locale", "timeZone", "autoRecalc")}
    assert about == {"title": "Plans", "locale": "en_US", "timeZone": "Europe/Berlin", "autoRecalc": "ON_CHANGE"}
    grid = {"rowCount": 1000, "columnCount": 26}
    first = {"sheetId": 0, "title": "Sheet1", "index": 0, "sheetType": "GRID", "gridProperties": grid}
    assert made["sheets"] == [{"properties": first}]
    assert made["spreadsheetUrl"] == f"https://docs.google.com/spreadsheets/d/{made['spreadsheetId']}/edit"
    assert sheets.get(made["spreadsheetId"]) == made


def test_a_field_mask_keeps_the_grid_away(sheets: Sheets) -> None:
    book = seed_id("northgrid-measurements")
    assert sheets.get(book, fields="sheets.properties.title")["sheets"][0] == {"properties": {"title": "Raw"}}
    assert "data" not in sheets.get(book)["sheets"][0]
    found = sheets.get(book, "Raw!A2:B2", fields="sheets.data.rowData.values.formattedValue")
    values = [{"formattedValue": "2026-10-29 8:00"}, {"formattedValue": "NG-001"}]
    assert found["sheets"] == [{"data": [{"rowData": [{"values": values}]}]}]


def test_cells_tell_their_value_formula_error_and_link(sheets: Sheets) -> None:
    book = sheets.new()
    sheets.write(book, "A1:E1", [[2, "=A1/0", '=HYPERLINK("https://x.example","here")', "=F1", "=A1>1"]])
    number, broken, link, empty, truth = (sheets.cell(book, f"{column}1") for column in "ABCDE")
    assert number["effectiveValue"] == {"numberValue": 2} and number["formattedValue"] == "2"
    assert broken["userEnteredValue"] == {"formulaValue": "=A1/0"}
    problem = {"type": "DIVIDE_BY_ZERO", "message": "Function DIVIDE parameter 2 cannot be zero."}
    assert broken["effectiveValue"] == {"errorValue": problem} and broken["formattedValue"] == "#DIV/0!"
    assert link["hyperlink"] == "https://x.example" and link["formattedValue"] == "here"
    assert empty["effectiveValue"] == {"numberValue": 0} and truth["effectiveValue"] == {"boolValue": True}


def test_only_the_named_parts_of_a_look_change(sheets: Sheets) -> None:
    book = sheets.new()
    sheets.write(book, "A1", [[0.5]])
    look = {
        "backgroundColor": RED,
        "textFormat": {"bold": True, "fontSize": 14},
        "numberFormat": {"type": "PERCENT"},
        "wrapStrategy": "CLIP",
    }
    whole = {"range": rectangle(0, 1, 0, 1), "cell": {"userEnteredFormat": look}, "fields": "userEnteredFormat"}
    sheets.change(book, {"repeatCell": whole})
    italic = {"userEnteredFormat": {"textFormat": {"italic": True}, "horizontalAlignment": "CENTER"}}
    fields = "userEnteredFormat(textFormat.italic,horizontalAlignment)"
    sheets.change(book, {"repeatCell": {"range": rectangle(0, 1, 0, 1), "cell": italic, "fields": fields}})
    cell = sheets.cell(book, "A1")
    assert cell["formattedValue"] == "50.00%"
    assert cell["userEnteredFormat"] == {
        "numberFormat": {"type": "PERCENT", "pattern": "0.00%"},
        "backgroundColor": RED,
        "backgroundColorStyle": {"rgbColor": RED},
        "horizontalAlignment": "CENTER",
        "wrapStrategy": "CLIP",
        "textFormat": {"bold": True, "italic": True, "fontSize": 14, "fontFamily": "Arial"},
    }
    plain = {"range": rectangle(0, 1, 0, 1), "cell": {}, "fields": "userEnteredFormat.backgroundColor"}
    sheets.change(book, {"repeatCell": plain})
    assert "backgroundColor" not in sheets.cell(book, "A1")["userEnteredFormat"]
    assert sheets.cell(book, "A1")["effectiveFormat"]["backgroundColor"] == {"red": 1, "green": 1, "blue": 1}


@pytest.mark.parametrize(
    ("kind", "pattern", "shown"),
    [
        ("NUMBER", "#,##0.0", "46,356.8"),
        ("NUMBER", "", "46,356.75"),
        ("CURRENCY", "", "$46,356.75"),
        ("CURRENCY", '#,##0.00 "EUR"', "46,356.75 EUR"),
        ("DATE", "", "11/30/2026"),
        ("DATE", "d mmmm yyyy", "30 November 2026"),
        ("TIME", "hh:mm", "18:00"),
        ("SCIENTIFIC", "", "4.64E+04"),
        ("TEXT", "", "46356.75"),
    ],
)
def test_number_formats_are_seen(sheets: Sheets, kind: str, pattern: str, shown: str) -> None:
    book = sheets.new()
    sheets.write(book, "A1", [[46356.75]])
    number = {"type": kind, **({"pattern": pattern} if pattern else {})}
    cell = {"userEnteredFormat": {"numberFormat": number}}
    change = {"range": rectangle(0, 1, 0, 1), "cell": cell, "fields": "userEnteredFormat.numberFormat"}
    sheets.change(book, {"repeatCell": change})
    assert sheets.read(book, "A1") == [[shown]]
    assert sheets.cell(book, "A1")["userEnteredFormat"]["numberFormat"]["type"] == kind


def test_sheets_are_added_renamed_moved_copied_and_deleted(sheets: Sheets) -> None:
    book = sheets.new("First")
    (reply,) = sheets.change(book, {"addSheet": {"properties": {"title": "Jon's Data"}}})
    added = reply["addSheet"]["properties"]["sheetId"]
    sheets.write(book, "'Jon''s Data'!A1", [[4]])
    sheets.write(book, "First!A1", [["='Jon''s Data'!A1*2"]])
    sheets.change(
        book,
        {"updateSheetProperties": {"properties": {"sheetId": added, "title": "a/b: c?"}, "fields": "title"}},
        {"updateSheetProperties": {"properties": {"sheetId": added, "index": 0}, "fields": "index"}},
        {"duplicateSheet": {"sourceSheetId": added, "newSheetName": "Copy", "insertSheetIndex": 2}},
    )
    titles = [one["properties"]["title"] for one in sheets.get(book)["sheets"]]
    assert titles == ["a/b: c?", "First", "Copy"]
    assert sheets.read(book, "First!A1", valueRenderOption="FORMULA") == [["='a/b: c?'!A1*2"]]
    assert sheets.read(book, "First!A1") == [["8"]] and sheets.read(book, "Copy!A1") == [["4"]]
    sheets.change(book, {"deleteSheet": {"sheetId": added}})
    assert sheets.read(book, "First!A1") == [["#REF!"]]


def test_zero_is_an_id(sheets: Sheets) -> None:
    book = sheets.new("First", "Second")
    sheets.change(book, {"deleteSheet": {"sheetId": 0}})
    assert [one["properties"]["title"] for one in sheets.get(book)["sheets"]] == ["Second"]
    assert (
        refused(sheets, book, {"deleteSheet": {"sheetId": 0}}) == "Invalid requests[0].deleteSheet: No grid with id: 0"
    )


def test_rows_and_columns_come_and_go(sheets: Sheets) -> None:
    book = sheets.new()
    sheets.write(book, "A1:B3", [[1, "note"], [2, ""], ["=SUM(A1:A2)", "=SUM(A1:A)"]])
    rule = {"ranges": [rectangle(0, 3, 0, 1)], "booleanRule": {"condition": {"type": "NOT_BLANK"}, "format": {}}}
    note = {"rows": [{"values": [{"note": "mine"}]}], "fields": "note", "start": {"rowIndex": 1, "columnIndex": 0}}
    rows = {"dimension": "ROWS", "startIndex": 1, "endIndex": 3}
    columns = {"dimension": "COLUMNS", "startIndex": 0, "endIndex": 1}
    sheets.change(book, {"addConditionalFormatRule": {"rule": rule}}, {"updateCells": note})
    sheets.change(book, {"insertDimension": {"range": rows}}, {"insertDimension": {"range": columns}})
    assert sheets.read(book, "B1:C5", valueRenderOption="FORMULA")[4][0] == "=SUM(B1:B4)"
    assert sheets.read(book, "B5") == [["3"]] and sheets.cell(book, "B4")["note"] == "mine"
    assert sheets.get(book)["sheets"][0]["conditionalFormats"][0]["ranges"] == [rectangle(0, 5, 1, 2)]
    sheets.change(book, {"deleteDimension": {"range": rows}}, {"deleteDimension": {"range": columns}})
    assert sheets.read(book, "A1:A3") == [["1"], ["2"], ["3"]] and sheets.cell(book, "A2")["note"] == "mine"
    sheets.change(book, {"appendDimension": {"sheetId": 0, "dimension": "ROWS", "length": 5}})
    assert sheets.get(book)["sheets"][0]["properties"]["gridProperties"] == {"rowCount": 1005, "columnCount": 26}


def test_words_are_found_and_replaced(sheets: Sheets) -> None:
    book = sheets.new("One", "Two")
    sheets.write(book, "One!A1:A3", [["Acme and acme"], ['="Acme"&1'], ["none"]])
    sheets.write(book, "Two!A1", [["ACME"]])
    (reply,) = sheets.change(book, {"findReplace": {"find": "acme", "replacement": "Globex", "allSheets": True}})
    counts = {"valuesChanged": 2, "rowsChanged": 2, "sheetsChanged": 2, "occurrencesChanged": 3}
    assert reply == {"findReplace": counts}
    assert sheets.read(book, "One!A1:A2") == [["Globex and Globex"], ["Acme1"]]
    find = {"find": "(no)(ne)", "replacement": "$2$1", "searchByRegex": True, "sheetId": 0, "matchCase": True}
    sheets.change(book, {"findReplace": find})
    assert sheets.read(book, "One!A3") == [["neno"]]


def test_rows_are_sorted_with_their_looks_and_formulas(sheets: Sheets) -> None:
    book = sheets.new()
    sheets.write(book, "A1:C4", [["b", 2, "=B1*10"], ["", 1, "=B2*10"], ["a", 3, "=B3*10"], ["c", "10%", "=B4*10"]])
    specs = [{"dimensionIndex": 1, "sortOrder": "DESCENDING"}]
    sheets.change(book, {"sortRange": {"range": rectangle(0, 4, 0, 3), "sortSpecs": specs}})
    assert [row[:2] for row in sheets.read(book, "A1:C4")] == [["a", "3"], ["b", "2"], ["", "1"], ["c", "10%"]]
    plain = sheets.read(book, "C1:C4", valueRenderOption="UNFORMATTED_VALUE")
    assert plain == [[30], [20], [10], [1]]


def test_cells_are_merged_appended_and_noted(sheets: Sheets) -> None:
    book = sheets.new()
    row = {
        "values": [{"userEnteredValue": {"stringValue": "x"}, "note": "n"}, {"userEnteredValue": {"numberValue": 0}}]
    }
    append = {"sheetId": 0, "rows": [row], "fields": "userEnteredValue,note"}
    merge = {"range": rectangle(4, 6, 0, 2), "mergeType": "MERGE_ALL"}
    sheets.change(book, {"appendCells": append}, {"appendCells": append}, {"mergeCells": merge})
    assert sheets.read(book, "A1:B3") == [["x", "0"], ["x", "0"]]
    assert sheets.cell(book, "A2")["note"] == "n"
    assert sheets.get(book)["sheets"][0]["merges"] == [rectangle(4, 6, 0, 2)]


def test_rules_are_added_changed_moved_and_deleted(sheets: Sheets) -> None:
    book = sheets.new()

    def rule(value: str) -> Json:
        condition = {"type": "NUMBER_GREATER", "values": [{"userEnteredValue": value}]}
        return {
            "ranges": [rectangle(0, 5, 0, 1)],
            "booleanRule": {"condition": condition, "format": {"backgroundColor": RED}},
        }

    def values() -> list[str]:
        rules = sheets.get(book)["sheets"][0].get("conditionalFormats", [])
        return [one["booleanRule"]["condition"]["values"][0]["userEnteredValue"] for one in rules]

    sheets.change(book, *({"addConditionalFormatRule": {"rule": rule(one), "index": 0}} for one in "12"))
    assert values() == ["2", "1"]
    change = {"sheetId": 0, "index": 1, "rule": rule("9")}
    (reply,) = sheets.change(book, {"updateConditionalFormatRule": change})
    assert reply["updateConditionalFormatRule"]["oldRule"] == rule("1") and values() == ["2", "9"]
    sheets.change(book, {"updateConditionalFormatRule": {"sheetId": 0, "index": 1, "newIndex": 0}})
    assert values() == ["9", "2"]
    sheets.change(book, {"deleteConditionalFormatRule": {"sheetId": 0, "index": 0}})
    assert values() == ["2"]
    gone = refused(sheets, book, {"deleteConditionalFormatRule": {"sheetId": 0, "index": 4}})
    assert gone.endswith("No conditional format on sheet: 0 at index: 4")


def test_a_batch_is_done_whole_or_not_at_all(sheets: Sheets) -> None:
    book = sheets.new()
    good = {"addSheet": {"properties": {"title": "New"}}}
    assert refused(sheets, book, good, {"addSheet": {"properties": {"title": "new"}}}).endswith(
        'A sheet with the name "new" already exists. Please enter another name.'
    )
    assert len(sheets.get(book)["sheets"]) == 1
    assert refused(sheets, book) == "Must specify at least one request."
    assert refused(sheets, book, {}) == "Invalid requests[0]: No request set."
    assert refused(sheets, book, {"paintCell": {}}).startswith(
        'Invalid JSON payload received. Unknown name "paintCell"'
    )
    outside = {"range": rectangle(0, 2000, 0, 1), "cell": {}, "fields": "*"}
    assert "exceeds grid limits" in refused(sheets, book, {"repeatCell": outside})
    assert "At least one field" in refused(sheets, book, {"repeatCell": {"range": rectangle(0, 1, 0, 1), "cell": {}}})


@pytest.mark.parametrize(
    ("kind", "values", "matching"),
    [
        ("NUMBER_GREATER", ["2"], "CD"),
        ("NUMBER_BETWEEN", ["1", "2"], "AB"),
        ("NUMBER_NOT_BETWEEN", ["1", "2"], "CD"),
        ("NUMBER_NOT_EQ", ["3"], "ABD"),
        ("NUMBER_LESS", ["=$D$1"], "ABC"),
        ("TEXT_CONTAINS", ["OP"], "E"),
        ("TEXT_STARTS_WITH", ["op"], "E"),
        ("TEXT_EQ", ["open"], "E"),
        ("DATE_AFTER", ["1900-01-01"], "CD"),
        ("BLANK", [], "F"),
        ("NOT_BLANK", [], "ABCDE"),
        ("CUSTOM_FORMULA", ["=A$1*2>$D1"], "CD"),
        ("CUSTOM_FORMULA", ["=AND(ISNUMBER(A1),A1>AVERAGE($A$1:$D$1))"], "CD"),
    ],
)
def test_conditional_formats_show_where_they_hold(sheets: Sheets, kind: str, values: list[str], matching: str) -> None:
    book = sheets.new("Jon's")
    sheets.write(book, "A1:E1", [[1, 2, 3, 4, "open"]])
    sheets.write(book, "F2", [["the grid reaches to here"]])
    condition = {"type": kind, "values": [{"userEnteredValue": one} for one in values]}
    boolean = {"condition": condition, "format": {"backgroundColor": RED}}
    rule = {"ranges": [rectangle(0, 1, 0, 6)], "booleanRule": boolean}
    sheets.change(book, {"addConditionalFormatRule": {"rule": rule}})
    cells = sheets.get(book, "A1:F2")["sheets"][0]["data"][0]["rowData"][0]["values"]
    shown = [cell.get("effectiveFormat", {}).get("backgroundColor") == RED for cell in cells]
    found = "".join(letter for letter, red in zip("ABCDEF", shown, strict=False) if red)
    assert found == matching


def test_a_gradient_mixes_its_colours(sheets: Sheets) -> None:
    book = sheets.new()
    sheets.write(book, "A1:A4", [[0], [5], [10], ["x"]])
    ends = {"minpoint": {"type": "MIN", "color": {}}, "maxpoint": {"type": "MAX", "color": RED}}
    rule = {"ranges": [rectangle(0, 4, 0, 1)], "gradientRule": ends}
    sheets.change(book, {"addConditionalFormatRule": {"rule": rule}})
    rows = sheets.get(book, "A1:A4")["sheets"][0]["data"][0]["rowData"]
    colors = [row["values"][0]["effectiveFormat"]["backgroundColor"] for row in rows]
    assert colors == [{}, {"red": 0.5}, RED, {"red": 1, "green": 1, "blue": 1}]


@settings(max_examples=20, deadline=None)
@given(st.integers(0, 5), st.integers(1, 4), st.sampled_from(["ROWS", "COLUMNS"]))
def test_what_is_inserted_and_deleted_again_leaves_no_trace(
    sheets: Sheets, start: int, count: int, dimension: str
) -> None:
    book = sheets.new("One", "Two")
    sheets.write(book, "One!A1:C3", [[1, "=A1+$B$2", "=SUM(A1:A3)"], ["x", 5, "=Two!A1"], ["=B2", "", "=SUM(A:A)"]])
    sheets.write(book, "Two!A1:B1", [["=One!B2*2", "=VLOOKUP(1,One!A1:B3,2,FALSE)"]])
    sheets.change(book, {"updateCells": {"rows": [{"values": [{"note": "n"}]}], "fields": "note", "start": {}}})
    before = [
        sheets.read(book, one, valueRenderOption=how)
        for one in ("One", "Two")
        for how in ("FORMULA", "FORMATTED_VALUE")
    ]
    span = {"range": {"sheetId": 0, "dimension": dimension, "startIndex": start, "endIndex": start + count}}
    sheets.change(book, {"insertDimension": span})
    doubled = sheets.read(book, "Two!A1")
    sheets.change(book, {"deleteDimension": span})
    after = [
        sheets.read(book, one, valueRenderOption=how)
        for one in ("One", "Two")
        for how in ("FORMULA", "FORMATTED_VALUE")
    ]
    assert after == before and sheets.cell(book, "A1")["note"] == "n"
    assert doubled == [["10"]]


def test_whole_columns_stay_whole_when_rows_come_on_top(sheets: Sheets) -> None:
    book = sheets.new("One", "Two")
    sheets.write(book, "One!A1:B2", [[1, "=SUM(A:A)"], [2, "=SUM(A2:A)"]])
    sheets.write(book, "Two!A1", [["=SUM(One!$A:A)+One!A1"]])
    top = {"sheetId": 0, "dimension": "ROWS", "startIndex": 0, "endIndex": 2}
    sheets.change(book, {"insertDimension": {"range": top}})
    sheets.write(book, "One!A1", [[10]])
    assert sheets.read(book, "One!B3:B4", valueRenderOption="FORMULA") == [["=SUM(A:A)"], ["=SUM(A4:A)"]]
    assert sheets.read(book, "One!B3:B4") == [["13"], ["2"]]
    assert sheets.read(book, "Two!A1", valueRenderOption="FORMULA") == [["=SUM(One!$A:A)+One!A3"]]


def test_sums_shrink_with_the_rows_that_are_deleted_at_their_ends(sheets: Sheets) -> None:
    book = sheets.new()
    sheets.write(book, "A1:A5", [[1], [2], [3], [4], ["=SUM(A1:A4)"]])
    last = {"sheetId": 0, "dimension": "ROWS", "startIndex": 3, "endIndex": 4}
    first = {"sheetId": 0, "dimension": "ROWS", "startIndex": 0, "endIndex": 1}
    sheets.change(book, {"deleteDimension": {"range": last}}, {"deleteDimension": {"range": first}})
    assert sheets.read(book, "A3") == [["5"]]
    assert sheets.read(book, "A3", valueRenderOption="FORMULA") == [["=SUM(A1:A2)"]]


@pytest.mark.parametrize(
    "body", [{"properties": "x"}, {"sheets": 5}, {"sheets": [{"properties": [1]}]}, {"nonsense": 1}, {"sheets": [7]}]
)
def test_bodies_that_are_no_spreadsheet_are_refused(sheets: Sheets, body: Json) -> None:
    status, sentence = refusal(sheets.books.create(body=body))
    assert status == 400 and sentence.startswith("Invalid")


def test_null_counts_as_left_out(sheets: Sheets) -> None:
    made = sheets.books.create(body={"properties": {"title": "Plans", "locale": None}, "sheets": None}).execute()
    assert made["properties"]["locale"] == "en_US"
