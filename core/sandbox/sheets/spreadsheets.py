"""spreadsheets: made, read, and changed by batches of requests."""

from typing import Any

from core.sandbox.calls import ApiError, Call
from core.sandbox.drive import shelf
from core.sandbox.drive.kinds import SPREADSHEET
from core.sandbox.routes import Route
from core.sandbox.sheets import changes
from core.sandbox.sheets.access import changing, opened, words
from core.sandbox.sheets.bodies import asked
from core.sandbox.sheets.book import COLUMNS, ROWS, Book
from core.sandbox.sheets.gridwork import place_cells
from core.sandbox.sheets.resource import spreadsheet, wants_grids
from core.sandbox.sheets.work import Work
from core.sandbox.sheets.writer import reach

Json = dict[str, Any]
UNTITLED = "Untitled spreadsheet"


def create(call: Call) -> Json:
    """spreadsheets.create."""
    body = asked(call, "Spreadsheet")
    about = body.get("properties") or {}
    book = Book.empty()
    book.locale, book.zone = str(about.get("locale") or "en_US"), str(about.get("timeZone") or "")
    book.tell_time(call.world.zone)
    lay_out(call, book, body.get("sheets") or [])
    with call.world.change() as session:
        name = str(about.get("title") or UNTITLED)
        file = shelf.add_native(session, call.account, name, SPREADSHEET, when=call.now())
        reach(book)
        session.merge(book.stored(file.id))
        shelf.index(session, file.id, words(book))
        return spreadsheet(call, file, book)


def lay_out(call: Call, book: Book, sheets: list[Json]) -> None:
    """Give a new spreadsheet the sheets that are asked for."""
    first = book.sheets[0]
    for number, sheet_body in enumerate(sheets):
        wanted = sheet_body.get("properties") or {}
        title = str(wanted.get("title") or f"Sheet{number + 1}")
        if number and title in book.titles():
            raise ApiError(
                400, "badRequest", f'Invalid sheets[{number}]: A sheet with the name "{title}" already exists.'
            )
        sheet = first if number == 0 else book.add(title, wanted.get("sheetId"))
        if number == 0:
            book.rename(first, title)
            first.id = int(wanted.get("sheetId") or 0)
        grid = wanted.get("gridProperties") or {}
        sheet.rows, sheet.columns = int(grid.get("rowCount") or ROWS), int(grid.get("columnCount") or COLUMNS)
        changes.set_properties(sheet, wanted, {name: {} for name in wanted})
        sheet.rules = list(sheet_body.get("conditionalFormats") or [])
        for data in sheet_body.get("data") or []:
            place_cells(book, sheet, data, call.now().date())
    book.engine.evaluate()


def get(call: Call) -> Json:
    """spreadsheets.get."""
    with call.world.session() as session:
        file, book = opened(session, call)
        return spreadsheet(call, file, book, call.args("ranges"), wants_grids(call))


def batch_update(call: Call) -> Json:
    """spreadsheets.batchUpdate: all of it or nothing."""
    body = asked(call, "BatchUpdateSpreadsheetRequest")
    requests = body.get("requests") or []
    if not requests:
        raise ApiError(400, "badRequest", "Must specify at least one request.")
    with changing(call) as (session, file, book):
        work = Work(book, file, call.now().date())
        replies = [changes.apply(work, number, request) for number, request in enumerate(requests)]
        book.engine.evaluate()
        session.add(file)
        answer: Json = {"spreadsheetId": file.id, "replies": replies}
        if body.get("includeSpreadsheetInResponse"):
            ranges, grids = body.get("responseRanges") or [], bool(body.get("responseIncludeGridData"))
            answer["updatedSpreadsheet"] = spreadsheet(call, file, book, ranges, grids)
        return answer


ROUTES = (
    Route("POST", "/v4/spreadsheets", create),
    Route("POST", "/v4/spreadsheets/{id}:batchUpdate", batch_update),
    Route("GET", "/v4/spreadsheets/{id}", get),
)
