"""When the turns can have begun that a query line asks for, by the hourly sums; where none can, no turn is read."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, Final

from sqlalchemy import ColumnElement, or_, select, text
from sqlmodel import Session, col

from telemetry.formats import HOUR
from telemetry.hour_tables import TurnHour
from telemetry.hours import Cut, facets_of, few
from telemetry.querylang.conditions import fits
from telemetry.querylang.line import Between, Term, Value, Words
from telemetry.selection import EVERYBODY, Selection, is_of
from telemetry.tables import RUNS, Turn

MOST: Final = 24
"""Hours that are looked at one by one; of more, only what began after all of them is left out."""
EVER: Final = (0, 2**62)
Cell = ColumnElement[bool]
Facets = Mapping[int, Sequence[Any]]


def possible(
    session: Session, terms: Iterable[Term], user_id: str, period: tuple[int, int] | None
) -> ColumnElement[bool] | None:
    """A condition on turns that holds for all that fit the terms; None where it would spare nothing.

    Args:
        period: the turns start within it, Unix nanoseconds.
    """
    start, end = period or EVER
    wanted = [term for term in terms if not term.negated and term.field in CELLS]
    if not wanted or few(session, col(TurnHour.turns), user_id, Selection(start, end)):
        return None
    facets = facets_of(session)
    cells = [cell for term in wanted if (cell := cell_of(term, facets)) is not None]
    if not cells:
        return None
    began = col(TurnHour.start_ns)
    mine = [col(TurnHour.user_id) == user_id, began >= start // HOUR * HOUR, began < end]
    query = select(began).where(*mine, *cells).distinct().order_by(began.desc()).limit(MOST + 1)
    found = [int(hour) for hour in session.execute(query).scalars()]
    hours = sorted({*found, *(at // HOUR * HOUR for at in running(session, user_id))})
    if len(found) > MOST:
        return col(Turn.start_ns) < hours[-1] + HOUR
    leaves = tuple((max(hour, start), min(hour + HOUR, end)) for hour in hours)
    return Cut(start, start, (start, start), (), leaves).began(Turn, user_id)


def running(session: Session, user_id: str) -> list[int]:
    """When the turns began that run: no sum has them yet."""
    query = select(col(Turn.start_ns)).where(text(f"turn.{RUNS.text}"))
    query = query if user_id == EVERYBODY else query.where(is_of(Turn, user_id))
    return list(session.execute(query).scalars())


def cell_of(term: Term, facets: Facets) -> Cell | None:
    """What must hold of the sums that a fitting turn is in; None: it may be in any."""
    found = [CELLS[term.field](value, facets) for value in term.values]
    return None if any(one is None for one in found) else or_(*(one for one in found if one is not None))


def sharing(facets: Facets, holds: Callable[[Sequence[Any]], bool]) -> Cell:
    """The sums of turns that share something; of [route, model, status, agents]."""
    return col(TurnHour.turn_facet).in_(
        [number for number, (kind, *value) in facets.items() if kind == "turn" and holds(value)]
    )


def agent(value: Value, facets: Facets) -> Cell | None:
    """Those with an agent."""
    return sharing(facets, lambda shared: any(fits(value, name) for name in shared[3]))


def route(value: Value, facets: Facets) -> Cell | None:
    """Those on a route."""
    return sharing(facets, lambda shared: shared[0] is not None and fits(value, shared[0]))


def status(value: Value, facets: Facets) -> Cell | None:
    """Those that ended so; those that run are in no sum."""
    return sharing(facets, lambda shared: fits(value, shared[2]))


def model(value: Value, facets: Facets) -> Cell | None:
    """Those with a model of their own; a model that was asked on the way may be in any."""
    if any(kind == "llm" and is_model(value, rest[2]) for kind, *rest in facets.values()):
        return None
    return sharing(facets, lambda shared: is_model(value, shared[1]))


def is_model(value: Value, name: str | None) -> bool:
    """Whether a model's name fits, with or without its maker."""
    parts = (name or "").split("/")
    return name is not None and any(fits(value, "/".join(parts[place:])) for place in range(len(parts)))


def tool(value: Value, facets: Facets) -> Cell | None:
    """None, if nobody ever called such a tool; else any."""
    called = any(kind == "tool" and fits(value, rest[1]) for kind, *rest in facets.values())
    return None if called else sharing(facets, lambda _: False)


def happened(value: Value, _facets: Facets) -> Cell | None:
    """Those in which it happened."""
    assert isinstance(value, Words)
    column = {"approval": "approval_wait_ns", "unpriced": "unpriced", "cache": "cached", "tool": "tools"}
    name = column.get(value.pieces[0])
    return None if name is None else col(getattr(TurnHour, name)) > 0


def at_least(name: str) -> Callable[[Value, Facets], Cell | None]:
    """Those that have as much in all as one turn is to have."""

    def cell(value: Value, _facets: Facets) -> Cell | None:
        assert isinstance(value, Between)
        return None if not value.low or value.low < 1 else col(getattr(TurnHour, name)) >= value.low

    return cell


CELLS: Final[Mapping[str, Callable[[Value, Facets], Cell | None]]] = {
    "agent": agent,
    "route": route,
    "status": status,
    "model": model,
    "tool": tool,
    "has": happened,
    "cost": at_least("pico_usd"),
    "calls": at_least("tools"),
}
