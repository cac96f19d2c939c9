"""Turns that wait for a person, kept so that a later process can go on with them."""

from collections.abc import Sequence

from sqlalchemy import Engine, delete
from sqlmodel import col, select

from core.errors import NotFound
from core.store.sessions import reading, writing
from core.store.tables import Parked


class ParkedTurns:
    """All parked turns of the app database."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine

    def keep(self, parked: Parked) -> None:
        """Keep what it takes to go on; a turn that waits again replaces what was kept."""
        with writing(self._engine) as session:
            session.merge(parked)

    def get(self, user_id: str, turn_id: str) -> Parked:
        """What was kept.

        Raises:
            NotFound: this turn of the user does not wait.
        """
        with reading(self._engine) as session:
            found = session.get(Parked, turn_id)
        if found is None or found.user_id != user_id:
            raise NotFound("This turn does not wait for anything.")
        return found

    def all(self, user_id: str) -> Sequence[Parked]:
        """What was kept for a user."""
        with reading(self._engine) as session:
            return session.exec(select(Parked).where(Parked.user_id == user_id)).all()

    def users(self) -> Sequence[str]:
        """The ids of the users for whom something was kept."""
        with reading(self._engine) as session:
            return session.exec(select(Parked.user_id).distinct()).all()

    def drop(self, turn_id: str) -> None:
        """Forget it: the turn goes on or has ended."""
        with writing(self._engine) as session:
            session.execute(delete(Parked).where(col(Parked.turn_id) == turn_id))
