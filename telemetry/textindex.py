"""Full-text search over turns: what was asked, answered, passed to tools and returned by them, in any script.

One row a turn, bounded in size, in the transaction of its roll-up; it holds nothing that the spans do not hold, and
goes when they go. SQLite indexes it by FTS5, PostgreSQL by a `tsvector`.
"""

import hashlib
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

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

from telemetry.said import text_of
from telemetry.tables import Turn, TurnText
from telemetry.upsert import table_of, upsert
from telemetry.wording import apart, folded

MICRO: Final = 1_000
SECOND_OF_MICROS: Final = 10**6
LONGEST: Final = 500
"""Characters of a word; PostgreSQL takes 2,046 bytes."""
TEXTS: Final = table_of(TurnText)
WORDS: Final = table("turn_words", column("rowid"))
KNOWN: Final = sa_select(TEXTS.c.turn_id, TEXTS.c.said).where(TEXTS.c.turn_id.in_(bindparam("turns", expanding=True)))
TAKEN: Final = sa_select(TEXTS.c.number).where(TEXTS.c.number.in_(bindparam("numbers", expanding=True)))
LAST: Final = sa_select(func.max(TEXTS.c.number)).where(TEXTS.c.number.between(bindparam("low"), bindparam("high")))
FORGET: Final = delete(TEXTS).where(TEXTS.c.turn_id == bindparam("turn"))
MERGE: Final = text("INSERT INTO turn_words(turn_words, rank) VALUES ('merge', :pages)")
FEW_CHANGES: Final = 2
"""With fewer, a merge had nothing to do, as SQLite's documentation says."""
ADD_POSTGRES: Final = text(
    "INSERT INTO turn_text (number, turn_id, whose, said, words) "
    "VALUES (:number, :turn_id, :whose, :said, CAST(:words AS tsvector))"
)

Row = Mapping[str, Any]


@dataclass(frozen=True)
class Match:
    """Words in this order: `exact` as they stand, else the last may go on."""

    text: str
    exact: bool = False


@dataclass(frozen=True)
class Sought:
    """What a turn has to say.

    Attributes:
        wanted: Of each of these groups one text, at least; there is a group.
        unwanted: None of these.
    """

    wanted: tuple[tuple[Match, ...], ...]
    unwanted: tuple[Match, ...] = ()


def index_turns(
    connection: Connection, turns: Sequence[tuple[Row, Sequence[Row]]], new: Collection[str] = frozenset()
) -> None:
    """Bring the index up to date with turns, in the transaction that stores their roll-ups.

    Args:
        turns: the row of each turn, and all its spans.
        new: turns that are not in it.
    """
    said = {turn["turn_id"]: text_of(turn, rows) for turn, rows in turns}
    old = [turn_id for turn_id in said if turn_id not in new]
    known = {row.turn_id: row.said for row in connection.execute(KNOWN, {"turns": old})} if old else {}
    forget(connection, [turn_id for turn_id, kept in known.items() if kept != said[turn_id]])
    other = [turn for turn, _ in turns if said[turn["turn_id"]] not in ("", known.get(turn["turn_id"]))]
    numbers = free_numbers(connection, [turn["start_ns"] // MICRO for turn in other])
    rows = [
        {
            "number": number,
            "turn_id": turn["turn_id"],
            "whose": token_of(turn["user_id"]),
            "said": said[turn["turn_id"]],
        }
        for number, turn in zip(numbers, other, strict=True)
    ]
    if connection.dialect.name != "postgresql":
        upsert(connection, TurnText, rows)
    elif rows:
        connection.execute(ADD_POSTGRES, [row | {"words": vector(row["said"])} for row in rows])


def forget(connection: Connection, turn_ids: Iterable[str]) -> None:
    """Drop the texts of turns whose spans are deleted; with a turn's own row they go by themselves."""
    gone = [{"turn": turn_id} for turn_id in turn_ids]
    if gone:
        connection.execute(FORGET, gone)


def tidy_some(connection: Connection, pages: int) -> bool:
    """Have SQLite write about so many pages of its index anew, without the words of what was deleted.

    Args:
        pages: Negative to begin, so that all of the index takes part.

    Returns:
        Whether there is more to do.
    """
    if connection.dialect.name != "sqlite":
        return False
    driver: Any = connection.connection.driver_connection
    before = driver.total_changes
    connection.execute(MERGE, {"pages": pages})
    return bool(driver.total_changes - before >= FEW_CHANGES)


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


def vector(said: str) -> str:
    """The words of a text with their places, as a `tsvector` is written."""
    return " ".join(f"'{word[:LONGEST]}':{place}" for place, word in enumerate(folded(said), 1))


def token_of(user_id: str) -> str:
    """A user's id as one word of the index."""
    return "u" + hashlib.sha256(user_id.encode()).hexdigest()[:24]


def says(sought: Sought, user_id: str, dialect: str, period: tuple[int, int] | None = None) -> ColumnElement[bool]:
    """Whether a turn of the user, within the period, says so; asked turn by turn."""
    mine = sa_select(TEXTS.c.number).where(TEXTS.c.turn_id == col(Turn.turn_id))
    if dialect == "postgresql":
        found = mine.where(*postgres_fits(sought, user_id))
    else:  # what fits is listed once: to look for words in a single turn takes as long as to find a thousand
        found = mine.where(TEXTS.c.number.in_(listed(sought, user_id, period)))
    return exists(found.correlate(Turn.__table__))  # type: ignore[attr-defined]


def turns_with(sought: Sought, user_id: str, dialect: str, period: tuple[int, int] | None = None) -> "Select[Any]":
    """The ids of the user's turns that say so, listed at once.

    Args:
        period: the turns start within it (Unix nanoseconds), so that the index need not look at others.
    """
    query = sa_select(TEXTS.c.turn_id)
    if dialect != "postgresql":
        return query.where(TEXTS.c.number.in_(listed(sought, user_id, period)))
    query = query.where(*postgres_fits(sought, user_id))
    return query if period is None else query.where(TEXTS.c.number.between(*numbers_of(period)))


def listed(sought: Sought, user_id: str, period: tuple[int, int] | None) -> "Select[Any]":
    """The numbers of the user's texts that fit, from SQLite's index alone."""
    matched = literal_column("turn_words", String).op("MATCH")(sqlite(sought, user_id))
    found = sa_select(WORDS.c.rowid).where(matched)
    return found if period is None else found.where(WORDS.c.rowid.between(*numbers_of(period)))


def postgres_fits(sought: Sought, user_id: str) -> tuple[ColumnElement[bool], ...]:
    """The conditions of the user's texts that fit."""
    words: ColumnClause[Any] = column("words", _selectable=TEXTS)
    return TEXTS.c.whose == token_of(user_id), words.op("@@")(cast(postgres(sought), TSQUERY))


def few(connection: Connection, sought: Sought, user_id: str, period: tuple[int, int] | None, most: int) -> bool:
    """Whether no more than `most` of the user's turns say so; SQLite's index alone can tell."""
    if connection.dialect.name == "postgresql":
        found = turns_with(sought, user_id, "postgresql", period)
    else:
        found = listed(sought, user_id, period)
    counted = sa_select(func.count()).select_from(found.limit(most + 1).subquery())
    return bool(connection.execute(counted).scalar_one() <= most)


def numbers_of(period: tuple[int, int]) -> tuple[int, int]:
    """Between which numbers the turns of a period are."""
    start, end = period
    return start // MICRO, end // MICRO + SECOND_OF_MICROS


def sqlite(sought: Sought, user_id: str) -> str:
    """What FTS5 looks for, among the user's texts."""
    wanted = [f"whose : {token_of(user_id)}", *map(one_of, sought.wanted)]
    without = f" NOT {one_of(sought.unwanted)}" if sought.unwanted else ""
    return f"({' AND '.join(wanted)}){without}"


def one_of(matches: Iterable[Match]) -> str:
    """One of some texts, for FTS5."""
    return f"said : ({' OR '.join(map(phrase, matches))})"


def phrase(match: Match) -> str:
    """A text as a phrase of FTS5."""
    return '"' + apart(match.text).replace('"', '""').replace("\0", " ") + '"' + ("" if match.exact else " *")


def postgres(sought: Sought) -> str:
    """What PostgreSQL looks for; nothing, where a group has no word."""
    groups = [" | ".join(filter(None, map(following, group))) for group in sought.wanted]
    if not all(groups):
        return ""
    unwanted = " | ".join(filter(None, map(following, sought.unwanted)))
    return " & ".join([*(f"({group})" for group in groups), *([f"!({unwanted})"] if unwanted else [])])


def following(match: Match) -> str:
    """A text as words that follow each other, as a `tsquery` is written."""
    found = [f"'{word[:LONGEST]}'" for word in folded(apart(match.text))]
    if not match.exact and found:
        found[-1] += ":*"
    return f"({' <-> '.join(found)})" if found else ""
