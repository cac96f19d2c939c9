"""Typefaces for pictures of slides: one that a library brings along, and for other scripts what the system has."""

from functools import cache
from importlib.resources import files
from typing import Any

WESTERN = {(False, False): "Vera", (True, False): "VeraBd", (False, True): "VeraIt", (True, True): "VeraBI"}
OTHERS = ("NotoSansCJK-Regular.ttc", "NotoSerifCJK-Bold.ttc", "DejaVuSans.ttf", "arialuni.ttf", "msgothic.ttc")
LAST_WESTERN = 0x17F
PUNCTUATION = range(0x2010, 0x2040)
SYMBOLS = "€™"


def western(character: str) -> bool:
    """Whether the typeface that is always there has a character."""
    code = ord(character)
    return code <= LAST_WESTERN or code in PUNCTUATION or character in SYMBOLS


@cache
def face(bold: bool, italic: bool, size: int, is_western: bool) -> Any:
    """A typeface.

    Args:
        size: pixels.
    """
    from PIL import ImageFont

    if not is_western:
        for name in OTHERS:
            try:
                return ImageFont.truetype(name, size)
            except OSError:
                continue
    path = files("reportlab") / "fonts" / f"{WESTERN[bold, italic]}.ttf"
    return ImageFont.truetype(str(path), size)
