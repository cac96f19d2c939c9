"""The bytes of seeded files, made from what the seed says: the same each time."""

from collections.abc import Callable, Mapping
from datetime import datetime
from io import BytesIO
from zipfile import ZIP_DEFLATED, ZipFile, ZipInfo

from core.sandbox.drive.kinds import DOCX, XLSX
from core.sandbox.drive.pdf import Text, pdf
from core.sandbox.drive.plan import Planned

KINDS: Mapping[str, str] = {
    "pdf": "application/pdf",
    "text": "text/plain",
    "markdown": "text/markdown",
    "csv": "text/csv",
    "png": "image/png",
    "zip": "application/zip",
    "docx": DOCX,
    "xlsx": XLSX,
}
BORN = datetime(2026, 1, 5, 9, 0)  # noqa: DTZ001  # the office formats keep times without a zone


def made(one: Planned) -> bytes:
    """The file."""
    return MAKERS.get(one.kind, plain)(one)


def plain(one: Planned) -> bytes:
    """Text as it stands."""
    return one.text.encode()


def portable(one: Planned) -> bytes:
    """A PDF; a line with `#` is its title."""
    lines = [line for line in one.text.splitlines() if line.strip()]
    blocks = [Text(line.lstrip("# "), "title" if line.startswith("#") else "normal") for line in lines]
    return pdf(one.name, blocks)


def word(one: Planned) -> bytes:
    """A Word document; a line with `#` is a heading."""
    import docx

    document = docx.Document()
    document.core_properties.created = document.core_properties.modified = BORN
    for line in filter(str.strip, one.text.splitlines()):
        if line.startswith("#"):
            document.add_heading(line.lstrip("# "), 1)
        else:
            document.add_paragraph(line)
    out = BytesIO()
    document.save(out)
    return out.getvalue()


def workbook(one: Planned) -> bytes:
    """An Excel workbook."""
    import openpyxl

    book = openpyxl.Workbook()
    book.remove(book.worksheets[0])
    book.properties.created = book.properties.modified = BORN
    for title, rows in one.rows.items():
        sheet = book.create_sheet(title)
        for row in rows:
            sheet.append(row)
    out = BytesIO()
    book.save(out)
    return out.getvalue()


def picture(one: Planned) -> bytes:
    """A small PNG with a few words on it."""
    from PIL import Image, ImageColor, ImageDraw

    image = Image.new("RGB", (320, 200), one.color)
    ink = "black" if sum(ImageColor.getrgb(one.color)) > 380 else "white"
    ImageDraw.Draw(image).text((20, 90), one.text, fill=ink)
    out = BytesIO()
    image.save(out, "PNG")
    return out.getvalue()


def archive(one: Planned) -> bytes:
    """A zip file."""
    out = BytesIO()
    with ZipFile(out, "w", ZIP_DEFLATED) as zipped:
        for name, text in one.files.items():
            zipped.writestr(ZipInfo(name, (2026, 1, 5, 9, 0, 0)), text)
    return out.getvalue()


MAKERS: Mapping[str, Callable[[Planned], bytes]] = {
    "pdf": portable,
    "docx": word,
    "xlsx": workbook,
    "png": picture,
    "zip": archive,
}
