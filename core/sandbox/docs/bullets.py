"""Lists: the presets of their bullets, and paragraphs that join or leave one."""

from typing import Any

from core.sandbox.docs.model import points
from core.sandbox.docs.units import Json

SYMBOLS = {
    "BULLET_DISC_CIRCLE_SQUARE": "●○■",
    "BULLET_DIAMONDX_ARROW3D_SQUARE": "❖➢■",
    "BULLET_CHECKBOX": "",
    "BULLET_ARROW_DIAMOND_DISC": "➔◆●",
    "BULLET_STAR_CIRCLE_SQUARE": "★○■",
    "BULLET_ARROW3D_CIRCLE_SQUARE": "➢○■",
    "BULLET_LEFTTRIANGLE_DIAMOND_DISC": "◀◆●",
    "BULLET_DIAMONDX_HOLLOWDIAMOND_SQUARE": "❖◇■",
    "BULLET_DIAMOND_CIRCLE_SQUARE": "◆○■",
}
"""The glyphs of the unnumbered presets, level by level, in turn."""

NUMBERS = {
    "NUMBERED_DECIMAL_ALPHA_ROMAN": ("DECIMAL", "ALPHA", "ROMAN"),
    "NUMBERED_DECIMAL_ALPHA_ROMAN_PARENS": ("DECIMAL", "ALPHA", "ROMAN"),
    "NUMBERED_DECIMAL_NESTED": ("DECIMAL",),
    "NUMBERED_UPPERALPHA_ALPHA_ROMAN": ("UPPER_ALPHA", "ALPHA", "ROMAN"),
    "NUMBERED_UPPERROMAN_UPPERALPHA_DECIMAL": ("UPPER_ROMAN", "UPPER_ALPHA", "DECIMAL"),
    "NUMBERED_ZERODECIMAL_ALPHA_ROMAN": ("ZERO_DECIMAL", "ALPHA", "ROMAN"),
}
"""The glyph types of the numbered presets, in turn."""

PRESETS = frozenset({*SYMBOLS, *NUMBERS})
LEVELS = 9
STEP = 36
"""Points that each level is further in."""


def nesting_levels(preset: str) -> list[Json]:
    """The levels of a list."""
    return [nesting_level(preset, level) for level in range(LEVELS)]


def nesting_level(preset: str, level: int) -> Json:
    """One level of a list."""
    shape: Json = {"bulletAlignment": "START", "textStyle": {}, "startNumber": 1, **glyph(preset, level)}
    return {**shape, **indents(level)}


def glyph(preset: str, level: int) -> Json:
    """What stands before a paragraph of some level."""
    if preset in NUMBERS:
        kinds = NUMBERS[preset]
        nested = preset == "NUMBERED_DECIMAL_NESTED"
        whole = ".".join(f"%{depth}" for depth in range(level + 1)) if nested else f"%{level}"
        ending = ")" if preset.endswith("PARENS") else "."
        return {"glyphType": kinds[level % len(kinds)], "glyphFormat": whole + ending}
    symbols = SYMBOLS[preset]
    if not symbols:
        return {"glyphType": "GLYPH_TYPE_UNSPECIFIED", "glyphFormat": f"%{level}"}
    return {"glyphSymbol": symbols[level % len(symbols)], "glyphFormat": f"%{level}"}


def indents(level: int) -> Json:
    """How far in a paragraph of a level is."""
    return {"indentFirstLine": points(STEP * level + STEP / 2), "indentStart": points(STEP * (level + 1))}


def ordered(preset: str) -> bool:
    """Whether a preset counts."""
    return preset in NUMBERS


def in_list(data: Any, list_id: str, level: int) -> Json:
    """A paragraph's data as a member of a list."""
    level = min(level, LEVELS - 1)
    return {**data, "style": {**data["style"], **indents(level)}, "bullet": {"list": list_id, "level": level}}


def out_of_list(data: Any) -> Json:
    """A paragraph's data outside any list; it stays as far in as its level was."""
    level = data.get("bullet", {}).get("level", 0)
    style = {name: value for name, value in data["style"].items() if name not in ("indentFirstLine", "indentStart")}
    if level:
        style |= {"indentFirstLine": points(STEP * level), "indentStart": points(STEP * level)}
    return {"style": style}
