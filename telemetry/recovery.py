"""At start: what an earlier process had not finished storing is stored, and what it left running is marked."""

import logging
from collections.abc import Sequence
from pathlib import Path

from sqlalchemy.exc import DBAPIError

from telemetry import hourly, intake, rollup
from telemetry.journal import left_behind
from telemetry.open_turns import OpenTurns
from telemetry.rows import Record
from telemetry.spanstore import put as put_spans
from telemetry.store import Store

log = logging.getLogger(__name__)


def recover(store: Store, stem: Path | None, living: rollup.Living) -> None:
    """Store the journals of processes that are gone, then mark what they left running.

    A disk that is full now is no reason not to start; the journals stay for the next time.

    Args:
        stem: beginning of the journals' names; None where there are none.
        living: those of some processes that are still at work.
    """
    try:
        replay(store, stem)
        rollup.mark_interrupted(store, living)
        intake.roll_up_waiting(store)
        if hourly.is_missing(store):
            hourly.recount(store)
    except DBAPIError as error:
        log.warning("Spans of an earlier process could not be stored, or still show as running: %s.", error.orig)


def replay(store: Store, stem: Path | None) -> int:
    """Store what journals hold.

    Returns:
        The number of spans.
    """
    stored = 0
    if stem is None:
        return 0
    for path, records in left_behind(stem):
        put(store, records)
        path.unlink()
        stored += len(records)
    return stored


def put(store: Store, records: Sequence[Record]) -> None:
    """One transaction: the last that is known of each span, its payloads, and its turn's roll-up."""
    latest = {(one.row["trace_id"], one.row["span_id"]): one for one in records}
    with store.write() as connection:
        put_spans(connection, list(latest.values()))
        OpenTurns().store(connection, [one.row for one in latest.values()])
