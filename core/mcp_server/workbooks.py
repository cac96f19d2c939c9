"""A desk's spreadsheets: found, looked at, read in pages, changed."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from functools import cached_property
from typing import Any

from core.a1 import Area, NotARange, read, write
from core.mcp_server.desk import BadArgument, Desk
from core.mcp_server.results_sheets import CellError, CellLink, SheetRow, SpreadsheetPage, SpreadsheetSummary
from core.mcp_server.shaping import cells
from core.mcp_server.shaping.times import show

Json = dict[str, Any]
SPREADSHEET = "application/vnd.google-apps.spreadsheet"
SIZES = "properties(title,locale,timeZone),sheets.properties(sheetId,title,hidden,gridProperties)"
FILES = "nextPageToken,files(id,name,modifiedTime,webViewLink,owners(displayName,emailAddress))"
CHUNK, CHUNKS = 1000, 10
"""Rows asked for at a time, and how often in one call."""


def listed(desk: Desk, size: int, token: str | None) -> SpreadsheetPage:
    """The spreadsheets that the account sees, the last changed first."""
    request = desk.google.resource("drive.files").list(
        q=f"mimeType = '{SPREADSHEET}' and trashed = false",
        pageSize=size,
        pageToken=token,
        orderBy="modifiedTime desc",
        fields=FILES,
        supportsAllDrives=True,
        includeItemsFromAllDrives=True,
        corpora="allDrives",
    )
    answer = desk.google.execute(request)
    found = [summary(desk, one) for one in answer.get("files", [])]
    return SpreadsheetPage(spreadsheets=found, next_page_token=answer.get("nextPageToken"))


def summary(desk: Desk, file: Json) -> SpreadsheetSummary:
    """A Drive file as a list shows it."""
    owner: Json = next(iter(file.get("owners", [])), {})
    return SpreadsheetSummary(
        spreadsheet_id=file["id"],
        title=file["name"],
        owner=owner.get("displayName") or owner.get("emailAddress"),
        modified=show(datetime.fromisoformat(file["modifiedTime"]), desk.zone),
        link=file.get("webViewLink") or link(file["id"]),
    )


def link(spreadsheet_id: str, sheet_id: int | None = None) -> str:
    """Where a person opens a spreadsheet, or one of its sheets."""
    at = "" if sheet_id is None else f"#gid={sheet_id}"
    return f"https://docs.google.com/spreadsheets/d/{spreadsheet_id}/edit{at}"


@dataclass(frozen=True)
class Tab:
    """A sheet with its size."""

    id: int
    title: str
    rows: int
    columns: int


@dataclass(frozen=True)
class Place:
    """An area of a sheet, inside it."""

    tab: Tab
    area: Area

    @property
    def name(self) -> str:
        """As a range that Google always understands."""
        return write(self.tab.title, self.area)

    def grid(self) -> Json:
        """As GridRange."""
        area = self.area
        rows, columns = {"startRowIndex": area.top, "endRowIndex": area.bottom}, {"startColumnIndex": area.left}
        return {"sheetId": self.tab.id, **rows, **columns, "endColumnIndex": area.right}

    def part(self, top: int, bottom: int) -> "Place":
        """Some of its rows."""
        return replace(self, area=replace(self.area, top=top, bottom=bottom))


@dataclass(frozen=True)
class Page:
    """Some rows of a range.

    Attributes:
        shown: what the rows are of.
        rest: what is left to be read.
    """

    rows: list[SheetRow]
    shown: Place
    rest: Place | None


@dataclass(frozen=True)
class Workbook:
    """One spreadsheet."""

    desk: Desk
    id: str

    @cached_property
    def about(self) -> Json:
        """Its properties and its sheets' sizes, asked for once."""
        return self.get(SIZES)

    @property
    def title(self) -> str:
        """Its title."""
        return str(self.about["properties"]["title"])

    @cached_property
    def tabs(self) -> list[Tab]:
        """Its sheets in order; charts that fill a sheet have no cells and are left out."""
        found = [one["properties"] for one in self.about.get("sheets", [])]
        return [tab(one) for one in found if "gridProperties" in one]

    def get(self, fields: str, **options: Any) -> Json:
        """Parts of the resource."""
        return self.desk.google.execute(self._books().get(spreadsheetId=self.id, fields=fields, **options))

    def place(self, range_name: str, name: str = "range_name") -> Place:
        """The place that a range names: what is a sheet's title means that sheet.

        Raises:
            BadArgument: it names nothing, or begins outside the sheet.
        """
        titles = [one.title for one in self.tabs]
        bare = [title for title in titles if title.casefold() == range_name.strip().casefold()]
        try:
            spot = read(write(bare[0], Area()) if bare else range_name, titles)
        except NotARange:
            known = ", ".join(titles)
            problem = f"{range_name!r} is no range such as B2:D5, and no sheet; there are: {known}"
            raise BadArgument(name, problem) from None
        found = next((one for one in self.tabs if one.title == spot.title), self.tabs[0])
        if spot.area.top >= found.rows or spot.area.left >= found.columns:
            size = f"{found.rows:,} rows and {found.columns} columns"
            raise BadArgument(name, f"{range_name!r} is outside the sheet {found.title!r}, which has {size}")
        return Place(found, spot.area.within(found.rows, found.columns))

    def tab(self, title: str | None) -> Tab:
        """A sheet by its title, the first for None.

        Raises:
            BadArgument: there is none.
        """
        found = [one for one in self.tabs if title is None or one.title.casefold() == title.strip().casefold()]
        if not found:
            known = ", ".join(one.title for one in self.tabs)
            raise BadArgument("sheet_name", f"there is no {title!r}; the sheets are: {known}")
        return found[0]

    def page(self, place: Place) -> Page:
        """As many rows of a place as fit into one result, at least one; never more in memory than a few thousand."""
        rows: list[SheetRow] = []
        size, top, end = 0, place.area.top, place.area.bottom or 0
        for start in range(top, min(end, top + CHUNK * CHUNKS), CHUNK):
            chunk = place.part(start, min(start + CHUNK, end))
            values = self._values(chunk)
            limit = cells.cell_limit(values, self.desk.body_limit, place.area.single)
            for row in cells.rows(values, start, limit):
                size += cells.weight(row)
                if rows and size > self.desk.body_limit:
                    return Page(rows, place.part(top, row.row - 1), place.part(row.row - 1, end))
                rows.append(row)
        seen = min(end, top + CHUNK * CHUNKS)
        return Page(rows, place.part(top, seen), place.part(seen, end) if seen < end else None)

    def notes(self, page: Page, hyperlinks: bool) -> tuple[list[CellError], list[CellLink]]:
        """Why cells of a page failed, and where its cells lead; asked for only where there is something to ask."""
        failed = any(cells.looks_failed(text) for row in page.rows for text in row.cells)
        if not page.rows or not (failed or hyperlinks):
            return [], []
        last = page.shown.part(page.shown.area.top, page.rows[-1].row)
        data = self.get(cells.NOTE_FIELDS, ranges=[last.name])["sheets"][0].get("data", [{}])[0]
        return cells.errors(data), cells.links(data) if hyperlinks else []

    def write(self, place: Place, values: Sequence[Sequence[Any]], option: str) -> Json:
        """Write values into a place; Google's answer, with what the cells now show."""
        request = self.desk.google.resource("sheets.spreadsheets.values").update(
            spreadsheetId=self.id,
            range=place.name,
            valueInputOption=option,
            includeValuesInResponse=True,
            responseValueRenderOption="FORMATTED_VALUE",
            body={"values": values},
        )
        return self.desk.google.execute(request)

    def clear(self, place: Place) -> Json:
        """Empty a place; looks stay."""
        resource = self.desk.google.resource("sheets.spreadsheets.values")
        return self.desk.google.execute(resource.clear(spreadsheetId=self.id, range=place.name, body={}))

    def change(self, *requests: Mapping[str, Any]) -> list[Json]:
        """Change it by requests, all or none; their replies."""
        body = {"requests": list(requests)}
        answer = self.desk.google.execute(self._books().batchUpdate(spreadsheetId=self.id, body=body))
        return list(answer.get("replies", []))

    def rules(self) -> Iterator[tuple[Tab, list[Json]]]:
        """Each sheet with its conditional formats."""
        answer = self.get(f"{SIZES},sheets.conditionalFormats")
        for one in answer.get("sheets", []):
            if "gridProperties" in one["properties"]:
                yield tab(one["properties"]), one.get("conditionalFormats", [])

    def rules_of(self, wanted: Tab) -> list[Json]:
        """The conditional formats of one sheet."""
        return next(rules for one, rules in self.rules() if one.id == wanted.id)

    def _values(self, place: Place) -> list[list[Any]]:
        resource = self.desk.google.resource("sheets.spreadsheets.values")
        answer = self.desk.google.execute(resource.get(spreadsheetId=self.id, range=place.name))
        return list(answer.get("values", []))

    def _books(self) -> Any:
        return self.desk.google.resource("sheets.spreadsheets")


def tab(properties: Json) -> Tab:
    """A sheet from its properties; Google leaves an id of 0 out at times."""
    grid = properties["gridProperties"]
    return Tab(properties.get("sheetId", 0), properties["title"], grid["rowCount"], grid["columnCount"])
