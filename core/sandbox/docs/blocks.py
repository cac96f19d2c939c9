"""Documents without indices: paragraphs and tables, between the editor's units and the formats of other programs."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import groupby
from typing import Any

from core.sandbox.docs.bullets import in_list
from core.sandbox.docs.model import Document, Tab, empty_body
from core.sandbox.docs.units import NORMAL, Json, Kind, Unit, Units, characters, newline, text_of


@dataclass(frozen=True)
class Run:
    """Text in one style, or (with `element`) a chip, an image, a break."""

    text: str
    style: Mapping[str, Any] = field(default_factory=dict)
    element: Mapping[str, Any] | None = None


@dataclass(frozen=True)
class Paragraph:
    """A paragraph; `named` is its named style, `preset` its list's bullets, `group` tells lists apart."""

    runs: Sequence[Run]
    named: str = "NORMAL_TEXT"
    preset: str = ""
    level: int = 0
    group: str = ""

    @property
    def text(self) -> str:
        """What it says."""
        return "".join(run.text for run in self.runs)

    @property
    def heading(self) -> int:
        """1 to 6 for a heading, 0 for any other."""
        return int(self.named[-1]) if self.named.startswith("HEADING_") else 0


@dataclass(frozen=True)
class Grid:
    """A table: rows of cells of blocks."""

    rows: Sequence[Sequence[Sequence["Block"]]]

    @property
    def texts(self) -> list[list[str]]:
        """What its cells say."""
        return [["\n".join(texts(cell)) for cell in row] for row in self.rows]


Block = Paragraph | Grid
INDENT = "   "
"""What a level of a list is further in, in plain text and Markdown."""

Tabs = Sequence[tuple[str, Sequence[Block]]]
"""The titles and blocks of tabs, in a reader's order; the title is empty where there is only one."""


def texts(blocks: Iterable[Block]) -> Iterator[str]:
    """What blocks say, line by line."""
    for block in blocks:
        if isinstance(block, Paragraph):
            yield block.text
        else:
            yield from ("\t".join(row) for row in block.texts)


def read(tab: Tab, units: Sequence[Unit]) -> list[Block]:
    """The blocks of a segment."""
    return Taker(tab, units).blocks(len(units))


class Taker:
    """Takes blocks off a segment from its start."""

    def __init__(self, tab: Tab, units: Sequence[Unit]) -> None:
        self._tab, self._units, self._at = tab, units, 0

    def blocks(self, end: int) -> list[Block]:
        """The blocks up to an index, or to the end of a cell."""
        found: list[Block] = []
        while self._at < end and self._units[self._at].kind not in (Kind.CELL, Kind.ROW, Kind.END):
            if self._units[self._at].kind is Kind.SECTION:
                self._at += 1
            elif self._units[self._at].kind is Kind.TABLE:
                found.append(self._grid(end))
            else:
                found.append(self._paragraph())
        return found

    def _grid(self, end: int) -> Grid:
        rows: list[list[list[Block]]] = []
        self._at += 1
        while self._units[self._at].kind is not Kind.END:
            if self._units[self._at].kind is Kind.ROW:
                rows.append([])
                self._at += 1
            else:
                self._at += 1
                rows[-1].append(self.blocks(end))
        self._at += 1
        return Grid(rows)

    def _paragraph(self) -> Paragraph:
        start = self._at
        while self._units[self._at].kind is not Kind.NEWLINE:
            self._at += 1
        last = self._units[self._at]
        self._at += 1
        bullet = last.data.get("bullet", {})
        return Paragraph(
            runs=list(runs(self._units[start : self._at - 1])),
            named=last.data["style"]["namedStyleType"],
            preset=self._tab.lists[bullet["list"]] if bullet else "",
            level=bullet.get("level", 0),
            group=bullet.get("list", ""),
        )


def runs(units: Sequence[Unit]) -> Iterator[Run]:
    """The runs of a paragraph without its end."""
    for (number, _), group in groupby(
        enumerate(units), lambda one: (one[0] if one[1].kind is Kind.OBJECT else -1, repr(one[1].style))
    ):
        members = [unit for _, unit in group]
        if number < 0:
            yield Run(text_of(members), members[0].style)
        else:
            yield Run(object_text(members[0].data), members[0].style, members[0].data)


def object_text(element: Mapping[str, Any]) -> str:
    """What a reader reads at an object."""
    ((kind, value),) = element.items()
    match kind:
        case "person":
            properties = value["personProperties"]
            return str(properties.get("name") or properties["email"])
        case "dateElement":
            return str(value["dateElementProperties"]["displayText"])
        case "richLink":
            return str(value["richLinkProperties"]["title"])
        case "footnoteReference":
            return f"[{value['footnoteNumber']}]"
    return ""


def write(document: Document, tab: Tab, blocks: Sequence[Block]) -> None:
    """Make blocks the body of a tab."""
    tab.segments[""] = [*empty_body()[:1], *framed(document, tab, blocks)]


def framed(document: Document, tab: Tab, blocks: Sequence[Block]) -> Units:
    """The units of a segment or cell; a table stands between paragraphs."""
    lists: dict[str, str] = {}
    units: Units = []
    previous: Block | None = None
    for block in [*blocks] if blocks and isinstance(blocks[-1], Paragraph) else [*blocks, Paragraph([])]:
        if isinstance(block, Grid):
            units += [] if isinstance(previous, Paragraph) else [newline()]
            units += grid_units(document, tab, block)
        else:
            units += paragraph_units(document, tab, block, lists)
        previous = block
    return units


def grid_units(document: Document, tab: Tab, grid: Grid) -> Iterator[Unit]:
    """The units of a table; short rows are filled up."""
    width = max((len(row) for row in grid.rows), default=1)
    yield Unit(Kind.TABLE)
    for row in grid.rows:
        yield Unit(Kind.ROW)
        for cell in [*row, *[[]] * (width - len(row))]:
            yield Unit(Kind.CELL)
            yield from framed(document, tab, cell)
    yield Unit(Kind.END)


def paragraph_units(document: Document, tab: Tab, block: Paragraph, lists: dict[str, str]) -> Iterator[Unit]:
    """The units of a paragraph; `lists` holds the lists of this segment by their groups."""
    data: Json = {"style": {**NORMAL["style"], "namedStyleType": block.named}}
    if block.preset:
        if block.group not in lists:
            lists[block.group] = document.new_id("kix.")
            tab.lists[lists[block.group]] = block.preset
        data = in_list(data, lists[block.group], block.level)
    for run in block.runs:
        if run.element is not None:
            yield Unit(Kind.OBJECT, "", run.style, run.element)
        else:
            yield from characters(run.text.replace("\n", "\v"), run.style)
    yield newline(data)
