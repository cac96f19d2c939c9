"""The text that files hold: plain text, CSV, PDF, Word, Excel and PowerPoint.

The libraries are imported by who needs them: together they take a second.
"""

from collections.abc import Callable, Iterator
from io import BytesIO
from zipfile import BadZipFile

OPEN_XML = "application/vnd.openxmlformats-officedocument."
TEXTUAL = ("application/json", "application/xml", "application/x-yaml", "application/yaml", "application/javascript")
BROKEN = (BadZipFile, SyntaxError, LookupError, ValueError, TypeError, AttributeError, OSError)


def is_text(mime_type: str) -> bool:
    """Whether a type's bytes are text as they are."""
    return mime_type.startswith("text/") or mime_type.split(";")[0].strip() in TEXTUAL


def readable(mime_type: str) -> bool:
    """Whether files of a type hold text that can be read here."""
    return is_text(mime_type) or mime_type in READERS


def text_of(data: bytes, mime_type: str) -> str | None:
    """The text in a file, None where its type has none or the file is broken."""
    if is_text(mime_type):
        return data.decode("utf-8-sig", errors="replace")
    reader = READERS.get(mime_type)
    if reader is None:
        return None
    try:
        return reader(data)
    except BROKEN:
        return None


def pdf_text(data: bytes) -> str:
    """The text of a PDF, page by page."""
    from pypdf import PdfReader
    from pypdf.errors import PyPdfError

    try:
        return "\n\n".join(page.extract_text() for page in PdfReader(BytesIO(data)).pages).strip()
    except PyPdfError as error:
        raise ValueError("no readable PDF") from error


def word_text(data: bytes) -> str:
    """The paragraphs and tables of a Word document, in order."""
    return "\n".join(word_lines(data))


def word_lines(data: bytes) -> Iterator[str]:
    """Each paragraph, and each row of a table with its cells between bars."""
    import docx
    from docx.table import Table

    for item in docx.Document(BytesIO(data)).iter_inner_content():
        if isinstance(item, Table):
            yield from (" | ".join(cell.text for cell in row.cells) for row in item.rows)
        else:
            yield item.text


def sheet_text(data: bytes) -> str:
    """The values of an Excel workbook: each sheet's name, then its rows with tabs."""
    import openpyxl

    book = openpyxl.load_workbook(BytesIO(data), read_only=True, data_only=True)
    lines: list[str] = []
    for sheet in book.worksheets:
        lines.append(f"[{sheet.title}]")
        for row in sheet.iter_rows(values_only=True):
            cells = ["" if value is None else str(value) for value in row]
            lines.append("\t".join(cells).rstrip("\t"))
    return "\n".join(lines)


def slide_text(data: bytes) -> str:
    """The text of a PowerPoint presentation: each slide's number, then its shapes."""
    import pptx

    lines: list[str] = []
    for number, slide in enumerate(pptx.Presentation(BytesIO(data)).slides, 1):
        lines.append(f"[Slide {number}]")
        for shape in slide.shapes:
            if shape.has_text_frame:
                lines.append(shape.text_frame.text)
            elif shape.has_table:
                rows = shape.table.rows
                lines += [" | ".join(cell.text for cell in row.cells) for row in rows]
    return "\n".join(lines)


READERS: dict[str, Callable[[bytes], str]] = {
    "application/pdf": pdf_text,
    f"{OPEN_XML}wordprocessingml.document": word_text,
    f"{OPEN_XML}spreadsheetml.sheet": sheet_text,
    f"{OPEN_XML}presentationml.presentation": slide_text,
}
