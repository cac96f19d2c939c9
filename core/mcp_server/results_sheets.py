"""What the Sheets tools return."""

from pydantic import Field

from core.mcp_server.results import Result

Cell = str | int | float | bool | None


class SpreadsheetSummary(Result):
    """A spreadsheet as a list shows it. `modified` is RFC 3339 in the user's zone."""

    spreadsheet_id: str
    title: str
    owner: str | None = None
    modified: str
    link: str


class SpreadsheetPage(Result):
    """One page of spreadsheets, the last changed first."""

    spreadsheets: list[SpreadsheetSummary]
    next_page_token: str | None = None


class FormatRule(Result):
    """A conditional format; where several match, the lowest index wins."""

    index: int
    ranges: list[str]
    condition: str = Field(description="Condition type with its values, or GRADIENT with its points")
    background_color: str | None = None
    text_color: str | None = None


class SheetInfo(Result):
    """A sheet with its size and its conditional formats. `range` names the whole of it."""

    sheet_id: int
    title: str
    range: str
    rows: int
    columns: int
    frozen_rows: int = 0
    hidden: bool = False
    rules: list[FormatRule] = Field(default_factory=list)
    more_rules: int = Field(default=0, description="Rules that are not shown here: those with the highest indices")


class SpreadsheetInfo(Result):
    """A spreadsheet with its sheets, in order."""

    spreadsheet_id: str
    title: str
    locale: str
    zone: str
    sheets: list[SheetInfo]
    link: str
    next_step: str


class SheetRow(Result):
    """A row's cells from the range's first column on, as a person sees them, without empty ones at the end."""

    row: int
    cells: list[str]


class CellError(Result):
    """A cell whose formula failed, and why."""

    cell: str
    shown: str
    formula: str | None = None
    reason: str


class CellLink(Result):
    """A cell that leads to an address."""

    cell: str
    text: str
    url: str


class SheetValues(Result):
    """Values of a range. Rows without any content are left out. `next_range` is what to read next, if there is more."""

    spreadsheet_id: str
    title: str
    sheet: str
    range: str = Field(description="What is shown here")
    first_column: str
    rows: list[SheetRow]
    next_range: str | None = None
    rows_left: int = Field(default=0, description="Rows of the asked range that next_range holds; some may be empty")
    errors: list[CellError] = Field(default_factory=list)
    hyperlinks: list[CellLink] = Field(default_factory=list)
    link: str


class SheetChange(Result):
    """What was changed in a spreadsheet. `rows` shows what written cells now say."""

    spreadsheet_id: str
    title: str
    range: str | None = None
    changed: str
    cells: int | None = None
    rows: list[SheetRow] = Field(default_factory=list)
    errors: list[CellError] = Field(default_factory=list)
    rules: list[FormatRule] = Field(default_factory=list)
    sheets: list[str] = Field(default_factory=list)
    link: str
    next_step: str
