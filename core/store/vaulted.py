"""What the vault has sealed in the app database: the app's client, the mark, and all of it at once."""

from collections.abc import Callable

from sqlalchemy import Engine, delete
from sqlmodel import col, select

from core.settings import Settings, Workspace
from core.store.account_tables import GoogleClient, GoogleConnection, GoogleConsent, VaultMark
from core.store.server_tables import AddedServer
from core.store.sessions import reading, writing

Reseal = Callable[[str], str]


class Vaulted:
    """The sealed things of the app database."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine

    def mark(self) -> str | None:
        """The known thing that was sealed first; None in a new database."""
        with reading(self._engine) as session:
            row = session.get(VaultMark, 1)
            return row.sealed if row else None

    def set_mark(self, sealed: str) -> None:
        """Keep the known thing."""
        with writing(self._engine) as session:
            session.merge(VaultMark(sealed=sealed))

    def client(self) -> GoogleClient | None:
        """The app's client at Google, where it was uploaded."""
        with reading(self._engine) as session:
            return session.get(GoogleClient, 1)

    def set_client(self, sealed: str, user_id: str, now: int) -> None:
        """Keep the app's client.

        Args:
            user_id: who uploaded it.
            now: Unix seconds.
        """
        with writing(self._engine) as session:
            session.merge(GoogleClient(sealed=sealed, set_by=user_id, set_at=now))

    def remove_client(self) -> None:
        """Forget the app's client."""
        with writing(self._engine) as session:
            session.execute(delete(GoogleClient))

    def reseal(self, again: Reseal) -> int:
        """Seal everything anew, all of it or nothing.

        Args:
            again: takes what is sealed and gives it sealed with the new key.

        Returns:
            How many things there were.
        """
        with writing(self._engine) as session:
            connections = session.exec(select(GoogleConnection)).all()
            for row in connections:
                row.sealed, row.version = again(row.sealed), row.version + 1
            consents = session.exec(select(GoogleConsent).where(col(GoogleConsent.verifier) != "")).all()
            for consent in consents:
                consent.verifier = again(consent.verifier)
            clients = session.exec(select(GoogleClient)).all()
            for client in clients:
                client.sealed = again(client.sealed)
            servers = session.exec(select(AddedServer)).all()
            for server in servers:
                server.sealed = again(server.sealed)
            marks = session.exec(select(VaultMark)).all()
            for mark in marks:
                mark.sealed = again(mark.sealed)
            return len(connections) + len(consents) + len(clients) + len(servers) + len(marks)


def kind_of(settings: Settings, kept: Vaulted) -> Workspace:
    """Whose Workspace the settings mean."""
    if settings.workspace is not Workspace.AUTO:
        return settings.workspace
    registered = settings.google_client_id or settings.google_service_account or kept.client()
    return Workspace.GOOGLE if registered else Workspace.SANDBOX
