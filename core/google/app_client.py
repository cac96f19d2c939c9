"""The app's own registration at Google: from the settings, or a file that an administrator uploaded into the vault."""

import threading
import time
from collections.abc import Callable
from typing import Literal

from core.errors import BadInput
from core.google.provider import Client, as_text, from_text, read_client
from core.google.vault import Vault
from core.store.vaulted import Vaulted
from core.users import User

ADMINISTRATORS = "Only an administrator may set up the Google client of this app. Ask one."
FROM_SETTINGS = "The Google client is set by GLASSDESK_GOOGLE_CLIENT_ID. Remove that setting first, then start again."
Source = Literal["settings", "uploaded", "sandbox", "none"]


class AppClient:
    """The client, wherever it comes from.

    Args:
        given: from the settings or the sandbox; None where there is none.
        source: whence that is.
        vault: keeps an uploaded one.
        kept: likewise.
    """

    def __init__(
        self, given: Client | None, source: Source, vault: Vault, kept: Vaulted, clock: Callable[[], float] = time.time
    ) -> None:
        self._given, self._source, self._vault, self._kept, self._clock = given, source, vault, kept, clock
        self._read: tuple[str, Client] | None = None
        self._lock = threading.Lock()

    @property
    def source(self) -> Source:
        """Whence the client comes."""
        if self._given is not None:
            return self._source
        return "uploaded" if self._kept.client() else "none"

    @property
    def uploaded(self) -> bool:
        """Whether a file was uploaded, also where the app runs without it until its next start."""
        return self._kept.client() is not None

    def current(self) -> Client | None:
        """The client, None where none is set up."""
        if self._given is not None:
            return self._given
        row = self._kept.client()
        if row is None:
            return None
        with self._lock:
            if self._read is None or self._read[0] != row.sealed:
                self._read = (row.sealed, from_vault(self._vault, row.sealed))
            return self._read[1]

    def upload(self, user: User, content: bytes) -> Client:
        """Keep the client of a `client_secret.json`.

        Raises:
            BadInput: the file is none, the user no administrator, or the settings name a client.
            StorageError: it could not be kept.
        """
        self._may(user)
        client = read_client(content)
        self._kept.set_client(self._vault.seal(as_text(client)), user.id, int(self._clock()))
        return client

    def remove(self, user: User) -> None:
        """Forget the uploaded client; accounts that were connected with it stop working.

        Raises:
            BadInput: the user is no administrator, or the client was not uploaded.
        """
        self._may(user)
        self._kept.remove_client()

    def _may(self, user: User) -> None:
        if not user.administers:
            raise BadInput(ADMINISTRATORS)
        if self._given is not None and self._source == "settings":
            raise BadInput(FROM_SETTINGS)


def from_vault(vault: Vault, sealed: str) -> Client:
    """A client that the vault keeps."""
    return from_text(vault.open(sealed))
