"""Formulas as Sheets writes them, and as the calculation engine (whose dialect is Excel's) reads them."""

import re
from collections.abc import Callable, Mapping

from core.a1 import column_letters, column_number, quote

OPEN_END, OPEN_ENDS = 100_000, range(95_000, 105_000)
"""The row that stands for an open end (`A2:A`), and where inserted and deleted rows may have moved it.

A row further down would cost time: the engine visits each row of such a range."""

PARTS = re.compile(r'("(?:[^"]|"")*")|(\'(?:[^\']|\'\')*\')')
OPEN = re.compile(r"(\$?[A-Za-z]{1,3}\$?\d+):(\$?[A-Za-z]{1,3})(?![\w$(!.])")
CLOSED = re.compile(r"(:\$?[A-Z]{1,3})\$?(\d{5,6})(?!\w)")
REFERENCE = re.compile(r"(?<![\w$.!])(\$?)([A-Za-z]{1,3})(\$?)(\d+)(?![\w(!.])")
ARRAY = re.compile(r"=\s*ARRAYFORMULA\((.*)\)\s*", re.IGNORECASE | re.DOTALL)


def outside_strings(formula: str, change: Callable[[str], str], names: Mapping[str, str] | None = None) -> str:
    """A formula with everything changed that is neither text nor a quoted name of a sheet.

    Args:
        names: quoted names of sheets that are replaced.
    """
    out, at = "", 0
    for match in PARTS.finditer(formula):
        out += change(formula[at : match.start()])
        out += (names or {}).get(match.group(), match.group())
        at = match.end()
    return out + change(formula[at:])


def for_engine(formula: str, names: Mapping[str, str]) -> str:
    """A formula for the engine: open ranges get an end, sheets the names that they have there.

    Args:
        names: title → name in the engine, where they differ.
    """
    array = ARRAY.fullmatch(formula)
    formula = f"={array[1]}" if array else formula
    quoted = {quote(title): quote(name) for title, name in names.items()}
    return outside_strings(formula, lambda text: OPEN.sub(rf"\1:\g<2>{OPEN_END}", text), quoted)


def from_engine(formula: str, names: Mapping[str, str], array: bool = False) -> str:
    """The formula that Sheets shows for one of the engine's."""
    quoted = {quote(name): quote(title) for title, name in names.items()}
    shown = outside_strings(formula, lambda text: CLOSED.sub(opened, text), quoted)
    return f"=ARRAYFORMULA({shown[1:]})" if array else shown


def opened(match: re.Match[str]) -> str:
    """A closed end that stands for an open one."""
    return match[1] if int(match[2]) in OPEN_ENDS else match.group()


def moved(formula: str, rows: int, columns: int) -> str:
    """A formula as it reads when it is copied so many rows down and columns to the right."""

    def shift(match: re.Match[str]) -> str:
        column, row = column_number(match[2]), int(match[4])
        column += 0 if match[1] else columns
        row += 0 if match[3] else rows
        if column < 1 or row < 1:
            return "#REF!"
        return f"{match[1]}{column_letters(column)}{match[3]}{row}"

    return outside_strings(formula, lambda text: REFERENCE.sub(shift, text))


def is_array(formula: str) -> bool:
    """Whether the whole formula stands in ARRAYFORMULA."""
    return ARRAY.fullmatch(formula) is not None
