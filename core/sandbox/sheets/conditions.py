"""Conditional formats as they show: each condition becomes a formula, which the calculation engine decides."""

import re
from collections.abc import Iterator, Mapping, Sequence
from datetime import date
from typing import Any

import ironcalc

from core.a1 import Area, column_letters, quote
from core.sandbox.sheets import formulas, looks
from core.sandbox.sheets.book import Book, Sheet
from core.sandbox.sheets.entry import understood
from core.sandbox.sheets.looks import Json
from core.sandbox.sheets.reader import Reader

LOCAL = re.compile(r"(?<![\w$!.:'])(\$?[A-Za-z]{1,3}\$?\d+|\$?[A-Za-z]{1,3}(?=:\$?[A-Za-z]{1,3}(?![\w(])))(?![\w(!.])")
"""References that name no sheet."""
SCRATCH = "conditions at work"
COMPARED = {
    "NUMBER_GREATER": "AND(ISNUMBER({c}),{c}>{0})",
    "NUMBER_GREATER_THAN_EQ": "AND(ISNUMBER({c}),{c}>={0})",
    "NUMBER_LESS": "AND(ISNUMBER({c}),{c}<{0})",
    "NUMBER_LESS_THAN_EQ": "AND(ISNUMBER({c}),{c}<={0})",
    "NUMBER_EQ": "AND(ISNUMBER({c}),{c}={0})",
    "NUMBER_NOT_EQ": "AND(ISNUMBER({c}),{c}<>{0})",
    "NUMBER_BETWEEN": "AND(ISNUMBER({c}),{c}>={0},{c}<={1})",
    "NUMBER_NOT_BETWEEN": "AND(ISNUMBER({c}),OR({c}<{0},{c}>{1}))",
    "TEXT_CONTAINS": "ISNUMBER(SEARCH({0},{c}))",
    "TEXT_NOT_CONTAINS": "NOT(ISNUMBER(SEARCH({0},{c})))",
    "TEXT_STARTS_WITH": "LEFT({c},LEN({0}))={0}",
    "TEXT_ENDS_WITH": "RIGHT({c},LEN({0}))={0}",
    "TEXT_EQ": '{c}&""={0}',
    "TEXT_NOT_EQ": '{c}&""<>{0}',
    "DATE_EQ": "AND(ISNUMBER({c}),INT({c})={0})",
    "DATE_BEFORE": "AND(ISNUMBER({c}),{c}<{0})",
    "DATE_AFTER": "AND(ISNUMBER({c}),{c}>={0}+1)",
    "BLANK": '{c}&""=""',
    "NOT_BLANK": '{c}&""<>""',
    "CUSTOM_FORMULA": "{0}",
}
DAYS = {"TODAY": 0, "TOMORROW": 1, "YESTERDAY": -1, "PAST_WEEK": -7, "PAST_MONTH": -30, "PAST_YEAR": -365}


class Shades:
    """What the conditional formats of a sheet add to the looks of an area's cells.

    Args:
        area: inside the sheet.
        today: for dates that conditions name.
    """

    def __init__(self, book: Book, sheet: Sheet, area: Area, today: date) -> None:
        self._looks: dict[tuple[int, int], Json] = {}
        if not sheet.rules:
            return
        scratch = ironcalc.load_from_bytes(book.engine.to_bytes())
        scratch.add_sheet(SCRATCH)
        place = len(scratch.get_worksheets_properties()) - 1
        reader, names = Reader.of(book, sheet), book.aliases()
        for rule in reversed(sheet.rules):
            covered = list(cells_of(rule, area))
            if "gradientRule" in rule:
                whole = Area(0, 0, sheet.rows, sheet.columns)
                self._grade(reader, rule, covered, list(cells_of(rule, book.used(sheet).within(*size(whole)))))
                continue
            for at, first in covered:
                text = decided(rule["booleanRule"]["condition"], sheet, at, first, today)
                scratch.set_user_input(place, at[0] + 1, at[1] + 1, formulas.for_engine(f"={text}", names, book.end))
            scratch.evaluate()
            format_of = looks.canonical(rule["booleanRule"].get("format") or {})
            for at, _ in covered:
                if scratch.get_cell_value(place, at[0] + 1, at[1] + 1) in (True, 1.0):
                    self._looks[at] = over(self._looks.get(at, {}), format_of)
            scratch.range_clear_all(place, 1, 1, area.bottom or 1, area.right or 1)

    def look(self, row: int, column: int) -> Json:
        """What is added to a cell's look, in canonical form."""
        return self._looks.get((row, column), {})

    def _grade(self, reader: Reader, rule: Json, covered: Sequence[Any], everywhere: Sequence[Any]) -> None:
        values = sorted(v for at, _ in everywhere if isinstance(v := reader.value(*at), float))
        points = list(placed(rule["gradientRule"], values)) if values else []
        for at, _ in covered:
            value = reader.value(*at)
            if points and isinstance(value, float) and not isinstance(value, bool):
                self._looks[at] = over(self._looks.get(at, {}), {"backgroundColor": mixed(points, value)})


def size(area: Area) -> tuple[int, int]:
    """Rows and columns of an area that begins at A1."""
    return area.bottom or 0, area.right or 0


def cells_of(rule: Json, area: Area) -> Iterator[tuple[tuple[int, int], tuple[int, int]]]:
    """The cells of an area that a rule covers, each with the first cell of its range."""
    for grid in rule["ranges"]:
        top, left = int(grid.get("startRowIndex") or 0), int(grid.get("startColumnIndex") or 0)
        bottom, right = grid.get("endRowIndex"), grid.get("endColumnIndex")
        low = min(area.bottom or 0, area.bottom or 0 if bottom is None else bottom)
        far = min(area.right or 0, area.right or 0 if right is None else right)
        for row in range(max(top, area.top), low):
            for column in range(max(left, area.left), far):
                yield (row, column), (top, left)


def decided(
    condition: Mapping[str, Any], sheet: Sheet, at: tuple[int, int], first: tuple[int, int], today: date
) -> str:
    """The formula, without its `=`, that says whether a condition holds for a cell.

    Args:
        first: the cell that a custom formula is written for.
    """
    down, across = at[0] - first[0], at[1] - first[1]
    home = quote(sheet.title)
    values = [literal(value, str(condition["type"]), today) for value in condition.get("values") or []]
    moved = [formulas.moved(value, down, across) for value in values]
    placed = [formulas.outside_strings(value, lambda text: LOCAL.sub(rf"{home}!\1", text)) for value in moved]
    cell = f"{home}!{column_letters(at[1] + 1)}{at[0] + 1}"
    return COMPARED[str(condition["type"])].format(*placed, c=cell)


def literal(value: Mapping[str, Any], kind: str, today: date) -> str:
    """A condition's value as it stands in a formula."""
    if "relativeDate" in value:
        return f"TODAY(){DAYS.get(str(value['relativeDate']), 0):+d}"
    text = str(value.get("userEnteredValue") or "")
    if text.startswith("="):
        return text[1:]
    meant = understood(text, today).value
    if kind.startswith("TEXT") or isinstance(meant, str):
        return '"' + text.replace('"', '""') + '"'
    return str(meant).upper() if isinstance(meant, bool) else repr(meant)


def over(low: Json, high: Json) -> Json:
    """A look over another."""
    text = {**low.get("textFormat", {}), **high.get("textFormat", {})}
    return {**low, **high, **({"textFormat": text} if text else {})}


def placed(gradient: Mapping[str, Any], values: Sequence[float]) -> Iterator[tuple[float, Json]]:
    """The points of a gradient: their values and colours, lowest first."""
    low, high = values[0], values[-1]
    for name in ("minpoint", "midpoint", "maxpoint"):
        if name not in gradient:
            continue
        point = looks.canonical(gradient[name])
        number = float(point.get("value") or 0)
        rank = min(max(int(number / 100 * (len(values) - 1) + 0.5), 0), len(values) - 1)
        known = {"MIN": low, "MAX": high, "NUMBER": number, "PERCENT": low + (high - low) * number / 100}
        yield known.get(point["type"], values[rank]), point.get("color") or {}


def mixed(points: Sequence[tuple[float, Json]], value: float) -> Json:
    """The colour of a value between the points."""
    below = max((p for p in points if p[0] <= value), key=lambda p: p[0], default=points[0])
    above = min((p for p in points if p[0] >= value), key=lambda p: p[0], default=points[-1])
    part = 0.0 if above[0] == below[0] else (value - below[0]) / (above[0] - below[0])
    mix = {n: below[1].get(n, 0) + (above[1].get(n, 0) - below[1].get(n, 0)) * part for n in ("red", "green", "blue")}
    return {name: round(amount, 4) for name, amount in mix.items() if amount}
