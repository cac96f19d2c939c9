"""When an event is to begin and to end, as a calendar takes it."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from typing import Any

from core.agents.offline.days import Range

WEEK = timedelta(days=7)
HOUR = timedelta(hours=1)


@dataclass(frozen=True)
class Booking:
    """Begin and end of an event in the person's zone, or dates (the end not included) for whole days."""

    start: str
    end: str


def booked(value: Range | None, minutes: int | None, day: date | None = None) -> Booking | None:
    """The time of a new event; None where no day, or only a part of one, was said.

    Args:
        minutes: its length, where one was said; an hour otherwise.
        day: to which a time of day belongs, where no day was said with it.
    """
    if value is None or value.begin is None or value.finish is None:
        return None if day is None or value is not None else Booking(f"{day}", f"{day + timedelta(days=1)}")
    begin, finish = value.begin, value.finish
    if value.exact and not value.timed:
        return None
    if not value.exact:
        whole = day is None and finish - begin < WEEK and not minutes
        return Booking(f"{begin:%Y-%m-%d}", f"{finish:%Y-%m-%d}") if whole else None
    if day is not None and not value.dated:
        begin, finish = (moment.replace(year=day.year, month=day.month, day=day.day) for moment in (begin, finish))
    finish = begin + timedelta(minutes=minutes) if minutes else finish
    return Booking(written(begin), written(finish))


def moved(event: Mapping[str, Any], value: Range | None, minutes: int | None, now: datetime) -> str | None:
    """The new begin of an event; None where none was said.

    Args:
        value: the new time: a day keeps the time of day, a time of day keeps the day, a week keeps both.
        minutes: how much later it is, or earlier where negative; counts only without a new time.
    """
    old = local(event, now)
    if value is None or value.begin is None:
        return written(old + timedelta(minutes=minutes)) if minutes and not event.get("all_day") else None
    day = value.begin.date() if value.dated else old.date()
    if value.dated and value.finish and value.finish - value.begin >= WEEK:
        day += timedelta(days=old.weekday())
    if event.get("all_day") and not value.timed:
        return f"{day}"
    clock = value.begin if value.exact else old
    return written(datetime.combine(day, clock.time(), now.tzinfo))


def local(event: Mapping[str, Any], now: datetime) -> datetime:
    """When an event begins, in the person's zone."""
    start = datetime.fromisoformat(event["start"])
    return start.astimezone(now.tzinfo) if start.tzinfo else start.replace(tzinfo=now.tzinfo)


def written(moment: datetime) -> str:
    """A time as people write it in their own zone."""
    return f"{moment:%Y-%m-%dT%H:%M}"
