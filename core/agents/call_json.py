"""Where a JSON text that may be a tool call begins and ends, as far as it has arrived."""

import re
from dataclasses import dataclass
from enum import Enum

from core.agents.call_values import ARGUMENT_KEYS, NAME_KEYS, OTHER_KEYS, WRAPPER_KEYS, TextCall, named, read

KEYS = (*NAME_KEYS, *ARGUMENT_KEYS, *WRAPPER_KEYS, *OTHER_KEYS)
PATIENCE = 20_000
"""Characters: a text is held back at most so long while nothing in it names a tool."""

OBJECT_HEAD = re.compile(r"(?:\[\s*)?\{\s*")
KEY = re.compile(r"""(["'])(\w*)(\1\s*(?::\s*)?)?""")
STRING = r""""(?:[^"\\]|\\.)*(?:"|\\?\Z)|'(?:[^'\\]|\\.)*(?:'|\\?\Z)"""


class Verdict(Enum):
    """What a text that may begin a call is, where it is not one."""

    NO = "ordinary text"
    MORE = "not decided yet"


@dataclass(frozen=True)
class Found:
    """Calls that take up the first `length` characters; `closers` end their wrapping and may follow."""

    calls: tuple[TextCall, ...]
    length: int
    closers: tuple[str, ...] = ()


class CutCall(Exception):
    """The text ended in the middle of a call's arguments, so nobody knows what was meant."""


def objects(text: str, names: frozenset[str], ended: bool, closers: tuple[str, ...]) -> Found | Verdict:
    """Judge a JSON object, or an array of them."""
    if not plausible(text, names):
        return Verdict.NO
    end, whole = extent(text, closers)
    if (end is None or end > PATIENCE) and len(text) >= PATIENCE and not named(text[:PATIENCE], names):
        return Verdict.NO
    if end is None:
        return last_words(text, names) if ended else Verdict.MORE
    calls = read(text[:end], names, broken=not whole)
    return Found(calls, end) if calls else Verdict.NO


def plausible(text: str, names: frozenset[str]) -> bool:
    """Whether the beginning of a JSON text is that of a call, as far as it goes."""
    head = OBJECT_HEAD.match(text)
    if head is None:
        return text.startswith("[") and not text[1:].strip()
    rest = text[head.end() :]
    key = KEY.match(rest)
    if not rest or key is None:
        return not rest
    _, name, closed = key.groups()
    if not closed:
        return key.end() == len(rest) and any(known.startswith(name) for known in KEYS)
    value = rest[key.end() :]
    if name not in NAME_KEYS or not value or (name in WRAPPER_KEYS and value[0] in "{["):
        return name in KEYS
    return value[0] in "\"'" and names_a_tool(value, names)


def names_a_tool(value: str, names: frozenset[str]) -> bool:
    """Whether a quoted text, or as much as there is of it, is the name of a tool."""
    name, closed, _ = value[1:].partition(value[0])
    return name in names if closed else any(known.startswith(name) for known in names)


def extent(text: str, closers: tuple[str, ...]) -> tuple[int | None, bool]:
    """Where the brackets that open a text are closed (None: not yet), and whether they are.

    What closes the wrapping ends a text whose brackets do not close.
    """
    depth = 0
    marks = "|".join([STRING, r"[{}\[\]]", *map(re.escape, closers)])
    for token in re.finditer(marks, text, re.DOTALL):
        mark = token[0]
        if mark in closers:
            return token.start(), False
        depth += (mark in "{[") - (mark in "}]") if len(mark) == 1 else 0
        if depth == 0:
            return token.end(), True
    return None, False


def last_words(text: str, names: frozenset[str]) -> Found | Verdict:
    """Judge a JSON text that ended before its brackets closed.

    Raises:
        CutCall: it was a call.
    """
    if not named(text, names):
        return Verdict.NO
    if calls := read(text, names, broken=True) if text.rstrip("` \n\t").endswith(("}", "]")) else ():
        return Found(calls, len(text))
    raise CutCall
