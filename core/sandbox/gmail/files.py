"""Small real files for seeded attachments: each maker takes its data and gives the type and the content."""

import io
import struct
import zipfile
import zlib
from collections.abc import Callable
from email.message import EmailMessage
from email.policy import SMTP
from typing import Any
from xml.sax.saxutils import escape

Made = tuple[str, bytes | EmailMessage]
ZIP_DATE = (2026, 1, 1, 0, 0, 0)
SHEET = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"
XML = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>'
OPEN = "http://schemas.openxmlformats.org"


def pdf(lines: list[str]) -> Made:
    """A page of text lines in Helvetica; the first is the title."""
    shown = [f"({pdf_text(line)}) Tj 0 -20 Td" for line in lines]
    stream = f"BT /F1 12 Tf 60 780 Td {' '.join(shown)} ET".encode("cp1252", "replace")
    objects = [
        b"<< /Type /Catalog /Pages 2 0 R >>",
        b"<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
        b"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Contents 4 0 R "
        b"/Resources << /Font << /F1 5 0 R >> >> >>",
        b"<< /Length %d >>\nstream\n%s\nendstream" % (len(stream), stream),
        b"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding >>",
    ]
    return "application/pdf", pdf_file(objects)


def pdf_text(line: str) -> str:
    """A line with PDF's special signs escaped."""
    return line.replace("\\", r"\\").replace("(", r"\(").replace(")", r"\)")


def pdf_file(objects: list[bytes]) -> bytes:
    """Numbered objects with the table that says where each begins."""
    out, places = io.BytesIO(), []
    out.write(b"%PDF-1.4\n")
    for number, content in enumerate(objects, 1):
        places.append(out.tell())
        out.write(b"%d 0 obj\n%s\nendobj\n" % (number, content))
    start = out.tell()
    out.write(b"xref\n0 %d\n0000000000 65535 f \n" % (len(objects) + 1))
    out.write(b"".join(b"%010d 00000 n \n" % place for place in places))
    out.write(b"trailer\n<< /Size %d /Root 1 0 R >>\nstartxref\n%d\n%%%%EOF\n" % (len(objects) + 1, start))
    return out.getvalue()


def png(data: dict[str, Any]) -> Made:
    """A picture that fades from one colour into another; `size` in pixels, colours as `#rrggbb`."""
    width, height = data["size"]
    first, last = (bytes.fromhex(data[name].lstrip("#")) for name in ("from", "to"))
    rows = (mixed(first, last, y / max(1, height - 1)) * width for y in range(height))
    pixels = zlib.compress(b"".join(b"\0" + row for row in rows), 9)
    head = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    chunks = (chunk(b"IHDR", head), chunk(b"IDAT", pixels), chunk(b"IEND", b""))
    return "image/png", b"\x89PNG\r\n\x1a\n" + b"".join(chunks)


def mixed(first: bytes, last: bytes, share: float) -> bytes:
    """A colour between two."""
    return bytes(round(a + (b - a) * share) for a, b in zip(first, last, strict=True))


def chunk(kind: bytes, data: bytes) -> bytes:
    """A piece of a PNG file."""
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))


def xlsx(rows: list[list[str | float]]) -> Made:
    """A workbook with one sheet."""
    body = "".join(f"<row>{''.join(cell(value) for value in row)}</row>" for row in rows)
    main, office = f"{OPEN}/spreadsheetml/2006/main", f"{OPEN}/officeDocument/2006/relationships"
    parts = {
        "[Content_Types].xml": f'<Types xmlns="{OPEN}/package/2006/content-types">'
        '<Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/>'
        f'<Override PartName="/xl/workbook.xml" ContentType="{SHEET}.main+xml"/>'
        '<Override PartName="/xl/worksheets/sheet1.xml" '
        'ContentType="application/vnd.openxmlformats-officedocument.spreadsheetml.worksheet+xml"/></Types>',
        "_rels/.rels": relation(f"{office}/officeDocument", "xl/workbook.xml"),
        "xl/workbook.xml": f'<workbook xmlns="{main}" xmlns:r="{office}"><sheets>'
        '<sheet name="Sheet1" sheetId="1" r:id="rId1"/></sheets></workbook>',
        "xl/_rels/workbook.xml.rels": relation(f"{office}/worksheet", "worksheets/sheet1.xml"),
        "xl/worksheets/sheet1.xml": f'<worksheet xmlns="{main}"><sheetData>{body}</sheetData></worksheet>',
    }
    return SHEET, archive({name: XML + text for name, text in parts.items()})


def relation(kind: str, target: str) -> str:
    """A relationships part with one entry."""
    entry = f'<Relationship Id="rId1" Type="{kind}" Target="{target}"/>'
    return f'<Relationships xmlns="{OPEN}/package/2006/relationships">{entry}</Relationships>'


def cell(value: str | float) -> str:
    """A cell: a number, or a text."""
    if isinstance(value, int | float):
        return f"<c><v>{value}</v></c>"
    return f'<c t="inlineStr"><is><t>{escape(value)}</t></is></c>'


def archive(texts: dict[str, str]) -> bytes:
    """A zip file of texts, the same at every making."""
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as packed:
        for name, text in texts.items():
            packed.writestr(zipfile.ZipInfo(name, ZIP_DATE), text, zipfile.ZIP_DEFLATED)
    return out.getvalue()


def text_file(text: str) -> Made:
    """A text in UTF-8."""
    return "text/plain", text.encode()


def zip_file(texts: dict[str, str]) -> Made:
    """A zip file of texts."""
    return "application/zip", archive(texts)


def eml(data: dict[str, str]) -> Made:
    """A mail to be attached to another: headers, and `text`."""
    message = EmailMessage(policy=SMTP)
    for name, value in data.items():
        if name != "text":
            message[name] = value
    message.set_content(data["text"])
    return "message/rfc822", message


FILES: dict[str, Callable[[Any], Made]] = {
    "pdf": pdf,
    "png": png,
    "xlsx": xlsx,
    "text": text_file,
    "zip": zip_file,
    "eml": eml,
}
