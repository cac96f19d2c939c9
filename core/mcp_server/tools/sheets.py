"""The Sheets tools."""

from typing import Annotated, Any, Literal

from pydantic import Field

from core.a1 import column_letters, quote
from core.mcp_server import sheet_edits
from core.mcp_server.comments import Comments
from core.mcp_server.desk import Desk
from core.mcp_server.results_comments import CommentChange, CommentPage
from core.mcp_server.results_sheets import SheetChange, SheetInfo, SheetValues, SpreadsheetInfo, SpreadsheetPage
from core.mcp_server.shaping import formats
from core.mcp_server.workbooks import Workbook, link, listed

SpreadsheetId = Annotated[str, Field(description="A spreadsheet_id", min_length=1)]
RANGE = "Such as B2:D5, 'Sheet name'!A:C, or a sheet's name for all of it"
Range = Annotated[str, Field(description=RANGE, min_length=1)]
MaybeRange = Annotated[str | None, Field(description=RANGE)]
Text = str | None
PageToken = Annotated[str | None, Field(description="next_page_token of the page before")]
Color = Annotated[str | None, Field(description="#RRGGBB")]
Condition = Annotated[str, Field(description=f"One of {', '.join(formats.CONDITIONS)}")]
MaybeCondition = Annotated[str | None, Field(description="As in add_conditional_formatting")]
Values = Annotated[
    list[Any] | str | None,
    Field(description='What it compares with, such as ["100"]; a custom formula begins with ='),
]
Gradient = Annotated[
    list[dict[str, Any]] | str | None,
    Field(description='Two or three points for a colour scale, such as {"type": "MIN", "color": "#FFFFFF"}'),
]
SheetName = Annotated[str | None, Field(description="A sheet's name; the first sheet if left out")]
RuleIndex = Annotated[int, Field(ge=0, description="Index of the rule, as get_spreadsheet_info shows it")]

SHOWN_RULES = 40


def list_spreadsheets(
    desk: Desk,
    max_results: Annotated[int, Field(ge=1, le=100, description="Spreadsheets on a page")] = 25,
    page_token: PageToken = None,
) -> SpreadsheetPage:
    """Spreadsheets, the last changed first."""
    return listed(desk, max_results, page_token)


def get_spreadsheet_info(desk: Desk, spreadsheet_id: SpreadsheetId) -> SpreadsheetInfo:
    """A spreadsheet's sheets, sizes and conditional formats."""
    answer = Workbook(desk, spreadsheet_id).get(
        "properties(title,locale,timeZone),sheets(properties(sheetId,title,hidden,gridProperties),conditionalFormats)"
    )
    about = answer["properties"]
    return SpreadsheetInfo(
        spreadsheet_id=spreadsheet_id,
        title=about["title"],
        locale=about.get("locale", ""),
        zone=about.get("timeZone", ""),
        sheets=[_sheet(one) for one in answer.get("sheets", [])],
        link=link(spreadsheet_id),
        next_step="Read a sheet with read_sheet_values; its `range` names it.",
    )


def read_sheet_values(
    desk: Desk,
    spreadsheet_id: SpreadsheetId,
    range_name: Range = "A1:Z1000",
    include_hyperlinks: Annotated[bool, Field(description="Also where cells lead")] = False,
) -> SheetValues:
    """The values of a range, page by page."""
    book = Workbook(desk, spreadsheet_id)
    place = book.place(range_name)
    page = book.page(place)
    errors, hyperlinks = book.notes(page, include_hyperlinks)
    left = 0 if page.rest is None else (page.rest.area.bottom or 0) - page.rest.area.top
    return SheetValues(
        spreadsheet_id=spreadsheet_id,
        title=book.title,
        sheet=place.tab.title,
        range=page.shown.name,
        first_column=column_letters(place.area.left + 1),
        rows=page.rows,
        next_range=page.rest.name if page.rest else None,
        rows_left=left,
        errors=errors,
        hyperlinks=hyperlinks,
        link=link(spreadsheet_id, place.tab.id),
    )


def modify_sheet_values(
    desk: Desk,
    spreadsheet_id: SpreadsheetId,
    range_name: Annotated[str, Field(description=f"Where; its first cell is enough. {RANGE}", min_length=1)],
    values: Annotated[
        list[Any] | str | None,
        Field(description='Rows such as [["a", 1], ["=SUM(B1:B9)", null]]; null leaves a cell as it is, "" empties it'),
    ] = None,
    value_input_option: Annotated[
        Literal["USER_ENTERED", "RAW"],
        Field(description="RAW takes text as it is, without formulas and dates"),
    ] = "USER_ENTERED",
    clear_values: Annotated[bool, Field(description="Empty the range instead")] = False,
) -> SheetChange:
    """Write or clear cells."""
    if clear_values:
        return sheet_edits.clear(Workbook(desk, spreadsheet_id), range_name, values)
    return sheet_edits.write(Workbook(desk, spreadsheet_id), range_name, values, value_input_option)


def format_sheet_range(
    desk: Desk,
    spreadsheet_id: SpreadsheetId,
    range_name: Range,
    background_color: Color = None,
    text_color: Color = None,
    number_format_type: Annotated[
        Literal["NUMBER", "CURRENCY", "PERCENT", "DATE", "TIME", "DATE_TIME", "SCIENTIFIC", "TEXT"] | None,
        Field(description="How numbers are shown"),
    ] = None,
    number_format_pattern: Annotated[Text, Field(description="Such as #,##0.00 or yyyy-mm-dd")] = None,
    wrap_strategy: Literal["WRAP", "CLIP", "OVERFLOW_CELL"] | None = None,
    horizontal_alignment: Literal["LEFT", "CENTER", "RIGHT"] | None = None,
    vertical_alignment: Literal["TOP", "MIDDLE", "BOTTOM"] | None = None,
    bold: bool | None = None,
    italic: bool | None = None,
    font_size: Annotated[int | None, Field(ge=1, le=400, description="Points")] = None,
) -> SheetChange:
    """Give a range another look; what is not named stays."""
    look: dict[str, Any] = {
        "wrapStrategy": wrap_strategy,
        "horizontalAlignment": horizontal_alignment,
        "verticalAlignment": vertical_alignment,
        "numberFormat": sheet_edits.number_format(number_format_type, number_format_pattern),
        "textFormat": {"bold": bold, "italic": italic, "fontSize": font_size},
    }
    return sheet_edits.dress(Workbook(desk, spreadsheet_id), range_name, look, background_color, text_color)


def add_conditional_formatting(
    desk: Desk,
    spreadsheet_id: SpreadsheetId,
    range_name: Range,
    condition_type: Condition,
    condition_values: Values = None,
    background_color: Color = None,
    text_color: Color = None,
    rule_index: Annotated[int | None, Field(ge=0, description="Its place in the order; first if left out")] = None,
    gradient_points: Gradient = None,
) -> SheetChange:
    """A new rule; with gradient_points a colour scale, and the condition is not looked at."""
    wanted = sheet_edits.Wanted(condition_type, condition_values, background_color, text_color, gradient_points)
    return sheet_edits.add_rule(Workbook(desk, spreadsheet_id), range_name, wanted, rule_index or 0)


def update_conditional_formatting(
    desk: Desk,
    spreadsheet_id: SpreadsheetId,
    rule_index: RuleIndex,
    range_name: MaybeRange = None,
    condition_type: MaybeCondition = None,
    condition_values: Values = None,
    background_color: Color = None,
    text_color: Color = None,
    sheet_name: SheetName = None,
    gradient_points: Gradient = None,
) -> SheetChange:
    """Change a rule; what is not named stays."""
    wanted = sheet_edits.Wanted(condition_type, condition_values, background_color, text_color, gradient_points)
    return sheet_edits.update_rule(Workbook(desk, spreadsheet_id), rule_index, range_name, sheet_name, wanted)


def delete_conditional_formatting(
    desk: Desk, spreadsheet_id: SpreadsheetId, rule_index: RuleIndex, sheet_name: SheetName = None
) -> SheetChange:
    """Delete a rule."""
    return sheet_edits.delete_rule(Workbook(desk, spreadsheet_id), rule_index, sheet_name)


def create_spreadsheet(
    desk: Desk,
    title: Annotated[str, Field(min_length=1)],
    sheet_names: Annotated[list[str] | None, Field(description="Its sheets; one if left out", max_length=100)] = None,
) -> SheetChange:
    """A new spreadsheet in My Drive."""
    return sheet_edits.create(desk, title, sheet_names or [])


def create_sheet(
    desk: Desk, spreadsheet_id: SpreadsheetId, sheet_name: Annotated[str, Field(min_length=1, max_length=100)]
) -> SheetChange:
    """A new sheet at the end of a spreadsheet."""
    return sheet_edits.add_sheet(Workbook(desk, spreadsheet_id), sheet_name)


def read_spreadsheet_comments(desk: Desk, spreadsheet_id: SpreadsheetId, page_token: PageToken = None) -> CommentPage:
    """Comments with their replies."""
    return Comments(desk, spreadsheet_id).page(page_token)


def create_spreadsheet_comment(desk: Desk, spreadsheet_id: SpreadsheetId, comment_content: str) -> CommentChange:
    """A new comment."""
    return Comments(desk, spreadsheet_id).create(comment_content)


def reply_to_spreadsheet_comment(
    desk: Desk, spreadsheet_id: SpreadsheetId, comment_id: str, reply_content: str
) -> CommentChange:
    """An answer to a comment."""
    return Comments(desk, spreadsheet_id).reply(comment_id, reply_content)


def resolve_spreadsheet_comment(desk: Desk, spreadsheet_id: SpreadsheetId, comment_id: str) -> CommentChange:
    """A comment marked as settled."""
    return Comments(desk, spreadsheet_id).resolve(comment_id)


def _sheet(one: dict[str, Any]) -> SheetInfo:
    about, rules = one["properties"], one.get("conditionalFormats", [])
    grid = about.get("gridProperties", {})
    return SheetInfo(
        sheet_id=about.get("sheetId", 0),
        title=about["title"],
        range=quote(about["title"]),
        rows=grid.get("rowCount", 0),
        columns=grid.get("columnCount", 0),
        frozen_rows=grid.get("frozenRowCount", 0),
        hidden=about.get("hidden", False),
        rules=[formats.rule(index, rule) for index, rule in enumerate(rules[:SHOWN_RULES])],
        more_rules=max(len(rules) - SHOWN_RULES, 0),
    )
