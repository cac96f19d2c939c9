"""Turns out of the store: whole traces as JSON Lines, turns as CSV, streamed.

`python -m telemetry.export DATABASE_URL --format jsonl|csv` writes a user's turns to the standard output.
"""

import csv
import io
import sys
from argparse import ArgumentParser
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing
from typing import Any, Final, cast

from sqlalchemy import ColumnElement
from sqlmodel import Session, col, func, select

from telemetry.contract import timestamp, turn_summary
from telemetry.formats import usd
from telemetry.jsontext import dumps
from telemetry.queries import Readable, older_than
from telemetry.selection import is_of
from telemetry.store import Store
from telemetry.tables import Payload, Span, Turn
from telemetry.trace_in import MISSING

Which = Sequence[str] | Sequence[ColumnElement[bool]]
"""The ids of turns, or conditions on `Turn`; an empty one: all of the user's."""
Said = Callable[[int, int], None]
"""Told how many are done, and of how many."""

FORMAT: Final = "glassdesk.trace"
VERSION: Final = 1
AT_ONCE: Final = 100
BOM: Final = b"\xef\xbb\xbf"
"""Without it, Excel reads UTF-8 as something else."""
RUN_BY_SPREADSHEETS: Final = tuple("=+-@\t\r\n＝＋－＠")
COLUMNS: Final[Mapping[str, Callable[[Turn], Any]]] = {
    "turn_id": lambda turn: turn.turn_id,
    "started_at": lambda turn: timestamp(turn.start_ns),
    "conversation_id": lambda turn: turn.conversation_id,
    "question": lambda turn: turn.question,
    "status": lambda turn: turn.status,
    "route": lambda turn: turn.route,
    "agents": lambda turn: ", ".join(turn.agents),
    "model": lambda turn: turn.model,
    "service": lambda turn: turn.service,
    "wall_ms": lambda turn: milliseconds(turn.wall_ns),
    "first_token_ms": lambda turn: milliseconds(turn.first_token_ns),
    "model_calls": lambda turn: turn.requests,
    "tool_calls": lambda turn: turn.tools,
    "google_requests": lambda turn: turn.google_requests,
    "input_tokens": lambda turn: turn.input_tokens,
    "cached_input_tokens": lambda turn: turn.cached_input_tokens,
    "output_tokens": lambda turn: turn.output_tokens,
    "reasoning_tokens": lambda turn: turn.reasoning_tokens,
    "cost_usd": lambda turn: usd(turn.cost_pico_usd),
    "unpriced_calls": lambda turn: turn.unpriced,
    "error": lambda turn: turn.error,
}


def turns_jsonl(store: Readable, user_id: str, which: Which = (), said: Said | None = None) -> Iterator[bytes]:
    """Whole traces of a user, newest first: one line of JSON a turn, with its spans and their long texts."""
    for turns, session in pages(store, user_id, which, said):
        ids = [turn.turn_id for turn in turns]
        spans = grouped(session.exec(select(Span).where(col(Span.trace_id).in_(ids), col(Span.kind) != MISSING)))
        payloads = grouped(session.exec(select(Payload).where(col(Payload.trace_id).in_(ids))))
        for turn in turns:
            yield line_of(turn, spans[turn.turn_id], payloads[turn.turn_id])


def turns_csv(store: Readable, user_id: str, which: Which = (), said: Said | None = None) -> Iterator[bytes]:
    """A user's turns as a table for spreadsheets, newest first; what is unknown is empty, and no cell is a formula."""
    yield BOM + csv_line(COLUMNS)
    for turns, _ in pages(store, user_id, which, said):
        for turn in turns:
            yield csv_line([safe(value(turn)) for value in COLUMNS.values()])


def pages(
    store: Readable, user_id: str, which: Which, said: Said | None = None
) -> Iterator[tuple[list[Turn], Session]]:
    """The turns, some at a time, each time with a session of its own: what was stored meanwhile does no harm."""
    chosen = conditions_of(which, user_id)
    with store.reader() as session:
        total = session.exec(select(func.count()).select_from(Turn).where(*chosen)).one()
    done = 0
    after: list[ColumnElement[bool]] = []
    while True:
        newest = col(Turn.start_ns).desc(), col(Turn.turn_id).desc()
        with store.reader() as session:
            turns = list(session.exec(select(Turn).where(*chosen, *after).order_by(*newest).limit(AT_ONCE)))
            if not turns:
                return
            yield turns, session
            after = [older_than(turns[-1])]
        done += len(turns)
        if said is not None:
            said(done, max(done, total))


def conditions_of(which: Which, user_id: str) -> list[ColumnElement[bool]]:
    """Conditions of the user's turns, of ids too."""
    if which and isinstance(which[0], str):
        return [is_of(Turn, user_id), col(Turn.turn_id).in_(which)]
    return [col(Turn.user_id) == user_id, *cast("Sequence[ColumnElement[bool]]", which)]


def line_of(turn: Turn, spans: Sequence[Span], payloads: Sequence[Payload]) -> bytes:
    """One trace as a line; whose it is stays out of it."""
    ordered = sorted(spans, key=lambda span: (span.start_ns, span.span_id))
    value = {
        "format": FORMAT,
        "version": VERSION,
        "turn": turn_summary(turn),
        "spans": [span.model_dump(exclude={"user_id"}) for span in ordered],
        "payloads": [payload.model_dump() for payload in payloads],
    }
    return (dumps(value) + "\n").encode()


def grouped(rows: Any) -> dict[str, list[Any]]:
    """Rows by their trace."""
    found: dict[str, list[Any]] = defaultdict(list)
    for row in rows:
        found[row.trace_id].append(row)
    return found


def csv_line(cells: Any) -> bytes:
    """A line of CSV."""
    out = io.StringIO()
    csv.writer(out, lineterminator="\r\n").writerow(cells)
    return out.getvalue().encode()


def safe(value: Any) -> Any:
    """A cell that a spreadsheet shows and does not run."""
    if isinstance(value, str) and value.lstrip(" ").startswith(RUN_BY_SPREADSHEETS):
        return f"'{value}"
    return "" if value is None else value


def milliseconds(ns: int | None) -> float | None:
    """Nanoseconds as milliseconds."""
    return None if ns is None else ns / 1e6


WRITERS: Final[Mapping[str, Callable[..., Iterator[bytes]]]] = {"jsonl": turns_jsonl, "csv": turns_csv}
"""By the format's name."""


def show(done: int, total: int) -> None:
    """The progress on the terminal."""
    sys.stderr.write(f"\r{done:,} of {total:,} turns{chr(10) if done == total else ''}")


def main(arguments: Sequence[str]) -> int:
    """The command line."""
    parser = ArgumentParser("python -m telemetry.export", description="Write a user's turns to the standard output.")
    parser.add_argument("database_url")
    parser.add_argument("--user", default="local", help="whose turns")
    parser.add_argument("--format", choices=list(WRITERS), default="jsonl")
    parser.add_argument("--conversation", help="only the turns of this conversation")
    options = parser.parse_args(arguments)
    which = [col(Turn.conversation_id) == options.conversation] if options.conversation else []
    with closing(Store(options.database_url)) as store:
        for piece in WRITERS[options.format](store, options.user, which, show):
            sys.stdout.buffer.write(piece)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
