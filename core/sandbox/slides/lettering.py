"""Text set in lines: words broken at a width, in the style of each, drawn onto a picture."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from itertools import groupby
from typing import Any

from core.sandbox.docs.units import Json
from core.sandbox.slides.fonts import face, western
from core.sandbox.slides.geometry import POINT, emu
from core.sandbox.slides.looks import ink, points_of
from core.sandbox.slides.numbering import Numbering
from core.sandbox.slides.text import Text

WORD = re.compile(r"[\u2e80-\u9fff\uac00-\ud7af\uff00-\uffef]|\s+|[^\s\u2e80-\u9fff\uac00-\ud7af\uff00-\uffef]+")
SPACING = 1.2


@dataclass(frozen=True)
class Piece:
    """A stretch of one line in one typeface; width in pixels."""

    text: str
    font: Any
    color: tuple[int, int, int]
    width: float
    size: int


@dataclass
class Line:
    """A line; its start in pixels from the left edge of its text."""

    alignment: str
    start: float = 0
    pieces: list[Piece] = field(default_factory=list)
    least: float = 0

    @property
    def width(self) -> float:
        """Pixels of what stands in it."""
        return sum(piece.width for piece in self.pieces)

    @property
    def height(self) -> float:
        """Pixels that it takes."""
        return SPACING * max((piece.size for piece in self.pieces), default=self.least)


def lines(text: Text, room: float, scale: float, text_style: Json, paragraph_style: Json) -> list[Line]:
    """A text as lines.

    Args:
        room: width, in pixels.
        scale: pixels an EMU.
        text_style: where the runs' own styles say nothing.
    """
    found: list[Line] = []
    numbering = Numbering(text.lists)
    for characters, end in text.paragraphs():
        style = {**paragraph_style, **end.data["style"]}
        size = pixels(points_of({**text_style, **end.style}), scale)
        start = emu(style.get("indentStart", {})) * scale
        line = Line(style.get("alignment", "START"), start, least=size)
        if "bullet" in end.data:
            mark = f"{numbering.bullet(**end.data['bullet'])['glyph']} ".replace("●", "•")
            first = {**text_style, **(characters[0].style if characters else {})}
            line.pieces = list(pieces(mark, first, scale))
            line.start = max(0, start - line.width)
        found.append(line)
        for run_style, run in groupby(characters, lambda unit: unit.style):
            words = "".join(unit.text for unit in run)
            place(found, words, {**text_style, **run_style}, room, scale, start)
    return found


def pixels(points: float, scale: float) -> int:
    """Points as whole pixels, one at least."""
    return max(1, round(points * POINT * scale))


def place(found: list[Line], text: str, style: Mapping[str, Any], room: float, scale: float, start: float) -> None:
    """Put a run behind what stands in the last line, and into new ones where the room ends."""
    for word in WORD.findall(text):
        line = found[-1]
        new = list(pieces(word.replace("\v", ""), style, scale))
        wide = sum(piece.width for piece in new)
        if "\v" in word or (not word.isspace() and line.pieces and line.start + line.width + wide > room):
            found.append(Line(line.alignment, start, least=line.least))
        found[-1].pieces += new


def pieces(text: str, style: Mapping[str, Any], scale: float) -> Iterator[Piece]:
    """A text of one style, cut where the typeface changes."""
    size = pixels(points_of(style), scale)
    for is_western, group in groupby(text, western):
        font = face(bool(style.get("bold")), bool(style.get("italic")), size, is_western)
        part = "".join(group)
        yield Piece(part, font, ink(style), font.getlength(part), size)


def draw(canvas: Any, found: list[Line], left: float, top: float, room: float) -> None:
    """Draw lines onto a picture."""
    y = top
    for line in found:
        spare = max(0, room - line.start - line.width)
        x = left + line.start + {"CENTER": spare / 2, "END": spare}.get(line.alignment, 0)
        base = y + 0.8 * line.height
        for piece in line.pieces:
            canvas.text((x, base), piece.text, font=piece.font, fill=piece.color, anchor="ls")
            x += piece.width
        y += line.height
