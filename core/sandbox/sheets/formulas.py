"""Formulas as Sheets writes them, and as the calculation engine (whose dialect is Excel's) reads them."""

import re
from collections.abc import Callable, Mapping

from core.a1 import column_letters, column_number, quote

ENDS = (30_000, 100_000, 1_000_000)
"""Rows that stand for an open end (`A2:A`, `A:A`); the smallest that is far enough below a spreadsheet's last row.

The engine visits each row of such a range, so a row further down than needed costs time."""
DRIFT = 0.04
"""How far, as a part, inserted and deleted rows may have moved such an end."""
LIVE = re.compile(r"\b(TODAY|NOW|RAND\w*|HYPERLINK|INDIRECT)\(", re.IGNORECASE)
"""Functions that must be computed anew whenever a spreadsheet is opened."""

PARTS = re.compile(r'("(?:[^"]|"")*")|(\'(?:[^\']|\'\')*\')')
OPEN = re.compile(r"(\$?[A-Za-z]{1,3}\$?\d+):(\$?[A-Za-z]{1,3})(?![\w$(!.])")
WHOLE = re.compile(r"(?<![\w$.:])(\$?[A-Za-z]{1,3}):(\$?[A-Za-z]{1,3})(?![\w$(!.:])")
CLOSED = re.compile(r"(\$?[A-Z]{1,3})(\$?\d+)(:\$?[A-Z]{1,3})\$?(\d{5,7})(?!\w)")
REFERENCE = re.compile(r"(?<![\w$.!])(\$?)([A-Za-z]{1,3})(\$?)(\d+)(?![\w(!.])")
ARRAY = re.compile(r"=\s*ARRAYFORMULA\((.*)\)\s*", re.IGNORECASE | re.DOTALL)

DEEPEST, MOST_OPERATORS = 200, 2000
"""Brackets inside one another, and operators, of a formula; with far more the engine would break down, and the app."""


def bearable(formula: str) -> bool:
    """Whether the engine can be given a formula."""
    depth = deepest = operators = 0

    def look(text: str) -> str:
        nonlocal depth, deepest, operators
        operators += sum(text.count(sign) for sign in "+-*/^&=<>%")
        for sign in text:
            depth += (sign in "({") - (sign in ")}")
            deepest = max(deepest, depth)
        return text

    outside_strings(formula, look)
    return deepest <= DEEPEST and operators <= MOST_OPERATORS


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


def end_for(rows: int) -> int:
    """The row that stands for an open end where the longest sheet has so many rows."""
    return next((end for end in ENDS if rows < end * (1 - DRIFT)), ENDS[-1])


def for_engine(formula: str, names: Mapping[str, str], end: int) -> str:
    """A formula for the engine: open ranges get an end, sheets the names that they have there.

    Args:
        names: title → name in the engine, where they differ.
        end: see `end_for`.
    """
    array = ARRAY.fullmatch(formula)
    formula = f"={array[1]}" if array else formula
    quoted = {quote(title): quote(name) for title, name in names.items()}

    def close(text: str) -> str:
        return OPEN.sub(rf"\1:\g<2>{end}", WHOLE.sub(rf"\g<1>1:\g<2>{end}", text))

    return outside_strings(formula, close, quoted)


def from_engine(formula: str, names: Mapping[str, str], array: bool = False) -> str:
    """The formula that Sheets shows for one of the engine's."""
    quoted = {quote(name): quote(title) for title, name in names.items()}
    shown = outside_strings(formula, lambda text: CLOSED.sub(opened, text), quoted)
    return f"=ARRAYFORMULA({shown[1:]})" if array else shown


def opened(match: re.Match[str]) -> str:
    """A range without the end that stands for an open one."""
    if not any(abs(int(match[4]) - end) <= end * DRIFT for end in ENDS):
        return match.group()
    return f"{match[1]}{'' if match[2] == '1' else match[2]}{match[3]}"


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
