"""A1 notation: ranges of cells and names of sheets, read and written."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

MOST_COLUMNS = 18278
"""Columns A to ZZZ."""
COLUMN, ROW = r"\$?([A-Za-z]{1,3})", r"\$?([1-9]\d{0,9})"
A1 = re.compile(rf"(?:{COLUMN})?(?:{ROW})?")
R1C1 = re.compile(r"(?:[Rr]([1-9]\d{0,9}))?(?:[Cc]([1-9]\d{0,4}))?")
QUOTED = re.compile(r"'((?:[^']|'')*)'(?:!(.*))?", re.DOTALL)


class NotARange(ValueError):
    """A text is no range."""


@dataclass(frozen=True)
class Area:
    """A rectangle of cells, counted from 0, ends exclusive; an end of None is open: all that the sheet has."""

    top: int = 0
    left: int = 0
    bottom: int | None = None
    right: int | None = None

    @property
    def single(self) -> bool:
        """Whether it is one cell."""
        return self.bottom == self.top + 1 and self.right == self.left + 1

    def within(self, rows: int, columns: int) -> "Area":
        """The part that a sheet of this size has."""
        bottom = rows if self.bottom is None else min(self.bottom, rows)
        right = columns if self.right is None else min(self.right, columns)
        return replace(self, bottom=max(bottom, self.top), right=max(right, self.left))


@dataclass(frozen=True)
class Spot:
    """An area of a sheet; without a title it is the first sheet's."""

    title: str | None
    area: Area


def read(text: str, titles: Sequence[str] = ()) -> Spot:
    """Read a range such as `B2:D5`, `A:C`, `3:7`, `R1C1:R2C3`, `'Jon''s Data'!A1` or a bare sheet name.

    Args:
        titles: the sheets that there are. What is a cell is never a sheet's bare name.

    Raises:
        NotARange: it is none of these.
    """
    text = text.strip()
    quoted = QUOTED.fullmatch(text)
    if quoted:
        inside = quoted[1].replace("''", "'")
        return Spot(title_of(inside, titles), read_area(quoted[2]) if quoted[2] is not None else Area())
    name, mark, cells = text.rpartition("!")
    if mark:
        return Spot(title_of(name, titles), read_area(cells))
    try:
        return Spot(None, read_area(text))
    except NotARange:
        if not titles or text.casefold() in map(str.casefold, titles):
            return Spot(title_of(text, titles), Area())
        raise


def title_of(name: str, titles: Sequence[str]) -> str:
    """A sheet's title as it is spelt; case does not matter.

    Raises:
        NotARange: there is no such sheet.
    """
    found = [title for title in titles if title == name] + [t for t in titles if t.casefold() == name.casefold()]
    if titles and not found:
        raise NotARange(name)
    return found[0] if found else name


def read_area(text: str) -> Area:
    """Read the part of a range behind the sheet's name.

    Raises:
        NotARange: it is not one.
    """
    first, colon, last = text.strip().partition(":")
    start = read_end(first)
    end = read_end(last) if colon else start
    if not colon and None in start:
        raise NotARange(text)
    if (start[0] is None) != (end[0] is None) and (start[1] is None) != (end[1] is None):
        raise NotARange(text)
    top, bottom = span(start[0], end[0])
    left, right = span(start[1], end[1])
    return Area(top, left, bottom, right)


def read_end(text: str) -> tuple[int | None, int | None]:
    """One end of a range: row and column, counted from 1; None for one that is not said."""
    match = A1.fullmatch(text)
    if text and match:
        column = column_number(match[1]) if match[1] else None
        return (int(match[2]) if match[2] else None), column
    match = R1C1.fullmatch(text)
    if text and match:
        return (int(match[1]) if match[1] else None), (int(match[2]) if match[2] else None)
    raise NotARange(text)


def span(first: int | None, last: int | None) -> tuple[int, int | None]:
    """Start and exclusive end from two numbers counted from 1, in any order."""
    if first is None or last is None:
        return (first or last or 1) - 1, None
    return min(first, last) - 1, max(first, last)


def column_number(letters: str) -> int:
    """`A` is 1, `AA` is 27."""
    number = 0
    for letter in letters.upper():
        number = number * 26 + ord(letter) - ord("A") + 1
    return number


def column_letters(number: int) -> str:
    """1 is `A`, 27 is `AA`."""
    letters = ""
    while number:
        number, rest = divmod(number - 1, 26)
        letters = chr(ord("A") + rest) + letters
    return letters


def quote(title: str) -> str:
    """A sheet's title as a range may hold it: always quoted, quotes doubled."""
    return "'" + title.replace("'", "''") + "'"


def write_area(area: Area) -> str:
    """An area in A1; one cell is written once, and an area without any end is empty."""
    left, right = column_letters(area.left + 1), "" if area.right is None else column_letters(area.right)
    top, bottom = str(area.top + 1), "" if area.bottom is None else str(area.bottom)
    if area.single:
        return left + top
    if area.right is None and area.bottom is None:
        return "" if (area.top, area.left) == (0, 0) else f"{left}{top}:{column_letters(MOST_COLUMNS)}"
    if area.right is None:
        return f"{top}:{bottom}" if area.left == 0 else f"{left}{top}:{bottom}"
    return f"{left}:{right}" if area.bottom is None and area.top == 0 else f"{left}{top}:{right}{bottom}"


def write(title: str | None, area: Area) -> str:
    """A range in A1, with its sheet where one is named."""
    cells = write_area(area)
    return cells if title is None else f"{quote(title)}!{cells}" if cells else quote(title)


def plain(title: str) -> bool:
    """Whether Google writes a title without quotes in its answers."""
    cell = re.fullmatch(r"[A-Za-z]{1,3}\d+|[Rr]\d*[Cc]\d*", title)
    return re.fullmatch(r"[A-Za-z_]\w*", title) is not None and cell is None


def shown(title: str, area: Area) -> str:
    """A range as Google's answers write it: quoted only where it must be."""
    return f"{title if plain(title) else quote(title)}!{write_area(area)}"
