"""Text with holes where something was understood."""

import re
from collections.abc import Iterable

HOLE = "□"


def masked(text: str, places: Iterable[tuple[int, int]]) -> str:
    """The text with holes."""
    for start, end in sorted(places, reverse=True):
        text = f"{text[:start]} {HOLE} {text[end:]}"
    return " ".join(text.split())


def without_holes(text: str) -> str:
    """The words around the holes."""
    return " ".join(text.replace(HOLE, " ").split()).strip(" ?.!,¿¡")


def bare(word: str) -> str:
    """A word without the marks around it and without `'s`."""
    return re.sub(r"['’]s$", "", word.strip(".,:;?!'’\"“”¿¡"))
