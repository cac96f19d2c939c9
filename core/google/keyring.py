"""The system's keyring, where the `keyring` package is installed and a real one answers at once without a question."""

import importlib
import threading
from collections.abc import Callable
from typing import Any, Protocol, TypeVar

SERVICE = "glassdesk"
SECONDS = 3.0
"""After which a keyring that waits for a person is given up."""
T = TypeVar("T")


class Ring(Protocol):
    """A keyring: names and secrets."""

    def get(self, name: str) -> str | None:
        """The secret of a name, None where there is none."""
        ...

    def set(self, name: str, secret: str) -> object:
        """Keep a secret."""
        ...


class SystemRing:
    """The keyring of the system.

    Args:
        library: the `keyring` module.
    """

    def __init__(self, library: Any) -> None:
        self._library = library

    def get(self, name: str) -> str | None:
        """The secret of a name."""
        found: str | None = self._library.get_password(SERVICE, name)
        return found

    def set(self, name: str, secret: str) -> None:
        """Keep a secret."""
        self._library.set_password(SERVICE, name, secret)


def system_ring() -> Ring | None:
    """The system's keyring, None where there is none that can be used on a server."""
    try:
        library: Any = importlib.import_module("keyring")
    except ImportError:
        return None
    # A priority below one is a stand-in: a file that is open to all, or none at all.
    priority = ask(lambda: float(library.get_keyring().priority)) or 0.0
    return SystemRing(library) if priority >= 1 else None


def ask(question: Callable[[], T]) -> T | None:
    """The answer of a keyring; None where it fails, or waits for somebody to unlock it."""
    found: list[T] = []

    def run() -> None:
        try:
            found.append(question())
        except Exception:  # every backend raises errors of its own
            return

    thread = threading.Thread(target=run, name="keyring", daemon=True)
    thread.start()
    thread.join(SECONDS)
    return found[0] if found else None
