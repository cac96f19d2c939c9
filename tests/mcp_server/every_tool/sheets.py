"""The Sheets tools, one case each."""

from typing import Any

from tests.mcp_server.every_tool.office import (
    BUDGET,
    Json,
    Office,
    creates_comment,
    reads_comments,
    replies_to_comment,
    resolves_comment,
)

SPREADSHEET = "application/vnd.google-apps.spreadsheet"


def new(office: Office, *rows: list[Any]) -> str:
    body = {"properties": {"title": "Case"}, "sheets": [{"properties": {"title": "It's here"}}]}
    made = str(office.rest("sheets.spreadsheets.create", body=body)["spreadsheetId"])
    if rows:
        where = {"spreadsheetId": made, "range": "A1", "valueInputOption": "USER_ENTERED"}
        office.rest("sheets.spreadsheets.values.update", **where, body={"values": list(rows)})
    return made


def values(office: Office, book: str, where: str) -> list[list[Any]]:
    return list(office.rest("sheets.spreadsheets.values.get", spreadsheetId=book, range=where).get("values", []))


def sheets(office: Office, book: str) -> list[Json]:
    return list(office.rest("sheets.spreadsheets.get", spreadsheetId=book)["sheets"])


def rules(office: Office, book: str) -> list[Json]:
    return list(sheets(office, book)[0].get("conditionalFormats", []))


async def ruled(office: Office) -> str:
    """A spreadsheet with a rule."""
    book = new(office, [1], [2])
    area = {"sheetId": sheets(office, book)[0]["properties"]["sheetId"], "endRowIndex": 2, "endColumnIndex": 1}
    condition = {"type": "NUMBER_GREATER", "values": [{"userEnteredValue": "1"}]}
    rule = {"ranges": [area], "booleanRule": {"condition": condition, "format": {"textFormat": {"bold": True}}}}
    change = {"addConditionalFormatRule": {"rule": rule, "index": 0}}
    office.rest("sheets.spreadsheets.batchUpdate", spreadsheetId=book, body={"requests": [change]})
    return book


async def list_spreadsheets(office: Office) -> None:
    told = await office.call("list_spreadsheets", max_results=100)
    kept = office.listed(f"mimeType = '{SPREADSHEET}' and trashed = false")
    assert {one["title"] for one in told["spreadsheets"]} == kept


async def get_spreadsheet_info(office: Office) -> None:
    told = await office.call("get_spreadsheet_info", spreadsheet_id=BUDGET)
    kept = [one["properties"] for one in sheets(office, BUDGET)]
    assert [(one["sheet_id"], one["title"]) for one in told["sheets"]] == [
        (one["sheetId"], one["title"]) for one in kept
    ]


async def read_sheet_values(office: Office) -> None:
    book = new(office, ["a", 1.5], ["b", "=B1*2"])
    told = await office.call("read_sheet_values", spreadsheet_id=book, range_name="It's here!A1:B2")
    assert [row["cells"] for row in told["rows"]] == values(office, book, "A1:B2") == [["a", "1.5"], ["b", "3"]]


async def modify_sheet_values(office: Office) -> None:
    book = new(office)
    where = {"spreadsheet_id": book, "range_name": "'It''s here'!A1"}
    await office.call("modify_sheet_values", **where, values=[[1, 2, "=A1+B1"]])
    assert values(office, book, "A1:C1") == [["1", "2", "3"]]
    await office.call("modify_sheet_values", spreadsheet_id=book, range_name="A1:B1", clear_values=True)
    assert values(office, book, "A1:C1") == [["", "", "0"]]


async def format_sheet_range(office: Office) -> None:
    book = new(office, [0.5])
    await office.call(
        "format_sheet_range", spreadsheet_id=book, range_name="A1", bold=True, number_format_type="PERCENT"
    )
    cell = office.rest("sheets.spreadsheets.get", spreadsheetId=book, ranges="A1", includeGridData=True)
    look = cell["sheets"][0]["data"][0]["rowData"][0]["values"][0]["userEnteredFormat"]
    assert look["textFormat"]["bold"] and look["numberFormat"]["type"] == "PERCENT"
    assert values(office, book, "A1")[0][0].endswith("%")


async def add_conditional_formatting(office: Office) -> None:
    book = new(office, [1])
    rule = {"condition_type": "NUMBER_LESS", "condition_values": ["5"], "background_color": "#FF0000"}
    await office.call("add_conditional_formatting", spreadsheet_id=book, range_name="A1:A9", **rule)
    (kept,) = rules(office, book)
    assert kept["booleanRule"]["condition"]["type"] == "NUMBER_LESS" and kept["ranges"][0]["endRowIndex"] == 9


async def update_conditional_formatting(office: Office) -> None:
    book = await ruled(office)
    await office.call("update_conditional_formatting", spreadsheet_id=book, rule_index=0, condition_values=["7"])
    (kept,) = rules(office, book)
    assert kept["booleanRule"]["condition"] == {"type": "NUMBER_GREATER", "values": [{"userEnteredValue": "7"}]}


async def delete_conditional_formatting(office: Office) -> None:
    book = await ruled(office)
    await office.call("delete_conditional_formatting", spreadsheet_id=book, rule_index=0)
    assert rules(office, book) == []


async def create_spreadsheet(office: Office) -> None:
    made = await office.call("create_spreadsheet", title="Costs", sheet_names=["Q1", "Tom's"])
    kept = [one["properties"]["title"] for one in sheets(office, made["spreadsheet_id"])]
    assert kept == ["Q1", "Tom's"] and office.file(made["spreadsheet_id"])["name"] == "Costs"


async def create_sheet(office: Office) -> None:
    book = new(office)
    await office.call("create_sheet", spreadsheet_id=book, sheet_name="Second")
    assert [one["properties"]["title"] for one in sheets(office, book)] == ["It's here", "Second"]


async def read_spreadsheet_comments(office: Office) -> None:
    await reads_comments(office, "read_spreadsheet_comments", "spreadsheet_id", BUDGET)


async def create_spreadsheet_comment(office: Office) -> None:
    await creates_comment(office, "create_spreadsheet_comment", "spreadsheet_id", BUDGET)


async def reply_to_spreadsheet_comment(office: Office) -> None:
    await replies_to_comment(office, "reply_to_spreadsheet_comment", "spreadsheet_id", BUDGET)


async def resolve_spreadsheet_comment(office: Office) -> None:
    await resolves_comment(office, "resolve_spreadsheet_comment", "spreadsheet_id", BUDGET)
