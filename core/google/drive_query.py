"""Drive's query language: a text becomes a tree of conditions, or the place where it does not parse is said."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any

from dateutil.parser import isoparse
from lark import Lark, Token, Transformer
from lark.exceptions import LarkError, UnexpectedInput, VisitError

COMPARISONS = ("<=", "<", "=", "!=", ">", ">=")
EQUAL = ("=", "!=")
FIELDS: Mapping[str, tuple[str, ...]] = {
    "name": ("contains", *EQUAL),
    "fullText": ("contains",),
    "mimeType": ("contains", *EQUAL),
    "modifiedTime": COMPARISONS,
    "viewedByMeTime": COMPARISONS,
    "createdTime": COMPARISONS,
    "sharedWithMeTime": COMPARISONS,
    "trashed": EQUAL,
    "starred": EQUAL,
    "sharedWithMe": EQUAL,
    "visibility": EQUAL,
    "shortcutDetails.targetId": EQUAL,
    "parents": ("in",),
    "owners": ("in",),
    "writers": ("in",),
    "readers": ("in",),
    "properties": ("has",),
    "appProperties": ("has",),
}
"""What each field may be asked with."""

MOST_SIGNS = 400
"""Quotation marks, or brackets, that a query may have."""

FLAGS = ("trashed", "starred", "sharedWithMe")
TIMES = ("modifiedTime", "viewedByMeTime", "createdTime", "sharedWithMeTime")
VISIBILITIES = ("anyoneCanFind", "anyoneWithLink", "domainCanFind", "domainWithLink", "limited")

GRAMMAR = r"""
start: choice
choice: unary (joiner unary)*
joiner: AND | OR
?unary: NOT unary -> negation | "(" choice ")" | condition
condition: STRING IN FIELD -> among | FIELD HAS "{" PAIR_KEY "=" STRING AND PAIR_VALUE "=" STRING "}" -> has
    | FIELD operator value -> compared | FIELD -> flag
operator: OPERATOR | CONTAINS
?value: STRING -> text | TRUE -> true | FALSE -> false
AND.3: /and(?![\w.])/
OR.3: /or(?![\w.])/
NOT.3: /not(?![\w.])/
IN.3: /in(?![\w.])/
HAS.3: /has(?![\w.])/
CONTAINS.3: /contains(?![\w.])/
TRUE.3: /true(?![\w.])/
FALSE.3: /false(?![\w.])/
PAIR_KEY.4: /key(?=\s*=)/
PAIR_VALUE.4: /value(?=\s*=)/
FIELD: /[A-Za-z][A-Za-z.]*/
OPERATOR: /<=|>=|!=|=|<|>/
STRING: /'(?:[^'\\]|\\.)*'/s
%ignore /\s+/
"""


class QueryError(Exception):
    """A query does not parse.

    Attributes:
        column: where, from 1.
        problem: what is wrong there, in words.
    """

    def __init__(self, column: int, problem: str) -> None:
        super().__init__(f"at character {column}: {problem}")
        self.column, self.problem = column, problem


@dataclass(frozen=True)
class Compare:
    """A field, an operator (`contains`, `in`, `=` and so on), and what it is compared with."""

    field: str
    operator: str
    value: str | bool


@dataclass(frozen=True)
class Has:
    """A property of a file that has this key and value."""

    field: str
    key: str
    value: str


@dataclass(frozen=True)
class Not:
    """What must not hold."""

    part: "Node"


@dataclass(frozen=True)
class Both:
    """Two conditions that must hold together."""

    left: "Node"
    right: "Node"


@dataclass(frozen=True)
class Either:
    """Two conditions of which one is enough."""

    left: "Node"
    right: "Node"


Node = Compare | Has | Not | Both | Either


class Builder(Transformer[Token, Node]):
    """Turns the parse into the tree; a condition that no field takes is refused at its place."""

    def start(self, parts: list[Node]) -> Node:
        """The whole text."""
        return parts[0]

    def choice(self, parts: list[Any]) -> Node:
        """Conditions joined by `and` and `or`, which Drive reads from left to right."""
        node: Node = parts[0]
        for joiner, right in zip(parts[1::2], parts[2::2], strict=True):
            node = Both(node, right) if joiner == "and" else Either(node, right)
        return node

    def joiner(self, parts: list[Token]) -> str:
        """`and` or `or`."""
        return str(parts[0])

    def negation(self, parts: list[Any]) -> Node:
        """`not`."""
        return Not(parts[1])

    def operator(self, parts: list[Token]) -> Token:
        """An operator."""
        return parts[0]

    def text(self, parts: list[Token]) -> Token:
        """A text in quotes."""
        return parts[0]

    def true(self, _: list[Token]) -> bool:
        """`true`."""
        return True

    def false(self, _: list[Token]) -> bool:
        """`false`."""
        return False

    def among(self, parts: list[Token]) -> Node:
        """`'a' in parents`."""
        return Compare(checked(parts[2], "in"), "in", unquoted(parts[0]))

    def has(self, parts: list[Token]) -> Node:
        """`properties has { key='a' and value='b' }`."""
        field, _, _, key, _, _, value = parts
        return Has(checked(field, "has"), unquoted(key), unquoted(value))

    def compared(self, parts: list[Any]) -> Node:
        """`name contains 'a'`."""
        field, operator, value = parts
        name = checked(field, str(operator))
        return Compare(name, str(operator), typed(field, value))

    def flag(self, parts: list[Token]) -> Node:
        """`sharedWithMe` alone."""
        if parts[0] not in FLAGS:
            known = str(parts[0]) in FIELDS
            raise QueryError(place(parts[0]), f"{parts[0]} needs an operator and a value" if known else lost(parts[0]))
        return Compare(str(parts[0]), "=", True)


def checked(field: Token, operator: str) -> str:
    """A field that may be asked so.

    Raises:
        QueryError: there is no such field, or it takes other operators.
    """
    allowed = FIELDS.get(str(field))
    if allowed is None:
        raise QueryError(place(field), lost(field))
    if operator not in allowed:
        raise QueryError(place(field), f"{field} takes {' '.join(allowed)}, not {operator}")
    return str(field)


def typed(field: Token, value: Token | bool) -> str | bool:
    """A value of the kind that its field has.

    Raises:
        QueryError: it is of another kind, or no date or visibility where one belongs.
    """
    flag = field in FLAGS
    if isinstance(value, bool) or flag:
        if isinstance(value, bool) and flag:
            return value
        wanted = "true or false" if flag else "a text in single quotes"
        raise QueryError(place(field), f"{field} is compared with {wanted}")
    text = unquoted(value)
    if field in TIMES and not is_time(text):
        raise QueryError(place(value), f"{text!r} is no date such as '2026-01-31T12:00:00'")
    if field == "visibility" and text not in VISIBILITIES:
        raise QueryError(place(value), f"visibility is one of {', '.join(VISIBILITIES)}")
    return text


def is_time(text: str) -> bool:
    """Whether a text is an RFC 3339 date or time."""
    try:
        isoparse(text)
    except ValueError:
        return False
    return True


def lost(field: Token) -> str:
    """What is said of a field that does not exist."""
    return f"there is no field {field}; there are: {', '.join(FIELDS)}"


def place(token: Token) -> int:
    """Where a token begins, from 1."""
    return (token.start_pos or 0) + 1


def unquoted(text: str) -> str:
    """What stands in quotes; a backslash takes the next sign as it is."""
    return re.sub(r"\\(.)", r"\1", text[1:-1], flags=re.DOTALL)


def quoted(text: str) -> str:
    """A text as it is written in a query."""
    return "'" + text.replace("\\", "\\\\").replace("'", "\\'") + "'"


@cache
def parser() -> Lark:
    """The parser, made at the first query."""
    return Lark(GRAMMAR, parser="lalr", propagate_positions=False)


def parse(text: str) -> Node:
    """The conditions of a query.

    Raises:
        QueryError: says where it does not parse.
    """
    if text.count("'") > MOST_SIGNS or text.count("(") > MOST_SIGNS:
        raise QueryError(1, "the query is too long")
    try:
        return Builder().transform(parser().parse(text))
    except VisitError as error:
        if isinstance(error.orig_exc, QueryError):
            raise error.orig_exc from error
        raise
    except UnexpectedInput as error:
        raise unfit(text, error) from error
    except (LarkError, RecursionError) as error:
        raise QueryError(1, "the query cannot be read") from error


def unfit(text: str, error: UnexpectedInput) -> QueryError:
    """Where a text stops being a query."""
    token = getattr(error, "token", None)
    at = int(error.pos_in_stream or 0)
    if at < 0 or (token is not None and token.type == "$END"):
        return QueryError(len(text) + 1, "something is missing at the end")
    return QueryError(at + 1, f"{text[at : at + 12]!r} does not fit here")
