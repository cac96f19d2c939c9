"""Connected Google accounts; every call names its user, and what is sealed stays sealed here."""

from collections.abc import Sequence
from typing import Any

from sqlalchemy import CursorResult, Engine, bindparam, delete, func, update
from sqlalchemy import select as columns
from sqlmodel import Session, col, select

from core.store.account_tables import GoogleConnection, SandboxGuest
from core.store.sessions import fetch, reading, table_of, writing

CONNECTIONS = "connections"
OF_USER = (
    select(GoogleConnection)
    .where(GoogleConnection.user_id == bindparam("whose"), GoogleConnection.workspace == bindparam("workspace"))
    .order_by(col(GoogleConnection.is_default).desc(), col(GoogleConnection.email))
)
CONNECTION = table_of(GoogleConnection)
DEFAULT = (
    columns(CONNECTION.c.email)
    .where(CONNECTION.c.user_id == bindparam("whose"), CONNECTION.c.workspace == bindparam("workspace"))
    .order_by(CONNECTION.c.is_default.desc(), CONNECTION.c.email)
    .limit(1)
)


class Connections:
    """The connections to one Workspace.

    Args:
        engine: the app database.
        workspace: whose it is: `sandbox`, `google`; the connections to the other one rest meanwhile.
    """

    def __init__(self, engine: Engine, workspace: str = "sandbox") -> None:
        self._engine, self._workspace = engine, workspace

    def of_user(self, user_id: str) -> Sequence[GoogleConnection]:
        """The user's connections: the default one first, then by address."""
        with reading(self._engine) as session:
            return session.exec(OF_USER, params={"whose": user_id, "workspace": self._workspace}).all()

    def default_of(self, user_id: str) -> str:
        """The address of the first of them; empty where the user has none."""
        found = fetch(self._engine, DEFAULT, whose=user_id, workspace=self._workspace)
        return str(found[0].email) if found else ""

    def get(self, user_id: str, email: str) -> GoogleConnection | None:
        """One connection, None where the user has no such."""
        with reading(self._engine) as session:
            row = session.get(GoogleConnection, (user_id, email))
        return row if row is not None and row.workspace == self._workspace else None

    def held_by_others(self, user_id: str, email: str) -> bool:
        """Whether somebody else here has connected the same Google account; never who."""
        query = select(func.count()).where(GoogleConnection.email == email, GoogleConnection.user_id != user_id)
        query = query.where(GoogleConnection.workspace == self._workspace)
        with reading(self._engine) as session:
            return session.exec(query).one() > 0

    def keep(self, row: GoogleConnection) -> GoogleConnection:
        """Keep a connection, new or again; a user's first one is their default.

        Raises:
            StorageError: nothing could be written; what was there before is still there.
        """
        with writing(self._engine, CONNECTIONS, row.user_id) as session:
            known = session.get(GoogleConnection, (row.user_id, row.email))
            defaults = select(func.count()).where(GoogleConnection.user_id == row.user_id)
            defaults = defaults.where(GoogleConnection.workspace == self._workspace)
            others = session.exec(defaults.where(col(GoogleConnection.is_default).is_(True))).one()
            row.workspace = self._workspace
            row.is_default = known.is_default if known else others == 0
            row.version = known.version + 1 if known else 1
            return session.merge(row)

    def change(self, user_id: str, email: str, **values: Any) -> bool:
        """Change a connection without touching what is sealed; whether there is one.

        Raises:
            StorageError: nothing could be written.
        """
        with writing(self._engine) as session:
            return changed(session, user_id, email, values) == 1

    def set_default(self, user_id: str, email: str) -> bool:
        """Make a connection the user's default; whether there is one."""
        with writing(self._engine, CONNECTIONS, user_id) as session:
            if session.get(GoogleConnection, (user_id, email)) is None:
                return False
            mine = update(GoogleConnection).where(col(GoogleConnection.user_id) == user_id)
            mine = mine.where(col(GoogleConnection.workspace) == self._workspace)
            session.execute(mine.values(is_default=col(GoogleConnection.email) == email))
            return True

    def remove(self, user_id: str, email: str) -> None:
        """Forget a connection with its tokens; where it was the default, the next one is."""
        with writing(self._engine, CONNECTIONS, user_id) as session:
            row = session.get(GoogleConnection, (user_id, email))
            if row is None:
                return
            session.execute(
                delete(GoogleConnection).where(
                    col(GoogleConnection.user_id) == user_id, col(GoogleConnection.email) == email
                )
            )
            if row.is_default:
                promote(session, user_id, self._workspace)

    def remove_all(self, user_id: str) -> None:
        """Forget everything of a user's, in every Workspace."""
        with writing(self._engine) as session:
            session.execute(delete(GoogleConnection).where(col(GoogleConnection.user_id) == user_id))
            session.execute(delete(SandboxGuest).where(col(SandboxGuest.user_id) == user_id))

    def lease(self, user_id: str, email: str, version: int, holder: str, now: int, seconds: int) -> bool:
        """Take the right to get a new token for what is sealed in this version; one holder at a time has it.

        Args:
            holder: a process, which lets one of its threads ask at a time; it may take again what it has.
            now: Unix seconds.
            seconds: after which another may take it, because this holder has died.
        """
        with writing(self._engine) as session:
            lease, until = col(GoogleConnection.lease), col(GoogleConnection.lease_until)
            free = lease.is_(None) | (lease == holder) | (until < now)
            taken = (
                update(GoogleConnection)
                .where(col(GoogleConnection.user_id) == user_id, col(GoogleConnection.email) == email)
                .where(col(GoogleConnection.version) == version, free)
                .values(lease=holder, lease_until=now + seconds)
            )
            return rows(session.execute(taken)) == 1

    def release(self, user_id: str, email: str, holder: str, **values: Any) -> bool:
        """Give a lease back, with what came of it; whether it was still held.

        Args:
            values: what changes; with `sealed`, the version goes up.
        """
        if "sealed" in values:
            values["version"] = GoogleConnection.version + 1
        with writing(self._engine) as session:
            given = (
                update(GoogleConnection)
                .where(col(GoogleConnection.user_id) == user_id, col(GoogleConnection.email) == email)
                .where(col(GoogleConnection.lease) == holder)
                .values(lease=None, lease_until=0, **values)
            )
            return rows(session.execute(given)) == 1

    def welcome(self, user_id: str) -> bool:
        """Note that a user was given the sandbox's account; False where they had been before."""
        with writing(self._engine, CONNECTIONS, user_id) as session:
            if session.get(SandboxGuest, user_id) is not None:
                return False
            session.add(SandboxGuest(user_id=user_id))
            return True

    def welcomed(self, user_id: str) -> bool:
        """Whether a user was given the sandbox's account before."""
        with reading(self._engine) as session:
            return session.get(SandboxGuest, user_id) is not None


def changed(session: Session, user_id: str, email: str, values: dict[str, Any]) -> int:
    """Set some columns of one connection; how many there were."""
    one = update(GoogleConnection).where(col(GoogleConnection.user_id) == user_id, col(GoogleConnection.email) == email)
    return rows(session.execute(one.values(**values)))


def promote(session: Session, user_id: str, workspace: str) -> None:
    """Make the first of what is left the default."""
    mine = select(GoogleConnection).where(GoogleConnection.user_id == user_id, GoogleConnection.workspace == workspace)
    left = session.exec(mine.order_by(col(GoogleConnection.email)).limit(1)).first()
    if left is not None:
        left.is_default = True
        session.add(left)


def rows(result: Any) -> int:
    """How many rows an update has met."""
    assert isinstance(result, CursorResult)
    return result.rowcount
