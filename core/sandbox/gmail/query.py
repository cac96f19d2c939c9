"""Gmail's search language: a text becomes a tree of conditions; what does not parse is taken as plain words."""

import re
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from lark import Lark, Token, Transformer
from lark.exceptions import LarkError

MAX_DEPTH = 40
FIELDS = (
    *("from", "to", "cc", "bcc", "subject", "label", "category", "has", "is", "in", "filename", "after", "before"),
    *("older", "newer", "older_than", "newer_than", "larger", "smaller", "size", "rfc822msgid", "list", "deliveredto"),
)

GRAMMAR = rf"""
start: all
all: (any | AND)*
any: unary (OR unary)*
?unary: MINUS atom -> negation | atom
?atom: FIELD value -> scoped | near | leaf | group
?value: leaf | group
?group: "(" all ")" | "{{" choice "}}"
choice: (unary | OR)*
near: leaf AROUND leaf
leaf: PHRASE -> phrase | WORD -> word
FIELD.5: /(?:{"|".join(FIELDS)})\s*:\s*(?=\S)/i
AROUND.4: /AROUND\s+\d+(?!\S)/
OR.4: /OR(?![^\s(){{}}"|])|\|/
AND.4: /AND(?![^\s(){{}}"|])/
MINUS.4: /-(?=[^\s-])/
PHRASE.3: /"[^"]*"?/
WORD: /[^\s(){{}}"|]+/
%ignore /\s+/
"""


@dataclass(frozen=True)
class Term:
    """A field (`""`: anywhere) that must hold a text; `exact` keeps the words as they stand."""

    field: str
    text: str
    exact: bool = False


@dataclass(frozen=True)
class Near:
    """Two texts at most `distance` words apart."""

    left: Term
    right: Term
    distance: int


@dataclass(frozen=True)
class Not:
    """What must not hold."""

    part: "Node"


@dataclass(frozen=True)
class AllOf:
    """What must hold together."""

    parts: tuple["Node", ...]


@dataclass(frozen=True)
class AnyOf:
    """Of which one is enough."""

    parts: tuple["Node", ...]


Node = Term | Near | Not | AllOf | AnyOf


class Builder(Transformer[Token, Node]):
    """Turns the parse into the tree."""

    def start(self, parts: list[Node]) -> Node:
        """The whole text."""
        return parts[0]

    def all(self, parts: list[Any]) -> Node:
        """Conditions side by side."""
        return AllOf(tuple(part for part in parts if not isinstance(part, Token)))

    def any(self, parts: list[Any]) -> Node:
        """Conditions joined by OR, which binds closer than standing side by side."""
        nodes = [part for part in parts if not isinstance(part, Token)]
        return nodes[0] if len(nodes) == 1 else AnyOf(tuple(nodes))

    def choice(self, parts: list[Any]) -> Node:
        """Conditions in braces."""
        return AnyOf(tuple(part for part in parts if not isinstance(part, Token)))

    def negation(self, parts: list[Any]) -> Node:
        """A minus before a condition."""
        return Not(parts[1])

    def scoped(self, parts: list[Any]) -> Node:
        """A field and what it must hold, which may be a group."""
        return within(str(parts[0]).rstrip().rstrip(":").rstrip().lower(), parts[1])

    def near(self, parts: list[Any]) -> Node:
        """Two words and their distance."""
        return Near(parts[0], parts[2], int(re.sub(r"\D", "", parts[1])))

    def phrase(self, parts: list[Token]) -> Node:
        """A text in quotation marks."""
        return Term("", parts[0].strip('"'), exact=True)

    def word(self, parts: list[Token]) -> Node:
        """A word; a plus keeps it as it stands."""
        return Term("", parts[0].lstrip("+"), exact=parts[0].startswith("+"))


def within(field: str, node: Node) -> Node:
    """A field handed down into a group."""
    match node:
        case Term("", text, exact):
            return Term(field, text, exact)
        case Not(part):
            return Not(within(field, part))
        case AllOf(parts):
            return AllOf(tuple(within(field, part) for part in parts))
        case AnyOf(parts):
            return AnyOf(tuple(within(field, part) for part in parts))
    return node


@lru_cache(maxsize=1)
def parser() -> Lark:
    """The parser, made at the first search."""
    return Lark(GRAMMAR, parser="lalr", transformer=Builder())


def parse(text: str) -> Node:
    """The conditions of a search text."""
    plain = text.translate({0x201C: '"', 0x201D: '"', 0x201E: '"', 0: " "})
    if depth(plain) > MAX_DEPTH:
        return as_words(plain)
    try:
        return parser().parse(plain)  # type: ignore[return-value]  # the transformer is built in
    except LarkError:
        return as_words(plain)


def as_words(text: str) -> Node:
    """A text that is no search expression: each of its words for itself, and what is one alone counts as that."""
    empty = {"OR", "AND", *(f"{field}:" for field in FIELDS)}
    found = (word for word in re.findall(r'[^\s(){}"|]+', text) if word not in empty)
    return AllOf(tuple(alone(word) for word in found))


def alone(word: str) -> Node:
    """A word without its surroundings, such as `is:unread` in an unclosed bracket."""
    try:
        return parser().parse(word)  # type: ignore[return-value]  # the transformer is built in
    except LarkError:
        return Term("", word.lstrip("-+"))


def depth(text: str) -> int:
    """How deep brackets are nested."""
    level = deepest = 0
    for sign in text:
        level += (sign in "({") - (sign in ")}")
        deepest = max(deepest, level)
    return deepest
