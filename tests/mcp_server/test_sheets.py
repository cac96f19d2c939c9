"""The Sheets tools over a seeded world; effects are read back through Google's client."""

from collections.abc import Iterator
from typing import Any

import pytest

from core.sandbox.drive.shelf import seed_id
from core.sandbox.sandbox import Sandbox
from tests.mcp_server.conftest import ZONE, Caller, build, now
from tests.sandbox.sheets_world import Sheets

BUDGET, Q3, MEASURED = (seed_id(key) for key in ("budget-2026", "q3-numbers", "northgrid-measurements"))


@pytest.fixture(scope="module")
def world(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Sandbox]:
    """A world that these tests change, each in spreadsheets of its own."""
    sandbox = Sandbox(tmp_path_factory.mktemp("sheets") / "sandbox.db", ZONE, now)
    sandbox.open()
    yield sandbox
    sandbox.close()


@pytest.fixture(scope="module")
def call(world: Sandbox, tmp_path_factory: pytest.TempPathFactory) -> Caller:
    return Caller(build(world, tmp_path_factory.mktemp("downloads"), domains=["sheets"]))


@pytest.fixture(scope="module")
def small(world: Sandbox, tmp_path_factory: pytest.TempPathFactory) -> Caller:
    """Tools whose results hold little."""
    return Caller(build(world, tmp_path_factory.mktemp("downloads"), domains=["sheets"], body_limit=600))


@pytest.fixture(scope="module")
def google(world: Sandbox) -> Sheets:
    return Sheets(world)


def texts(result: dict[str, Any]) -> list[list[str]]:
    return [row["cells"] for row in result["rows"]]


async def test_list_spreadsheets_names_the_last_changed_first_and_pages(call: Caller) -> None:
    whole = await call("list_spreadsheets", max_results=100)
    titles = [one["title"] for one in whole["spreadsheets"]]
    seeded = {"Budget 2026", "Q3 numbers", "Invoices 2026", "Northgrid pilot measurements", "Offsite planning"}
    assert seeded <= set(titles) and whole["next_page_token"] is None
    assert [one["modified"] for one in whole["spreadsheets"]] == sorted(
        (one["modified"] for one in whole["spreadsheets"]), reverse=True
    )
    first = await call("list_spreadsheets", max_results=2)
    second = await call("list_spreadsheets", max_results=2, page_token=first["next_page_token"])
    assert [one["title"] for one in first["spreadsheets"] + second["spreadsheets"]] == titles[:4]


async def test_get_spreadsheet_info_shows_sheets_and_rules(call: Caller) -> None:
    info = await call("get_spreadsheet_info", spreadsheet_id=BUDGET)
    assert (info["title"], info["zone"]) == ("Budget 2026", "Europe/Berlin")
    assert [one["range"] for one in info["sheets"]] == [
        "'Summary'",
        "'Product'",
        "'Tom''s pipeline'",
        "'Currency check'",
    ]
    summary = info["sheets"][0]
    assert (summary["sheet_id"], summary["rows"], summary["columns"], summary["frozen_rows"]) == (0, 1000, 26, 1)
    assert summary["rules"][0] == {
        "index": 0,
        "ranges": ["E2:E7"],
        "condition": "NUMBER_GREATER 0.9",
        "background_color": "#F4CCCC",
        "text_color": None,
    }
    assert info["sheets"][2]["rules"][0]["condition"] == "GRADIENT MIN #FFFFFF, MAX #57BB8A"


async def test_read_sheet_values_shows_what_a_person_sees(call: Caller) -> None:
    result = await call("read_sheet_values", spreadsheet_id=Q3)
    assert (result["sheet"], result["range"], result["next_range"]) == ("Quarter", "'Quarter'!A1:Z1000", None)
    assert result["rows"][1] == {
        "row": 2,
        "cells": ["Revenue", "128,400", "131,900", "151,700", "412,000", "400,000", "3.0%"],
    }
    assert result["errors"] == [] and result["link"].endswith(f"{Q3}/edit#gid=0")


@pytest.mark.parametrize("where", ["Tom's pipeline", "'Tom''s pipeline'", "tom's PIPELINE", "Tom's pipeline!A1:Z1000"])
async def test_read_sheet_values_takes_a_sheet_by_its_bare_name(call: Caller, where: str) -> None:
    result = await call("read_sheet_values", spreadsheet_id=BUDGET, range_name=where)
    assert result["range"] == "'Tom''s pipeline'!A1:Z1000" and len(result["rows"]) == 5


async def test_read_sheet_values_takes_a_sheet_for_a_sheet_although_it_could_be_a_cell(
    call: Caller, google: Sheets
) -> None:
    book = google.new("First", "CRM26", "Q3", "TEste Nome")
    google.write(book, "'CRM26'!A1", [["in CRM26"]])
    google.write(book, "'Q3'!A1", [["in Q3"]])
    for name in ("CRM26", "Q3"):
        assert texts(await call("read_sheet_values", spreadsheet_id=book, range_name=name)) == [[f"in {name}"]]
        wrote = await call("modify_sheet_values", spreadsheet_id=book, range_name=name, values=[[f"now {name}"]])
        assert wrote["range"] == f"'{name}'!A1" and google.read(book, f"'{name}'!A1") == [[f"now {name}"]]
    assert google.read(book, "First") == []


async def test_read_sheet_values_explains_errors(call: Caller) -> None:
    result = await call("read_sheet_values", spreadsheet_id=BUDGET, range_name="'Currency check'!A1:B5")
    broken, missing = result["errors"]
    assert (broken["cell"], broken["shown"], broken["formula"]) == ("B3", "#DIV/0!", "=B2/B5")
    assert broken["reason"] == "Function DIVIDE parameter 2 cannot be zero."
    assert missing["cell"] == "B4" and missing["shown"] == "#N/A"


async def test_read_sheet_values_tells_where_cells_lead(call: Caller) -> None:
    book = seed_id("invoices-2026")
    plain = await call("read_sheet_values", spreadsheet_id=book, range_name="A1:H3")
    assert plain["hyperlinks"] == []
    linked = await call("read_sheet_values", spreadsheet_id=book, range_name="A1:H3", include_hyperlinks=True)
    first = {"cell": "H2", "text": "invoice 2041", "url": "https://brightparts.example/invoices/2041"}
    assert linked["hyperlinks"][0] == first and linked["rows"][1]["cells"][0] == "2041"


async def test_read_sheet_values_gives_120_rows_in_parts_without_loss(small: Caller, google: Sheets) -> None:
    book = google.new("Long list")
    google.write(book, "A1:B120", [[f"row {n}", n] for n in range(1, 121)])
    google.write(book, "A500", [["far below"]])
    seen, where, parts = [], "Long list", 0
    while where:
        result = await small("read_sheet_values", spreadsheet_id=book, range_name=where)
        assert result["rows"] and (result["next_range"] is None) == (result["rows_left"] == 0)
        seen += [(row["row"], row["cells"][0]) for row in result["rows"]]
        where, parts = result["next_range"], parts + 1
    assert parts > 3 and seen == [(n, f"row {n}") for n in range(1, 121)] + [(500, "far below")]


async def test_read_sheet_values_names_what_follows_in_50_000_rows(call: Caller, google: Sheets) -> None:
    book = google.new("Big", rows=50_000)
    google.write(book, "A1:B50000", [[n, f"text {n}"] for n in range(1, 50_001)], "RAW")
    result = await call("read_sheet_values", spreadsheet_id=book, range_name="Big")
    last = result["rows"][-1]["row"]
    assert result["range"] == f"'Big'!A1:Z{last}" and result["next_range"] == f"'Big'!A{last + 1}:Z50000"
    assert result["rows_left"] == 50_000 - last
    following = await call("read_sheet_values", spreadsheet_id=book, range_name=result["next_range"])
    assert following["rows"][0] == {"row": last + 1, "cells": [str(last + 1), f"text {last + 1}"]}


@pytest.mark.parametrize(
    ("where", "words"),
    [
        ("Nowhere", "there are: Summary, Product, Tom's pipeline, Currency check"),
        ("A2000", "'A2000' is outside the sheet 'Summary', which has 1,000 rows and 26 columns"),
    ],
)
async def test_read_sheet_values_says_what_there_is(call: Caller, where: str, words: str) -> None:
    assert words in await call.refusal("read_sheet_values", spreadsheet_id=BUDGET, range_name=where)


async def test_a_spreadsheet_that_is_not_there_is_named_as_such(call: Caller) -> None:
    sentence = await call.refusal("read_sheet_values", spreadsheet_id="nothing")
    assert sentence.startswith("There is no such spreadsheet, or this account may not see it.")


async def test_modify_sheet_values_writes_and_shows_what_came_of_it(call: Caller, google: Sheets) -> None:
    book = google.new("Plan")
    rows = [["Item", "EUR"], ["Lamps", 100], ["Sum", "=SUM(C3:C3)"], ["Part", "=C4/0"]]
    result = await call("modify_sheet_values", spreadsheet_id=book, range_name="B2", values=rows)
    assert (result["range"], result["cells"]) == ("Plan!B2:C5", 8)
    assert texts(result) == [["Item", "EUR"], ["Lamps", "100"], ["Sum", "100"], ["Part", "#DIV/0!"]]
    assert [one["cell"] for one in result["errors"]] == ["C5"]
    assert google.read(book, "B3:C3") == [["Lamps", "100"]]


async def test_modify_sheet_values_takes_json_text_and_a_single_row(call: Caller, google: Sheets) -> None:
    book = google.new()
    await call("modify_sheet_values", spreadsheet_id=book, range_name="A1", values='[["a", 1], ["b", null]]')
    await call("modify_sheet_values", spreadsheet_id=book, range_name="A3", values='["c", "5%"]')
    assert google.read(book, "A1:B3") == [["a", "1"], ["b"], ["c", "5%"]]
    raw = {"value_input_option": "RAW", "values": [["=1+1"]]}
    await call("modify_sheet_values", spreadsheet_id=book, range_name="A4", **raw)
    assert google.read(book, "A4") == [["=1+1"]]


async def test_modify_sheet_values_makes_room_where_there_is_none(call: Caller, google: Sheets) -> None:
    book = google.new("Small", rows=3)
    result = await call("modify_sheet_values", spreadsheet_id=book, range_name="A3", values=[["x"], ["y"], ["z"]])
    assert result["changed"] == "3 cells written in Small!A3:A5. The sheet got 2 rows more."
    assert google.read(book, "A1:A5") == [[], [], ["x"], ["y"], ["z"]]


async def test_modify_sheet_values_clears(call: Caller, google: Sheets) -> None:
    book = google.new()
    google.write(book, "A1:B2", [[1, 2], [3, 4]])
    result = await call("modify_sheet_values", spreadsheet_id=book, range_name="A1:A2", clear_values=True)
    assert result["changed"] == "The values of Sheet1!A1:A2 are cleared; formats stay."
    assert google.read(book, "A1:B2") == [["", "2"], ["", "4"]]


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ({}, "give rows to write, or clear_values=true"),
        ({"values": "not json"}, "must be rows such as"),
        ({"values": [[{"a": 1}]]}, "a cell is text, a number, true, false or null"),
        ({"values": [["x"]], "clear_values": True}, "not both"),
        ({"values": [[1, 2, 3]], "range_name": "A1:B1"}, "tried writing to column [C]"),
    ],
)
async def test_modify_sheet_values_refuses_what_is_no_table(
    call: Caller, google: Sheets, arguments: dict[str, Any], words: str
) -> None:
    book = google.new()
    sentence = await call.refusal("modify_sheet_values", **{"spreadsheet_id": book, "range_name": "A1", **arguments})
    assert words in sentence and google.read(book, "A1:C3") == []


async def test_modify_sheet_values_is_refused_where_only_reading_is_allowed(call: Caller) -> None:
    sentence = await call.refusal("modify_sheet_values", spreadsheet_id=MEASURED, range_name="A1", values=[[1]])
    assert "may not do that" in sentence


async def test_format_sheet_range_changes_only_what_is_named(call: Caller, google: Sheets) -> None:
    book = google.new("First", "Second")
    google.write(book, "Second!A1:B1", [[0.25, "x"]])
    await call("format_sheet_range", spreadsheet_id=book, range_name="Second!A1", number_format_type="PERCENT")
    result = await call(
        "format_sheet_range",
        spreadsheet_id=book,
        range_name="Second!A1:B1",
        background_color="#ff0000",
        text_color="0000FF",
        bold=True,
        font_size=14,
        wrap_strategy="WRAP",
        horizontal_alignment="CENTER",
        vertical_alignment="MIDDLE",
    )
    assert result["range"] == "'Second'!A1:B1"
    cell = google.cell(book, "Second!A1")
    look = cell["userEnteredFormat"]
    assert cell["formattedValue"] == "25.00%" and look["backgroundColor"] == {"red": 1}
    font = {"bold": True, "fontSize": 14, "fontFamily": "Arial", "foregroundColor": {"blue": 1}}
    assert {name: look["textFormat"][name] for name in font} == font
    align = (look["wrapStrategy"], look["horizontalAlignment"], look["verticalAlignment"])
    assert align == ("WRAP", "CENTER", "MIDDLE")
    assert "userEnteredFormat" not in google.cell(book, "First!A1")
    for arguments, words in (({}, "say what to change"), ({"text_color": "red"}, "is no colour")):
        where = {"spreadsheet_id": book, "range_name": "A1"}
        assert words in await call.refusal("format_sheet_range", **where, **arguments)


async def test_add_conditional_formatting_update_conditional_formatting_delete_conditional_formatting(
    call: Caller, google: Sheets
) -> None:
    book = google.new("First", "Jon's Data")
    where = {"spreadsheet_id": book, "range_name": "Jon's Data!A1:A9"}
    red = {"background_color": "#FF0000"}
    await call("add_conditional_formatting", **where, condition_type="number_greater", condition_values=["5"], **red)
    points = [{"type": "MIN", "color": "#FFFFFF"}, {"type": "NUMBER", "value": 9, "color": "#00FF00"}]
    added = await call("add_conditional_formatting", **where, condition_type="GRADIENT", gradient_points=points)
    shown = ["GRADIENT MIN #FFFFFF, NUMBER 9 #00FF00", "NUMBER_GREATER 5"]
    assert [one["condition"] for one in added["rules"]] == shown

    sheet = {"spreadsheet_id": book, "sheet_name": "Jon's Data"}
    changed = await call("update_conditional_formatting", **sheet, rule_index=1, condition_values="7")
    assert changed["rules"][1]["condition"] == "NUMBER_GREATER 7"
    moved = {**sheet, "rule_index": 1, "range_name": "'Jon''s Data'!B:B", "text_color": "#0000FF"}
    rule = (await call("update_conditional_formatting", **moved))["rules"][1]
    assert (rule["ranges"], rule["background_color"], rule["text_color"]) == (["B1:B1000"], "#FF0000", "#0000FF")

    await call("delete_conditional_formatting", **sheet, rule_index=0)
    (kept,) = google.get(book)["sheets"][1]["conditionalFormats"]
    assert kept["booleanRule"]["condition"]["values"] == [{"userEnteredValue": "7"}]
    assert "has 1 rule, counted from 0" in await call.refusal("delete_conditional_formatting", **sheet, rule_index=3)
    assert "has 0 rules" in await call.refusal("delete_conditional_formatting", spreadsheet_id=book, rule_index=0)


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ({"condition_type": "BIG"}, "'BIG' is none of NUMBER_GREATER"),
        ({"condition_type": "NUMBER_BETWEEN", "condition_values": ["1"]}, "takes 2 values, not 1"),
        ({"condition_type": "CUSTOM_FORMULA", "condition_values": ["A1>1"]}, "a formula begins with ="),
        ({"condition_type": "BLANK"}, "say how it shows"),
        ({"condition_type": "x", "gradient_points": '[{"type": "MIN"}]'}, "two or three"),
    ],
)
async def test_add_conditional_formatting_says_what_is_wrong(
    call: Caller, google: Sheets, arguments: dict[str, Any], words: str
) -> None:
    where = {"spreadsheet_id": google.new(), "range_name": "A1:A9"}
    assert words in await call.refusal("add_conditional_formatting", **where, **arguments)


async def test_create_spreadsheet_with_sheets(call: Caller, google: Sheets) -> None:
    made = await call("create_spreadsheet", title="Halo 2 costs", sheet_names=["Parts", "Jon's Data"])
    assert made["sheets"] == ["Parts", "Jon's Data"] and made["link"].endswith("/edit")
    kept = google.get(made["spreadsheet_id"])
    assert kept["properties"]["title"] == "Halo 2 costs"
    assert [one["properties"]["title"] for one in kept["sheets"]] == ["Parts", "Jon's Data"]
    refused = await call.refusal("create_spreadsheet", title="x", sheet_names=["a", "A"])
    assert "each sheet needs a name of its own" in refused


async def test_create_sheet_adds_one_and_refuses_a_name_twice(call: Caller, google: Sheets) -> None:
    book = google.new("First")
    made = await call("create_sheet", spreadsheet_id=book, sheet_name="Second")
    assert made["sheets"] == ["First", "Second"] and len(google.get(book)["sheets"]) == 2
    assert "already" in await call.refusal("create_sheet", spreadsheet_id=book, sheet_name="first")


async def test_create_spreadsheet_comment_reply_to_spreadsheet_comment_resolve_spreadsheet_comment(
    call: Caller, google: Sheets
) -> None:
    book = {"spreadsheet_id": google.new()}
    made = await call("create_spreadsheet_comment", **book, comment_content="Is this the last state?")
    comment = {"comment_id": made["comment_id"]}
    await call("reply_to_spreadsheet_comment", **book, **comment, reply_content="Yes.")
    await call("resolve_spreadsheet_comment", **book, **comment)
    page = await call("read_spreadsheet_comments", **book)
    (one,) = page["comments"]
    assert (one["content"], one["resolved"], page["open"]) == ("Is this the last state?", True, 0)
    assert one["replies"][0]["content"] == "Yes."


async def test_read_spreadsheet_comments_of_a_file_without_any(call: Caller, google: Sheets) -> None:
    assert (await call("read_spreadsheet_comments", spreadsheet_id=google.new()))["comments"] == []


async def test_read_sheet_values_cuts_long_cells_in_words(small: Caller, google: Sheets) -> None:
    book = google.new()
    google.write(book, "A1:C1", [["x" * 5000, "y" * 5000, "z"]], "RAW")
    (row,) = (await small("read_sheet_values", spreadsheet_id=book, range_name="A1:C1"))["rows"]
    words = "[cut: characters 0 to 200 of 5,000 are shown. Read this cell alone for more.]"
    assert row["cells"] == [f"{'x' * 200}\n{words}", f"{'y' * 200}\n{words}", "z"]
    (alone,) = (await small("read_sheet_values", spreadsheet_id=book, range_name="A1"))["rows"]
    assert alone["cells"][0].startswith("x" * 600)
