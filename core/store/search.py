"""Full-text search over a user's conversations: titles, questions and answers, in any script."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from sqlalchemy import ColumnElement, Engine, Integer, Select, String, and_, literal_column, or_, table
from sqlalchemy import select as sa_select
from sqlmodel import col, select

from core.store.matching import holds
from core.store.sessions import reading
from core.store.tables import Conversation, Exchange

INDEXED = 3
"""Characters of the shortest term that the index knows; shorter ones are compared with the texts."""
TERMS = 10
BEFORE, AFTER = 40, 120
"""Characters of an excerpt around the first thing that was found."""
Span = tuple[int, int]


@dataclass(frozen=True)
class Hit:
    """A conversation in which every term was found.

    Attributes:
        turn_id: the latest exchange with all terms; None where the title alone has them.
        excerpt: a part of the question or the answer, or the title.
        marks: (start, end) of the terms in the excerpt, in characters.
    """

    conversation: Conversation
    turn_id: str | None
    excerpt: str
    marks: tuple[Span, ...]


class ConversationSearch:
    """Finds conversations by what was said in them."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine

    def find(self, user_id: str, text: str, limit: int = 20) -> list[Hit]:
        """The user's conversations that have all terms in one exchange or in the title, the latest first."""
        terms = list(dict.fromkeys(text.split()))[:TERMS]
        if not terms:
            return []
        said = self._said(user_id, terms, limit * 5)
        latest: dict[str, Exchange] = {}
        for exchange in said:
            latest.setdefault(exchange.conversation_id, exchange)
        titled = and_(*(holds(Conversation.title, term) for term in terms))
        query = select(Conversation).where(Conversation.user_id == user_id, col(Conversation.deleted_at).is_(None))
        query = query.where(or_(titled, col(Conversation.id).in_(list(latest))))
        with reading(self._engine) as session:
            found = session.exec(query.order_by(col(Conversation.updated_at).desc()).limit(limit)).all()
        return [hit(conversation, latest.get(conversation.id), terms) for conversation in found]

    def _said(self, user_id: str, terms: Sequence[str], limit: int) -> Sequence[Exchange]:
        query = select(Exchange).join(Conversation, col(Conversation.id) == Exchange.conversation_id)
        query = query.where(Exchange.user_id == user_id, col(Exchange.superseded_by).is_(None))
        query = query.where(col(Conversation.deleted_at).is_(None))
        query = query.where(*self._conditions(terms))
        with reading(self._engine) as session:
            return session.exec(query.order_by(col(Exchange.started_at).desc()).limit(limit)).all()

    def _conditions(self, terms: Iterable[str]) -> list[ColumnElement[bool]]:
        """By the index, where there is one, for the terms that it knows; the others by comparison."""
        sqlite = self._engine.dialect.name == "sqlite"
        known = [term for term in terms if sqlite and len(term) >= INDEXED]
        others = [term for term in terms if term not in known]
        texts = (Exchange.question, Exchange.answer)
        conditions: list[ColumnElement[bool]] = [or_(*(holds(text, term) for text in texts)) for term in others]
        return [*conditions, col(Exchange.turn_id).in_(indexed(known))] if known else conditions


def indexed(terms: Iterable[str]) -> "Select[str]":
    """The turn ids of the exchanges that have all terms, by SQLite's index."""
    phrases = " AND ".join('"' + term.replace('"', '""') + '"' for term in terms)
    matches = literal_column("exchange_text", String).op("MATCH")(phrases)
    numbers = sa_select(literal_column("rowid", Integer)).select_from(table("exchange_text")).where(matches)
    turns = sa_select(literal_column("turn_id", String)).select_from(table("exchange_number"))
    return turns.where(literal_column("number", Integer).in_(numbers))


def hit(conversation: Conversation, exchange: Exchange | None, terms: Sequence[str]) -> Hit:
    """What is shown of something that was found."""
    texts = [exchange.question, exchange.answer] if exchange else [conversation.title]
    text = " ".join(max(texts, key=lambda text: len(marks_of(text, terms))).split())
    marks = marks_of(text, terms)
    start = max(0, marks[0][0] - BEFORE) if marks else 0
    end = min(len(text), (marks[0][1] if marks else 0) + AFTER)
    excerpt = ("…" if start else "") + text[start:end] + ("…" if end < len(text) else "")
    return Hit(conversation, exchange.turn_id if exchange else None, excerpt, marks_of(excerpt, terms))


def marks_of(text: str, terms: Iterable[str]) -> tuple[Span, ...]:
    """Where the terms are in a text; what overlaps becomes one."""
    spans = sorted(span for term in terms for span in places(text, term))
    merged: list[Span] = []
    for start, end in spans:
        if merged and start <= merged[-1][1]:
            merged[-1] = (merged[-1][0], max(end, merged[-1][1]))
        else:
            merged.append((start, end))
    return tuple(merged)


def places(text: str, term: str) -> Iterable[Span]:
    """Where a term is in a text, whatever the case of its letters."""
    return (match.span() for match in re.finditer(re.escape(term), text, re.IGNORECASE))
