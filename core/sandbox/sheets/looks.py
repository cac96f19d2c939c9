"""How cells look: Google's CellFormat, and the style that the calculation engine keeps of it."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, cast

from core.sandbox.fields import Mask
from core.sandbox.sheets.numbers import AUTOMATIC, USUAL, kind

if TYPE_CHECKING:
    from ironcalc._ironcalc import StyleDict

Json = dict[str, Any]
HORIZONTAL = {"left": "LEFT", "center": "CENTER", "right": "RIGHT"}
VERTICAL = {"top": "TOP", "center": "MIDDLE", "bottom": "BOTTOM"}
EMPHASIS = {"bold": "b", "italic": "i", "underline": "u", "strikethrough": "strike"}
FONT, SIZE = "Arial", 10
OWN_FONT = "none"
"""The engine's mark of a font that somebody chose."""


def color_from(value: Any) -> str | None:
    """Google's colour, of fractions, as `#RRGGBB`."""
    if not isinstance(value, Mapping):
        return None
    parts = [min(max(float(value.get(name) or 0), 0.0), 1.0) for name in ("red", "green", "blue")]
    return "#" + "".join(f"{round(part * 255):02X}" for part in parts)


def color_of(text: str) -> dict[str, float]:
    """`#RRGGBB` as Google's colour; what is zero is left out, as Google does."""
    parts = {name: int(text[at : at + 2], 16) / 255 for name, at in (("red", 1), ("green", 3), ("blue", 5))}
    return {name: part for name, part in parts.items() if part}


def canonical(value: Any) -> Any:
    """A CellFormat with each colour once: `backgroundColorStyle` becomes `backgroundColor`."""
    if not isinstance(value, Mapping):
        return value
    plain = {name: canonical(item) for name, item in value.items() if not name.endswith("ColorStyle")}
    for name, item in value.items():
        if name.endswith("ColorStyle"):
            plain[name.removesuffix("Style")] = item.get("rgbColor", {}) if isinstance(item, Mapping) else item
    return plain


def canonical_mask(mask: Mask) -> Mask:
    """A mask that speaks of each colour by one name."""
    whole: Mask = {}
    for name, inner in mask.items():
        plain = name.removesuffix("Style") if name.endswith("ColorStyle") else name
        whole[plain] = {} if plain.endswith("Color") else canonical_mask(inner)
    return whole


def twinned(value: Any) -> Any:
    """A CellFormat as Google answers: each colour also as its style."""
    if not isinstance(value, Mapping):
        return value
    whole = {name: twinned(item) for name, item in value.items()}
    return whole | {f"{name}Style": {"rgbColor": item} for name, item in whole.items() if name.endswith("Color")}


def read(style: "StyleDict", more: Json) -> Json:
    """What somebody chose, in canonical form.

    Args:
        more: the part that the engine cannot keep.
    """
    look: Json = dict(more)
    pattern = style["num_fmt"]
    if pattern != AUTOMATIC:
        look["numberFormat"] = {"type": kind(pattern), "pattern": pattern, **look.get("numberFormat", {})}
    fill = (style.get("fill") or {}).get("color")
    if isinstance(fill, str):
        look["backgroundColor"] = color_of(fill)
    alignment = style.get("alignment") or {}
    if alignment.get("horizontal") in HORIZONTAL:
        look["horizontalAlignment"] = HORIZONTAL[alignment["horizontal"]]
    if alignment.get("vertical") in VERTICAL and alignment.get("vertical") != "bottom":
        look["verticalAlignment"] = VERTICAL[alignment["vertical"]]
    if alignment.get("wrap_text"):
        look["wrapStrategy"] = "WRAP"
    text = {**look.get("textFormat", {}), **read_font(style)}
    return {**look, "textFormat": text} if text else look


def read_font(style: "StyleDict") -> Json:
    """What somebody chose of the text."""
    font = style.get("font") or {}
    text: Json = {name: True for name, short in EMPHASIS.items() if font.get(short)}
    if isinstance(font.get("color"), str):
        text["foregroundColor"] = color_of(cast(str, font["color"]))
    if font.get("scheme") == OWN_FONT:
        text |= {"fontSize": font.get("sz", SIZE), "fontFamily": font.get("name", FONT)}
    return text


def style_of(look: Json) -> tuple["StyleDict", Json]:
    """A canonical CellFormat as the engine's style, and what that cannot keep."""
    more = {name: value for name, value in look.items() if name not in ("numberFormat", "backgroundColor")}
    pattern = pattern_of(look.get("numberFormat"))
    if pattern != AUTOMATIC and (said := look["numberFormat"].get("type")) not in (None, kind(pattern)):
        more["numberFormat"] = {"type": said}
    text = dict(more.pop("textFormat", None) or {})
    align: Json = {}
    for ours, theirs, names in (
        ("horizontal", "horizontalAlignment", HORIZONTAL),
        ("vertical", "verticalAlignment", VERTICAL),
    ):
        found = next((name for name, shown in names.items() if shown == more.get(theirs)), None)
        if found and (theirs, found) != ("verticalAlignment", "bottom"):
            align[ours] = found
            del more[theirs]
    if more.get("wrapStrategy") == "WRAP":
        align["wrap_text"] = bool(more.pop("wrapStrategy"))
    font, rest = font_of(text)
    fill = color_from(look.get("backgroundColor"))
    style: Json = {
        "num_fmt": pattern,
        "fill": {"color": fill} if fill else {},
        "font": font,
        "border": {},
        "quote_prefix": False,
    }
    if align:
        style["alignment"] = {"horizontal": "general", "vertical": "bottom", "wrap_text": False, **align}
    return cast("StyleDict", style), {**more, "textFormat": rest} if rest else more


def font_of(text: Json) -> tuple[Json, Json]:
    """A TextFormat as the engine's font, and what that cannot keep."""
    font: Json = {"sz": SIZE, "name": FONT, "family": 2, "scheme": "minor"}
    font |= {short: True for name, short in EMPHASIS.items() if text.pop(name, False)}
    color = color_from(text.pop("foregroundColor", None))
    font |= {"color": color} if color else {}
    if text.get("fontSize") or text.get("fontFamily"):
        font |= {"sz": int(text.get("fontSize") or SIZE), "name": text.get("fontFamily") or FONT, "scheme": OWN_FONT}
    return font, {name: value for name, value in text.items() if name not in ("fontSize", "fontFamily")}


def pattern_of(number: Any) -> str:
    """The pattern that a NumberFormat asks for."""
    if not isinstance(number, Mapping):
        return AUTOMATIC
    return str(number.get("pattern") or USUAL.get(str(number.get("type")), AUTOMATIC))


def effective(look: Json, value: Any) -> Json:
    """A look with the spreadsheet's defaults under it."""
    right = isinstance(value, float) and not isinstance(value, bool)
    aligned = "CENTER" if isinstance(value, bool) else "RIGHT" if right else "LEFT"
    text = {**DEFAULT["textFormat"], **look.get("textFormat", {})}
    return {**DEFAULT, "horizontalAlignment": aligned, **look, "textFormat": text}


DEFAULT: Json = {
    "backgroundColor": {"red": 1, "green": 1, "blue": 1},
    "padding": {"top": 2, "right": 3, "bottom": 2, "left": 3},
    "verticalAlignment": "BOTTOM",
    "wrapStrategy": "OVERFLOW_CELL",
    "textFormat": {
        "foregroundColor": {},
        "fontFamily": FONT,
        "fontSize": SIZE,
        "bold": False,
        "italic": False,
        "strikethrough": False,
        "underline": False,
    },
    "hyperlinkDisplayType": "PLAIN_TEXT",
}
"""The look of a cell that nobody has touched."""
