"""Blocks of text on the pages of a PDF."""

import re
from collections.abc import Iterator, Sequence
from html import escape
from io import BytesIO
from typing import Any

from reportlab.lib import colors
from reportlab.lib.pagesizes import A4
from reportlab.lib.styles import ParagraphStyle, getSampleStyleSheet
from reportlab.pdfbase.cidfonts import UnicodeCIDFont
from reportlab.pdfbase.pdfmetrics import registerFont
from reportlab.platypus import PageBreak, Paragraph, SimpleDocTemplate, Spacer, Table, TableStyle

from core.sandbox.drive.pdf import Block, NewPage, Rows, Style, Text

STYLES = {"title": "Title", "heading": "Heading1", "subheading": "Heading2", "normal": "BodyText", "code": "Code"}
EASTERN = "HeiseiKakuGo-W5"
WESTERN = re.compile(r"([^\x00-\u00ff\u2013-\u2026\u20ac]+)")
BEYOND = re.compile("[^\x00-\uffff]")
WIDEST, ROOM = 12, 480
"""Columns that a table shows, and the points that they share."""


def typeset(title: str, blocks: Sequence[Block], landscape: bool) -> bytes:
    """A PDF file; the same content gives the same bytes.

    Args:
        landscape: whether its pages are wide, as those of a presentation are.
    """
    registerFont(UnicodeCIDFont(EASTERN))
    out = BytesIO()
    size = (A4[1], A4[0]) if landscape else A4
    document = SimpleDocTemplate(out, pagesize=size, title=title, author="Lumenworks", invariant=1)
    document.build([flow for block in blocks for flow in flows(block)] or [Spacer(1, 1)])
    return out.getvalue()


def flows(block: Block) -> Iterator[Any]:
    """What a block puts on the page."""
    match block:
        case NewPage():
            yield PageBreak()
        case Rows(cells):
            yield table(cells)
            yield Spacer(1, 8)
        case Text(text, style, level):
            yield Paragraph(lettered(text), style_of(style, level), bulletText="•" if style == "bullet" else None)


def style_of(style: Style, level: int) -> ParagraphStyle:
    """How a paragraph looks."""
    sheet = getSampleStyleSheet()
    if style != "bullet":
        return sheet[STYLES[style]]
    indent = 18 * (level + 1)
    return ParagraphStyle("bullet", parent=sheet["BodyText"], leftIndent=indent, bulletIndent=indent - 12)


def table(cells: Sequence[Sequence[str]]) -> Any:
    """A table with a frame around each cell."""
    small = ParagraphStyle("cell", parent=getSampleStyleSheet()["BodyText"], fontSize=8, leading=10)
    width = min(WIDEST, max((len(row) for row in cells), default=1)) or 1
    filled = [[*row[:width], *[""] * (width - len(row))] for row in cells] or [[""]]
    data = [[Paragraph(lettered(cell), small) for cell in row] for row in filled]
    frame = [("GRID", (0, 0), (-1, -1), 0.5, colors.grey), ("BACKGROUND", (0, 0), (-1, 0), colors.whitesmoke)]
    return Table(data, colWidths=[ROOM / width] * width, repeatRows=1, style=TableStyle(frame))


def lettered(text: str) -> str:
    """Text as markup: what the built-in western fonts lack is set in the eastern one, emoji as a square."""
    parts = WESTERN.split(text)
    marked = (eastern(part) if number % 2 else escape(part) for number, part in enumerate(parts))
    return "".join(marked).replace("\n", "<br/>")


def eastern(text: str) -> str:
    """Text in the eastern font."""
    return f'<font name="{EASTERN}">{escape(BEYOND.sub("□", text))}</font>'
