"""What Drive asks of spreadsheets: make, copy, forget, export, import."""

import csv
from collections.abc import Callable
from datetime import UTC, datetime
from io import StringIO
from pathlib import Path
from tempfile import TemporaryDirectory

import ironcalc
from ironcalc import WorkbookError
from sqlmodel import Session

from core.a1 import Area
from core.sandbox.calls import ApiError
from core.sandbox.drive import shelf
from core.sandbox.drive.kinds import SPREADSHEET, XLSX
from core.sandbox.drive.natives import Native
from core.sandbox.drive.pdf import NewPage, Rows, Text, pdf
from core.sandbox.drive.tables import DriveFile
from core.sandbox.sheets.access import words
from core.sandbox.sheets.book import COLUMNS, ROWS, Book, Sheet
from core.sandbox.sheets.excel import readable
from core.sandbox.sheets.reader import Reader, trimmed
from core.sandbox.sheets.tables import BookRow
from core.sandbox.sheets.writer import Writer, reach

PRINTED = 500
"""Rows of a sheet that a PDF shows."""


def keep(session: Session, file_id: str, book: Book, mark: str = "") -> None:
    """Store a spreadsheet, and let it be found by its text."""
    reach(book)
    book.engine.evaluate()
    session.merge(book.stored(file_id, mark))
    shelf.index(session, file_id, words(book))


def create(session: Session, file: DriveFile) -> None:
    """An empty spreadsheet."""
    keep(session, file.id, Book.empty())


def copy(session: Session, old: DriveFile, new: DriveFile) -> None:
    """What another spreadsheet holds."""
    keep(session, new.id, book_of(session, old))


def drop(session: Session, file: DriveFile) -> None:
    """Forget what a spreadsheet holds."""
    row = session.get(BookRow, file.id)
    if row is not None:
        session.delete(row)


def book_of(session: Session, file: DriveFile) -> Book:
    """A file's spreadsheet."""
    return Book.load(session.get_one(BookRow, file.id))


def table(book: Book, sheet: Sheet) -> list[list[str]]:
    """What a sheet shows, all rows of the same length."""
    rows = trimmed(list(Reader.of(book, sheet).rows(Area(), Reader.of(book, sheet).text)))
    width = max((len(row) for row in rows), default=0)
    return [row + [""] * (width - len(row)) for row in rows]


def separated(sign: str) -> Callable[[Session, DriveFile], bytes]:
    """An exporter of the first sheet, with a sign between cells."""

    def export(session: Session, file: DriveFile) -> bytes:
        book, out = book_of(session, file), StringIO()
        csv.writer(out, delimiter=sign).writerows(table(book, book.sheets[0]))
        return out.getvalue().encode()

    return export


def excel(session: Session, file: DriveFile) -> bytes:
    """A workbook for Excel."""
    return book_of(session, file).engine.to_xlsx()


def printed(session: Session, file: DriveFile) -> bytes:
    """A PDF with a table a sheet."""
    book = book_of(session, file)
    blocks: list[Text | Rows | NewPage] = []
    for sheet in book.sheets:
        rows = table(book, sheet)
        blocks += [Text(sheet.title, "heading"), *([Rows(rows[:PRINTED])] if rows else []), NewPage()]
        if len(rows) > PRINTED:
            blocks.insert(-1, Text(f"{len(rows) - PRINTED} more rows are in the spreadsheet."))
    return pdf(file.name, blocks[:-1], landscape=True)


def from_separated(sign: str) -> Callable[[Session, DriveFile, bytes], None]:
    """An importer of text with a sign between cells."""

    def read(session: Session, file: DriveFile, data: bytes) -> None:
        book = Book.empty()
        rows = list(csv.reader(StringIO(data.decode("utf-8-sig", errors="replace")), delimiter=sign))
        sheet = book.sheets[0]
        sheet.rows, sheet.columns = max(ROWS, len(rows)), max(COLUMNS, *map(len, rows), 1)
        writer = Writer.on(book, sheet, datetime.now(UTC).date())
        for number, row in enumerate(rows):
            for column, text in enumerate(row):
                writer.put(number, column, text, typed=True)
        keep(session, file.id, book)

    return read


def from_excel(session: Session, file: DriveFile, data: bytes) -> None:
    """A workbook of Excel's.

    Raises:
        ApiError: 400 where it is none, or one that the engine cannot bear.
    """
    if not readable(data):
        raise ApiError(400, "badRequest", "Bad Request")
    with TemporaryDirectory() as folder:
        path = Path(folder, "book.xlsx")
        path.write_bytes(data)
        try:
            engine = ironcalc.load_from_xlsx(str(path))
        except WorkbookError as error:
            raise ApiError(400, "badRequest", "Bad Request") from error
    sheets: list[Sheet] = []
    for number, known in enumerate(engine.get_worksheets_properties()):
        _, bottom, _, right = engine.get_sheet_dimensions(number)
        sheets.append(Sheet(number, known["name"], known["name"], max(ROWS, bottom), max(COLUMNS, right)))
    keep(session, file.id, Book(engine, sheets, live=True))


NATIVE = Native(
    mime_type=SPREADSHEET,
    create=create,
    copy=copy,
    drop=drop,
    exports={
        XLSX: excel,
        "application/pdf": printed,
        "text/csv": separated(","),
        "text/tab-separated-values": separated("\t"),
    },
    imports={
        XLSX: from_excel,
        "text/csv": from_separated(","),
        "text/tab-separated-values": from_separated("\t"),
    },
)
