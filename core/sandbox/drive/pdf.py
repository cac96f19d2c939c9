"""PDF files that open: titles, headings, paragraphs, lists, tables, page breaks, in any script with a built-in font."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

Style = Literal["title", "heading", "subheading", "normal", "bullet", "code"]


@dataclass(frozen=True)
class Text:
    """A paragraph; a bullet may be nested."""

    text: str
    style: Style = "normal"
    level: int = 0


@dataclass(frozen=True)
class Rows:
    """A table; its first row is its head."""

    cells: Sequence[Sequence[str]]


@dataclass(frozen=True)
class NewPage:
    """What follows begins a page."""


Block = Text | Rows | NewPage


def pdf(title: str, blocks: Sequence[Block], landscape: bool = False) -> bytes:
    """A PDF file; the same content gives the same bytes.

    Args:
        landscape: whether its pages are wide, as those of a presentation are.
    """
    from core.sandbox.drive.typeset import typeset  # the library takes half a second, and few ask for a PDF

    return typeset(title, blocks, landscape)
