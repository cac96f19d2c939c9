"""What a text must hold for a pattern to fit it: a quick look that spares most patterns the try."""

import importlib
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import reduce
from itertools import pairwise
from operator import or_
from re import Pattern
from typing import Any, Generic, TypeVar

T = TypeVar("T")
Clause = frozenset[str]
"""Pieces of text, one of which must be there."""
SHORTEST, WIDEST = 3, 48
"""Bytes of a piece (a Japanese letter has three), and pieces of a clause, that still tell something."""
FOLDED = str.maketrans({"ſ": "s", "İ": "i", "ı": "i"})
"""Letters that patterns without case take for ASCII letters, and `str.lower` does not make such."""
TREES = importlib.import_module("re._parser")  # the only way to a pattern's structure; public until Python 3.11


class Pieces(Generic[T]):
    """Tells which of many pieces a text holds: only those are looked for whose first two letters it has side by side.

    Args:
        known: each piece with what it stands for.
    """

    def __init__(self, known: Iterable[tuple[str, T]]) -> None:
        self._by_start: dict[str, list[tuple[str, T]]] = {}
        for piece, value in known:
            self._by_start.setdefault(piece[:2], []).append((piece, value))

    def within(self, text: str) -> Iterator[T]:
        """What the pieces stand for that the text holds."""
        for start in {*text, *map("".join, pairwise(text))} & self._by_start.keys():
            for piece, value in self._by_start[start]:
                if piece in text:
                    yield value


class Needles:
    """Tells which of many patterns are worth a try on a text; never leaves out one that fits.

    Args:
        patterns: any, with or without case; those that are not compiled are without.
    """

    def __init__(self, patterns: Iterable[Pattern[str] | str]) -> None:
        needs = [clauses(pattern) for pattern in patterns]
        bits = {clause: 1 << number for number, clause in enumerate(dict.fromkeys(c for need in needs for c in need))}
        self._needs = [reduce(or_, (bits[clause] for clause in need), 0) for need in needs]
        pieces = sorted({piece for clause in bits for piece in clause})
        self._pieces = Pieces((one, reduce(or_, (bit for c, bit in bits.items() if one in c))) for one in pieces)

    def worth(self, text: str) -> list[bool]:
        """Whether each pattern, in their order, could fit the text."""
        held = reduce(or_, self._pieces.within(text.translate(FOLDED).lower()), 0)
        return [need & held == need for need in self._needs]


def clauses(pattern: Pattern[str] | str) -> list[Clause]:
    """What each text that the pattern fits holds: of each clause at least one piece."""
    source = (pattern, re.IGNORECASE) if isinstance(pattern, str) else (pattern.pattern, pattern.flags)
    found = dict.fromkeys(needed(TREES.parse(*source)))
    return [clause for clause in found if len(clause) <= WIDEST and telling(clause) >= SHORTEST]


def needed(tree: Iterable[tuple[Any, Any]]) -> Iterator[Clause]:
    """The clauses of the parts of a pattern; letters in a row are one piece."""
    run = ""
    for operation, value in tree:
        name = str(operation)
        letter = chr(value).lower() if name == "LITERAL" else ""
        if letter and (letter.isascii() or letter == letter.upper()):  # others may have more cases than two
            run += letter
            continue
        if run:
            yield frozenset({run})
        run = ""
        if name in PARTS:
            yield from PARTS[name](value)
    if run:
        yield frozenset({run})


def telling(clause: Clause) -> int:
    """How much a clause tells: the bytes of its shortest piece."""
    return min(len(piece.encode()) for piece in clause)


def either(branches: Sequence[Iterable[tuple[Any, Any]]]) -> Iterator[Clause]:
    """Of alternatives the most telling clause of each, as one; nothing where one of them needs nothing."""
    each = [list(needed(branch)) for branch in branches]
    if all(each):
        yield frozenset().union(*(max(found, key=telling) for found in each))


PARTS: dict[str, Callable[[Any], Iterator[Clause]]] = {
    "BRANCH": lambda value: either(value[1]),
    "SUBPATTERN": lambda value: needed(value[-1]),
    "ATOMIC_GROUP": lambda value: needed(value),
    "ASSERT": lambda value: needed(value[1]),
    **dict.fromkeys(
        ("MAX_REPEAT", "MIN_REPEAT", "POSSESSIVE_REPEAT"),
        lambda value: needed(value[2]) if value[0] else iter(()),
    ),
}
"""How the parts of a pattern that hold others are read; all else needs nothing that can be named."""
