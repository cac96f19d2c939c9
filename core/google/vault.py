"""The vault: seals refresh tokens and client secrets, so that the database alone gives nobody access."""

import os
import secrets
import threading
from collections.abc import Sequence
from pathlib import Path
from typing import Protocol

from cryptography.fernet import Fernet, InvalidToken, MultiFernet

from core.errors import GlassdeskError, StorageError
from core.google.keyring import Ring, ask
from core.store.vaulted import Vaulted

KNOWN = b"glassdesk vault"
MAKE = 'python -c "from cryptography.fernet import Fernet; print(Fernet.generate_key().decode())"'
WRONG = (
    "The vault's key ({place}) does not open the Google sign-ins that are stored. Nothing was changed. "
    "Put the right key back, or forget the sign-ins with `python -m core.google forget` and connect again."
)
GONE = (
    "The vault's key is missing, and Google sign-ins are stored that only it opens. Nothing was changed. Put {place} "
    "back, or set GLASSDESK_VAULT_KEY; or forget the sign-ins with `python -m core.google forget` and connect again."
)
BAD = "The vault's key ({place}) is no key: 44 characters of URL-safe base64 are needed. Make one with {make}."


class VaultError(GlassdeskError):
    """The vault cannot be opened."""

    code = "vault"


class Keys(Protocol):
    """Where the keys are kept."""

    @property
    def place(self) -> str:
        """What to call it in a sentence."""
        ...

    def read(self) -> list[str]:
        """The keys, the one that seals first; none where there is none yet."""
        ...

    def write(self, keys: Sequence[str]) -> None:
        """Keep other keys in their stead.

        Raises:
            VaultError: they are not kept here, or cannot be.
        """
        ...


class GivenKeys:
    """Keys from a setting: one, or several with commas between them while they are being changed."""

    place = "GLASSDESK_VAULT_KEY"

    def __init__(self, text: str) -> None:
        self._keys = [key.strip() for key in text.split(",") if key.strip()]

    def read(self) -> list[str]:
        """The keys."""
        return list(self._keys)

    def write(self, keys: Sequence[str]) -> None:
        """Refuse.

        Raises:
            VaultError: always; a setting is changed by who has set it.
        """
        raise VaultError("The vault's key is set from outside: put the new key before the old one, with a comma.")


class FileKeys:
    """Keys in a file of one's own (mode 0600), a line each."""

    def __init__(self, path: Path) -> None:
        self._path = path

    @property
    def place(self) -> str:
        """The file."""
        return str(self._path)

    def read(self) -> list[str]:
        """The keys."""
        try:
            return self._path.read_text(encoding="ascii").split()
        except FileNotFoundError:
            return []
        except (OSError, UnicodeDecodeError) as error:
            raise VaultError(f"The vault's key {self._path} cannot be read. Check the file and who owns it.") from error

    def write(self, keys: Sequence[str]) -> None:
        """Keep keys; the file is whole at every moment, and where two processes make the first one, one of them has.

        Raises:
            StorageError: the file cannot be written.
        """
        draft = self._path.with_name(f"{self._path.name}.{secrets.token_hex(4)}")
        try:
            with os.fdopen(os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w") as file:
                file.write("\n".join(keys) + "\n")
                file.flush()
                os.fsync(file.fileno())
            self._put(draft)
        except OSError as error:
            raise StorageError(
                f"The vault's key cannot be written to {self._path}. Make room on the disk, or set GLASSDESK_VAULT_KEY."
            ) from error
        finally:
            draft.unlink(missing_ok=True)

    def _put(self, draft: Path) -> None:
        if self._path.exists():
            draft.replace(self._path)
            return
        try:
            os.link(draft, self._path)
        except FileExistsError:
            return  # another process was first: its key is the one
        except OSError:  # a file system without links
            draft.replace(self._path)


class RingKeys:
    """Keys in the system's keyring."""

    place = "the system's keyring"

    def __init__(self, ring: Ring, name: str) -> None:
        self._ring, self._name = ring, name

    def read(self) -> list[str]:
        """The keys."""
        return (ask(lambda: self._ring.get(self._name)) or "").split()

    def write(self, keys: Sequence[str]) -> None:
        """Keep keys.

        Raises:
            VaultError: the keyring does not take them.
        """
        text = " ".join(keys)
        ask(lambda: self._ring.set(self._name, text))
        if self.read() != list(keys):
            raise VaultError("The system's keyring does not take the vault's key. Set GLASSDESK_VAULT_KEY instead.")


def keys_of(given: str, folder: Path, ring: Ring | None) -> Keys:
    """Where the keys are: the setting, else the file where there is one, else the keyring, else a new file.

    Args:
        given: the setting; may be empty.
        folder: the data folder.
        ring: the system's keyring, where it can be used without asking anybody.
    """
    file = folder / "vault.key"
    if given.strip():
        return GivenKeys(given)
    return FileKeys(file) if file.exists() or ring is None else RingKeys(ring, str(folder.resolve()))


class Vault:
    """Seals and opens text. Safe for any threads and processes.

    Args:
        keys: where the keys are; the first one is made here.
        kept: what is sealed in the database.

    Raises:
        VaultError: the keys are none, missing, or not those with which the database was sealed.
    """

    def __init__(self, keys: Keys, kept: Vaulted) -> None:
        self._keys, self._kept = keys, kept
        self._lock = threading.Lock()
        self._check()

    def seal(self, text: str) -> str:
        """Text that only the vault opens; the keys are looked up anew, because they may have been changed meanwhile."""
        return self._load().encrypt(text.encode()).decode()

    def open(self, sealed: str) -> str:
        """The text of a seal.

        Raises:
            VaultError: the key does not open it.
        """
        try:
            return self._load().decrypt(sealed.encode()).decode()
        except InvalidToken as error:
            raise VaultError(WRONG.format(place=self._keys.place)) from error

    def rotate(self) -> int:
        """Seal everything with another key: a new one, or of several that are set from outside the first.

        Whenever it is interrupted, all keys that something is still sealed with are kept.

        Returns:
            How many things were sealed anew.
        """
        with self._lock:
            old = self._keys.read()
            if isinstance(self._keys, GivenKeys):
                if len(old) < 2:
                    self._keys.write(old)
                return self._kept.reseal(self._again)
            new = Fernet.generate_key().decode()
            self._keys.write([new, *old])
            count = self._kept.reseal(self._again)
            self._keys.write([new])
            return count

    def _again(self, sealed: str) -> str:
        return self._load().rotate(sealed.encode()).decode()

    def _check(self) -> None:
        mark = self._kept.mark()
        if not self._keys.read():
            if mark is not None:
                raise VaultError(GONE.format(place=self._keys.place))
            self._keys.write([Fernet.generate_key().decode()])
        if mark is None:
            self._kept.set_mark(self.seal(KNOWN.decode()))
        else:
            self.open(mark)

    def _load(self) -> MultiFernet:
        try:
            keys = self._keys.read()
            if not keys:
                raise VaultError(GONE.format(place=self._keys.place))
            return MultiFernet([Fernet(key) for key in keys])
        except ValueError as error:
            raise VaultError(BAD.format(place=self._keys.place, make=MAKE)) from error
