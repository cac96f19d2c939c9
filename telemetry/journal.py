"""A journal of spans that ended and are not yet in the database: what the operating system has, a kill cannot take.

One line of JSON a span, already redacted, in a file that is mapped into memory: a line is with the operating system
as soon as it is copied, without a call that would let other threads in. A file is emptied when all of it is
committed; whoever finds the files of a process that is gone stores what they hold.
"""

import errno
import fcntl
import hashlib
import logging
import mmap
import os
import struct
from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from sqlalchemy.engine import make_url

from telemetry.brief import BriefLock
from telemetry.jsontext import dumps, loads
from telemetry.rows import Record, record_of

log = logging.getLogger(__name__)
SEGMENT_BYTES: Final = 4_000_000
USED: Final = struct.Struct("<Q")


@dataclass
class Segment:
    """A file of the journal: how many bytes hold lines, then the lines.

    Attributes:
        memory: The file's bytes; None if the disk has no room for it.
        used: Up to where it is filled.
        last: The number of the last span in it.
    """

    path: Path
    file: int
    size: int
    memory: mmap.mmap | None
    used: int = USED.size
    last: int = 0

    def put(self, line: bytes) -> None:
        """Add a line. The length comes after it: a kill in between leaves no half of one."""
        end = self.used + len(line)
        if self.memory is not None:
            self.memory[self.used : end] = line
            USED.pack_into(self.memory, 0, end)
        self.used = end

    def clear(self) -> None:
        """Leave nothing in it."""
        if self.memory is not None:
            USED.pack_into(self.memory, 0, 0)
            self.memory[USED.size : self.used] = bytes(self.used - USED.size)
        self.used = USED.size

    def close(self) -> None:
        """Give up the file, which stays."""
        if self.memory is not None:
            self.memory.close()
        os.close(self.file)

    def drop(self) -> None:
        """Remove the file."""
        self.path.unlink(missing_ok=True)
        self.close()


class Journal:
    """The journal of this process. Safe for any threads.

    Args:
        stem: beginning of the files' names, beside the database.
    """

    def __init__(self, stem: Path) -> None:
        self._stem = stem
        self._lock = BriefLock()
        self._appended = self._committed = self._opened = 0
        self._segments: deque[Segment] = deque([self._open()])

    def append(self, record: Record) -> None:
        """Hand a span to the operating system; a full disk is left to the database to report."""
        line = f"{dumps([record.values(), record.payloads])}\n".encode(errors="replace")
        with self._lock:
            segment = self._segments[-1]
            if segment.used + len(line) > segment.size:
                segment = self._open(len(line))
                self._segments.append(segment)
            self._appended += 1
            segment.last = self._appended
            segment.put(line)

    def committed(self, spans: int) -> None:
        """The next spans in order of their appending are in the database."""
        with self._lock:
            self._committed += spans
            while len(self._segments) > 1 and self._segments[0].last <= self._committed:
                self._segments.popleft().drop()
            if self._committed >= self._appended:
                self._segments[0].clear()

    def close(self) -> None:
        """Close the files, and remove them unless they still hold something."""
        with self._lock:
            for segment in self._segments:
                if segment.last <= self._committed:
                    segment.drop()
                else:
                    segment.close()

    def _open(self, least: int = 0) -> Segment:
        """A new file with room for `least` bytes, all of it reserved: memory without a disk behind it would kill."""
        self._opened += 1
        path = self._stem.with_name(f"{self._stem.name}-{os.getpid()}-{id(self):x}-{self._opened}")
        file = locked(path)
        size = max(SEGMENT_BYTES, least + USED.size)
        return Segment(path, file, size, reserved(file, size))


def locked(path: Path) -> int:
    """A file of this name that is ours; one that was taken for left behind before it was locked is made again."""
    while True:
        file = os.open(path, os.O_CREAT | os.O_RDWR, 0o600)
        fcntl.flock(file, fcntl.LOCK_EX)
        if path.exists() and os.path.samestat(path.stat(), os.fstat(file)):
            return file
        os.close(file)


def reserved(file: int, size: int) -> mmap.mmap | None:
    """A file of so many zeros in memory; None where the disk has no room."""
    try:
        if os.pwrite(file, bytes(size), 0) < size:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        return mmap.mmap(file, size)
    except OSError as error:
        log.warning("The span journal could not be written (%s).", error.strerror)
        os.ftruncate(file, 0)
        return None


def stem_of(url: str, folder: Path | None = None) -> Path | None:
    """Where the journals of a database are; None where that is nowhere.

    Args:
        folder: where those of a database are that is no file; each database has its own.
    """
    parsed = make_url(url)
    if parsed.get_backend_name() != "sqlite" and folder is not None:
        place = f"{parsed.host or ''}:{parsed.port or ''}/{parsed.database}"
        return folder / f"telemetry-{hashlib.sha256(place.encode()).hexdigest()[:12]}-spans"
    if parsed.get_backend_name() != "sqlite" or parsed.database in (None, "", ":memory:"):
        return None
    path = Path(str(parsed.database))
    return path.with_name(f"{path.name}-spans")


def left_behind(stem: Path) -> Iterator[tuple[Path, list[Record]]]:
    """The journals of processes that are gone, with what they hold; the caller stores that and removes the file."""
    for path in sorted(stem.parent.glob(f"{stem.name}-*")):
        try:
            file = os.open(path, os.O_RDONLY)
        except FileNotFoundError:  # another process that starts has stored it
            continue
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            yield path, records_of(path)
        except BlockingIOError:
            continue
        finally:
            os.close(file)


def records_of(path: Path) -> list[Record]:
    """The spans of a journal; a line that is damaged is left out."""
    data, found = path.read_bytes(), []
    used = USED.unpack_from(data)[0] if len(data) >= USED.size else 0
    for line in data[USED.size : used].splitlines():
        try:
            values, payloads = loads(line)
            found.append(record_of(values, payloads))
        except (ValueError, TypeError):
            log.warning("A line of %s is not whole and was left out.", path.name)
    return found
