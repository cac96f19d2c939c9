"""Query lines that a user has kept by a name; every call names its user."""

from collections.abc import Sequence
from datetime import UTC, datetime

from sqlalchemy import Engine, delete, func
from sqlmodel import col, select

from core.errors import BadInput
from core.store.sessions import reading, writing
from core.store.tables import SavedSearch

LONGEST_NAME = 60
LONGEST_LINE = 1_000
MOST = 100
"""Searches of one user."""


class Searches:
    """All saved searches of the app database."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine

    def of_user(self, user_id: str) -> Sequence[SavedSearch]:
        """The user's searches by name."""
        with reading(self._engine) as session:
            found = session.exec(select(SavedSearch).where(SavedSearch.user_id == user_id)).all()
        return sorted(found, key=lambda row: row.name.casefold())

    def save(self, user_id: str, name: str, line: str) -> SavedSearch:
        """Keep a line; it replaces the one of the same name.

        Raises:
            BadInput: there is no name or no line, or too much of either, or too many searches.
            StorageError: nothing could be written.
        """
        name, line = " ".join(name.split()), line.strip()
        if not name or len(name) > LONGEST_NAME:
            raise BadInput(f"A search needs a name of at most {LONGEST_NAME} characters. Type one.")
        if not line or len(line) > LONGEST_LINE:
            raise BadInput(f"There must be a query of at most {LONGEST_LINE:,} characters to save. Type one first.")
        row = SavedSearch(user_id=user_id, name=name, line=line, saved_at=datetime.now(UTC))
        with writing(self._engine, "searches", user_id) as session:
            others = select(func.count()).where(SavedSearch.user_id == user_id, SavedSearch.name != name)
            if session.exec(others).one() >= MOST:
                raise BadInput(f"There are {MOST} saved searches already. Delete one first.")
            return session.merge(row)

    def remove(self, user_id: str, name: str) -> None:
        """Forget a search."""
        with writing(self._engine) as session:
            mine = (col(SavedSearch.user_id) == user_id, col(SavedSearch.name) == name)
            session.execute(delete(SavedSearch).where(*mine))
