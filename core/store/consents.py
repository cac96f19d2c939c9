"""Consents that are under way: what waits for a person's return from Google, once, for ten minutes."""

import hashlib

from sqlalchemy import Engine, delete, update
from sqlmodel import col

from core.store.account_tables import GoogleConsent
from core.store.connections import rows
from core.store.sessions import reading, writing

SECONDS = 600
KEPT = 86_400
"""Seconds for which it is remembered that a consent was used."""


class Consents:
    """All consents of the app database."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine

    def keep(self, row: GoogleConsent, now: int) -> None:
        """Keep a consent that begins, and forget those of long ago.

        Raises:
            StorageError: nothing could be written.
        """
        with writing(self._engine) as session:
            session.execute(delete(GoogleConsent).where(col(GoogleConsent.expires) < now - KEPT))
            session.add(row)

    def find(self, state: str) -> GoogleConsent | None:
        """The consent of a state, used or not."""
        with reading(self._engine) as session:
            return session.get(GoogleConsent, digest_of(state))

    def take(self, state: str, now: int) -> bool:
        """Use a consent up; True for the first who does, and only in time.

        Raises:
            StorageError: nothing could be written; it can still be used.
        """
        with writing(self._engine) as session:
            taken = (
                update(GoogleConsent)
                .where(col(GoogleConsent.digest) == digest_of(state))
                .where(col(GoogleConsent.used).is_(None), col(GoogleConsent.expires) >= now)
                .values(used=now, verifier="")
            )
            return rows(session.execute(taken)) == 1

    def remove_all(self, user_id: str) -> None:
        """Forget all consents of a user."""
        with writing(self._engine) as session:
            session.execute(delete(GoogleConsent).where(col(GoogleConsent.user_id) == user_id))


def digest_of(state: str) -> str:
    """How a state is kept: so that who reads the database cannot use it."""
    return hashlib.sha256(state.encode()).hexdigest()
