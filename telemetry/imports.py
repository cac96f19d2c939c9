"""Traces into the store from files: our own JSON Lines, and OTLP's JSON as one object or lines.

`python -m telemetry.imports DATABASE_URL FILE …` imports files as a user's.
"""

import json
import sys
from argparse import ArgumentParser
from collections.abc import Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, BinaryIO, Final, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from telemetry import attributes as names
from telemetry.errors import TelemetryError
from telemetry.export import FORMAT, Said
from telemetry.foreign import record_of, told_or_content
from telemetry.intake import Intake
from telemetry.otlp_wire import LARGEST, Malformed, Rejected, from_object, spans_of
from telemetry.redaction import Capture, Redactor
from telemetry.rows import Record, text
from telemetry.store import Store
from telemetry.texts import sound

SPANS_AT_ONCE: Final = 2_000
LARGEST_LINE: Final = 256_000_000
"""Bytes; a whole file of OTLP is one line."""
NEITHER: Final = "This is neither a trace that Glassdesk has exported nor OTLP's JSON with resourceSpans."
Nanoseconds = Annotated[int, Field(gt=0, le=LARGEST, strict=True)]


class SpanLine(BaseModel):
    """A span in an exported trace."""

    model_config = ConfigDict(extra="ignore", frozen=True)

    span_id: str = Field(pattern=r"^[0-9a-f]{16}$")
    trace_id: str = Field(pattern=r"^[0-9a-f]{32}$")
    parent_id: str | None = Field(default=None, pattern=r"^[0-9a-f]{16}$")
    name: str
    type: str = Field(pattern=r"^[a-z_]{1,40}$")
    kind: Literal["internal", "server", "client", "producer", "consumer"]
    start_ns: Nanoseconds
    end_ns: Nanoseconds | None = None
    status: Literal["running", "ok", "error", "interrupted"]
    conversation_id: str | None = None
    attributes: dict[str, Any]
    events: list[dict[str, Any]] = []


class PayloadLine(BaseModel):
    """A long text in an exported trace."""

    model_config = ConfigDict(extra="ignore", frozen=True)

    span_id: str = Field(pattern=r"^[0-9a-f]{16}$")
    trace_id: str = Field(pattern=r"^[0-9a-f]{32}$")
    key: str = Field(max_length=1_000)
    text: str
    size: int = Field(ge=0, le=LARGEST)


class TraceLine(BaseModel):
    """One line of an export."""

    model_config = ConfigDict(extra="ignore", frozen=True)

    format: Literal["glassdesk.trace"]
    version: Literal[1]
    spans: list[SpanLine]
    payloads: list[PayloadLine] = []


class NotImported(TelemetryError):
    """A file could not be read to its end; the sentence names line and field, and what was imported before."""


@dataclass
class Imported:
    """What became of a file.

    Attributes:
        turns: traces that have new spans.
        spans: new ones.
        known: spans that were there already.
        refused: spans of traces that are somebody else's here.
        rejected: spans whose ids or times cannot be.
    """

    turns: int = 0
    spans: int = 0
    known: int = 0
    refused: int = 0
    rejected: int = 0


def import_file(store: Store, redactor: Redactor, user_id: str, file: BinaryIO, said: Said | None = None) -> Imported:
    """Store the traces of a file as the user's. What is there already stays, so importing again changes nothing.

    Args:
        file: Seekable; it is read as a stream, a line at a time.
        said: Told how many bytes are read, and of how many.

    Raises:
        NotImported: A line is not as it should be; the lines before it are stored.
    """
    return Import(store, redactor, user_id, said).run(file)


class Import:
    """One run over one file."""

    def __init__(self, store: Store, redactor: Redactor, user_id: str, said: Said | None) -> None:
        self._intake, self._redactor, self._again = Intake(store), redactor, redactor.again()
        self._user, self._said = user_id, said or (lambda done, total: None)
        self._waiting: list[Record] = []
        self._turns: set[str] = set()
        self.result = Imported()

    def run(self, file: BinaryIO) -> Imported:
        """Read it all.

        Raises:
            NotImported: A line is not as it should be.
        """
        total = size_of(file)
        try:
            for number, line in lines_of(file):
                try:
                    self._take(json.loads(line))
                except (ValueError, RecursionError, Malformed) as error:
                    self._flush()
                    raise NotImported(self._sentence(number, error)) from error
                self._said(min(file.tell(), total), total)
            self._flush()
        finally:
            self._intake.close()
        return self.result

    def _take(self, value: Any) -> None:
        """One line: a trace of ours, or a request of OTLP."""
        if isinstance(value, dict) and value.get("format") == FORMAT:
            self._waiting += ours(TraceLine.model_validate(value), self._user, self._again)
        elif isinstance(value, dict) and {"resourceSpans", "resource_spans"} & value.keys():
            for span in spans_of(from_object(value)):
                if isinstance(span, Rejected):
                    self.result.rejected += 1
                else:
                    self._waiting.append(record_of(span, self._user, self._redactor))
        else:
            raise Malformed(NEITHER)
        if len(self._waiting) >= SPANS_AT_ONCE:
            self._flush()

    def _flush(self) -> None:
        """Store what waits."""
        taken = self._intake.put(self._user, self._waiting)
        self._waiting = []
        self._turns |= taken.traces
        self.result.turns = len(self._turns)
        self.result.spans += taken.stored
        self.result.known += taken.known
        self.result.refused += taken.refused

    def _sentence(self, number: int, error: Exception) -> str:
        """What is wrong, where, and what to do."""
        where, what = f"Line {number}", f"{error}".rstrip(".")
        if isinstance(error, ValidationError):
            problem = error.errors()[0]
            where += f", {'.'.join(str(part) for part in problem['loc'])}"
            what = problem["msg"]
        elif isinstance(error, (json.JSONDecodeError, RecursionError)):
            what = "this is not whole JSON"
        done = f"{self.result.turns:,} traces before it are imported" if self.result.turns else "Nothing was imported"
        return f"{where}: {what}. {done}; correct the file and import it again."


def ours(line: TraceLine, user_id: str, redactor: Redactor) -> list[Record]:
    """The rows of an exported trace; what was running then has been interrupted since."""
    long = {(one.trace_id, one.span_id, one.key): one for one in line.payloads}
    return [row_of(span, long, user_id, redactor) for span in line.spans]


def row_of(span: SpanLine, long: dict[tuple[str, str, str], PayloadLine], user_id: str, redactor: Redactor) -> Record:
    """The rows of one span, clean by the rules of this store."""
    attributes = {sound(name): value for name, value in span.attributes.items()}
    if names.USER in attributes:
        attributes[names.USER] = user_id
    if redactor.capture is not Capture.FULL and names.SERVICE in attributes:
        attributes = told_or_content(attributes)
    clean = redactor.clean(span.name, attributes, span.events)
    row = {
        **span.model_dump(include=set(SpanLine.model_fields)),
        "name": clean.name,
        "end_ns": None if span.end_ns is None else max(span.start_ns, span.end_ns),
        "status": "interrupted" if span.end_ns is None else span.status,
        "user_id": user_id,
        "conversation_id": text(span.conversation_id),
        "attributes": clean.attributes,
        "events": clean.events,
    }
    ids = {"span_id": span.span_id, "trace_id": span.trace_id}
    found = [{**ids, "key": whole.key, "text": whole.text, "size": whole.size} for whole in clean.wholes]
    for key in clean.attributes.keys() - {whole.key for whole in clean.wholes}:
        payload = long.get((span.trace_id, span.span_id, key))
        if payload is not None and not (redactor.capture is not Capture.FULL and key in names.CONTENT):
            found.append({**ids, "key": key, "text": redactor.whole(payload.text), "size": payload.size})
    return Record(row, found)


def lines_of(file: BinaryIO) -> Iterator[tuple[int, bytes]]:
    """The lines that hold something, with their numbers; where the first is not whole, the file may be one object."""
    first = file.readline(LARGEST_LINE)
    if not is_whole(first):
        whole = first + file.read(LARGEST_LINE)
        if is_whole(whole):
            yield 1, whole
            return
    file.seek(0)
    number = 0
    while line := file.readline(LARGEST_LINE):
        number += 1
        if line.strip():
            yield number, line


def is_whole(content: bytes) -> bool:
    """Whether it is one JSON value."""
    try:
        json.loads(content)
    except (ValueError, RecursionError):
        return False
    return True


def size_of(file: BinaryIO) -> int:
    """Bytes; the file is at its beginning after that."""
    size = file.seek(0, 2)
    file.seek(0)
    return size


def show(done: int, total: int) -> None:
    """The progress on the terminal."""
    sys.stderr.write(f"\r{done:,} of {total:,} bytes{chr(10) if done == total else ''}")


def main(arguments: Sequence[str]) -> int:
    """The command line."""
    parser = ArgumentParser("python -m telemetry.imports", description="Import files of traces as a user's.")
    parser.add_argument("database_url")
    parser.add_argument("files", nargs="+", type=Path)
    parser.add_argument("--user", default="local", help="whose they become")
    parser.add_argument("--capture", choices=list(Capture), default=Capture.FULL, help="content that is kept")
    options = parser.parse_args(arguments)
    with closing(Store(options.database_url)) as store:
        for path in options.files:
            try:
                with path.open("rb") as file:
                    done = import_file(store, Redactor(options.capture), options.user, file, show)
            except (OSError, NotImported) as error:
                sys.stderr.write(f"{path}: {error}\n")
                return 1
            sys.stdout.write(f"{path}: {done.turns:,} traces, {done.spans:,} spans, {done.known:,} known before\n")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
