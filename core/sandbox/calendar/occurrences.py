"""Events in a range: series expanded, exceptions in the place of what they replace."""

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from zoneinfo import ZoneInfo

from core.sandbox.calendar import shelf
from core.sandbox.calendar.recurrence import Occurrence
from core.sandbox.calendar.resource import instance
from core.sandbox.calendar.tables import EventRow
from core.sandbox.calendar.times import When

AHEAD = timedelta(days=730)
"""How far endless series are expanded where the range has no end."""


@dataclass(frozen=True)
class Moments:
    """An event at its time: a stored one, or one occurrence of a series (then `found` is set). Start and end in UTC."""

    row: EventRow
    start: datetime
    end: datetime
    found: Occurrence | None = None

    @property
    def key(self) -> str:
        """Which occurrence of its series it is; empty for an event by itself."""
        return self.found.key if self.found else self.row.original

    def event(self) -> EventRow:
        """The event of this time."""
        return instance(self.row, self.found) if self.found else self.row


def moments(
    rows: Sequence[EventRow],
    expand: bool,
    low: datetime | None,
    high: datetime | None,
    zone: ZoneInfo,
    now: datetime,
) -> Iterator[Moments]:
    """The events of a range, unordered: those that end after `low` and start before `high`.

    Args:
        rows: events and series of one calendar, with all exceptions of these series.
        expand: whether series are given as their instances.
        zone: the calendar's, in which days begin.
        now: from which an endless series is followed where the range has no end.
    """
    replaced: dict[str, set[str]] = defaultdict(set)
    for row in rows:
        replaced[row.series_id or ""].add(row.original)
    ahead = high or max(low or now, now) + AHEAD
    for row in rows:
        if "recurrence" not in row.body:
            yield from single(row, low, high, zone)
        elif expand:
            yield from expanded(row, replaced[row.id], low, ahead if row.last is None else high, zone)
        elif next(shelf.series(row).between(low, high, zone), None) is not None:
            yield Moments(row, *span(row, zone))


def single(row: EventRow, low: datetime | None, high: datetime | None, zone: ZoneInfo) -> Iterator[Moments]:
    """An event by itself, where it lies in the range."""
    start, end = span(row, zone)
    if (low is None or end > low) and (high is None or start < high):
        yield Moments(row, start, end)


def expanded(
    row: EventRow, replaced: set[str], low: datetime | None, high: datetime | None, zone: ZoneInfo
) -> Iterator[Moments]:
    """The occurrences of a series that no exception replaces; of a deleted series too."""
    for found in shelf.series(row).between(low, high, zone):
        if not replaced or found.key not in replaced:
            yield Moments(row, found.start.instant(zone), found.end.instant(zone), found)


def span(row: EventRow, zone: ZoneInfo) -> tuple[datetime, datetime]:
    """Start and end of a stored event, UTC."""
    return When.stored(row.body["start"]).instant(zone), When.stored(row.body["end"]).instant(zone)
