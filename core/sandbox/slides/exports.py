"""Presentations as plain text, PDF and PowerPoint, and read from PowerPoint."""

from collections.abc import Callable, Iterator, Mapping
from io import BytesIO
from typing import Any

from sqlmodel import Session

from core.sandbox.drive.kinds import PPTX
from core.sandbox.drive.pdf import Block, NewPage, Rows, Text, pdf
from core.sandbox.drive.tables import DriveFile
from core.sandbox.slides.geometry import PAGE_HEIGHT, PAGE_WIDTH, box
from core.sandbox.slides.model import Deck, Element, Page
from core.sandbox.slides.slides import speaker_notes
from core.sandbox.slides.tables import PresentationRow

TITLES = ("TITLE", "CENTERED_TITLE")
BLANK_LAYOUT = 6
"""PowerPoint's layout without placeholders, in the template that the library has."""


def plain(deck: Deck) -> str:
    """All text, such as a search wants it: slides and notes."""
    parts = [line for slide in deck.slides for line in (*lines(slide), speaker_notes(slide).plain)]
    return "\n".join(part for part in parts if part)


def lines(slide: Page) -> Iterator[str]:
    """The texts of a slide in order."""
    for element in slide.elements:
        if element.kind == "table":
            yield from ("\t".join(cell.text.plain.replace("\n", " ") for cell in row) for row in element.cells)
        elif element.text.units:
            yield element.text.plain.replace("\v", "\n")


def to_text(_: str, deck: Deck) -> bytes:
    """Plain text as Google exports it: a byte order mark, CRLF, slides apart."""
    pages = ["\n".join(lines(slide)) for slide in deck.slides]
    return ("\ufeff" + "\n\n".join(pages).replace("\n", "\r\n") + "\r\n").encode()


def to_pdf(title: str, deck: Deck) -> bytes:
    """A PDF, a page a slide."""
    blocks: list[Block] = []
    for number, slide in enumerate(deck.slides):
        blocks += [NewPage()] if number else []
        for element in slide.elements:
            blocks += list(pdf_blocks(element))
    return pdf(title, blocks, landscape=True)


def pdf_blocks(element: Element) -> Iterator[Block]:
    """An element in a PDF."""
    if element.kind == "table":
        yield Rows([[cell.text.plain for cell in row] for row in element.cells])
        return
    kind = element.placeholder.get("type")
    for characters, end in element.text.paragraphs():
        text = "".join(unit.text for unit in characters).replace("\v", "\n")
        if "bullet" in end.data:
            yield Text(text, "bullet", end.data["bullet"]["level"])
        else:
            yield Text(text, "title" if kind in TITLES else "subheading" if kind == "SUBTITLE" else "normal")


def to_pptx(title: str, deck: Deck) -> bytes:
    """A PowerPoint file: text boxes and tables where they are on the slides, and the notes."""
    import pptx
    from pptx.util import Emu

    made = pptx.Presentation()
    made.core_properties.title = title
    made.slide_width, made.slide_height = Emu(PAGE_WIDTH), Emu(PAGE_HEIGHT)
    for slide in deck.slides:
        page = made.slides.add_slide(made.slide_layouts[BLANK_LAYOUT])
        for element in slide.elements:
            add_element(page, element)
        if notes := speaker_notes(slide).plain:
            page.notes_slide.notes_text_frame.text = notes
    out = BytesIO()
    made.save(out)
    return out.getvalue()


def add_element(page: Any, element: Element) -> None:
    """An element on a PowerPoint slide; pictures are left out, whose bytes the sandbox does not have."""
    place = box(element.frame)
    at = (int(place.x), int(place.y), int(place.width), int(place.height))
    if element.kind == "table":
        table = page.shapes.add_table(len(element.cells), len(element.cells[0]), *at).table
        for row, cells in enumerate(element.cells):
            for column, cell in enumerate(cells):
                table.cell(row, column).text = cell.text.plain
    elif element.text.units:
        add_text(page.shapes.add_textbox(*at).text_frame, element)


def add_text(frame: Any, element: Element) -> None:
    """A shape's text in a PowerPoint text box."""
    frame.word_wrap = True
    for number, (characters, end) in enumerate(element.text.paragraphs()):
        paragraph = frame.paragraphs[0] if number == 0 else frame.add_paragraph()
        paragraph.level = end.data.get("bullet", {}).get("level", 0)
        paragraph.text = "".join(unit.text for unit in characters)
        paragraph.font.bold = element.placeholder.get("type") in TITLES or None


Format = Callable[[str, Deck], bytes]
FORMATS: Mapping[str, Format] = {"text/plain": to_text, "application/pdf": to_pdf, PPTX: to_pptx}


def exporter(form: Format) -> Callable[[Session, DriveFile], bytes]:
    """What Drive calls to export a presentation."""

    def export(session: Session, file: DriveFile) -> bytes:
        return form(file.name, session.get_one(PresentationRow, file.id).deck())

    return export
