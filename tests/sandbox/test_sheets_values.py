"""Values of spreadsheets through Google's client: read, written, appended, cleared."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core.sandbox.drive.shelf import seed_id
from tests.sandbox.sheets_world import Sheets, refusal, world


@pytest.fixture(scope="module")
def sheets(seeded: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Sheets]:
    with world(seeded, tmp_path_factory.mktemp("sheets")) as sandbox:
        yield Sheets(sandbox)


def test_what_is_typed_is_understood_and_what_is_raw_is_not(sheets: Sheets) -> None:
    book, typed = sheets.new(), [["5%", "$1,234.50", "2026-11-30", "TRUE", "'007", "=1+1", "x"]]
    sheets.write(book, "A1:G1", typed)
    sheets.write(book, "A2:G2", typed, "RAW")
    assert sheets.read(book, "A1:G2") == [["5%", "$1,234.50", "2026-11-30", "TRUE", "007", "2", "x"], *typed]
    plain = sheets.read(book, "A1:G1", valueRenderOption="UNFORMATTED_VALUE")
    assert plain == [[0.05, 1234.5, 46356, True, "007", 2, "x"]]
    dates = {"valueRenderOption": "UNFORMATTED_VALUE", "dateTimeRenderOption": "FORMATTED_STRING"}
    assert sheets.read(book, "C1", **dates) == [["2026-11-30"]]
    assert sheets.read(book, "F1", valueRenderOption="FORMULA") == [["=1+1"]]


def test_an_update_says_what_it_wrote(sheets: Sheets) -> None:
    book = sheets.new("Jon's Data")
    wishes = {"includeValuesInResponse": True, "responseValueRenderOption": "FORMATTED_VALUE"}
    assert sheets.write(book, "'Jon''s Data'!B2", [[1, "=B2*3"], [None, "x"]], **wishes) == {
        "spreadsheetId": book,
        "updatedRange": "'Jon''s Data'!B2:C3",
        "updatedRows": 2,
        "updatedColumns": 2,
        "updatedCells": 3,
        "updatedData": {"range": "'Jon''s Data'!B2:C3", "majorDimension": "ROWS", "values": [["1", "3"], ["", "x"]]},
    }


def test_null_keeps_and_empty_text_clears(sheets: Sheets) -> None:
    book = sheets.new()
    sheets.write(book, "A1:C1", [["a", "b", "c"]])
    sheets.write(book, "A1:C1", [[None, "", "C"]])
    assert sheets.read(book, "A1:C1") == [["a", "", "C"]]


def test_columns_may_lead(sheets: Sheets) -> None:
    book = sheets.new()
    body = {"majorDimension": "COLUMNS", "values": [["a", "b"], ["c"]]}
    sheets.cells.update(spreadsheetId=book, range="A1", body=body, valueInputOption="RAW").execute()
    assert sheets.read(book, "A1:B2") == [["a", "c"], ["b"]]
    assert sheets.read(book, "A1:B2", majorDimension="COLUMNS") == [["a", "b"], ["c"]]


@pytest.mark.parametrize(
    ("formula", "shown"),
    [
        ("=SUM(A1:A3)", "60"),
        ("=SUM(A1:A)", "60"),
        ("=SUM(A:A)", "60"),
        ("=AVERAGE(A1:A3)", "20"),
        ('=IF(A1>5,"big","small")', "big"),
        ("=VLOOKUP(20,A1:B3,2,FALSE)", "two"),
        ('=SUMIF(B1:B3,"t*",A1:A3)', "50"),
        ("=ROUND(A1/3,2)", "3.33"),
        ("=DATE(2026,11,30)", "11/30/2026"),
        ('=TEXT(DATE(2026,11,30),"yyyy-mm-dd")', "2026-11-30"),
        ('=B1&" "&UPPER(B2)', "one TWO"),
        ("='Other one'!A1*2", "14"),
        ("=A1/0", "#DIV/0!"),
        ("=NOPE(A1)", "#NAME?"),
        ("='Missing'!A1", "#REF!"),
        ("=VLOOKUP(99,A1:B3,2,FALSE)", "#N/A"),
        ('="a"+1', "#VALUE!"),
        ("=SQRT(-1)", "#NUM!"),
        ("=D1+1", "#REF!"),
        ("=1+*", "#ERROR!"),
        ("=IFERROR(A1/0,0)", "0"),
        ('=HYPERLINK("https://x.example","here")', "here"),
    ],
)
def test_formulas_are_computed(sheets: Sheets, formula: str, shown: str) -> None:
    book = sheets.new("First", "Other one")
    sheets.write(book, "A1:B3", [[10, "one"], [20, "two"], [30, "three"]])
    sheets.write(book, "'Other one'!A1", [[7]])
    sheets.write(book, "D1", [[formula]])
    assert sheets.read(book, "D1") == [[shown]]


def test_formulas_follow_what_they_are_made_of(sheets: Sheets) -> None:
    book = sheets.new()
    sheets.write(book, "A1:C1", [[2, "=A1*10", "=B1+1"]])
    sheets.write(book, "A1", [[3]])
    assert sheets.read(book, "A1:C1") == [["3", "30", "31"]]
    sheets.write(book, "A2", [["=ARRAYFORMULA(A1:C1*2)"]])
    assert sheets.read(book, "A2:C2") == [["6", "60", "62"]]
    assert sheets.read(book, "A2", valueRenderOption="FORMULA") == [["=ARRAYFORMULA(A1:C1*2)"]]


@pytest.mark.parametrize(
    ("where", "found"),
    [
        ("A1", "First!A1"),
        ("First", "First!A1:Z1000"),
        ("A:B", "First!A1:B1000"),
        ("2:3", "First!A2:Z3"),
        ("A1:Z5000", "First!A1:Z1000"),
        ("R1C1:R2C2", "First!A1:B2"),
        ("'Jon''s Data'!A1:B2", "'Jon''s Data'!A1:B2"),
        ("Jon's Data", "'Jon''s Data'!A1:Z1000"),
        ("teste nome!A1", "'TEste Nome'!A1"),
        ("'CRM26'!A1", "'CRM26'!A1"),
    ],
)
def test_ranges_are_understood(sheets: Sheets, where: str, found: str) -> None:
    book = sheets.new("First", "Jon's Data", "CRM26", "TEste Nome")
    assert sheets.cells.get(spreadsheetId=book, range=where).execute()["range"] == found


@pytest.mark.parametrize(
    ("where", "sentence"),
    [
        ("Nowhere!A1", "Unable to parse range: Nowhere!A1"),
        ("A0", "Unable to parse range: A0"),
        ("A1001", "Range (First!A1001) exceeds grid limits. Max rows: 1000, max columns: 26"),
        ("AA1:AB2", "Range (First!AA1:AB2) exceeds grid limits. Max rows: 1000, max columns: 26"),
    ],
)
def test_ranges_that_lead_nowhere_are_refused(sheets: Sheets, where: str, sentence: str) -> None:
    book = sheets.new("First")
    assert refusal(sheets.cells.get(spreadsheetId=book, range=where)) == (400, sentence)


def test_writes_that_do_not_fit_are_refused(sheets: Sheets) -> None:
    book = sheets.new()

    def write(where: str, values: list[list[object]], **more: str) -> tuple[int, str]:
        body = {"values": values}
        return refusal(sheets.cells.update(spreadsheetId=book, range=where, body=body, **more))

    typed = {"valueInputOption": "USER_ENTERED"}
    assert write("A1", [[1]]) == (400, "'valueInputOption' is required but not specified")
    within = "Requested writing within range [Sheet1!A1:B2], but tried writing to"
    assert write("A1:B2", [[1], [2], [3]], **typed) == (400, f"{within} row [3]")
    assert write("A1:B2", [[1, 2, 3]], **typed) == (400, f"{within} column [C]")
    limits = "exceeds grid limits. Max rows: 1000, max columns: 26"
    assert write("A1000", [[1], [2]], **typed) == (400, f"Range (Sheet1!A1000:A1001) {limits}")
    assert write("A1", [[{"a": 1}]], **typed) == (400, "Invalid values[0][0]: struct_value")
    assert sheets.read(book, "A1:Z1000") == []


def test_appending_finds_the_end_of_the_table(sheets: Sheets) -> None:
    book = sheets.new(rows=4)
    sheets.write(book, "B2:C3", [["a", 1], ["b", 2]])
    body = {"values": [["c", 3], ["d", 4]]}
    request = sheets.cells.append(spreadsheetId=book, range="Sheet1", body=body, valueInputOption="RAW")
    answer = request.execute()
    assert answer["tableRange"] == "Sheet1!B2:C3" and answer["updates"]["updatedRange"] == "Sheet1!B4:C5"
    assert sheets.read(book, "B2:C5") == [["a", "1"], ["b", "2"], ["c", "3"], ["d", "4"]]
    assert sheets.get(book)["sheets"][0]["properties"]["gridProperties"]["rowCount"] == 5


def test_appending_may_insert_rows(sheets: Sheets) -> None:
    book = sheets.new()
    sheets.write(book, "A1:B4", [["a", 1], ["b", 2], [], ["total", "=SUM(B1:B2)"]])
    more = {"valueInputOption": "RAW", "insertDataOption": "INSERT_ROWS"}
    sheets.cells.append(spreadsheetId=book, range="A1:B2", body={"values": [["c", 3]]}, **more).execute()
    assert sheets.read(book, "A1:B5") == [["a", "1"], ["b", "2"], ["c", "3"], [], ["total", "3"]]


def test_clearing_keeps_the_look(sheets: Sheets) -> None:
    book = sheets.new()
    sheets.write(book, "A1:B2", [["5%", 2], [3, 4]])
    cleared = sheets.cells.clear(spreadsheetId=book, range="A1:A2", body={}).execute()
    assert cleared == {"spreadsheetId": book, "clearedRange": "Sheet1!A1:A2"}
    assert sheets.read(book, "A1:B2") == [["", "2"], ["", "4"]]
    sheets.write(book, "A1", [[0.5]])
    assert sheets.read(book, "A1") == [["50%"]]


def test_several_ranges_at_once(sheets: Sheets) -> None:
    book = sheets.new("One", "Two")
    data = [{"range": "One!A1", "values": [[1]]}, {"range": "Two!A1:B1", "values": [["=One!A1+1", 5]]}]
    body = {"valueInputOption": "USER_ENTERED", "data": data}
    answer = sheets.cells.batchUpdate(spreadsheetId=book, body=body).execute()
    assert (answer["totalUpdatedCells"], answer["totalUpdatedSheets"]) == (3, 2)
    got = sheets.cells.batchGet(spreadsheetId=book, ranges=["One!A1", "Two!A1:B1"]).execute()
    assert [one["values"] for one in got["valueRanges"]] == [[["1"]], [["2", "5"]]]


def test_what_is_shared_is_read_and_changed_only_as_far_as_it_is_shared(sheets: Sheets) -> None:
    assert sheets.read(seed_id("q3-numbers"), "Quarter!E2") == [["412,000"]]
    measured, body = seed_id("northgrid-measurements"), {"values": [[1]]}
    assert sheets.read(measured, "'By step'!A2") == [["25"]]
    request = sheets.cells.update(spreadsheetId=measured, range="A1", body=body, valueInputOption="RAW")
    assert refusal(request) == (403, "The caller does not have permission")
    missing = sheets.cells.get(spreadsheetId="nothing", range="A1")
    assert refusal(missing) == (404, "Requested entity was not found.")


def test_fifty_thousand_rows_are_no_matter(sheets: Sheets) -> None:
    book = sheets.new(rows=50_001)
    sheets.write(book, "A1:C50000", [[f"row {n}", n, n / 2] for n in range(50_000)], "RAW")
    sheets.write(book, "D1", [["=SUM(B1:B50000)"]])
    assert sheets.read(book, "D1") == [["1249975000"]]
    assert sheets.read(book, "A49999:C50001") == [["row 49998", "49998", "24999"], ["row 49999", "49999", "24999.5"]]


@settings(max_examples=15, deadline=None)
@given(st.lists(st.lists(st.text(st.characters(exclude_categories=("Cs", "Cc")), max_size=12), max_size=4), max_size=4))
def test_raw_text_comes_back_as_it_is(sheets: Sheets, rows: list[list[str]]) -> None:
    book = sheets.new()
    sheets.write(book, "A1", rows, "RAW")
    read = sheets.read(book, "A1:D4")
    padded = [[*row, *[""] * (4 - len(row))] for row in read] + [[""] * 4] * (4 - len(read))
    assert padded == [[*row, *[""] * (4 - len(row))] for row in rows] + [[""] * 4] * (4 - len(rows))


@pytest.mark.parametrize(
    "formula", ["=SUM(A:A)", "=SUM($A$2:$A)", "=COUNTIF(Two!B:C,5)", '="A:A"&SUM(B2:C)', "=SUM(2:2)"]
)
def test_open_ranges_come_back_as_they_were_written(sheets: Sheets, formula: str) -> None:
    book = sheets.new("One", "Two")
    sheets.write(book, "E1", [[formula]])
    assert sheets.read(book, "E1", valueRenderOption="FORMULA") == [[formula]]


def test_open_ranges_reach_the_end_of_a_sheet_that_grows(sheets: Sheets) -> None:
    book = sheets.new()
    sheets.write(book, "B1", [["=SUM(A2:A)"]])
    body = {"requests": [{"appendDimension": {"sheetId": 0, "dimension": "ROWS", "length": 40_000}}]}
    sheets.books.batchUpdate(spreadsheetId=book, body=body).execute()
    sheets.write(book, "A40999", [[7]])
    assert sheets.read(book, "B1") == [["7"]]
    assert sheets.read(book, "B1", valueRenderOption="FORMULA") == [["=SUM(A2:A)"]]


@pytest.mark.parametrize("formula", [f"={'(' * 20_000}1{')' * 20_000}", f"={'-' * 20_000}1", f"={'1^' * 9_000}1"])
def test_formulas_that_would_break_the_engine_are_errors(sheets: Sheets, formula: str) -> None:
    book = sheets.new()
    sheets.write(book, "A1", [[formula]])
    assert sheets.read(book, "A1") == [["#ERROR!"]]
    assert sheets.cell(book, "A1")["effectiveValue"]["errorValue"]["type"] == "ERROR"


def test_what_no_cell_can_hold_is_refused(sheets: Sheets) -> None:
    book = sheets.new()
    for value, words in (
        ("x" * 50_001, "more than the maximum of 50000 characters"),
        (10**400, "Invalid values[0][0]"),
    ):
        body = {"values": [[value]]}
        request = sheets.cells.update(spreadsheetId=book, range="A1", body=body, valueInputOption="RAW")
        status, sentence = refusal(request)
        assert status == 400 and words in sentence


def test_today_and_now_are_those_of_the_spreadsheets_zone(sheets: Sheets) -> None:
    book = sheets.new()
    sheets.write(book, "A1", [["=TODAY()", "=NOW()"]])

    def moment(zone: str) -> list[float]:
        change = {"properties": {"timeZone": zone}, "fields": "timeZone"}
        sheets.change(book, {"updateSpreadsheetProperties": change})
        (row,) = sheets.read(book, "A1:B1", valueRenderOption="UNFORMATTED_VALUE")
        return row

    own = sheets.read(book, "B1", valueRenderOption="UNFORMATTED_VALUE")[0][0]
    east, west = moment("Pacific/Kiritimati"), moment("Pacific/Pago_Pago")
    assert round((east[1] - west[1]) * 24) == 25 and east[0] - west[0] in (1, 2)
    assert round((east[1] - own) * 24) in (12, 13), "it began in the persona's zone, Berlin"
    assert moment("Europe/Nowhere")[1] == pytest.approx(west[1], abs=0.01)
