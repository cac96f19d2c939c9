"""PowerPoint files read as outlines: titles, texts, tables, notes."""

from io import BytesIO
from typing import Any

from core.sandbox.slides.model import Deck
from core.sandbox.slides.outline import Outline, written


def from_pptx(data: bytes) -> Deck:
    """The presentation that a PowerPoint file holds, laid out anew."""
    import pptx

    return written([outline(slide) for slide in pptx.Presentation(BytesIO(data)).slides])


def outline(slide: Any) -> Outline:
    """What a PowerPoint slide says."""
    title = slide.shapes.title
    others = [shape for shape in slide.shapes if title is None or shape.shape_id != title.shape_id]
    body = [line for shape in others if shape.has_text_frame for line in paragraphs(shape.text_frame)]
    head = title.text_frame.text if title is not None else body.pop(0).strip() if body else ""
    tables = [shape.table for shape in others if shape.has_table]
    rows = [[cell.text for cell in row.cells] for row in tables[0].rows] if tables else []
    notes = slide.notes_slide.notes_text_frame.text if slide.has_notes_slide else ""
    return Outline(layout=layout(body, rows), title=head, body=body, table=rows, notes=notes)


def layout(body: list[str], rows: list[list[str]]) -> str:
    """The layout that suits a slide; beside a table there is no room for text."""
    return "TITLE_AND_BODY" if body and not rows else "TITLE_ONLY"


def paragraphs(frame: Any) -> list[str]:
    """The paragraphs of a text frame, two spaces a level."""
    return ["  " * one.level + one.text for one in frame.paragraphs if one.text.strip()]
