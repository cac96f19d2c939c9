"""The turns that a query line finds, a page at a time, the newest first."""

from collections.abc import Sequence, Set
from dataclasses import dataclass
from typing import Any, Final

from sqlalchemy import ColumnElement, and_, case, func, literal, or_
from sqlalchemy import select as sa_select
from sqlmodel import Session, col, select

from telemetry import textindex
from telemetry.possible import possible
from telemetry.queries import EVERYBODY, Readable, Selection, matching, older_than
from telemetry.querylang.conditions import (
    Scope,
    candidates,
    conditions,
    matches_of,
    resolved,
    saying,
    sought,
)
from telemetry.querylang.line import Line, Term
from telemetry.tables import ToolCall, Turn, TurnText
from telemetry.wording import excerpt

RARE: Final = 8_000
"""Turns up to which a term's are listed at once; of a commoner one the newest are soon found turn by turn."""
COUNTED: Final = 1_000
"""Turns up to which a list says how many there are."""

EMPTY: Final = Line()


@dataclass(frozen=True)
class Ask:
    """What is asked for: turns that fit a line and a selection; None is any time.

    Attributes:
        reader_id: who asks; words are looked for in their turns alone.
        whose: the user whose turns are asked for, by default the reader; another one, `EVERYBODY`, or `user:` in the
            line need an administrator.
        contents: whether other people's questions and errors may be shown.
        ended: leave out the turns that run.
        conversation_id: only turns of this conversation.
    """

    reader_id: str
    line: Line = EMPTY
    selection: Selection | None = None
    whose: str | None = None
    administers: bool = False
    contents: bool = False
    ended: bool = False
    conversation_id: str | None = None

    @property
    def user_id(self) -> str:
        """Whose turns may be found."""
        if not self.administers:
            return self.reader_id
        return EVERYBODY if self.line.of("user") else self.whose or self.reader_id


@dataclass(frozen=True)
class Listed:
    """One page of turns, the newest first.

    Attributes:
        total: how many there are in all, at most `COUNTED` + 1; None on later pages.
        newer, older: whether there are more on that side.
    """

    turns: list[Turn]
    total: int | None
    newer: bool
    older: bool


class Traces:
    """The turns of a telemetry store, by query lines."""

    def __init__(self, store: Readable) -> None:
        self._store = store

    def page(self, ask: Ask, limit: int, before: str | None = None, after: str | None = None) -> Listed:
        """One page.

        Args:
            before: the turn after which an older page begins.
            after: the turn before which a newer page ends; a turn that is not there gives the first page.

        Raises:
            QueryError: the line asks for what this user may not see.
        """
        with self._store.reader() as session:
            holds = where(session, ask)
            turn = turn_of(session, ask, before or after)
            place = None if turn is None else older_than(turn) if before else newer_than(turn)
            backwards = place is not None and not before
            keys = keys_of(session, holds.and_(place), backwards, limit, place is None)
            if backwards and len(keys) <= limit:  # the newest page is a full one
                return self.page(ask, limit)
            ids = keys[:limit][::-1] if backwards else keys[:limit]
            found = session.exec(select(Turn).where(col(Turn.turn_id).in_(ids)))
            rows = {row.turn_id: for_reader(row, ask) for row in found}
        more = len(keys) > limit
        total = len(keys) if place is None else None
        return Listed([rows[key] for key in ids], total, place is not None, True if backwards else more)

    def neighbours(self, ask: Ask, turn_id: str) -> tuple[str | None, str | None]:
        """The next newer and the next older turn of the list.

        Raises:
            QueryError: the line asks for what this user may not see.
        """
        with self._store.reader() as session:
            turn = turn_of(session, ask, turn_id)
            if turn is None:
                return None, None
            holds = where(session, ask)
            newer = keys_of(session, holds.and_(newer_than(turn)), True, 0, False)
            older = keys_of(session, holds.and_(older_than(turn)), False, 0, False)
        return next(iter(newer), None), next(iter(older), None)

    def conditions(self, ask: Ask) -> list[ColumnElement[bool]]:
        """What must hold of the turns that are asked for, in any statement.

        Raises:
            QueryError: the line asks for what this user may not see.
        """
        with self._store.reader() as session:
            return where(session, ask).and_(None)

    def tools(self, user_id: str) -> list[str]:
        """All tools that the user's turns have called, in order."""
        with self._store.reader() as session:
            return tools_of(session, user_id)

    def excerpts(self, user_id: str, line: Line, turn_ids: Sequence[str]) -> dict[str, str]:
        """Where a line's texts stand in the user's turns; of turns where they do not stand so there is none."""
        texts = [match.text for term in line.of("text") if not term.negated for match in matches_of(term)]
        if not texts:
            return {}
        query = select(TurnText).where(col(TurnText.turn_id).in_(turn_ids))
        query = query.where(col(TurnText.whose) == textindex.token_of(user_id))
        with self._store.reader() as session:
            found = {row.turn_id: excerpt(row.said, texts) for row in session.exec(query)}
        return {turn_id: text for turn_id, text in found.items() if text}


def turn_of(session: Session, ask: Ask, turn_id: str | None) -> Turn | None:
    """A turn that the asking person may know of."""
    turn = session.get(Turn, turn_id) if turn_id else None
    return turn if turn is not None and (ask.administers or turn.user_id == ask.reader_id) else None


def for_reader(turn: Turn, ask: Ask) -> Turn:
    """A turn as the reader may see it; of another person's its numbers alone."""
    if ask.contents or turn.user_id == ask.reader_id:
        return turn
    return Turn(**{**turn.model_dump(), "question": None, "error": None})


@dataclass(frozen=True)
class Where:
    """What must hold of turns: those in short lists, and what must hold of each of these."""

    listed: list[ColumnElement[bool]]
    asked: list[ColumnElement[bool]]

    def and_(self, more: ColumnElement[bool] | None) -> list[ColumnElement[bool]]:
        """All conditions with one more.

        Where there are lists, no index but theirs is of use: SQLite, which does not know how short they are, would else
        go through all turns of the period and look each of them up.
        """
        asked = self.asked if more is None else [*self.asked, more]
        return [*self.listed, case((and_(*asked), 1), else_=0) == 1] if self.listed else asked


def where(session: Session, ask: Ask) -> Where:
    """What is asked, made so that the database finds the newest quickly."""
    period = None if ask.selection is None else (ask.selection.start_ns, ask.selection.end_ns)
    user_id = ask.user_id
    scope = Scope(user_id, ask.reader_id, ask.administers, session.get_bind().dialect.name, period)
    named = any(True for _ in ask.line.of("tool")) and user_id != EVERYBODY
    line = resolved(ask.line, tools_of(session, user_id)) if named else ask.line
    words, line = with_words(line)
    few = rare(session, line, scope)
    whose, *terms = conditions(line, scope, few)
    listed = [holds for term, holds in zip(line.terms, terms, strict=True) if term in few and not term.negated]
    asked = [whose, *(holds for holds in terms if not any(holds is one for one in listed))]
    if words:
        said = textindex.few(session.connection(), sought(words), scope.reader_id, scope.period, RARE)
        (listed if said else asked).append(saying(words, scope, said))
    asked += [col(Turn.status) != "running"] if ask.ended else []
    asked += [col(Turn.conversation_id) == ask.conversation_id] if ask.conversation_id is not None else []
    asked += [] if ask.selection is None else matching(user_id, ask.selection)
    narrower = None if listed else possible(session, line.terms, user_id, period)
    asked += [] if narrower is None else [narrower]
    return Where(listed, asked)


def with_words(line: Line) -> tuple[tuple[Term, ...], Line]:
    """The terms of texts, which the index looks for all at once, and the others; if no text is wanted, only others."""
    words = tuple(line.of("text"))
    if all(term.negated for term in words):
        return (), line
    return words, Line(tuple(term for term in line.terms if term.field != "text"))


def rare(session: Session, line: Line, scope: Scope) -> Set[Term]:
    """The terms that few turns fit."""
    return {term for term in line.terms if is_rare(session, term, scope)}


def is_rare(session: Session, term: Term, scope: Scope) -> bool:
    """Whether few turns fit a term, as an index of its own tells."""
    if term.field == "text":
        return textindex.few(session.connection(), sought((term,)), scope.reader_id, scope.period, RARE)
    listed = candidates(term, scope)
    if listed is None:
        return False
    found = listed.with_only_columns(literal(1)).limit(RARE + 1).subquery()  # no column: the index alone is read
    return bool(session.execute(sa_select(func.count()).select_from(found)).scalar_one() <= RARE)


def keys_of(
    session: Session, holds: Sequence[ColumnElement[bool]], backwards: bool, limit: int, counted: bool
) -> list[str]:
    """The ids of the next turns, one more than wanted; to count them, up to one more than are counted."""
    order: list[Any] = [col(Turn.start_ns), col(Turn.turn_id)]
    query = sa_select(col(Turn.turn_id)).where(*holds)
    query = query.order_by(*(order if backwards else [column.desc() for column in order]))
    return list(session.execute(query.limit((COUNTED if counted else limit) + 1)).scalars())


def newer_than(turn: Turn) -> ColumnElement[bool]:
    """Whether a turn comes before this one in the list, newest first."""
    started = col(Turn.start_ns)
    return or_(started > turn.start_ns, and_(started == turn.start_ns, col(Turn.turn_id) > turn.turn_id))


def tools_of(session: Session, user_id: str) -> list[str]:
    """The names of the user's tools, one look at the index each, however many calls there are."""
    tool, mine = col(ToolCall.tool), col(ToolCall.user_id) == user_id
    names = sa_select(func.min(tool).label("tool")).where(mine).cte("names", recursive=True)
    following = sa_select(func.min(tool)).where(mine, tool > names.c.tool).scalar_subquery()
    names = names.union_all(sa_select(following).where(names.c.tool.is_not(None)))
    return list(session.execute(sa_select(names.c.tool).where(names.c.tool.is_not(None))).scalars())
