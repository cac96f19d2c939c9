"""Documents as PDF and as Word files."""

from collections.abc import Iterator
from io import BytesIO
from typing import Any

import docx

from core.sandbox.docs.blocks import Block, Grid, Paragraph, Tabs
from core.sandbox.docs.bullets import ordered
from core.sandbox.drive.pdf import Block as PdfBlock
from core.sandbox.drive.pdf import NewPage, Rows, Text, pdf


def to_pdf(title: str, tabs: Tabs) -> bytes:
    """A PDF; each tab begins a page."""
    blocks: list[PdfBlock] = []
    for number, (name, content) in enumerate(tabs):
        blocks += [NewPage()] if number else []
        blocks += [Text(name, "title")] if name else []
        blocks += [page for block in content for page in pdf_block(block)]
    return pdf(title, blocks)


def pdf_block(block: Block) -> Iterator[PdfBlock]:
    """A block in a PDF."""
    if isinstance(block, Grid):
        yield Rows(block.texts)
        return
    text = block.text.replace("\v", "\n")
    if any(run.element and "pageBreak" in run.element for run in block.runs):
        yield NewPage()
    if block.preset:
        yield Text(text, "bullet", block.level)
    elif block.heading:
        yield Text(text, "heading" if block.heading == 1 else "subheading")
    else:
        yield Text(text, "title" if block.named == "TITLE" else "normal")


def to_docx(title: str, tabs: Tabs) -> bytes:
    """A Word file."""
    word = docx.Document()
    word.core_properties.title = title
    for name, blocks in tabs:
        if name:
            word.add_heading(name, 1)
        for block in blocks:
            add_block(word, block)
    out = BytesIO()
    word.save(out)
    return out.getvalue()


def add_block(word: Any, block: Block) -> None:
    """A block in a Word file."""
    if isinstance(block, Grid):
        rows = block.texts
        table = word.add_table(len(rows), len(rows[0]), style="Table Grid")
        for row, cells in zip(table.rows, rows, strict=True):
            for cell, text in zip(row.cells, cells, strict=True):
                cell.text = text
        return
    paragraph = word.add_paragraph(style=word_style(block))
    for run in block.runs:
        made = paragraph.add_run(run.text)
        made.bold, made.italic = run.style.get("bold"), run.style.get("italic")
        made.underline = run.style.get("underline")


def word_style(block: Paragraph) -> str:
    """The name of Word's style for a paragraph."""
    if block.preset:
        name = "List Number" if ordered(block.preset) else "List Bullet"
        return f"{name} {min(block.level, 2) + 1}" if block.level else name
    known = {"TITLE": "Title", "SUBTITLE": "Subtitle"}
    return known.get(block.named, f"Heading {block.heading}" if block.heading else "Normal")
