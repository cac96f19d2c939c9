"""The parser of the query line: text → terms, or the character at which it stops making sense."""

import re
import unicodedata
from functools import cache
from typing import Any, Final

from lark import Lark, Token, Transformer
from lark.exceptions import UnexpectedInput, VisitError

from telemetry.querylang.amounts import bounds
from telemetry.querylang.errors import QueryError
from telemetry.querylang.fields import FIELDS, TEXT, Field, Kind, unknown
from telemetry.querylang.line import Between, Line, Term, Value, Words
from telemetry.texts import sound

LONGEST: Final = 1_000
"""Characters of a line."""
MOST_VALUES: Final = 50
MOST_STARS: Final = 4
GRAMMAR: Final = r"""
start: term*
term: MINUS? (FIELD COLON value (COMMA value)* | BARE | PHRASE)
value: VALUE | PHRASE
MINUS.3: /-(?=\S)/
FIELD.3: /[A-Za-z_]+(?=:)/
COLON: ":"
COMMA.4: ","
PHRASE.2: /"(?:[^"\\]|\\.)*"/s
VALUE: /(?:[^\s",\\]|\\.)+/s
BARE: /(?:[^\s"\\]|\\.)+/s
%ignore /\s+/
"""


class Builder(Transformer[Token, Line]):
    """Turns the parse into terms; a value that its field does not take is refused at its place."""

    def start(self, terms: list[Term]) -> Line:
        """The whole line."""
        return Line(tuple(terms))

    def value(self, parts: list[Token]) -> Token:
        """One value."""
        return parts[0]

    def term(self, parts: list[Token]) -> Term:
        """One term."""
        negated = parts[0].type == "MINUS"
        begin, end = place(parts[0]), place(parts[-1]) + len(parts[-1])
        head, *rest = parts[1:] if negated else parts
        if head.type != "FIELD":
            return Term(TEXT, (value_of(FIELDS[TEXT], head),), negated, begin, end)
        known = FIELDS.get(head.lower())
        if known is None:
            raise QueryError(place(head), place(head) + len(head), unknown(str(head)))
        values = [value_of(known, part) for part in rest if part.type in ("VALUE", "PHRASE")]
        if len(values) > MOST_VALUES:
            raise QueryError(begin, end, f"These are {len(values)} values; at most {MOST_VALUES} may stand together.")
        return Term(known.name, tuple(dict.fromkeys(values)), negated, begin, end)


def value_of(known: Field, token: Token) -> Value:
    """A value of the kind that its field has.

    Raises:
        QueryError: it is of another kind.
    """
    start, end = place(token), place(token) + len(token)
    quoted = token.type == "PHRASE"
    pieces = (unescaped(token[1:-1]),) if quoted else pieces_of(token)
    if not any(piece.strip() for piece in pieces) and len(pieces) == 1:
        raise QueryError(start, end, f"Nothing stands in the quotation marks. {known.name}: takes {known.accepts}.")
    match known.kind:
        case Kind.TEXT:
            return words(pieces, quoted, start, end)
        case Kind.NAME:
            return name_of(known, pieces, start, end)
        case Kind.CHOICE:
            return choice(known, "*".join(pieces), start, end)
        case _:
            text = str(token[1:-1] if quoted else token)
            return Between(*bounds(known, text, start + quoted))


def words(pieces: tuple[str, ...], quoted: bool, start: int, end: int) -> Words:
    """Words to look for in texts; a star at the end changes nothing, because words are found by their beginning.

    Raises:
        QueryError: there is a star elsewhere, or no letter.
    """
    if len(pieces) > 1 and not pieces[-1]:
        pieces = pieces[:-1]
    if len(pieces) > 1:
        sentence = "In a text * may only stand at the end of a word. Write the words one by one."
        raise QueryError(start, end, sentence)
    if not any(map(searchable, pieces[0])):
        raise QueryError(start, end, "There is no word in it that could be looked for. Write letters or digits.")
    return Words(pieces, quoted)


def name_of(known: Field, pieces: tuple[str, ...], start: int, end: int) -> Words:
    """A name or a pattern; several stars in a row are one.

    Raises:
        QueryError: there are more stars than a pattern needs.
    """
    kept = (pieces[0], *(piece for piece in pieces[1:-1] if piece), *pieces[1:][-1:])
    if len(kept) > MOST_STARS + 1:
        raise QueryError(start, end, f"{known.name}: takes at most {MOST_STARS} stars in a name. Leave some out.")
    return Words(kept)


def searchable(letter: str) -> bool:
    """Whether a character is in the index: letters, digits, and symbols such as emoji, not punctuation."""
    return letter.isalnum() or unicodedata.category(letter) == "So"


def choice(known: Field, text: str, start: int, end: int) -> Words:
    """One of the few words that a field takes.

    Raises:
        QueryError: it is another one.
    """
    if text.lower() not in (known.choices or ()):
        raise QueryError(start, end, f"{known.name}: takes {known.accepts}, not {text}.")
    return Words((text.lower(),))


def pieces_of(token: str) -> tuple[str, ...]:
    """What stands between the stars; a star after a backslash is a letter."""
    found = re.findall(r"(?s)((?:[^*\\]|\\.)*)(\*|\Z)", token)
    return tuple(unescaped(piece) for piece, _ in found[: 1 + sum(star == "*" for _, star in found)])


def unescaped(text: str) -> str:
    """A text without its backslashes; what follows one stands for itself."""
    return re.sub(r"(?s)\\(.)", r"\1", text)


def place(token: Token) -> int:
    """Where a token begins, from 0."""
    return token.start_pos or 0


@cache
def parser() -> Lark:
    """The parser, made at the first line."""
    return Lark(GRAMMAR, parser="lalr", lexer="contextual")


def parse(text: str) -> Line:
    """The terms of a line; an empty one has none.

    Raises:
        QueryError: says what is wrong at which character.
    """
    if len(text) > LONGEST:
        raise QueryError(LONGEST, len(text), f"A line has at most {LONGEST:,} characters; leave something out.")
    text = sound(text)
    try:
        line: Line = Builder().transform(parser().parse(text))
    except VisitError as error:
        if isinstance(error.orig_exc, QueryError):
            raise error.orig_exc from error
        raise
    except UnexpectedInput as error:
        raise unfit(text, error) from error
    return line


def unfit(text: str, error: UnexpectedInput) -> QueryError:
    """What is wrong where a text stops being a line."""
    token: Any = getattr(error, "token", None)
    at = len(text) if token is not None and token.type == "$END" else int(error.pos_in_stream or 0)
    before = re.search(r"([A-Za-z_]+):\s*(?:.*,\s*)?$", text[:at], re.DOTALL)
    if at < len(text) and text[at] == '"':
        return QueryError(at, len(text), "This quotation mark is not closed. Put another one at the end of the text.")
    if at < len(text) and text[at] == "\\":
        return QueryError(at, len(text), "A backslash needs a sign after it, which then stands for itself.")
    name = before[1].lower() if before else ""
    if before and name not in FIELDS:
        return QueryError(before.start(1), before.end(1), unknown(before[1]))
    takes = f"{name}: takes {FIELDS[name].accepts}." if name else "Leave the comma out, or write a value."
    return QueryError(at, at + 1 if at < len(text) else at, f"A value is missing here. {takes}")
