"""What may stand next in a query line that is being typed."""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from telemetry.querylang.errors import QueryError
from telemetry.querylang.fields import FIELDS, Field, Kind
from telemetry.querylang.line import Line, Words, value_text
from telemetry.querylang.parser import parse

MOST: Final = 10
SHAPE: Final = re.compile(r"(?P<minus>-?)(?P<name>[A-Za-z_]*)(?P<colon>:?)(?P<values>(?:.*,)?)(?P<part>[^,]*)\Z", re.S)


@dataclass(frozen=True)
class Suggestion:
    """One way to go on: what is shown, and the whole line with it."""

    label: str
    line: str


def suggest(text: str, names: Mapping[str, Sequence[str]], administers: bool = False) -> list[Suggestion]:
    """Ways to complete the last word of a line, or to begin a new one; the likeliest first.

    Args:
        names: field → the names that occur in it, such as the tools that were called.
    """
    before, token = split(text)
    shape = SHAPE.match(token)
    assert shape is not None
    sign = shape["minus"]
    if shape["colon"]:
        known = FIELDS.get(shape["name"].lower())
        options = values_of(known, shape["part"].strip('"'), names) if known else []
        head = f"{before}{sign}{shape['name'].lower()}:{shape['values']}"
        return [Suggestion(option, head + option + " ") for option in options if option != shape["part"]][:MOST]
    if shape["values"] or shape["part"]:  # a text in quotation marks, or a word that no field's name begins with
        return []
    found = [f"{field.name}:" for field in FIELDS.values() if field.name.startswith(shape["name"].lower())]
    found = [one for one in found if one != "user:" or administers]
    if not token:
        return [Suggestion(one, before + one) for one in found]
    found += [f"{name}:{option}" for name in names for option in values_of(FIELDS[name], token.lstrip("-"), names)]
    return [Suggestion(one, f"{before}{sign}{one}" + ("" if one.endswith(":") else " ")) for one in found][:MOST]


def split(text: str) -> tuple[str, str]:
    """A line before its last word, and that word; empty after a space."""
    escaped, start, quoted = False, 0, False
    for at, letter in enumerate(text):
        if escaped:
            escaped = False
        elif letter == "\\":
            escaped = True
        elif letter == '"':
            quoted = not quoted
        elif letter.isspace() and not quoted:
            start = at + 1
    return text[:start], text[start:]


def values_of(field: Field, part: str, names: Mapping[str, Sequence[str]]) -> list[str]:
    """The values of a field that have a part in them, as they are written; those that begin with it first."""
    wanted = part.lower()
    if field.kind in (Kind.CHOICE, Kind.NAME):
        known: Iterable[str] = field.choices or names.get(field.name, ())
        fitting = [name for name in known if wanted in name.lower()]
        fitting.sort(key=lambda name: not name.lower().startswith(wanted))
        return [value_text(field.name, Words((name,))) for name in fitting]
    return [example for example in field.examples if not part]


def finished_part(text: str) -> Line:
    """The terms of a line before the word that is being typed; none if they are wrong, too."""
    try:
        return parse(split(text)[0])
    except QueryError:
        return Line()
