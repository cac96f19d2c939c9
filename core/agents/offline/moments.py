"""Dates, times and ranges as people say them, in the user's zone."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime, time, timedelta
from itertools import groupby
from typing import Any

from core.agents.offline.days import Range
from core.agents.offline.tongue import Dates

Item = Mapping[str, Any]
HALF_A_YEAR = 180


@dataclass(frozen=True)
class Moments:
    """Words for moments, seen from one.

    Attributes:
        now: aware, in the user's zone.
        words: how dates are said.
    """

    now: datetime
    words: Dates

    def local(self, text: str) -> datetime:
        """An RFC 3339 time (or a date: its midnight) in the user's zone."""
        value = datetime.fromisoformat(text)
        return value.astimezone(self.now.tzinfo) if value.tzinfo else value.replace(tzinfo=self.now.tzinfo)

    def day(self, text: str) -> str:
        """`Today`, `Tomorrow`, else `Tue 2 Dec`, with the year where it is another."""
        return capitalised(self.day_name(self.local(text).date()))

    def day_name(self, day: date) -> str:
        """The same within a sentence."""
        away = (day - self.now.date()).days
        near = day.year == self.now.year or abs(away) < HALF_A_YEAR
        return self.words.near(away) or self.words.written(self.words.day if near else self.words.day_of_year, day)

    def long(self, day: date) -> str:
        """A day with whole names and the year."""
        return f"{self.words.written(self.words.long_day, day)} {day.year}"

    def when(self, text: str) -> str:
        """Day and time."""
        if is_date(text):
            return self.day(text)
        return f"{self.day(text)} {self.local(text):%H:%M}"

    def hours(self, item: Item, clip: Range | None = None) -> str:
        """`09:00–09:30`, or `All day`; days are named where it ends on another one."""
        if item.get("all_day"):
            return self.words.all_day
        start, end = self.local(item["start"]), self.local(item["end"])
        if clip and clip.begin and clip.finish:
            start, end = max(start, clip.begin), min(end, clip.finish)
        last = (
            f"{end:%H:%M}"
            if end.date() == start.date() or end.time() == time()
            else f"{self.day_name(end.date())} {end:%H:%M}"
        )
        return f"{start:%H:%M}–{'24:00' if end.time() == time() and end > start else last}"

    def event_when(self, event: Item) -> str:
        """Day and hours of an event within a sentence; of an all-day one all its days."""
        start = self.local(event["start"])
        if not event.get("all_day"):
            return f"{self.day_name(start.date())} {self.hours(event)}"
        last = self.local(event["end"]).date() - timedelta(days=1)
        first = self.day_name(start.date())
        if last <= start.date():
            return self.words.whole_day.format(text=first)
        return self.words.days.format(first=first, last=self.day_name(last))

    def span(self, value: Range) -> str:
        """A range within a sentence: `tomorrow`, `on Fri 4 Dec 12:00–18:00`, `from today to Sun 6 Dec`."""
        begin, finish = value.begin, value.finish
        if begin is None or finish is None:
            return self._open(begin, finish)
        last = (finish - timedelta(microseconds=1)).date()
        if value.exact:
            end = "24:00" if finish.time() == time() else f"{finish:%H:%M}"
            return f"{self._on(begin.date())} {begin:%H:%M}–{end}"
        if begin.date() == last:
            return self._on(begin.date())
        return self.words.from_to.format(first=self.day_name(begin.date()), last=self.day_name(last))

    def _on(self, day: date) -> str:
        return self.words.near((day - self.now.date()).days) or self.words.on.format(text=self.day_name(day))

    def _open(self, begin: datetime | None, finish: datetime | None) -> str:
        if begin:
            pattern = self.words.since if begin < self.now else self.words.from_on
            return pattern.format(text=self.day_name(begin.date()))
        return self.words.before.format(text=self.day_name(finish.date())) if finish else self.words.any_time

    def by_day(self, events: Sequence[Item]) -> Iterator[tuple[str, list[tuple[int, Item]]]]:
        """(day, numbered events) in order; an event that began earlier counts to its own first day."""
        numbered = enumerate(events, start=1)
        for day, group in groupby(numbered, key=lambda pair: self.local(pair[1]["start"]).date()):
            near, full = self.words.near((day - self.now.date()).days), self.words.written(self.words.long_day, day)
            yield capitalised(f"{near}, {full}" if near else full), list(group)

    def others(self, guests: Iterable[Item]) -> str:
        """Everybody but the user, the first five by name; empty where nobody is."""
        names = [str(guest.get("name") or guest.get("email")) for guest in guests if not guest.get("me")]
        some = ", ".join(names[:5])
        return self.words.and_more.format(names=some, n=len(names) - 5) if len(names) > 5 else some

    def upcoming(self, events: Iterable[Item]) -> list[Item]:
        """Events with a time that have not begun yet and were not declined."""
        return [
            event
            for event in events
            if not event.get("all_day")
            and event.get("my_response") != "declined"
            and event.get("status") != "cancelled"
            and self.local(event["start"]) >= self.now
        ]

    def open_slots(
        self, free: Iterable[Item], minutes: int, days: Sequence[int], hours: Sequence[int], exact: bool = False
    ) -> list[Item]:
        """Free times of at least so many minutes within working hours, or as they are where the range was exact."""
        found: list[Item] = []
        for interval in free:
            start, end = max(self.local(interval["start"]), self.now), self.local(interval["end"])
            spans = [(start, end)] if exact else working(start, end, days, hours)
            found += [
                {"start": one.isoformat(), "end": other.isoformat()}
                for one, other in spans
                if other - one >= timedelta(minutes=minutes)
            ]
        return found


def working(
    start: datetime, end: datetime, days: Sequence[int], hours: Sequence[int]
) -> list[tuple[datetime, datetime]]:
    """The parts of a span within working hours, on quarters of an hour."""
    found, day = [], start.date()
    while day <= end.date():
        midnight = datetime.combine(day, time(), start.tzinfo)
        first = max(start, midnight.replace(hour=hours[0]))
        last = min(end, midnight.replace(hour=hours[1]))
        first += timedelta(minutes=-first.minute % 15) - timedelta(seconds=first.second, microseconds=first.microsecond)
        if day.weekday() in days and first < last:
            found.append((first, last))
        day += timedelta(days=1)
    return found


def is_date(text: str) -> bool:
    """Whether it is a date without a time."""
    return len(text) == len("2026-01-31")


def capitalised(text: str) -> str:
    """With a capital first letter."""
    return text[:1].upper() + text[1:]
