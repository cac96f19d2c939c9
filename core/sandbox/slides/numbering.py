"""The glyphs before the paragraphs of lists, counted where a list counts."""

from collections.abc import Mapping

from core.sandbox.docs.bullets import nesting_level
from core.sandbox.docs.units import Json

ROMAN = ((100, "c"), (90, "xc"), (50, "l"), (40, "xl"), (10, "x"), (9, "ix"), (5, "v"), (4, "iv"), (1, "i"))


class Numbering:
    """Counts along the paragraphs of one text.

    Args:
        lists: list id → preset, as Docs names it.
    """

    def __init__(self, lists: Mapping[str, str]) -> None:
        self._lists = lists
        self._counts: dict[str, list[int]] = {}

    def bullet(self, list_id: str, level: int) -> Json:
        """The bullet of the next paragraph, as Google shows it."""
        counts = self._counts.setdefault(list_id, [])
        counts[level + 1 :] = []
        counts.extend([0] * (level + 1 - len(counts)))
        counts[level] += 1
        found = {"listId": list_id, "glyph": self._glyph(list_id, level, counts), "bulletStyle": {}}
        return {**found, **({"nestingLevel": level} if level else {})}

    def _glyph(self, list_id: str, level: int, counts: list[int]) -> str:
        preset = self._lists[list_id]
        shape = nesting_level(preset, level)
        if "glyphSymbol" in shape:
            return str(shape["glyphSymbol"])
        text = str(shape["glyphFormat"])
        for depth in range(level + 1):
            kind = str(nesting_level(preset, depth)["glyphType"])
            text = text.replace(f"%{depth}", numeral(kind, max(1, counts[depth])))
        return text


def numeral(kind: str, number: int) -> str:
    """A number as one of Google's glyph types writes it."""
    match kind:
        case "ALPHA" | "UPPER_ALPHA":
            text = letters(number)
        case "ROMAN" | "UPPER_ROMAN":
            text = roman(number)
        case "ZERO_DECIMAL":
            return f"{number:02d}"
        case "GLYPH_TYPE_UNSPECIFIED":
            return "☐"
        case _:
            return str(number)
    return text.upper() if kind.startswith("UPPER") else text


def letters(number: int) -> str:
    """1 → a, 27 → aa."""
    text = ""
    while number:
        number, rest = divmod(number - 1, 26)
        text = chr(ord("a") + rest) + text
    return text


def roman(number: int) -> str:
    """1 → i."""
    text = ""
    for value, sign in ROMAN:
        count, number = divmod(number, value)
        text += sign * count
    return text
