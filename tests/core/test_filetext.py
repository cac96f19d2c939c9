"""Text out of files."""

from io import BytesIO

import docx
import openpyxl
import pptx
import pytest

from core.filetext import OPEN_XML, readable, text_of
from core.sandbox.drive.pdf import NewPage, Rows, Text, pdf

WORD, EXCEL = f"{OPEN_XML}wordprocessingml.document", f"{OPEN_XML}spreadsheetml.sheet"
SLIDES = f"{OPEN_XML}presentationml.presentation"


def saved(thing) -> bytes:
    out = BytesIO()
    thing.save(out)
    return out.getvalue()


def test_a_pdf_opens_and_gives_its_text_in_any_script():
    blocks = [Text("Prüfbericht", "title"), Text("製品ロードマップ 😀 <b>"), Text("eins", "bullet", 1)]
    made = pdf("Report", [*blocks, Rows([["Item", "EUR"], ["Driver", "8.10"]]), NewPage(), Text("end")])
    text = text_of(made, "application/pdf") or ""
    assert made.startswith(b"%PDF-")
    assert [part in text for part in ("Prüfbericht", "製品ロードマップ", "<b>", "eins", "8.10", "end")] == [True] * 6
    assert made == pdf("Report", [*blocks, Rows([["Item", "EUR"], ["Driver", "8.10"]]), NewPage(), Text("end")])


def test_a_word_document_gives_paragraphs_and_tables_in_order():
    document = docx.Document()
    document.add_paragraph("before")
    table = document.add_table(1, 2)
    table.rows[0].cells[0].text, table.rows[0].cells[1].text = "a", "b"
    document.add_paragraph("after")
    assert text_of(saved(document), WORD) == "before\na | b\nafter"


def test_a_workbook_gives_each_sheets_rows():
    book = openpyxl.Workbook()
    book.active.title = "Costs"
    book.active.append(["Rent", 1200, None])
    assert text_of(saved(book), EXCEL) == "[Costs]\nRent\t1200"


def test_a_presentation_gives_each_slides_text():
    deck = pptx.Presentation()
    deck.slides.add_slide(deck.slide_layouts[5]).shapes.title.text = "Hello"
    assert text_of(saved(deck), SLIDES) == "[Slide 1]\nHello"


@pytest.mark.parametrize("kind", ["application/pdf", WORD, EXCEL, SLIDES])
def test_a_broken_file_gives_nothing(kind: str):
    assert readable(kind)
    assert text_of(b"not such a file", kind) is None


def test_pictures_hold_no_text():
    assert not readable("image/png")
    assert text_of(b"\x89PNG", "image/png") is None
