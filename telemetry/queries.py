"""Reads of turns and what belongs to them; every one names the user whose turns they are."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from sqlalchemy import ColumnElement, Text, and_, cast, or_, text
from sqlalchemy import select as sa_select
from sqlmodel import Session, col, select

from telemetry.hour_tables import TurnHour
from telemetry.hours import cut, facets_of, few, gone_before, summed
from telemetry.jsontext import loads
from telemetry.selection import EVERYBODY, Readable, Selection, is_of, matching, within
from telemetry.tables import RUNS, LlmCall, Payload, Span, ToolCall, Turn

__all__ = ["EVERYBODY", "Choices", "Glass", "Readable", "Selection", "matching", "older_than", "within"]


FACET: tuple[Any, ...] = (Turn.route, Turn.model, Turn.status, cast(col(Turn.agents), Text))
WAIT = "approval"
"""The type of the span that lasts while a person decides."""


@dataclass(frozen=True)
class Choices:
    """What the filters can be set to in a period."""

    agents: tuple[str, ...]
    routes: tuple[str, ...]
    models: tuple[str, ...]


class Glass:
    """The turns of a telemetry store, their spans, calls and payloads."""

    def __init__(self, store: Readable) -> None:
        self._store = store

    def turn(self, user_id: str, turn_id: str) -> Turn | None:
        """One turn; None if there is none or it is another user's."""
        return self.turn_summaries(user_id, [turn_id]).get(turn_id)

    def turn_summaries(self, user_id: str, turn_ids: Sequence[str]) -> dict[str, Turn]:
        """Turns by id; those that are not there or another user's are left out."""
        query = select(Turn).where(is_of(Turn, user_id), col(Turn.turn_id).in_(turn_ids))
        with self._store.reader() as session:
            return {turn.turn_id: turn for turn in session.exec(query)}

    def gone_before(self) -> int:
        """Single turns that began before are deleted, only their sums are there; Unix nanoseconds, 0: none are."""
        with self._store.reader() as session:
            return gone_before(session)

    def owner(self, turn_id: str) -> str | None:
        """Whose turn it is, for an administrator who may read what people wrote."""
        with self._store.reader() as session:
            return session.exec(select(Turn.user_id).where(col(Turn.turn_id) == turn_id)).first()

    def turns(
        self, user_id: str, *, before: str | None = None, conversation_id: str | None = None, limit: int = 50
    ) -> list[Turn]:
        """Turns, newest first.

        Args:
            before: The last turn id of the page before; an unknown one gives an empty list.
            conversation_id: Only turns of this conversation.
        """
        query = select(Turn).where(col(Turn.user_id) == user_id)
        if conversation_id is not None:
            query = query.where(col(Turn.conversation_id) == conversation_id)
        if before is not None:
            last = self.turn(user_id, before)
            if last is None:
                return []
            query = query.where(older_than(last))
        query = query.order_by(col(Turn.start_ns).desc(), col(Turn.turn_id).desc()).limit(limit)
        with self._store.reader() as session:
            return list(session.exec(query))

    def running(self, user_id: str, limit: int = 10) -> list[Turn]:
        """The turns that run now, newest first."""
        query = select(Turn).where(is_of(Turn, user_id), text(f"turn.{RUNS.text}"))
        with self._store.reader() as session:
            return list(session.exec(query.order_by(col(Turn.start_ns).desc()).limit(limit)))

    def waiting(self, user_id: str) -> set[str]:
        """The ids of the turns that run now and wait for a person."""
        query = select(Span.trace_id).join(Turn, col(Turn.turn_id) == Span.trace_id)
        query = query.where(is_of(Turn, user_id), text(f"turn.{RUNS.text}"), Span.type == WAIT)
        query = query.where(col(Span.end_ns).is_(None))
        with self._store.reader() as session:
            return set(session.exec(query))

    def spans(self, user_id: str, turn_id: str) -> list[Span]:
        """The spans of a turn in order of start; none if it is another user's."""
        query = select(Span).join(Turn, and_(col(Turn.turn_id) == Span.trace_id, col(Turn.user_id) == user_id))
        query = query.where(Span.trace_id == turn_id).order_by(col(Span.start_ns), col(Span.span_id))
        with self._store.reader() as session:
            return list(session.exec(query))

    def payload(self, user_id: str, turn_id: str, span_id: str, key: str) -> Payload | None:
        """The whole of a large attribute, as far as it was kept."""
        query = select(Payload).join(Turn, and_(col(Turn.turn_id) == Payload.trace_id, col(Turn.user_id) == user_id))
        query = query.where(Payload.trace_id == turn_id, Payload.span_id == span_id, Payload.key == key)
        with self._store.reader() as session:
            return session.exec(query).first()

    def llm_calls(self, user_id: str, turn_id: str) -> list[LlmCall]:
        """The model calls of a turn in order of start."""
        query = select(LlmCall).where(LlmCall.user_id == user_id, LlmCall.turn_id == turn_id)
        with self._store.reader() as session:
            return sorted(session.exec(query), key=began)

    def tool_calls(self, user_id: str, turn_id: str) -> list[ToolCall]:
        """The tool calls of a turn in order of start."""
        query = select(ToolCall).where(ToolCall.user_id == user_id, ToolCall.turn_id == turn_id)
        with self._store.reader() as session:
            return sorted(session.exec(query), key=began)

    def choices(self, user_id: str, selection: Selection) -> Choices:
        """The agents, routes and models that occur in the period, whatever else is filtered."""
        with self._store.reader() as session:
            found = facets_in(session, user_id, selection)
        routes, models, agents = ([value[place] for value in found] for place in (0, 1, 3))
        return Choices(named(title for titles in agents for title in titles), named(routes), named(models))


def facets_in(session: Session, user_id: str, selection: Selection) -> list[Sequence[Any]]:
    """(route, model, status, agents) of the turns that began in a period."""
    period, pieces = within(user_id, selection), cut(selection.start_ns, selection.end_ns)
    if few(session, col(TurnHour.turns), user_id, selection):
        hours: list[Sequence[Any]] = []
    else:
        sums, facets = summed(TurnHour, [user_id], pieces, ["turn_facet"]), facets_of(session)
        hours = [facets[number][1:] for number in session.execute(sa_select(sums.c.turn_facet).distinct()).scalars()]
        period = [pieces.began(Turn, user_id)]
    distinct = sa_select(*FACET).where(*period).distinct()
    return [*hours, *((*row[:3], loads(row[3])) for row in session.execute(distinct))]


def began(call: LlmCall | ToolCall) -> tuple[int, str]:
    """The order of calls. Sorted here: asked for it, SQLite goes through all calls of the user by their time."""
    return call.start_ns, call.span_id


def older_than(turn: Turn) -> ColumnElement[bool]:
    """Whether a turn comes after this one in the list, newest first."""
    started = col(Turn.start_ns)
    same_moment = and_(started == turn.start_ns, col(Turn.turn_id) < turn.turn_id)
    return or_(started < turn.start_ns, same_moment)


def named(values: Iterable[str | None]) -> tuple[str, ...]:
    """The values that are there, sorted."""
    return tuple(sorted({value for value in values if value}))
