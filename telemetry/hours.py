"""How a period is read: whole hours from the hourly sums; its ends, and hours that are divided, one by one."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final

from sqlalchemy import ColumnElement, and_, false, func, or_, select
from sqlmodel import Session, col

from telemetry.formats import HOUR
from telemetry.hour_tables import Facet
from telemetry.selection import EVERYBODY, Selection
from telemetry.tables import Keeping, Turn

FACET: Final = (col(Facet.facet_id), col(Facet.value))
EXACT: Final = 5_000
"""Up to so many turns or calls are read one by one, and their percentiles are exact."""


@dataclass(frozen=True)
class Cut:
    """A period in pieces. Unix nanoseconds; ends are not included.

    Attributes:
        first_ns, last_ns: The whole hours.
        divided: Those of them that are read from what began in them.
        leaves: All stretches that are read so.
    """

    first_ns: int
    last_ns: int
    divided: tuple[int, ...]
    leaves: tuple[tuple[int, int], ...]

    def began(self, column: Any) -> ColumnElement[bool]:
        """Whether something began in one of the stretches that are read one by one."""
        return or_(false(), *(and_(column >= start, column < end) for start, end in self.leaves))


def cut(start_ns: int, end_ns: int, edges: Iterable[datetime] = ()) -> Cut:
    """Cut a period; an hour that one of the edges divides is read from what began in it."""
    first, last = -(-start_ns // HOUR) * HOUR, end_ns // HOUR * HOUR
    if first >= last:
        return Cut(start_ns, start_ns, (), ((start_ns, end_ns),))
    moments = (int(edge.timestamp()) * 10**9 for edge in edges)
    inside = {moment // HOUR * HOUR for moment in moments if moment % HOUR and first <= moment < last}
    divided = tuple(sorted(inside))
    ends = [(start_ns, first), (last, end_ns), *((hour, hour + HOUR) for hour in divided)]
    return Cut(first, last, divided, tuple((start, end) for start, end in ends if start < end))


def in_hours(model: Any, user_id: str, pieces: Cut, facets: Collection[int] | None = None) -> list[ColumnElement[bool]]:
    """The conditions of the whole hours on a table of sums; `facets` are those of turns, None: all."""
    start = col(model.start_ns)
    found = [col(model.user_id) == user_id, start >= pieces.first_ns, start < pieces.last_ns]
    if pieces.divided:
        found.append(start.not_in(pieces.divided))
    if facets is not None:
        found.append(col(model.turn_facet).in_(facets))
    return found


def facets_of(session: Session) -> dict[int, Sequence[Any]]:
    """All facets by their number."""
    rows = session.execute(select(*FACET)).all()
    return {row[0]: row[1] for row in rows}


def fitting(facets: Mapping[int, Sequence[Any]], selection: Selection, by_agent: bool = True) -> list[int] | None:
    """The facets of the turns that a selection chooses; None if it chooses all.

    Args:
        by_agent: Whether its agents are those of the turn.
    """
    agents = selection.agents if by_agent else ()
    if not (agents or selection.routes or selection.models or selection.statuses):
        return None
    return [
        number
        for number, (kind, *value) in facets.items()
        if kind == "turn" and suits(value, selection) and (not agents or set(agents) & set(value[3]))
    ]


def suits(value: Sequence[Any], selection: Selection) -> bool:
    """Whether route, model and status of a facet are among those chosen."""
    chosen = (selection.routes, selection.models, selection.statuses)
    return all(not among or one in among for one, among in zip(value, chosen, strict=False))


def few(session: Session, count: Any, user_id: str, selection: Selection) -> bool:
    """Whether a period is small enough to be read one by one, and all of it is still there.

    Args:
        count: The column of a table of sums that counts.
    """
    pieces = cut(selection.start_ns, selection.end_ns)
    if pieces.first_ns == pieces.last_ns:
        return True
    model = count.class_
    query = select(func.sum(count), func.min(model.start_ns)).where(*in_hours(model, user_id, pieces))
    number, first = session.execute(query).one()
    if number is None:
        return True
    if number > EXACT:
        return False
    if first < gone_before(session):
        return False
    ended = select(col(Turn.start_ns)).where(col(Turn.status) != "running").order_by(col(Turn.start_ns)).limit(1)
    oldest = session.execute(ended).scalar()
    return oldest is not None and oldest < first + HOUR


def gone_before(session: Session) -> int:
    """Single turns that began before are deleted for their age; 0: none are. A whole hour in Unix nanoseconds."""
    return int(session.execute(select(col(Keeping.before_ns))).scalar() or 0)


def whose(column: Any, user_id: str) -> list[ColumnElement[bool]]:
    """The condition that something is a user's; none for those of all."""
    return [] if user_id == EVERYBODY else [column == user_id]
