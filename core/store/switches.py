"""Which agents and tools a user has switched off; every call names its user."""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Literal

from sqlalchemy import Engine, bindparam, delete, select
from sqlmodel import col

from core.store.sessions import fetch, table_of, writing
from core.store.tables import SwitchedOff

Kind = Literal["agent", "tool"]
SWITCH = table_of(SwitchedOff)
OF_USER = select(SWITCH.c.kind, SWITCH.c.name).where(SWITCH.c.user_id == bindparam("whose"))


@dataclass(frozen=True)
class Off:
    """What a user has switched off: domains (whose agent it is) and tools, by name."""

    domains: frozenset[str] = frozenset()
    tools: frozenset[str] = frozenset()

    def __bool__(self) -> bool:
        return bool(self.domains or self.tools)


def nothing(_: str) -> Off:
    """Of a user who has switched off nothing."""
    return Off()


class Switches:
    """All switches of the app database."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine

    def off(self, user_id: str) -> Off:
        """What the user has switched off."""
        found = fetch(self._engine, OF_USER, whose=user_id)
        agents, tools = (frozenset(row.name for row in found if row.kind == kind) for kind in ("agent", "tool"))
        return Off(agents, tools)

    def set(
        self, user_id: str, kind: Kind, name: str, on: bool, now: Callable[[], datetime] = lambda: datetime.now(UTC)
    ) -> None:
        """Switch the agent of a domain, or a tool, on or off.

        Raises:
            StorageError: nothing could be written.
        """
        with writing(self._engine, "switches", user_id) as session:
            if on:
                mine = (col(SwitchedOff.user_id) == user_id, col(SwitchedOff.kind) == kind)
                session.execute(delete(SwitchedOff).where(*mine, col(SwitchedOff.name) == name))
            else:
                session.merge(SwitchedOff(user_id=user_id, kind=kind, name=name, since=now()))
