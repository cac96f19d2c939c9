"""Numbers of the query line: comparisons and ranges with units, to whole base units and back."""

import re
from collections.abc import Mapping
from decimal import Decimal
from typing import Final

from telemetry.querylang.errors import QueryError
from telemetry.querylang.fields import Field, Kind

LARGEST: Final = 2**63 - 1
SHAPE: Final = re.compile(
    r"(?P<comparison>>=|<=|>|<|=)?(?P<low>[^.<>=]*(?:\.\d[^.<>=]*)?)(?P<dots>\.\.)?(?P<high>.*)", re.S
)
NUMBER: Final = re.compile(
    r"(?P<dollar>\$?)(?P<digits>\d{1,20}(?:\.\d{1,20})?|\.\d{1,20})(?P<unit>[^\W\d_]*)(?P<cent>\$?)"
)
UNITS: Final[Mapping[Kind, Mapping[str, int]]] = {
    Kind.DURATION: {"": 10**9, "ns": 1, "us": 10**3, "µs": 10**3, "ms": 10**6, "s": 10**9, "sec": 10**9}
    | {"m": 60 * 10**9, "min": 60 * 10**9, "h": 3600 * 10**9},
    Kind.MONEY: {"": 10**12, "usd": 10**12},
    Kind.COUNT: {"": 1, "k": 10**3, "m": 10**6},
}
"""Unit → how many base units; a duration without one is in seconds."""
SHOWN: Final[Mapping[Kind, tuple[str, ...]]] = {
    Kind.DURATION: ("min", "s", "ms", "us", "ns"),
    Kind.MONEY: ("",),
    Kind.COUNT: ("",),
}


def bounds(field: Field, text: str, start: int) -> tuple[int | None, int | None]:
    """The least and the most that a written value lets through.

    Args:
        start: where the text begins in the line.

    Raises:
        QueryError: it is no number of the field's kind.
    """
    shape = SHAPE.fullmatch(text)
    assert shape is not None
    comparison, dots = shape["comparison"], shape["dots"]
    if not dots:
        rest = shape["low"] + shape["high"]
        return compared(comparison or "=", number(field, rest, start + len(comparison or "")))
    if comparison:
        raise QueryError(start, start + len(text), f"A range needs no {comparison}: write {text[len(comparison) :]}.")
    low = number(field, with_unit(field, shape["low"], shape["high"]), start) if shape["low"] else None
    high = number(field, shape["high"], start + shape.start("high")) if shape["high"] else None
    if low is None and high is None:
        raise QueryError(start, start + len(text), f"A range needs a number on one side: {field.accepts}.")
    if low is not None and high is not None and low > high:
        raise QueryError(start, start + len(text), f"Nothing lies in {text}: put the smaller number first.")
    return low, high


def with_unit(field: Field, low: str, high: str) -> str:
    """The lower end of a range; of `100..500ms` it has the unit of the upper one."""
    ends = NUMBER.fullmatch(low), NUMBER.fullmatch(high)
    if field.kind is Kind.DURATION and ends[0] and ends[1] and not ends[0]["unit"]:
        return low + ends[1]["unit"]
    return low


def compared(comparison: str, value: int) -> tuple[int | None, int | None]:
    """The bounds of a comparison with a whole number."""
    match comparison:
        case ">":
            return value + 1, None
        case ">=":
            return value, None
        case "<":
            return None, value - 1
        case "<=":
            return None, value
        case _:
            return value, value


def number(field: Field, text: str, start: int) -> int:
    """One number in base units.

    Raises:
        QueryError: it is none, or too large, or finer than the base unit.
    """
    end = start + len(text)
    found = NUMBER.fullmatch(text)
    if found is None or (field.kind is not Kind.MONEY and (found["dollar"] or found["cent"])):
        said = f"{text} is no number" if text else "A number is missing"
        raise QueryError(start, end, f"{said}. {field.name}: takes {field.accepts}.")
    units = UNITS[field.kind]
    unit = found["unit"].lower()
    if unit not in units:
        known = ", ".join(name for name in units if name) or "no unit"
        raise QueryError(
            start + found.start("unit"), end, f"There is no unit {found['unit']} here; {known} may be used."
        )
    exact = Decimal(found["digits"]) * units[unit]
    value = int(exact)
    if value >= LARGEST:
        raise QueryError(start, end, f"{text} is too large. {field.name}: takes {field.accepts}.")
    if value != exact:
        raise QueryError(start, end, f"{text} is finer than what is measured. {field.name}: takes {field.accepts}.")
    return value


def written(kind: Kind, low: int | None, high: int | None) -> str:
    """Bounds as they are written: a comparison where a side is open, with the rounder of the numbers that fit."""
    if high is None:
        assert low is not None
        return f">{amount(kind, low - 1)}" if rounder(low - 1, low) else f">={amount(kind, low)}"
    if low is None:
        return f"<{amount(kind, high + 1)}" if rounder(high + 1, high) else f"<={amount(kind, high)}"
    return amount(kind, low) if low == high else f"{amount(kind, low)}..{amount(kind, high)}"


def rounder(one: int, other: int) -> bool:
    """Whether a number that can be written has no more digits that count than another one."""
    return 0 <= one < LARGEST and digits(one) <= digits(other)


def digits(value: int) -> int:
    """How many digits of a number count."""
    return len(str(abs(value)).rstrip("0"))


def amount(kind: Kind, value: int) -> str:
    """A number with the unit in which it is shortest."""
    units = UNITS[kind]
    fitting = [unit for unit in SHOWN[kind] if units[unit] % 3 or value % 3 == 0]  # sixths of a minute have no end
    return min((plain(Decimal(value) / units[unit]) + unit for unit in fitting), key=len)


def plain(value: Decimal) -> str:
    """A decimal without an exponent or zeros at its end."""
    text = f"{value:f}"
    return text.rstrip("0").rstrip(".") if "." in text else text
