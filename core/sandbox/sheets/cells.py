"""Cells as Google's CellData: read whole, and changed as far as a mask says."""

from collections.abc import Mapping
from typing import Any

from core.sandbox.calls import ApiError
from core.sandbox.fields import Mask, parse
from core.sandbox.sheets import looks
from core.sandbox.sheets.looks import Json
from core.sandbox.sheets.numbers import AUTOMATIC, kind
from core.sandbox.sheets.reader import Reader, Value
from core.sandbox.sheets.writer import Writer

ERRORS = {
    "#DIV/0!": ("DIVIDE_BY_ZERO", "Function DIVIDE parameter 2 cannot be zero."),
    "#REF!": ("REF", "Reference does not exist."),
    "#CIRC!": (
        "REF",
        "Circular dependency detected. To resolve with iterative calculation, see File > Spreadsheet settings.",
    ),
    "#SPILL!": ("REF", "Array result was not expanded because it would overwrite data."),
    "#NAME?": ("NAME", "Unknown function or name: {formula}"),
    "#N/IMPL!": ("NAME", "Unknown function or name: {formula}"),
    "#N/A": ("N_A", "Did not find the value that was looked for."),
    "#CALC!": ("N_A", "No matches are found in FILTER evaluation."),
    "#NUM!": ("NUM", "A number in the formula is out of its range."),
    "#NULL!": ("NULL_VALUE", "The ranges do not meet."),
    "#VALUE!": ("VALUE", "A function of the formula expects another type of value."),
    "#ERROR!": ("ERROR", "Formula parse error."),
}
"""Google's type and sentence by the engine's name of an error."""

DRESS, CONTENT, NOTE, RUNS = "userEnteredFormat", "userEnteredValue", "note", "textFormatRuns"


def data(reader: Reader, row: int, column: int, shade: Json) -> Json:
    """A cell as CellData; `{}` for one that nobody has touched.

    Args:
        shade: what conditional formats add to its look.
    """
    value, formula, look = reader.value(row, column), reader.formula(row, column), reader.look(row, column)
    cell: Json = {}
    if (value is not None and value != "") or formula:
        cell[CONTENT] = {"formulaValue": formula} if formula else extended(value)
        cell["effectiveValue"] = effective(reader, row, column, value)
        cell["formattedValue"] = reader.text(row, column)
    if look:
        cell[DRESS] = looks.twinned(look)
    if cell or shade:
        shown = {**seen(reader, row, column, look), **shade}
        shown["textFormat"] = {**look.get("textFormat", {}), **shade.get("textFormat", {})}
        cell["effectiveFormat"] = looks.twinned(looks.effective(shown, value))
    if link := reader.link(row, column):
        cell["hyperlink"] = link
    extra = reader.extra(row, column)
    return {**cell, **{name: extra[key] for name, key in ((NOTE, "note"), (RUNS, "runs")) if key in extra}}


def seen(reader: Reader, row: int, column: int, look: Json) -> Json:
    """A look with the number format that a formula brings along."""
    pattern = reader.pattern(row, column)
    return look if pattern == AUTOMATIC else {**look, "numberFormat": {"type": kind(pattern), "pattern": pattern}}


def extended(value: Value) -> Json:
    """A value as ExtendedValue."""
    if isinstance(value, bool):
        return {"boolValue": value}
    if isinstance(value, float):
        return {"numberValue": int(value) if value == int(value) and abs(value) < 1e15 else value}
    return {"stringValue": str(value)}


def effective(reader: Reader, row: int, column: int, value: Value) -> Json:
    """What a cell comes to, errors with their sentence."""
    failed = reader.failed(row, column)
    if failed is None:
        return extended(value)
    name, sentence = ERRORS.get(failed, ("ERROR", "Formula parse error."))
    return {"errorValue": {"type": name, "message": sentence.format(formula=reader.formula(row, column) or "")}}


def read_mask(text: Any, place: str) -> Mask:
    """The `fields` of an update request.

    Raises:
        ApiError: 400 where it is missing.
    """
    if not text:
        raise ApiError(
            400,
            "badRequest",
            f"Invalid {place}: At least one field must be listed in 'fields'. (Use '*' to indicate all fields.)",
        )
    return looks.canonical_mask(parse(str(text)))


def change(writer: Writer, row: int, column: int, cell: Mapping[str, Any], mask: Mask) -> None:
    """Bring a cell to what CellData says, as far as a mask names it."""
    if CONTENT in mask or "*" in mask:
        fill(writer, row, column, cell.get(CONTENT) or {})
    if DRESS in mask or "*" in mask:
        wanted = looks.canonical(cell.get(DRESS) or {})
        writer.dress(row, column, merged(writer.look(row, column), wanted, mask.get(DRESS) or {}))
    for name, key in ((NOTE, "note"), (RUNS, "runs")):
        if name in mask or "*" in mask:
            writer.keep(row, column, **{key: cell.get(name) or None})


def fill(writer: Writer, row: int, column: int, value: Mapping[str, Any]) -> None:
    """Write an ExtendedValue."""
    if "formulaValue" in value:
        writer.put(row, column, str(value["formulaValue"]), typed=True)
        return
    plain = next((value[name] for name in ("numberValue", "stringValue", "boolValue") if name in value), None)
    writer.put(row, column, plain, typed=False)


def merged(old: Json, new: Mapping[str, Any], mask: Mask) -> Json:
    """An object with what a mask names taken from another; what that lacks is removed."""
    if not mask or "*" in mask:
        return dict(new)
    whole = dict(old)
    for name, inner in mask.items():
        value = new.get(name)
        if inner and isinstance(old.get(name, {}), Mapping):
            value = merged(old.get(name, {}), value if isinstance(value, Mapping) else {}, inner) or None
        whole[name] = value
    return {name: value for name, value in whole.items() if value is not None}
