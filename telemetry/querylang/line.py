"""A query line as it was understood: terms that must all hold, and the canonical text of each."""

import dataclasses
import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from telemetry.querylang.amounts import written
from telemetry.querylang.fields import FIELDS, TEXT

SPECIAL: Final = re.compile(r'[\s"\\,*]')
NAMED: Final = re.compile(r"[A-Za-z_]+:")


@dataclass(frozen=True)
class Words:
    """A text to look for: pieces with any letters between them; `exact`: it stood in quotation marks (of `text:`)."""

    pieces: tuple[str, ...]
    exact: bool = False


@dataclass(frozen=True)
class Between:
    """A number within bounds, in the field's base unit (ns, 10⁻¹² USD, a count); None leaves a side open.

    Both bounds belong to it; a strict one is the next whole number.
    """

    low: int | None
    high: int | None


Value = Words | Between


@dataclass(frozen=True)
class Term:
    """A field and its values, one of which must fit (none, if negated); `start` and `end` say where it stands."""

    field: str
    values: tuple[Value, ...]
    negated: bool = False
    start: int = dataclasses.field(default=0, compare=False)
    end: int = dataclasses.field(default=0, compare=False)


@dataclass(frozen=True)
class Line:
    """All terms of a line."""

    terms: tuple[Term, ...] = ()

    def __str__(self) -> str:
        return " ".join(term_text(term) for term in self.terms)

    def of(self, field: str) -> Sequence[Term]:
        """The terms of one field."""
        return [term for term in self.terms if term.field == field]


def term_text(term: Term) -> str:
    """A term as it is written."""
    sign = "-" if term.negated else ""
    [first, *more] = term.values
    if term.field == TEXT and not more:
        assert isinstance(first, Words)
        return sign + (quoted(first.pieces[0]) if first.exact else bare(first.pieces[0]))
    values = [value_text(term.field, value) for value in term.values]
    return f"{sign}{term.field}:{','.join(values)}"


def value_text(name: str, value: Value) -> str:
    """A value as it is written after the colon."""
    if isinstance(value, Between):
        return written(FIELDS[name].kind, value.low, value.high)
    whole = value.pieces[0]
    if value.exact or (name != TEXT and len(value.pieces) == 1 and re.search(r"\s", whole)):
        return quoted(whole)
    return "*".join(escaped(piece) for piece in value.pieces)


def bare(word: str) -> str:
    """A word outside any field; what would be read as a field or a minus is escaped."""
    text = escaped(word).replace("\\,", ",")
    if text.startswith("-"):
        text = f"\\{text}"
    return text.replace(":", "\\:", 1) if NAMED.match(text) else text


def escaped(text: str) -> str:
    """A text without quotation marks."""
    return SPECIAL.sub(r"\\\g<0>", text)


def quoted(text: str) -> str:
    """A text in quotation marks."""
    return '"' + re.sub(r'["\\]', r"\\\g<0>", text) + '"'
