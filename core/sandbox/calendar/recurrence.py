"""Recurring events: RRULE, RDATE and EXDATE read in the wall-clock time of the event's zone (RFC 5545)."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any
from zoneinfo import ZoneInfo

from dateutil.rrule import rrule, rruleset, rrulestr

from core.sandbox.calendar.times import When
from core.sandbox.calls import ApiError

REACH = timedelta(days=36525)
"""How far an endless series is followed."""
COUNTED = 5000
"""A series of more occurrences than this counts as endless."""
LINE = re.compile(r"(RRULE|EXRULE|RDATE|EXDATE)((?:;[^:]*)?):(.+)", re.I)
UNTIL = re.compile(r"UNTIL=([0-9TZ]+)", re.I)
TOO_OFTEN = re.compile(r"FREQ=(SECONDLY|MINUTELY|HOURLY)", re.I)


@dataclass(frozen=True)
class Occurrence:
    """One occurrence of a series."""

    start: When
    end: When

    @property
    def key(self) -> str:
        """The tail of its instance's id."""
        return self.start.key()


class Series:
    """The occurrences of a recurring event.

    Args:
        start: start of the first one.
        end: its end.
        lines: RRULE, RDATE, EXDATE, EXRULE lines.

    Raises:
        ApiError: 400 for a line that cannot be read.
    """

    def __init__(self, start: When, end: When, lines: Sequence[str]) -> None:
        self.start, self.length = start, end.minus(start)
        self._set = rruleset(cache=False)
        self._endless = False
        for line in lines:
            try:
                self._add(str(line))
            except ValueError as error:
                raise ApiError(400, "invalid", "Invalid recurrence rule.") from error
        if not any(str(line).upper().startswith("RRULE") for line in lines):
            self._set.rdate(start.wall())

    def between(self, low: datetime | None, high: datetime | None, zone: ZoneInfo) -> Iterator[Occurrence]:
        """Occurrences that end after `low` and start before `high` (aware; None is open), in order.

        Args:
            zone: in which an all-day occurrence begins at midnight.
        """
        first, margin = self.start.wall(), timedelta(days=2)
        last = first + REACH if high is None else min(naive(high) + margin, first + REACH)
        early = first - margin if low is None else naive(low) - self.length - margin
        for wall in self._set.between(early, last, inc=True):
            found = self.at(wall)
            if (low is None or found.end.instant(zone) > low) and (high is None or found.start.instant(zone) < high):
                yield found

    def find(self, key: str, zone: ZoneInfo) -> Occurrence | None:
        """The occurrence that an instance's id names."""
        day = datetime.strptime(key[:8], "%Y%m%d").replace(tzinfo=UTC)
        near = self.between(day - timedelta(days=2), day + timedelta(days=3), zone)
        return next((found for found in near if found.key == key), None)

    def at(self, wall: datetime) -> Occurrence:
        """The occurrence at a reading of the wall clock."""
        start = self.start.at(wall)
        return Occurrence(start, start.plus(self.length))

    def last(self) -> Occurrence | None:
        """The last occurrence, None for an endless series."""
        if self._endless:
            return None
        walls = list(self._set)
        return self.at(max(walls)) if walls else self.at(self.start.wall())

    def _add(self, line: str) -> None:
        match = LINE.fullmatch(line.strip())
        if match is None or TOO_OFTEN.search(line):
            raise ValueError(line)
        name, options, value = match.group(1).upper(), match.group(2), match.group(3)
        if name in ("RRULE", "EXRULE"):
            self._add_rule(name, value)
            return
        for text in value.split(","):
            getattr(self._set, name.lower())(self._wall(text, options))

    def _add_rule(self, name: str, value: str) -> None:
        rule: Any = rrulestr(UNTIL.sub(self._local_until, value), dtstart=self.start.wall())
        if not isinstance(rule, rrule):
            raise ValueError(value)
        getattr(self._set, name.lower())(rule)
        count, until = getattr(rule, "_count", None), getattr(rule, "_until", None)
        bounded = until - self.start.wall() < REACH if until else count is not None and count <= COUNTED
        self._endless |= name == "RRULE" and not bounded

    def _local_until(self, match: re.Match[str]) -> str:
        """UNTIL in wall-clock time; a date alone includes that whole day."""
        text = match.group(1).upper()
        wall = self._wall(text, "") if "T" in text else self._wall(f"{text}T235959", "")
        return f"UNTIL={wall:%Y%m%dT%H%M%S}"

    def _wall(self, text: str, options: str) -> datetime:
        """A date or time of a line as the wall clock of the series shows it."""
        if "T" not in text.upper():
            day = datetime.strptime(text, "%Y%m%d")  # noqa: DTZ007
            return day if self.start.day else datetime.combine(day, self.start.wall().time())
        moment = datetime.strptime(text.rstrip("zZ"), "%Y%m%dT%H%M%S")  # noqa: DTZ007
        if self.start.day is not None:
            return moment
        zone = re.search(r"TZID=([^;:]+)", options, re.I)
        own = ZoneInfo(self.start.zone)
        given = ZoneInfo("UTC") if text.upper().endswith("Z") else ZoneInfo(zone.group(1)) if zone else own
        return moment.replace(tzinfo=given).astimezone(own).replace(tzinfo=None)


def naive(moment: datetime) -> datetime:
    """UTC without its zone: near enough to any wall clock for a search with a margin."""
    return moment.astimezone(UTC).replace(tzinfo=None)
