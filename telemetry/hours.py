"""How a period is read: whole days and hours from their sums; its ends, and hours that are divided, one by one."""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final

from sqlalchemy import (
    BigInteger,
    ColumnElement,
    Connection,
    Subquery,
    and_,
    column,
    false,
    func,
    select,
    union_all,
    values,
)
from sqlmodel import Session, col

from telemetry.formats import DAY, HOUR
from telemetry.hour_tables import DAY_OF, Facet
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
        days: The whole days of UTC among them that are read as days; none where both are the same.
        divided: Those hours that are read from what began in them.
        leaves: All stretches that are read so.
    """

    first_ns: int
    last_ns: int
    days: tuple[int, int]
    divided: tuple[int, ...]
    leaves: tuple[tuple[int, int], ...]

    def began(self, model: Any, user_id: str) -> ColumnElement[bool]:
        """Whether a turn or a call is the user's and began in one of the stretches that are read one by one.

        The stretches are a table, whose rows the database takes one after another and looks up in the index by time;
        as alternatives, SQLite would rather go through all turns.
        """
        if not self.leaves:
            return false()
        rows = values(column("first", BigInteger), column("last", BigInteger), name="stretch").data(self.leaves)
        stretch, at = rows.cte("stretch").prefix_with("MATERIALIZED").c, col(model.start_ns)
        return and_(*whose(col(model.user_id), user_id), at >= stretch.first, at < stretch.last)

    def stretches(self, model: Any) -> Iterator[tuple[Any, int, int]]:
        """The tables of sums that are read, each from when to when; `model` is that of hours."""
        first, last = self.days
        yield model, self.first_ns, first
        if first < last:
            yield DAY_OF[model], first, last
        yield model, last, self.last_ns


def cut(start_ns: int, end_ns: int, edges: Iterable[datetime] = (), days: bool = True) -> Cut:
    """Cut a period; an hour that one of the edges divides is read from what began in it, a day so divided by the hour.

    Args:
        days: Whether days may be read as such; else all by the hour.
    """
    first, last = -(-start_ns // HOUR) * HOUR, end_ns // HOUR * HOUR
    if first >= last:
        return Cut(start_ns, start_ns, (start_ns, start_ns), (), ((start_ns, end_ns),))
    moments = [moment for edge in edges if first <= (moment := int(edge.timestamp()) * 10**9) < last]
    divided = tuple(sorted({moment // HOUR * HOUR for moment in moments if moment % HOUR}))
    ends = [(start_ns, first), (last, end_ns), *((hour, hour + HOUR) for hour in divided)]
    leaves = tuple((start, end) for start, end in ends if start < end)
    midnight, night = -(-first // DAY) * DAY, last // DAY * DAY
    whole = days and midnight < night and not any(moment % DAY for moment in moments)
    return Cut(first, last, (midnight, night) if whole else (last, last), divided, leaves)


def summed(
    model: Any,
    user_ids: Sequence[str],
    pieces: Cut,
    names: Sequence[str],
    turn_facets: Collection[int] | None = None,
    call_facets: Collection[int] | None = None,
) -> Subquery:
    """Some columns of the sums of a period's whole days and hours, to be added up.

    Args:
        model: The table of hours.
        user_ids: Whose; `*` is everybody's together.
        turn_facets, call_facets: Of turns, and of calls; None: all.
    """
    found = []
    for table, start, end in pieces.stretches(model):
        began = col(table.start_ns)
        conditions = [col(table.user_id).in_(user_ids) if len(user_ids) != 1 else col(table.user_id) == user_ids[0]]
        conditions += [began >= start, began < end]
        if pieces.divided and table is model:
            conditions.append(began.not_in(pieces.divided))
        for facets, name in ((turn_facets, "turn_facet"), (call_facets, "call_facet")):
            if facets is not None:
                conditions.append(getattr(table, name).in_(facets))
        found.append(select(*(getattr(table, name) for name in names)).where(*conditions))
    return union_all(*found).subquery()


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
    model, name = count.class_, count.key
    counted = summed(model, [user_id], pieces, [name])
    number = session.execute(select(func.sum(counted.c[name]))).scalar()
    if number is None or number > EXACT:
        return number is None
    began = col(model.start_ns)
    mine = (col(model.user_id) == user_id, began >= pieces.first_ns, began < pieces.last_ns)
    first = session.execute(select(began).where(*mine).order_by(began).limit(1)).scalar()
    if first is None or first < gone_before(session):
        return False
    ended = select(col(Turn.start_ns)).where(col(Turn.status) != "running").order_by(col(Turn.start_ns)).limit(1)
    oldest = session.execute(ended).scalar()
    return oldest is not None and oldest < first + HOUR


def pieces_of(
    session: Session, count: Any, user_id: str, selection: Selection, edges: Iterable[datetime] = (), days: bool = True
) -> Cut:
    """How a period is read, as `few` and `cut` say: of few turns or calls all of it one by one."""
    start, end = selection.start_ns, selection.end_ns
    if few(session, count, user_id, selection):
        return Cut(start, start, (start, start), (), ((start, end),))
    return cut(start, end, edges, days)


def gone_before(session: Session) -> int:
    """Single turns that began before are deleted for their age; 0: none are. A whole hour in Unix nanoseconds."""
    return int(session.execute(select(col(Keeping.before_ns))).scalar() or 0)


def users_of(connection: Connection, model: Any) -> list[str]:
    """Whose sums a table has, `*` among them; one look at its key each, however many sums there are."""
    user = col(model.user_id)
    names = select(func.min(user).label("name")).cte("names", recursive=True)
    following = select(func.min(user)).where(user > names.c.name).scalar_subquery()
    names = names.union_all(select(following).where(names.c.name.is_not(None)))
    return list(connection.execute(select(names.c.name).where(names.c.name.is_not(None))).scalars())


def whose(column: Any, user_id: str) -> list[ColumnElement[bool]]:
    """The condition that something is a user's; none for those of all."""
    return [] if user_id == EVERYBODY else [column == user_id]
