"""Looks of cells and conditional formats, between what a model says and Google's objects."""

import json
import re
from collections.abc import Mapping, Sequence
from typing import Any

from core.a1 import Area, write_area
from core.mcp_server.desk import BadArgument
from core.mcp_server.results_sheets import FormatRule

Json = dict[str, Any]
CONDITIONS: Mapping[str, int] = {
    **dict.fromkeys(("NUMBER_GREATER", "NUMBER_GREATER_THAN_EQ", "NUMBER_LESS", "NUMBER_LESS_THAN_EQ"), 1),
    **dict.fromkeys(("NUMBER_EQ", "NUMBER_NOT_EQ", "TEXT_CONTAINS", "TEXT_NOT_CONTAINS", "TEXT_STARTS_WITH"), 1),
    **dict.fromkeys(("TEXT_ENDS_WITH", "TEXT_EQ", "DATE_EQ", "DATE_BEFORE", "DATE_AFTER", "CUSTOM_FORMULA"), 1),
    **dict.fromkeys(("NUMBER_BETWEEN", "NUMBER_NOT_BETWEEN"), 2),
    **dict.fromkeys(("BLANK", "NOT_BLANK"), 0),
}
"""Condition types that formats may have, and how many values each takes."""
POINTS = ("MIN", "MAX", "NUMBER", "PERCENT", "PERCENTILE")
COLOR = re.compile(r"#?([0-9A-Fa-f]{6})")


def color(name: str, text: str) -> Json:
    """`#RRGGBB` as Google's colour.

    Raises:
        BadArgument: it is none.
    """
    match = COLOR.fullmatch(text.strip())
    if match is None:
        raise BadArgument(name, f"{text!r} is no colour such as #FFEE00")
    red, green, blue = (int(match[1][at : at + 2], 16) / 255 for at in (0, 2, 4))
    return {"red": red, "green": green, "blue": blue}


def hexed(value: Mapping[str, float] | None) -> str | None:
    """Google's colour as `#RRGGBB`."""
    if value is None:
        return None
    return "#" + "".join(f"{round(value.get(name, 0) * 255):02X}" for name in ("red", "green", "blue"))


def shade(background: str | None, text: str | None) -> Json:
    """The CellFormat of two colours."""
    look: Json = {}
    if background:
        look["backgroundColor"] = color("background_color", background)
    if text:
        look["textFormat"] = {"foregroundColor": color("text_color", text)}
    return look


def condition(kind: str, values: Sequence[Any] | str | None) -> Json:
    """A BooleanCondition.

    Raises:
        BadArgument: an unknown type, or another number of values than it takes.
    """
    kind = kind.strip().upper()
    if kind not in CONDITIONS:
        raise BadArgument("condition_type", f"{kind!r} is none of {', '.join(CONDITIONS)}")
    given = [str(value) for value in listed("condition_values", values)]
    if len(given) != CONDITIONS[kind]:
        raise BadArgument("condition_values", f"{kind} takes {CONDITIONS[kind]} values, not {len(given)}")
    if kind == "CUSTOM_FORMULA" and not given[0].startswith("="):
        raise BadArgument("condition_values", "a formula begins with =, such as =$C2>100")
    return {"type": kind, **({"values": [{"userEnteredValue": value} for value in given]} if given else {})}


def gradient(points: Sequence[Any] | str) -> Json:
    """A GradientRule of two or three points.

    Raises:
        BadArgument: they are something else.
    """
    given = listed("gradient_points", points)
    if len(given) not in (2, 3) or not all(isinstance(one, Mapping) for one in given):
        raise BadArgument("gradient_points", 'two or three such as {"type": "MIN", "color": "#FFFFFF"}, lowest first')
    names = ("minpoint", "maxpoint") if len(given) == 2 else ("minpoint", "midpoint", "maxpoint")
    return {name: point(one) for name, one in zip(names, given, strict=True)}


def point(given: Mapping[str, Any]) -> Json:
    """One point of a gradient."""
    kind = str(given.get("type", "")).upper()
    if kind not in POINTS:
        raise BadArgument("gradient_points", f"type must be one of {', '.join(POINTS)}")
    made: Json = {"type": kind, "color": color("gradient_points", str(given.get("color", "")))}
    if kind in ("MIN", "MAX"):
        return made
    if given.get("value") is None:
        raise BadArgument("gradient_points", f"a point of type {kind} needs a value")
    return {**made, "value": str(given["value"])}


def listed(name: str, values: Sequence[Any] | str | None) -> list[Any]:
    """A list, from a list, its JSON, or one value.

    Raises:
        BadArgument: it is JSON that does not parse.
    """
    if isinstance(values, str) and values.strip().startswith(("[", "{")):
        try:
            values = json.loads(values)
        except ValueError as error:
            raise BadArgument(name, "is no JSON list") from error
    if values is None:
        return []
    return list(values) if isinstance(values, (list, tuple)) else [values]


def rule(index: int, given: Json) -> FormatRule:
    """A conditional format in words."""
    ranges = [write_area(area(one)) or "the whole sheet" for one in given.get("ranges", [])]
    if "gradientRule" in given:
        return FormatRule(index=index, ranges=ranges, condition=f"GRADIENT {points(given['gradientRule'])}")
    boolean = given.get("booleanRule", {})
    asked, look = boolean.get("condition", {}), boolean.get("format", {})
    values = [one.get("userEnteredValue", one.get("relativeDate", "")) for one in asked.get("values", [])]
    return FormatRule(
        index=index,
        ranges=ranges,
        condition=" ".join([asked.get("type", "?"), *values]),
        background_color=hexed(look.get("backgroundColor")),
        text_color=hexed(look.get("textFormat", {}).get("foregroundColor")),
    )


def points(given: Json) -> str:
    """A gradient in words."""
    found = [given[name] for name in ("minpoint", "midpoint", "maxpoint") if name in given]
    return ", ".join(" ".join(filter(None, (p["type"], p.get("value"), hexed(p.get("color"))))) for p in found)


def area(grid: Json) -> Area:
    """A GridRange as an area."""
    top, left = grid.get("startRowIndex", 0), grid.get("startColumnIndex", 0)
    return Area(top, left, grid.get("endRowIndex"), grid.get("endColumnIndex"))
