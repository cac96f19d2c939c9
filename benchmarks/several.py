"""Several processes at once on one database: four that write turns, eight that read every page, and what is lost."""

import logging
import multiprocessing
import sys
import time
from argparse import ArgumentParser
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from opentelemetry.trace import Tracer, set_span_in_context
from sqlmodel import Session, func, select

from benchmarks.page_reads import Reads
from benchmarks.report import Figure, as_table
from core.errors import BadInput
from core.store.approvals import Approvals, Asked
from core.store.conversations import Outcome
from core.store.stores import Stores, open_stores
from core.store.tables import Approval, Exchange
from telemetry.costs import Costs
from telemetry.formats import HOUR
from telemetry.hour_tables import TurnHour
from telemetry.presence import Presence
from telemetry.queries import EVERYBODY, Selection
from telemetry.setup import Telemetry
from telemetry.store import Store
from telemetry.tables import Span, Turn

USER = "local"
STEPS = ("route", "invoke_agent Gmail", "execute_tool send_gmail_message", "gmail.users.messages.send", "persist")
CHAT = {
    "gen_ai.operation.name": "chat",
    "gen_ai.request.model": "gpt-4o-mini",
    "gen_ai.usage.input_tokens": 1200,
    "gen_ai.usage.output_tokens": 80,
}
SPANS = len(STEPS) + 2
"""Of a turn: its steps, a model call, and its root."""


@dataclass(frozen=True)
class Place:
    """Where the processes meet: the URLs of both databases, and the data folder."""

    app: str
    telemetry: str
    folder: Path


class Errors(logging.Handler):
    """What was logged as a warning or worse: the writer does not raise, it tries again."""

    def __init__(self) -> None:
        super().__init__(logging.WARNING)
        self.found: list[str] = []

    def emit(self, record: logging.LogRecord) -> None:
        self.found.append(record.getMessage())


def write(place: Place, seconds: float) -> dict[str, Any]:
    """Turns with spans, conversations and approvals until the time is over; gives what should be there then."""
    stores = open_stores(place.app, place.folder / "uploads", datetime.now(UTC), processes=Presence)
    telemetry = Telemetry(place.telemetry, folder=place.folder)
    tracer = telemetry.tracer_provider.get_tracer("several")
    end, turns, errors = time.monotonic() + seconds, [], set()
    while time.monotonic() < end:
        turns.append(one_turn(stores, tracer, len(turns)))
        errors |= {telemetry.health.last_error} - {None}
    telemetry.flush()
    lost = telemetry.health.lost
    telemetry.shutdown()
    stores.processes.close()
    return {"turns": turns, "lost": lost, "errors": sorted(map(str, errors))}


def one_turn(stores: Stores, tracer: Tracer, number: int) -> str:
    """A turn as the app makes one: kept, traced, approved and done."""
    root = tracer.start_span("turn", attributes={"glassdesk.user.id": USER, "glassdesk.status": "done"})
    turn_id = f"{root.get_span_context().trace_id:032x}"
    conversation = f"c{turn_id}"
    root.set_attribute("gen_ai.conversation.id", conversation)
    stores.conversations.begin(USER, conversation, turn_id, f"Send invoice {number} to Ana")
    inside = set_span_in_context(root)
    tracer.start_span("chat gpt-4o-mini", inside, attributes=CHAT).end()
    for name in STEPS:
        tracer.start_span(name, inside).end()
    approve(stores.approvals, turn_id, conversation)
    stores.conversations.finish(USER, turn_id, Outcome("done", "It was sent."))
    root.end()
    return turn_id


def approve(approvals: Approvals, turn_id: str, conversation: str) -> None:
    """A write that is asked about, approved, made, and refused the second time."""
    call = {"to": "ana@lumenworks.example"}
    row = approvals.ask(Asked(turn_id, conversation, USER, "sam@x", "call", "Gmail", "send", call, "Sends a mail."))
    approvals.decide(USER, row.id, "approve")
    approvals.claim(USER, turn_id, "call", call)
    with suppress(BadInput):
        approvals.claim(USER, turn_id, "call", call)
        raise AssertionError("It was made twice.")
    approvals.finish(row.id, "done", "Sent.")


def read(place: Place, seconds: float) -> dict[str, Any]:
    """Every page's reads again and again until the time is over."""
    stores = open_stores(place.app, place.folder / "uploads", datetime.now(UTC), processes=Presence)
    store = Store(place.telemetry)
    end, times = time.monotonic() + seconds, []
    while time.monotonic() < end:
        started = time.perf_counter()
        look(stores, store)
        times.append(time.perf_counter() - started)
    stores.processes.close()
    store.close()
    return {"rounds": len(times), "longest": max(times, default=0.0), "mean": sum(times) / max(1, len(times))}


def look(stores: Stores, store: Store) -> None:
    """What all pages read, once."""
    now = time.time_ns()
    reads, chosen = Reads(store, now), Selection(now - 24 * HOUR, now)
    for page in reads.of_numbers().values():
        page(EVERYBODY, chosen)
        page(USER, chosen)
    for page in (*reads.of_lists().values(), *reads.of_one().values()):
        page(USER, chosen)
    for one in stores.conversations.list(USER, 20)[:3]:
        stores.conversations.exchanges(USER, one.id)
        stores.approvals.of_conversation(USER, one.id)
    stores.approvals.pending(USER)
    stores.search.find(USER, "invoice Ana")


def together(place: Place, writers: int = 4, readers: int = 8, seconds: float = 60) -> list[dict[str, Any]]:
    """Run all of them at once, each a process of its own; gives what each says."""
    Store(place.telemetry).close()
    roles = ["write"] * writers + ["read"] * readers
    start_from = multiprocessing.get_context("forkserver")
    start_from.set_forkserver_preload([__name__])
    with ProcessPoolExecutor(len(roles), start_from) as processes:
        return list(processes.map(role, [place] * len(roles), roles, [seconds] * len(roles)))


def role(place: Place, name: str, seconds: float) -> dict[str, Any]:
    """Be one of the processes."""
    heard = Errors()
    logging.getLogger().addHandler(heard)
    found = write(place, seconds) if name == "write" else read(place, seconds)
    return {**found, "errors": [*found.get("errors", []), *heard.found]}


def losses(place: Place, said: Sequence[dict[str, Any]]) -> dict[str, int]:
    """What the writers say they wrote, less what is there: exchanges, approvals, turns, spans, and in the sums."""
    turns = [turn for one in said for turn in one.get("turns", [])]
    stores, store = open_stores(place.app, place.folder, datetime.now(UTC)), Store(place.telemetry)
    with Session(stores.database) as session:
        exchanges = session.exec(select(func.count()).where(Exchange.status == "done")).one()
        approvals = session.exec(select(func.count()).where(Approval.state == "done")).one()
    with store.reader() as session:
        stored = session.exec(select(func.count()).where(Turn.status == "done")).one()
        spans = session.exec(select(func.count()).where(Span.status == "ok")).one()
        summed = session.exec(select(func.sum(TurnHour.turns)).where(TurnHour.user_id == USER)).one() or 0
    now = time.time_ns()
    cost, _ = Costs(store).of_period(EVERYBODY, now - 24 * HOUR, now + HOUR)
    store.close()
    number = len(turns)
    return {
        "exchanges": number - exchanges,
        "approvals": number - approvals,
        "turns": number - stored,
        "spans": number * SPANS - spans,
        "turns in sums": number - int(summed),
        "10⁻¹² USD": number * 228_000_000 - cost,
    }


def figures(place: Place, said: Sequence[dict[str, Any]], seconds: float, title: str) -> Iterator[Figure]:
    """What happened."""
    turns = sum(len(one.get("turns", [])) for one in said)
    rounds = [one for one in said if "rounds" in one]
    yield Figure(title, "turns a second, each with 7 spans and an approval", turns / seconds, "turns/s")
    yield Figure(title, "reads of all pages a second", sum(one["rounds"] for one in rounds) / seconds, "rounds/s")
    yield Figure(title, "a read of all pages, mean", 1e3 * max((one["mean"] for one in rounds), default=0), "ms")
    errors = [one for one in said if one["errors"] or one.get("lost")]
    yield Figure(title, "processes with an error", len(errors), "", 0)
    for name, number in losses(place, said).items():
        yield Figure(title, f"lost {name}", number, "", 0)


def main(arguments: Sequence[str] | None = None) -> int:
    """The command line; by default over SQLite files."""
    options = ArgumentParser("python -m benchmarks.several", description=__doc__)
    options.add_argument("--seconds", type=float, default=60)
    options.add_argument("--writers", type=int, default=4)
    options.add_argument("--readers", type=int, default=8)
    options.add_argument("--app", help="URL of the app database")
    options.add_argument("--telemetry", help="URL of the telemetry database")
    chosen = options.parse_args(arguments)
    with TemporaryDirectory(prefix="glassdesk-several-") as made:
        given = ("app", chosen.app), ("spans", chosen.telemetry)
        place = Place(*(url or f"sqlite:///{Path(made) / name}.db" for name, url in given), Path(made))
        said = together(place, chosen.writers, chosen.readers, chosen.seconds)
        who = f"{chosen.writers} writers and {chosen.readers} readers"
        print(
            as_table(
                figures(place, said, chosen.seconds, f"{who}, {chosen.seconds:g} s, {place.app.partition(':')[0]}")
            )
        )
        print(*{text for one in said for text in one["errors"]}, sep="\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
