"""A journal of spans that ended and are not yet in the database: what the operating system has, a kill cannot take.

One line of JSON a span, already redacted. A file is emptied when all of it is committed; whoever finds the files of a
process that is gone stores what they hold.
"""

import fcntl
import json
import logging
import os
import threading
from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from sqlalchemy.engine import make_url

from telemetry.jsontext import dumps
from telemetry.rows import Record

log = logging.getLogger(__name__)
SEGMENT_BYTES: Final = 32_000_000


@dataclass
class Segment:
    """A file of the journal; `last` is the number of the last span in it."""

    path: Path
    file: int
    size: int = 0
    last: int = 0


class Journal:
    """The journal of this process. Safe for any threads.

    Args:
        stem: beginning of the files' names, beside the database.
    """

    def __init__(self, stem: Path) -> None:
        self._stem = stem
        self._lock = threading.Lock()
        self._appended = self._committed = self._opened = 0
        self._segments: deque[Segment] = deque([self._open()])

    def append(self, record: Record) -> None:
        """Hand a span to the operating system; a full disk is left to the database to report."""
        line = (dumps({"row": record.row, "payloads": record.payloads}) + "\n").encode()
        with self._lock:
            segment = self._segments[-1]
            if segment.size > SEGMENT_BYTES:
                segment = self._open()
                self._segments.append(segment)
            self._appended += 1
            segment.last = self._appended
            try:
                segment.size += os.write(segment.file, line)
            except OSError as error:
                log.warning("The span journal could not be written (%s).", error.strerror)

    def committed(self, spans: int) -> None:
        """The next spans in order of their appending are in the database."""
        with self._lock:
            self._committed += spans
            while len(self._segments) > 1 and self._segments[0].last <= self._committed:
                drop(self._segments.popleft())
            if self._committed >= self._appended and self._segments[0].size:
                os.ftruncate(self._segments[0].file, 0)
                self._segments[0].size = 0

    def close(self) -> None:
        """Close the files, and remove them unless they still hold something."""
        with self._lock:
            for segment in self._segments:
                if segment.last <= self._committed:
                    drop(segment)
                else:
                    os.close(segment.file)

    def _open(self) -> Segment:
        self._opened += 1
        path = self._stem.with_name(f"{self._stem.name}-{os.getpid()}-{id(self):x}-{self._opened}")
        file = os.open(path, os.O_CREAT | os.O_WRONLY | os.O_APPEND, 0o600)
        fcntl.flock(file, fcntl.LOCK_EX)
        return Segment(path, file)


def drop(segment: Segment) -> None:
    """Remove a file."""
    segment.path.unlink(missing_ok=True)
    os.close(segment.file)


def stem_of(url: str) -> Path | None:
    """Where the journals of a database are; None where it is not a file."""
    parsed = make_url(url)
    if parsed.get_backend_name() != "sqlite" or parsed.database in (None, "", ":memory:"):
        return None
    path = Path(str(parsed.database))
    return path.with_name(f"{path.name}-spans")


def left_behind(stem: Path) -> Iterator[tuple[Path, list[Record]]]:
    """The journals of processes that are gone, with what they hold; the caller stores that and removes the file."""
    for path in sorted(stem.parent.glob(f"{stem.name}-*")):
        file = os.open(path, os.O_RDONLY)
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            yield path, records_of(path)
        except BlockingIOError:
            continue
        finally:
            os.close(file)


def records_of(path: Path) -> list[Record]:
    """The spans of a journal; a line that was being written at the kill is left out."""
    found = []
    for line in path.read_bytes().splitlines():
        try:
            value = json.loads(line)
            found.append(Record(value["row"], value["payloads"]))
        except (ValueError, KeyError):
            log.warning("A line of %s is not whole and was left out.", path.name)
    return found
