"""Which spreadsheet a call is about, what its account may do there, and where a change is stored."""

from collections.abc import Iterator
from contextlib import contextmanager

from sqlmodel import Session

from core.a1 import Area, NotARange, read, shown
from core.sandbox.calls import ApiError, Call
from core.sandbox.drive import editors, shelf
from core.sandbox.drive.kinds import SPREADSHEET
from core.sandbox.drive.tables import DriveFile
from core.sandbox.sheets.book import Book, Sheet
from core.sandbox.sheets.reader import Reader
from core.sandbox.sheets.tables import BookRow
from core.sandbox.sheets.writer import reach

INDEXED = 3000
"""Cells whose text a search of Drive can find."""


def opened(session: Session, call: Call) -> tuple[DriveFile, Book]:
    """The spreadsheet of a call's path, to read.

    Raises:
        ApiError: as the editors say it.
    """
    file = editors.opened(session, call, SPREADSHEET)
    return file, Book.load(session.get_one(BookRow, file.id), call.world.zone)


@contextmanager
def changing(call: Call) -> Iterator[tuple[Session, DriveFile, Book]]:
    """The spreadsheet of a call's path, to change; it is stored at the end unless something was raised.

    Raises:
        ApiError: also 403 where the account may only read it.
    """
    with call.world.change() as session:
        file, book = opened(session, call)
        if not shelf.may_edit(session, call.account, file, call.now()):
            raise editors.forbidden()
        yield session, file, book
        reach(book)
        session.merge(book.stored(file.id))
        shelf.touch(session, file.id, call.account, call.now())
        shelf.index(session, file.id, words(book))


def words(book: Book) -> str:
    """The text of a spreadsheet, for search."""
    readers = {book.place(sheet): Reader.of(book, sheet) for sheet in book.sheets}
    cells = [cell for cell in book.engine.get_all_cells() if cell[0] in readers][:INDEXED]
    return "\n".join([*book.titles(), *(readers[place].text(row - 1, column - 1) for place, row, column in cells)])


def spot(book: Book, text: str) -> tuple[Sheet, Area]:
    """The sheet and the area, cut to the sheet's size, that a range names.

    Raises:
        ApiError: 400 where it names nothing, or begins outside the sheet.
    """
    try:
        found = read(text, book.titles())
    except NotARange as error:
        raise ApiError(400, "badRequest", f"Unable to parse range: {text}") from error
    sheet = book.named(found.title)
    if found.area.top >= sheet.rows or found.area.left >= sheet.columns:
        raise beyond(sheet, found.area)
    return sheet, found.area.within(sheet.rows, sheet.columns)


def beyond(sheet: Sheet, area: Area) -> ApiError:
    """400: an area that the sheet is too small for."""
    size = f"Max rows: {sheet.rows}, max columns: {sheet.columns}"
    return ApiError(400, "badRequest", f"Range ({shown(sheet.title, area)}) exceeds grid limits. {size}")
