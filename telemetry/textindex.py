"""Full-text search over turns: what was asked, answered, passed to tools and returned by them, in any script.

One row a turn, with at most `MOST` characters, in the transaction of its roll-up; it holds nothing that the spans do
not hold, and goes when they go. SQLite indexes it by FTS5, PostgreSQL by a `tsvector`. A character of a script without
spaces, and each emoji, is a word of its own, so that `製品` is found as a phrase within a sentence.
"""

import hashlib
import logging
import unicodedata
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

import regex
from sqlalchemy import (
    ColumnClause,
    Connection,
    Select,
    String,
    bindparam,
    cast,
    column,
    delete,
    exists,
    func,
    literal_column,
    table,
    text,
)
from sqlalchemy import select as sa_select
from sqlalchemy.dialects.postgresql import TSQUERY
from sqlalchemy.sql.elements import ColumnElement
from sqlmodel import col

from telemetry import attributes as names
from telemetry.messages import read_messages
from telemetry.tables import Turn, TurnText
from telemetry.upsert import table_of

log = logging.getLogger(__name__)

MOST: Final = 16_000
"""Characters of a turn."""
MOST_OF_ONE: Final = 4_000
"""Characters of one message, argument or result."""
BEFORE, AFTER = 40, 60
"""Characters of an excerpt around what was found."""
JOINER: Final = "\u2060"
"""Stands between words that have no space between them; invisible, and no part of a word."""
ALONE: Final = r"[\p{Han}\p{Hiragana}\p{Katakana}\u30fc\u3005\p{Hangul}\p{Thai}\p{Lao}\p{Khmer}\p{Myanmar}\p{So}]\p{M}*"
RUN: Final = regex.compile(rf"(?:{ALONE})+")
ONE: Final = regex.compile(ALONE)
MARKS: Final = regex.compile(r"[\p{Cf}\ufe00-\ufe0f\u0591-\u05bd\u05bf\u05c1\u05c2\u05c7\u064b-\u0652\u0670]+")
"""What changes how letters look but not which they are: variation selectors, vowel points, signs of direction."""
WORD: Final = regex.compile(r"[\p{L}\p{N}\p{M}\p{Co}\p{So}]+")
LONGEST_WORD: Final = 500
LEFT_OUT: Final = regex.compile(r"\[[\d,]+ bytes\]")
"""What stands for a content of which the size alone is kept."""
ESCAPES: Final = regex.compile(r'\\+[nrt"]')
MICRO: Final = 1_000
SECOND_OF_MICROS: Final = 10**6
TEXTS: Final = table_of(TurnText)
WORDS: Final = table("turn_words", column("rowid"))
KNOWN: Final = sa_select(TEXTS.c.turn_id, TEXTS.c.said).where(TEXTS.c.turn_id.in_(bindparam("turns", expanding=True)))
TAKEN: Final = sa_select(TEXTS.c.number).where(TEXTS.c.number.in_(bindparam("numbers", expanding=True)))
LAST: Final = sa_select(func.max(TEXTS.c.number)).where(TEXTS.c.number.between(bindparam("low"), bindparam("high")))
FORGET: Final = delete(TEXTS).where(TEXTS.c.turn_id == bindparam("turn"))
ADD: Final = text("INSERT INTO turn_text (number, turn_id, whose, said) VALUES (:number, :turn, :whose, :said)")
ADD_POSTGRES: Final = text(
    "INSERT INTO turn_text (number, turn_id, whose, said, words) "
    "VALUES (:number, :turn, :whose, :said, CAST(:words AS tsvector))"
)
INPUTS: Final = ("input.value", names.INPUT_MESSAGES)
OUTPUTS: Final = (names.OUTPUT_MESSAGES, "output.value")
RESULTS: Final = (names.TOOL_ARGUMENTS, names.TOOL_RESULT)

Row = Mapping[str, Any]


@dataclass(frozen=True)
class Match:
    """Words in this order: `exact` as they stand, else the last may go on."""

    text: str
    exact: bool = False


def index_turns(connection: Connection, turns: Sequence[tuple[Row, Sequence[Row]]]) -> None:
    """Bring the index up to date with turns, in the transaction that stores their roll-ups.

    Args:
        turns: the row of each turn, and all its spans.
    """
    said = {turn["turn_id"]: text_of(turn, rows) for turn, rows in turns}
    known = {row.turn_id: row.said for row in connection.execute(KNOWN, {"turns": list(said)})}
    forget(connection, [turn_id for turn_id, kept in known.items() if kept != said[turn_id]])
    new = [turn for turn, _ in turns if said[turn["turn_id"]] not in ("", known.get(turn["turn_id"]))]
    numbers = free_numbers(connection, [turn["start_ns"] // MICRO for turn in new])
    rows = [
        {"number": number, "turn": turn["turn_id"], "whose": token_of(turn["user_id"]), "said": said[turn["turn_id"]]}
        for number, turn in zip(numbers, new, strict=True)
    ]
    if connection.dialect.name == "postgresql":
        rows = [row | {"words": vector(row["said"])} for row in rows]
    if rows:
        connection.execute(ADD_POSTGRES if connection.dialect.name == "postgresql" else ADD, rows)


def text_of(turn: Row, rows: Sequence[Row]) -> str:
    """What is kept of a turn; of one whose records cannot be read nothing, and its spans are stored all the same."""
    try:
        return words_of(contents(turn, rows))
    except Exception:
        log.exception("The texts of turn %s could not be indexed.", turn["turn_id"])
        return ""


def forget(connection: Connection, turn_ids: Iterable[str]) -> None:
    """Drop the texts of turns whose spans are deleted; with a turn's own row they go by themselves."""
    gone = [{"turn": turn_id} for turn_id in turn_ids]
    if gone:
        connection.execute(FORGET, gone)


def tidy(connection: Connection) -> None:
    """Have SQLite write its index anew, since it keeps the words of what was deleted until then."""
    if connection.dialect.name == "sqlite":
        connection.execute(text("INSERT INTO turn_words(turn_words) VALUES ('optimize')"))


def free_numbers(connection: Connection, wanted: Sequence[int]) -> list[int]:
    """Numbers for turns that grow with their start, in microseconds, so that the index lists the newest first."""
    used = set(connection.scalars(TAKEN, {"numbers": list(wanted)}))
    found = []
    for number in wanted:
        free = number
        while free in used:
            free = beyond(connection, free, used)
        used.add(free)
        found.append(free)
    return found


def beyond(connection: Connection, number: int, used: set[int]) -> int:
    """A number after those that are taken within a second; `used` learns if it is taken, too."""
    end = number + SECOND_OF_MICROS
    last = connection.scalar(LAST, {"low": number, "high": end}) or number
    free = max(last, *(one for one in used if number <= one <= end)) + 1
    used.update(connection.scalars(TAKEN, {"numbers": [free]}))
    return free


def contents(turn: Row, rows: Sequence[Row]) -> Iterator[str]:
    """What was said in a turn, the most telling first; instructions are left out, they are the same everywhere."""
    yield plain(turn.get("question"))
    chats = [row for row in rows if row["type"] == "chat"]
    for row in (*reversed(chats), *(row for row in rows if row["type"] != "chat")):
        for name in OUTPUTS:
            yield from said_in(row["attributes"].get(name))
    for row in rows:
        for name in RESULTS:
            yield plain(row["attributes"].get(name))
    latest = {row["parent_id"]: row for row in chats}  # each call repeats what the one before was told
    for row in (*latest.values(), *(row for row in rows if row["type"] != "chat")):
        for name in INPUTS:
            yield from said_in(row["attributes"].get(name))
    yield plain(turn.get("error"))


def said_in(recorded: Any) -> Iterator[str]:
    """The texts of recorded messages, the newest first; what is no list of messages is one text."""
    if not isinstance(recorded, str) or not recorded:
        return
    messages = read_messages(recorded)
    if messages is None:
        yield plain(recorded)
        return
    for message in reversed(messages):
        if message.role not in ("system", "developer"):
            yield plain(message.text)


def plain(recorded: Any) -> str:
    """A recorded text without the escapes of JSON within JSON."""
    if not isinstance(recorded, str) or LEFT_OUT.fullmatch(recorded):
        return ""
    return str(ESCAPES.sub(" ", recorded[: 2 * MOST_OF_ONE]))


def words_of(texts: Iterable[str]) -> str:
    """Texts as the index keeps them: each once, cut, words apart; sizes are bounded by `MOST` and `MOST_OF_ONE`."""
    kept: dict[str, None] = {}
    room = MOST
    for one in texts:
        shown = " ".join(one[: 2 * MOST_OF_ONE].split())[:MOST_OF_ONE]
        if room > 0 and shown and shown not in kept:
            kept[shown[:room]] = None
            room -= len(shown) + 1
    return apart("\n".join(kept))


def apart(said: str) -> str:
    """A text in one normal form, with a joiner between words of scripts that write none."""
    if said.isascii():
        return said
    normal = MARKS.sub("", unicodedata.normalize("NFKC", said))
    return str(RUN.sub(lambda run: JOINER + JOINER.join(ONE.findall(run[0])) + JOINER, normal))


def shown(said: str) -> str:
    """A kept text as people read it."""
    return said.replace(JOINER, "")


def folded(said: str) -> list[str]:
    """The words of a text in small letters without accents, for PostgreSQL; SQLite's index finds them itself."""
    bare = "".join(one for one in unicodedata.normalize("NFKD", said) if not "\u0300" <= one <= "\u036f")
    return [word[:LONGEST_WORD] for word in WORD.findall(bare.lower())]


def vector(said: str) -> str:
    """The words of a text with their places, as a `tsvector` is written."""
    return " ".join(f"'{word}':{place}" for place, word in enumerate(folded(said), 1))


def token_of(user_id: str) -> str:
    """A user's id as one word of the index."""
    return "u" + hashlib.sha256(user_id.encode()).hexdigest()[:24]


def says(match: Match, user_id: str, dialect: str) -> ColumnElement[bool]:
    """Whether a turn of the user has the words; asked turn by turn."""
    found = number_of([match], user_id, dialect)
    return exists(found.where(TEXTS.c.turn_id == col(Turn.turn_id)).correlate(Turn.__table__))  # type: ignore[attr-defined]


def turns_with(
    matches: Sequence[Match], user_id: str, dialect: str, period: tuple[int, int] | None = None
) -> "Select[Any]":
    """The ids of the user's turns that have one of the texts, listed at once.

    Args:
        period: the turns start within it (Unix nanoseconds), so that the index need not look at others.
    """
    query = number_of(matches, user_id, dialect).with_only_columns(TEXTS.c.turn_id)
    if period is None:
        return query
    return query.where(TEXTS.c.number.between(*numbers_of(period)))


def number_of(matches: Sequence[Match], user_id: str, dialect: str) -> "Select[Any]":
    """The kept texts of the user that fit."""
    query = sa_select(TEXTS.c.number)
    if dialect == "postgresql":
        words: ColumnClause[Any] = column("words", _selectable=TEXTS)
        fits = words.op("@@")(cast(postgres(matches), TSQUERY))
        return query.where(TEXTS.c.whose == token_of(user_id), fits)
    matched = literal_column("turn_words", String).op("MATCH")(sqlite(matches, user_id))
    return query.join(WORDS, WORDS.c.rowid == TEXTS.c.number).where(matched)


def few(
    connection: Connection, matches: Sequence[Match], user_id: str, period: tuple[int, int] | None, most: int
) -> bool:
    """Whether no more than `most` of the user's turns have one of the texts; SQLite's index alone can tell."""
    if connection.dialect.name == "postgresql":
        found = turns_with(matches, user_id, "postgresql", period)
    else:
        matched = literal_column("turn_words", String).op("MATCH")(sqlite(matches, user_id))
        found = sa_select(WORDS.c.rowid).where(matched)
        if period is not None:
            found = found.where(WORDS.c.rowid.between(*numbers_of(period)))
    counted = sa_select(func.count()).select_from(found.limit(most + 1).subquery())
    return bool(connection.execute(counted).scalar_one() <= most)


def numbers_of(period: tuple[int, int]) -> tuple[int, int]:
    """Between which numbers the turns of a period are."""
    start, end = period
    return start // MICRO, end // MICRO + SECOND_OF_MICROS


def sqlite(matches: Iterable[Match], user_id: str) -> str:
    """What FTS5 looks for: one of the texts, among the user's."""
    phrases = [phrase(match) for match in matches]
    return f"whose : {token_of(user_id)} AND said : ({' OR '.join(phrases)})"


def phrase(match: Match) -> str:
    """A text as a phrase of FTS5."""
    return '"' + apart(match.text).replace('"', '""').replace("\0", " ") + '"' + ("" if match.exact else " *")


def postgres(matches: Iterable[Match]) -> str:
    """What PostgreSQL looks for."""
    return " | ".join(following(match) for match in matches)


def following(match: Match) -> str:
    """A text as words that follow each other, as a `tsquery` is written."""
    found = [f"'{word}'" for word in folded(apart(match.text))]
    if not match.exact and found:
        found[-1] += ":*"
    return f"({' <-> '.join(found)})"


def excerpt(said: str, matches: Iterable[Match]) -> str:
    """A part of a kept text around the first of the matches; empty where none stands so."""
    text = " ".join(shown(said).split())
    letters = "".join(letter_of(letter) for letter in text)
    for match in matches:
        wanted = "".join(letter_of(letter) for letter in shown(apart(match.text)))
        at = letters.find(wanted)
        if at >= 0:
            start, end = max(0, at - BEFORE), min(len(text), at + len(wanted) + AFTER)
            return ("…" if start else "") + text[start:end] + ("…" if end < len(text) else "")
    return ""


def letter_of(letter: str) -> str:
    """A letter, small and without accents; one sign for one."""
    return unicodedata.normalize("NFD", letter)[0].lower()[0]
