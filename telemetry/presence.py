"""Which processes use a database now: each holds a lock that ends with it, however it ends.

Beside an SQLite file that is a lock on a small file; in PostgreSQL, whose processes may be on several machines, an
advisory lock of a session of its own.
"""

import fcntl
import os
import threading
import time
import uuid
from collections.abc import Collection
from contextlib import suppress
from pathlib import Path
from typing import Final, Protocol

from sqlalchemy import Connection, Engine, NullPool, create_engine, event, text
from sqlalchemy.engine import make_url
from sqlalchemy.exc import DBAPIError

KIND: Final = 4820164
"""The first number of the advisory locks; the second one is the process's."""
HOLD: Final = text("SELECT pg_advisory_lock_shared(:kind, :number)")
RELEASE: Final = text("SELECT pg_advisory_unlock_all()")
HELD: Final = text(
    "SELECT objid FROM pg_locks WHERE locktype = 'advisory' AND classid = :kind AND objsubid = 2 AND granted "
    "AND database = (SELECT oid FROM pg_database WHERE datname = current_database())"
)
FRESH_SECONDS: Final = 60
"""A file this young may be one that its process is about to lock."""


class Sign(Protocol):
    """What shows that a process lives, and finds the signs of others."""

    def hold(self) -> None:
        """Show it, also after the connection to the server was lost."""

    def seen(self, ids: Collection[str]) -> set[str]:
        """Those of some processes that show it."""

    def close(self) -> None:
        """Show it no more."""


class Presence:
    """This process among all that use a database.

    Attributes:
        id: names it wherever it notes that it is at work on something.
    """

    def __init__(self, url: str) -> None:
        self.id = uuid.uuid4().hex
        self._sign = sign_of(url, self.id)
        self._sign.hold()

    def follow(self, engine: Engine) -> None:
        """Show it again as soon as the engine needs a new connection: the server may have been away."""
        event.listen(engine, "connect", lambda *_: self._sign.hold())

    def living(self, ids: Collection[str]) -> set[str]:
        """Those of some processes that are still there, this one with them."""
        others = {one for one in ids if one and one != self.id}
        return (self._sign.seen(others) if others else set()) | ({self.id} & set(ids))

    def close(self) -> None:
        """This process no longer uses the database."""
        self._sign.close()


def sign_of(url: str, process: str) -> Sign:
    """The sign for a kind of database."""
    parsed = make_url(url)
    if parsed.get_backend_name() == "postgresql":
        return SessionSign(url, process)
    if parsed.database in (None, "", ":memory:"):
        return NoSign()
    return FileSign(Path(str(parsed.database)), process)


class NoSign:
    """Nobody else can use a database in memory."""

    def hold(self) -> None:
        """Nothing to show."""

    def seen(self, ids: Collection[str]) -> set[str]:
        """Nobody."""
        return set()

    def close(self) -> None:
        """Nothing to end."""


class FileSign:
    """A locked file beside the database."""

    def __init__(self, database: Path, process: str) -> None:
        self._database, self._process = database, process
        self._file = -1

    def hold(self) -> None:
        """Make the file and lock it, once; and remove those of processes that are gone."""
        if self._file >= 0:
            return
        self._file = os.open(self._path(self._process), os.O_CREAT | os.O_RDWR, 0o600)
        fcntl.flock(self._file, fcntl.LOCK_EX)
        for path in self._database.parent.glob(f"{self._path('').name}*"):
            if not is_locked(path) and is_older(path, FRESH_SECONDS):
                path.unlink(missing_ok=True)

    def seen(self, ids: Collection[str]) -> set[str]:
        """Those whose file is locked."""
        return {one for one in ids if is_locked(self._path(one))}

    def close(self) -> None:
        """Remove the file."""
        if self._file >= 0:
            self._path(self._process).unlink(missing_ok=True)
            os.close(self._file)
            self._file = -1

    def _path(self, process: str) -> Path:
        return self._database.with_name(f"{self._database.name}-process-{process}")


def is_locked(path: Path) -> bool:
    """Whether some process holds a lock on a file."""
    try:
        file = os.open(path, os.O_RDONLY)
    except FileNotFoundError:
        return False
    try:
        fcntl.flock(file, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except BlockingIOError:
        return True
    finally:
        os.close(file)
    return False


def is_older(path: Path, seconds: float) -> bool:
    """Whether a file was made longer ago."""
    try:
        return path.stat().st_mtime < time.time() - seconds
    except FileNotFoundError:
        return False


class SessionSign:
    """An advisory lock of one session."""

    def __init__(self, url: str, process: str) -> None:
        self._engine = create_engine(url, poolclass=NullPool, isolation_level="AUTOCOMMIT")
        self._number = number_of(process)
        self._connection: Connection | None = None
        self._lock = threading.Lock()
        self._closed = False

    def hold(self) -> None:
        """Take the lock, unless the session that has it is still there."""
        with self._lock:
            if not self._closed:
                self._hold()

    def seen(self, ids: Collection[str]) -> set[str]:
        """Those whose lock is taken."""
        with self._lock:
            numbers = {int(one) for one in self._hold().scalars(HELD, {"kind": KIND})}
        return {one for one in ids if number_of(one) in numbers}

    def close(self) -> None:
        """Give the lock back."""
        with self._lock:
            if self._connection is not None:
                with suppress(DBAPIError):
                    self._connection.execute(RELEASE)
                self._connection.close()
                self._connection = None
            self._closed = True
            self._engine.dispose()

    def _hold(self) -> Connection:
        if self._connection is not None:
            try:
                self._connection.scalar(text("SELECT 1"))
                return self._connection
            except DBAPIError:
                self._connection.invalidate()
                self._connection.close()
        self._connection = self._engine.connect()
        self._connection.execute(HOLD, {"kind": KIND, "number": self._number})
        return self._connection


def number_of(process: str) -> int:
    """A process's number among the locks: 31 bits."""
    return int(process[:8] or "0", 16) >> 1
