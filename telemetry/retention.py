"""How long single turns are kept: by age and by size, in small steps beside whatever else is written.

A turn goes with its spans, long texts, calls and words; by whole hours, oldest first. The hourly sums stay, so that
the numbers of a longer period are still right.
"""

import logging
import threading
import time
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final

from sqlalchemy import Connection, and_, delete, exists, func, select, text

from telemetry import textindex
from telemetry.errors import TelemetryError
from telemetry.formats import DAY, HOUR
from telemetry.sizes import give_back, overwrite, size_of, without_deleted_words
from telemetry.store import Store
from telemetry.tables import RUNS, Keeping, LlmCall, Payload, Span, ToolCall, Turn, TurnText
from telemetry.upsert import table_of, upsert

log = logging.getLogger(__name__)

MEGABYTE: Final = 1_000_000
LEAST_MEGABYTES: Final = 50
"""What a database with its hourly sums takes anyway."""
ROOM: Final = 0.9
"""Too large, it is brought down to so much of the limit, so that the next turn is not too much again."""
BATCH: Final = 50
"""Turns in one transaction: about five hundred spans, some milliseconds."""
TRACES: Final = 500
"""Traces that are looked at in one step of the search for spans that belong to no turn."""
BREATH: Final = 0.005
"""Seconds between two steps, in which others write."""
TURN, SPAN, PAYLOAD, KEEPING = (table_of(table) for table in (Turn, Span, Payload, Keeping))
OF_TURN: Final = tuple(table_of(table) for table in (TurnText, LlmCall, ToolCall, Turn))
FAILED: Final = "It could not be finished; the log says why. It goes on by itself within the hour."


@dataclass(frozen=True)
class Limits:
    """How long, and how much; 0: without end.

    Attributes:
        days: whole days of UTC.
        megabytes: of the database, 10⁶ bytes each; for SQLite alone, whose file this app keeps small itself.
    """

    days: int = 0
    megabytes: int = 0


@dataclass(frozen=True)
class Progress:
    """How far a run is, in turns; `total` may be an estimate. `freed` in bytes, once it has ended."""

    done: int = 0
    total: int = 0
    freed: int | None = None
    error: str | None = None

    @property
    def running(self) -> bool:
        """Whether it goes on."""
        return self.freed is None and self.error is None


@dataclass(frozen=True)
class Outlook:
    """What limits would delete now; `before_ns`: turns that began before go, 0 where it is by size or nothing."""

    turns: int
    before_ns: int
    too_large: bool


class Retention:
    """Keeps a store within limits; one run at a time.

    Args:
        limits: those of the settings, which count until an administrator sets others.
    """

    def __init__(self, store: Store, limits: Limits | None = None) -> None:
        self.store, self.settings = store, limits or Limits()
        self._progress: Progress | None = None
        self._lock = threading.Lock()
        self._stop = threading.Event()

    @property
    def by_size(self) -> bool:
        """Whether the size can be kept: PostgreSQL does not give space back when rows go."""
        return self.store.engine.dialect.name == "sqlite"

    @property
    def progress(self) -> Progress | None:
        """How far it is, or how the last run ended; None before the first."""
        return self._progress

    @property
    def limits(self) -> Limits:
        """Those that count now."""
        with self.store.reader() as session:
            row = session.connection().execute(select(KEEPING)).mappings().first()
        if row is None:
            return self.settings
        days = self.settings.days if row["days"] is None else row["days"]
        return Limits(days, self.settings.megabytes if row["megabytes"] is None else row["megabytes"])

    def set(self, limits: Limits) -> None:
        """Let other limits count, in every process.

        Raises:
            TelemetryError: they are no limits.
        """
        if limits.days < 0 or limits.megabytes < 0:
            raise TelemetryError("A limit below zero was given. Use 0 to keep everything.")
        if 0 < limits.megabytes < LEAST_MEGABYTES:
            raise TelemetryError(f"At least {LEAST_MEGABYTES} MB are needed, or 0 for no limit.")
        with self.store.write() as connection:
            keep(connection, days=limits.days, megabytes=limits.megabytes)

    @property
    def gone_before(self) -> int:
        """Turns that began before were deleted, in Unix nanoseconds; 0: none were."""
        with self.store.reader() as session:
            return int(session.connection().execute(select(KEEPING.c.before_ns)).scalar() or 0)

    @property
    def oldest(self) -> int | None:
        """When the oldest turn that has ended began."""
        ended = select(TURN.c.start_ns).where(TURN.c.status != "running").order_by(TURN.c.start_ns).limit(1)
        with self.store.reader() as session:
            return session.connection().execute(ended).scalar()

    def outlook(self, limits: Limits, now_ns: int) -> Outlook:
        """What these limits would delete now."""
        before = before_of(limits, now_ns)
        too_large = self.by_size and 0 < limits.megabytes * MEGABYTE < size_of(self.store).used
        return Outlook(self._count(before), before, too_large)

    def start(self, now_ns: int) -> threading.Thread | None:
        """Begin in the background; None if it runs already."""
        if not self._begin():
            return None
        thread = threading.Thread(target=self._run, args=[now_ns], name="retention", daemon=True)
        thread.start()
        return thread

    def run(self, now_ns: int) -> None:
        """Delete what is over the limits, and give the space back; nothing if it runs already."""
        if self._begin():
            self._run(now_ns)

    def stop(self) -> None:
        """End a run after its present step; the next one goes on there."""
        self._stop.set()

    def _begin(self) -> bool:
        with self._lock:
            if self._progress is not None and self._progress.running:
                return False
            self._progress = Progress()
            return True

    def _run(self, now_ns: int) -> None:
        try:
            before = size_of(self.store)
            gone = self._by_age(now_ns) + self._by_size(now_ns)
            if gone:
                without_deleted_words(self.store, self._breathe)
            if gone or size_of(self.store).roomy:  # who forgets a user leaves room too
                give_back(self.store, self._breathe)
            after = size_of(self.store)
            self._note(freed=max(0, before.total + before.log - after.total - after.log))
        except Exception:
            log.exception("Old turns could not be deleted.")
            self._note(error=FAILED)

    def _by_age(self, now_ns: int) -> int:
        """Delete what is too old; returns turns and traces."""
        before = before_of(self.limits, now_ns)
        return self._delete_before(before) + self._delete_strays(before) if before else 0

    def _by_size(self, now_ns: int) -> int:
        """Delete the oldest hours until the database is small enough; the present hour stays."""
        limit, gone = self.limits.megabytes * MEGABYTE, 0
        if not (self.by_size and limit) or size_of(self.store).used <= limit:
            return 0
        while size_of(self.store).used > limit * ROOM and not self._stop.is_set():
            oldest = self.oldest
            if oldest is None or oldest // HOUR >= now_ns // HOUR:
                break
            gone += self._delete_before((oldest // HOUR + 1) * HOUR)
        return gone

    def _delete_before(self, before_ns: int) -> int:
        """Delete the turns that began before."""
        old = and_(TURN.c.start_ns < before_ns, TURN.c.status != "running")
        some = select(TURN.c.turn_id).where(old).order_by(TURN.c.start_ns).limit(BATCH)
        total, gone = self._count(before_ns), 0
        if not total:
            return 0
        known = self._progress or Progress()
        with self.store.write() as connection:  # first, so that no page takes an hour for whole that is half deleted
            known_before = connection.execute(select(KEEPING.c.before_ns)).scalar() or 0
            keep(connection, before_ns=max(before_ns, known_before))
        while not self._stop.is_set():
            with self.store.write() as connection:
                chosen = connection.scalars(some).all()
                delete_turns(connection, chosen)
            if not chosen:
                break
            gone += len(chosen)
            self._note(done=known.done + gone, total=known.total + max(total, gone))
            self._breathe()
        return gone

    def _delete_strays(self, before_ns: int) -> int:
        """Delete old traces that are no turn: nobody lists them, and no sum has them."""
        last, gone = "", 0
        youngest = func.max(SPAN.c.start_ns)
        known = exists().where(TURN.c.turn_id == SPAN.c.trace_id)
        while not self._stop.is_set():
            part = select(SPAN.c.trace_id, youngest, known).where(SPAN.c.trace_id > last)
            with self.store.reader() as session:
                rows = session.connection().execute(
                    part.group_by(SPAN.c.trace_id).order_by(SPAN.c.trace_id).limit(TRACES)
                )
                found = rows.all()
            if not found:
                break
            stray = [trace_id for trace_id, start_ns, is_turn in found if start_ns < before_ns and not is_turn]
            if stray:
                with self.store.write() as connection:
                    delete_turns(connection, stray)
            last, gone = found[-1][0], gone + len(stray)
            self._breathe()
        return gone

    def _count(self, before_ns: int) -> int:
        """How many turns that have ended began before."""
        if not before_ns:
            return 0
        old = select(func.count()).where(TURN.c.start_ns < before_ns)  # no other column: the index alone is read
        running = old.where(text(f"turn.{RUNS.text}"))
        with self.store.reader() as session:
            return int(session.scalar(old) or 0) - int(session.scalar(running) or 0)

    def _breathe(self) -> None:
        time.sleep(BREATH)

    def _note(self, **changes: int | str | None) -> None:
        with self._lock:
            self._progress = replace(self._progress or Progress(), **changes)  # type: ignore[arg-type]


def before_of(limits: Limits, now_ns: int) -> int:
    """Turns that began before are too old; 0: none is. A day begins, so that this runs once a day at most."""
    return (now_ns - limits.days * DAY) // DAY * DAY if limits.days else 0


def keep(connection: Connection, **changes: int) -> None:
    """Change what is noted about keeping; the rest of it stays."""
    known = connection.execute(select(KEEPING)).mappings().first() or {"before_ns": 0, "days": None, "megabytes": None}
    upsert(connection, Keeping, [{**known, "number": 1, **changes}])


def delete_turns(connection: Connection, turn_ids: Sequence[str]) -> None:
    """Delete single turns with all that hangs on them; their sums stay."""
    if not turn_ids:
        return
    overwrite(connection)
    textindex.forget(connection, turn_ids)
    for table in (PAYLOAD, SPAN):
        connection.execute(delete(table).where(table.c.trace_id.in_(turn_ids)))
    for table in OF_TURN:
        connection.execute(delete(table).where(table.c.turn_id.in_(turn_ids)))
