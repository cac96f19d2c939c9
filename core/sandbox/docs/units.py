"""What a document's text is made of: one unit an index, as Google counts them."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum
from itertools import groupby
from typing import Any

Json = dict[str, Any]
NORMAL: Mapping[str, Any] = {"style": {"namedStyleType": "NORMAL_TEXT", "direction": "LEFT_TO_RIGHT"}}


class Kind(StrEnum):
    """What stands at one index."""

    CHAR = "char"
    TAIL = "tail"
    """The second half of a character beyond the basic plane."""
    NEWLINE = "newline"
    OBJECT = "object"
    SECTION = "section"
    TABLE = "table"
    ROW = "row"
    CELL = "cell"
    END = "end"
    """The end of a table."""


INLINE = frozenset({Kind.CHAR, Kind.TAIL, Kind.NEWLINE, Kind.OBJECT})
"""What is inside a paragraph."""


@dataclass(frozen=True, slots=True)
class Unit:
    """One UTF-16 code unit of a segment, or one mark of its structure.

    Attributes:
        text: the whole character at its first unit, empty elsewhere.
        style: Google's TextStyle, of what is inside a paragraph.
        data: of a newline its paragraph's `style`, `bullet`; of an object its element; of marks their own style.
    """

    kind: Kind
    text: str = ""
    style: Mapping[str, Any] = field(default_factory=dict)
    data: Mapping[str, Any] = field(default_factory=dict)

    @property
    def inline(self) -> bool:
        """Whether it is inside a paragraph."""
        return self.kind in INLINE


Units = list[Unit]


def characters(text: str, style: Mapping[str, Any]) -> Iterator[Unit]:
    """The units of text without newlines."""
    for character in text:
        yield Unit(Kind.CHAR, character, style)
        if ord(character) > 0xFFFF:
            yield Unit(Kind.TAIL, "", style)


def newline(data: Mapping[str, Any] = NORMAL, style: Mapping[str, Any] | None = None) -> Unit:
    """The end of a paragraph."""
    return Unit(Kind.NEWLINE, "\n", style or {}, data)


def text_units(text: str, style: Mapping[str, Any], paragraph: Mapping[str, Any]) -> Iterator[Unit]:
    """The units of text whose newlines end paragraphs of one kind."""
    for number, line in enumerate(text.split("\n")):
        if number:
            yield newline(paragraph, style)
        yield from characters(line, style)


def text_of(units: Iterable[Unit]) -> str:
    """The text of some units; objects and marks have none."""
    return "".join(unit.text for unit in units)


def restyled(unit: Unit, style: Mapping[str, Any]) -> Unit:
    """A unit in another text style."""
    return replace(unit, style=style)


def length(text: str) -> int:
    """UTF-16 code units of a text."""
    return len(text.encode("utf-16-le", "surrogatepass")) // 2


def stored(units: Sequence[Unit]) -> list[Json]:
    """Units as JSON: runs of characters together, everything else by itself."""
    return [entry for group in grouped(units) for entry in group]


def grouped(units: Sequence[Unit]) -> Iterator[list[Json]]:
    """Units as JSON, run by run."""
    for (is_text, _), group in groupby(units, lambda one: (one.kind in (Kind.CHAR, Kind.TAIL), repr(one.style))):
        run = list(group)
        if is_text:
            yield [{"text": text_of(run), "style": run[0].style}]
        else:
            yield [{"kind": str(one.kind), "style": one.style, "data": one.data} for one in run]


def loaded(entries: Iterable[Json]) -> Units:
    """Units from their JSON."""
    units: Units = []
    for entry in entries:
        if "text" in entry:
            units.extend(characters(entry["text"], entry["style"]))
        else:
            kind = Kind(entry["kind"])
            units.append(Unit(kind, "\n" if kind is Kind.NEWLINE else "", entry["style"], entry["data"]))
    return units
