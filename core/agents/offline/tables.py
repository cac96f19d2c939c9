"""A range of cells as a table: its head, its rows, a row's numbers by name, and where the next row goes."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from core.a1 import quote

TOTAL = frozenset({"total", "totals", "sum", "sums", "altogether", "gesamt", "summe", "overall"})
IDLE = frozenset({"the", "of", "in", "for", "a", "and", "is", "are", "we", "have", "much", "how", "what", "value", "on",
                  "do", "does", "did", "per", "this", "that", "our"})  # fmt: skip
NUMERIC = re.compile(r"[^\w]*-?\(?\d")


@dataclass(frozen=True)
class Figure:
    """A cell with the names of its row and its column."""

    row: str
    column: str
    value: str


@dataclass(frozen=True)
class Row:
    """A row as it is numbered in its sheet."""

    number: int
    cells: list[str]


@dataclass(frozen=True)
class Table:
    """The result of reading cells."""

    result: Mapping[str, Any]

    @property
    def next_cell(self) -> str | None:
        """The first cell below all that is there, None where not all was read."""
        rows = self.result.get("rows") or []
        if self.result.get("next_range"):
            return None
        number = rows[-1]["row"] + 1 if rows else 1
        return f"{quote(str(self.result.get('sheet')))}!{self.result.get('first_column', 'A')}{number}"

    @property
    def head(self) -> list[str]:
        """The first row, where it names the columns; else empty."""
        rows = self.result.get("rows") or []
        first = list(rows[0]["cells"]) if rows else []
        named = len(rows) > 1 and rows[0]["row"] == 1 and not any(NUMERIC.match(cell) for cell in first[1:])
        return first if named else []

    @property
    def body(self) -> list[list[str]]:
        """The rows below the head."""
        rows = [list(row["cells"]) for row in self.result.get("rows") or []]
        return rows[1:] if self.head else rows

    @property
    def numbered(self) -> list[Row]:
        """The rows below the head, with their numbers."""
        rows = [Row(row["row"], list(row["cells"])) for row in self.result.get("rows") or []]
        return rows[1:] if self.head else rows

    @property
    def width(self) -> int:
        """The most cells of a row."""
        return max((len(row) for row in [self.head, *self.body]), default=0)

    def figures(self, words: str) -> list[Figure]:
        """The cells that words mean by the names of row and column; without a row's name, those of the total."""
        said = [word for word in re.findall(r"[\w%]+", words.casefold()) if word not in IDLE]
        body = [row for row in self.body if row]
        scored = [(overlap(said, row[0]), row) for row in body]
        best = max((score for score, _ in scored), default=0)
        chosen = [row for score, row in scored if score == best] if best else [r for r in body if is_total(r[0])]
        columns = [(overlap(said, name), place) for place, name in enumerate(self.head) if place]
        most = max((score for score, _ in columns), default=0)
        places = {place for score, place in columns if score == most and most} or set(range(1, self.width))
        return [
            Figure(row[0], self.head[place] if place < len(self.head) else "", row[place])
            for row in chosen
            for place in sorted(places)
            if place < len(row) and row[place]
        ]


def overlap(words: Sequence[str], name: str) -> int:
    """How many words are in a name; `total` stands for its like."""
    here = set(re.findall(r"[\w%]+", name.casefold()))
    return sum(1 for word in words if word in here or (word in TOTAL and here & TOTAL))


def is_total(name: str) -> bool:
    """Whether a row's name says that it sums the others up."""
    return bool(set(re.findall(r"\w+", name.casefold())) & TOTAL)
