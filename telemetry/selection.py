"""Which turns are meant: a period, filters, and whose they are."""

from contextlib import AbstractContextManager
from dataclasses import dataclass, replace
from typing import Any, Final, Protocol

from sqlalchemy import ColumnElement, Text, cast, func, or_
from sqlmodel import Session, col

from telemetry.jsontext import dumps
from telemetry.tables import Turn

EVERYBODY: Final = "*"
"""In place of a user's id: the numbers of all users, for an administrator; no user has this id."""


class Readable(Protocol):
    """A store that can be read."""

    def reader(self) -> AbstractContextManager[Session]:
        """A session to read with."""


@dataclass(frozen=True)
class Selection:
    """Turns that started in [start, end), Unix nanoseconds; an empty filter lets all through."""

    start_ns: int
    end_ns: int
    agents: tuple[str, ...] = ()
    routes: tuple[str, ...] = ()
    models: tuple[str, ...] = ()
    statuses: tuple[str, ...] = ()

    def previous(self) -> "Selection":
        """The period of the same length just before, with the same filters."""
        return replace(self, start_ns=2 * self.start_ns - self.end_ns, end_ns=self.start_ns)


def is_of(model: Any, user_id: str) -> ColumnElement[bool]:
    """Whether a row is the user's, where another condition leads to few rows: no index of users is to be taken.

    SQLite takes a user to have ten turns, not hundreds of thousands.
    """
    found: ColumnElement[bool] = func.coalesce(col(model.user_id), "") == user_id
    return found


def matching(user_id: str, selection: Selection) -> list[ColumnElement[bool]]:
    """The conditions of a selection on `Turn`."""
    return [*within(user_id, selection), *chosen(selection)]


def chosen(selection: Selection) -> list[ColumnElement[bool]]:
    """The conditions of a selection's filters on `Turn`."""
    conditions = []
    if selection.agents:
        conditions.append(or_(*(has_agent(title) for title in selection.agents)))
    if selection.routes:
        conditions.append(col(Turn.route).in_(selection.routes))
    if selection.models:
        conditions.append(col(Turn.model).in_(selection.models))
    if selection.statuses:
        conditions.append(col(Turn.status).in_(selection.statuses))
    return conditions


def within(user_id: str, selection: Selection) -> list[ColumnElement[bool]]:
    """The conditions of a period alone."""
    started = col(Turn.start_ns)
    period = [started >= selection.start_ns, started < selection.end_ns]
    return period if user_id == EVERYBODY else [col(Turn.user_id) == user_id, *period]


def has_agent(title: str) -> ColumnElement[bool]:
    """Whether an agent took part; the list is JSON text, so its quoted title is looked for."""
    return cast(col(Turn.agents), Text).contains(dumps(title), autoescape=True)
