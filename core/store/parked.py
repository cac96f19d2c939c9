"""Turns that wait for a person, kept so that a later process can go on with them."""

from collections.abc import Sequence

from sqlalchemy import ColumnElement, Engine, and_, bindparam, delete, update
from sqlmodel import col, select

from core.errors import NotFound
from core.store.connections import rows
from core.store.processes import Alone, Processes, elsewhere
from core.store.sessions import reading, writing
from core.store.tables import Exchange, Parked

WAITING = (
    select(Parked)
    .join(Exchange, col(Exchange.turn_id) == Parked.turn_id)
    .where(Parked.user_id == bindparam("whose"), Exchange.conversation_id == bindparam("conversation"))
    .where(Exchange.status == "waiting")
)


class ParkedTurns:
    """All parked turns of the app database."""

    def __init__(self, engine: Engine, processes: Processes | None = None) -> None:
        self._engine, self._processes = engine, processes or Alone()

    def keep(self, parked: Parked) -> None:
        """Keep what it takes to go on, in this process's hand; a turn that waits again replaces what was kept."""
        parked.holder, parked.resumed = self._processes.id, False
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

    def of_conversation(self, user_id: str, conversation_id: str) -> Parked | None:
        """What waits in a conversation of the user, in whichever process."""
        with reading(self._engine) as session:
            return session.exec(WAITING, params={"whose": user_id, "conversation": conversation_id}).first()

    def elsewhere(self, row: Parked) -> bool:
        """Whether another process that lives has a turn in hand."""
        return bool(elsewhere(self._processes, [row.holder]))

    def is_mine(self, turn_id: str) -> bool:
        """Whether this process still has a turn in hand; another one may have taken it up."""
        query = select(Parked.holder).where(Parked.turn_id == turn_id)
        with reading(self._engine) as session:
            return session.exec(query).first() == self._processes.id

    def take(self, row: Parked) -> bool:
        """Take a turn in hand as it was read; False where another process was faster."""
        same = col(Parked.holder).is_(None) if row.holder is None else col(Parked.holder) == row.holder
        same = and_(same, col(Parked.resumed) == row.resumed)
        return self._change(row.turn_id, same, holder=self._processes.id, resumed=False)

    def resume(self, turn_id: str) -> bool:
        """Let a turn go on here; True once, whichever processes try."""
        waits = col(Parked.resumed).is_(False)
        return self._change(turn_id, waits, holder=self._processes.id, resumed=True)

    def _change(self, turn_id: str, condition: ColumnElement[bool], **values: object) -> bool:
        change = update(Parked).where(col(Parked.turn_id) == turn_id, condition).values(**values)
        with writing(self._engine) as session:
            return rows(session.execute(change)) == 1

    def drop(self, turn_id: str) -> None:
        """Forget it: the turn goes on or has ended."""
        with writing(self._engine) as session:
            session.execute(delete(Parked).where(col(Parked.turn_id) == turn_id))
