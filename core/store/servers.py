"""The MCP servers that users have added; every call names its user."""

from collections.abc import Callable, Sequence
from typing import Any

from sqlalchemy import Engine, bindparam, delete
from sqlalchemy import select as columns
from sqlmodel import col, select

from core.errors import NotFound
from core.store.server_tables import AddedServer
from core.store.sessions import fetch, reading, table_of, writing
from core.store.tables import Policy, SwitchedOff

OF_USER = (
    select(AddedServer)
    .where(AddedServer.user_id == bindparam("whose"))
    .order_by(col(AddedServer.added_at), col(AddedServer.id))
)
SERVER = table_of(AddedServer)
VERSIONS = (
    columns(SERVER.c.id, SERVER.c.version)
    .where(SERVER.c.user_id == bindparam("whose"))
    .order_by(SERVER.c.added_at, SERVER.c.id)
)
GONE = "You have no such tool server. Open Settings again to see which you have."


class AddedServers:
    """All of the app database."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine

    def of_user(self, user_id: str) -> Sequence[AddedServer]:
        """The user's, in the order in which they were added."""
        with reading(self._engine) as session:
            return session.exec(OF_USER, params={"whose": user_id}).all()

    def versions(self, user_id: str) -> tuple[tuple[str, int], ...]:
        """Ids and versions of the user's, in the same order: whether they are still as they were."""
        return tuple((row.id, row.version) for row in fetch(self._engine, VERSIONS, whose=user_id))

    def get(self, user_id: str, server_id: str) -> AddedServer:
        """One of the user's.

        Raises:
            NotFound: the user has none of this id.
        """
        with reading(self._engine) as session:
            row = session.get(AddedServer, server_id)
        if row is None or row.user_id != user_id:
            raise NotFound(GONE)
        return row

    def add(self, row: AddedServer) -> None:
        """Keep a new one.

        Raises:
            StorageError: it could not be kept; also where the user has one of this domain.
        """
        with writing(self._engine) as session:
            session.add(row)

    def change(self, user_id: str, server_id: str, change: Callable[[AddedServer], dict[str, Any]]) -> AddedServer:
        """Change a row, as it is now.

        Args:
            change: takes the row and gives the columns that get other values.

        Raises:
            NotFound: the user has none of this id.
            StorageError: nothing could be written.
        """
        with writing(self._engine) as session:
            query = select(AddedServer).where(AddedServer.id == server_id, AddedServer.user_id == user_id)
            row = session.exec(query.with_for_update()).first()
            if row is None:
                raise NotFound(GONE)
            values = change(row)
            if any(getattr(row, name) != value for name, value in values.items()):
                row.sqlmodel_update({**values, "version": row.version + 1})
        return row

    def remove(self, user_id: str, server_id: str, tools: Sequence[str]) -> None:
        """Forget one with its switches and policies.

        Args:
            tools: their names.

        Raises:
            NotFound: the user has none of this id.
            StorageError: nothing could be written; nothing is forgotten then.
        """
        row = self.get(user_id, server_id)
        with writing(self._engine) as session:
            session.execute(delete(AddedServer).where(col(AddedServer.id) == row.id))
            mine = col(SwitchedOff.user_id) == user_id
            session.execute(delete(SwitchedOff).where(mine, col(SwitchedOff.name).in_([row.domain, *tools])))
            allowed = col(Policy.user_id) == user_id
            session.execute(delete(Policy).where(allowed, col(Policy.tool).in_(tools)))
