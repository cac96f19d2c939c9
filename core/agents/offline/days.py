"""Ranges of days and hours, worked out from today."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import date, datetime, time, timedelta
from typing import Literal

from dateutil.relativedelta import relativedelta

Tense = Literal["past", "future"]
HOUR = timedelta(hours=1)


@dataclass(frozen=True)
class Range:
    """A range of time in the user's zone; None is open. `exact` where a time of day was said.

    Attributes:
        dated: whether a day was said, and not only a time of day.
        timed: whether a clock time was said, and not only a part of the day.
    """

    begin: datetime | None
    finish: datetime | None
    exact: bool = False
    dated: bool = field(default=True, compare=False)
    timed: bool = field(default=False, compare=False)

    @property
    def start(self) -> str | None:
        """RFC 3339."""
        return self.begin.isoformat() if self.begin else None

    @property
    def end(self) -> str | None:
        """RFC 3339, not included."""
        return self.finish.isoformat() if self.finish else None

    @property
    def after(self) -> str | None:
        """As a mail search writes it: the first day, or the epoch second where a time of day was said."""
        return self._written(self.begin)

    @property
    def before(self) -> str | None:
        """As a mail search writes it: the first day after it, or the epoch second."""
        return self._written(self.finish)

    def _written(self, moment: datetime | None) -> str | None:
        if moment is None:
            return None
        return f"{moment.timestamp():.0f}" if self.exact else f"{moment:%Y/%m/%d}"


@dataclass(frozen=True)
class Clock:
    """A time of day, or two; `kind` is `at`, `between`, `after` or `before`."""

    kind: str
    start: time | None
    end: time | None


def days(first: date, after: date, now: datetime) -> Range:
    """From the start of a day to the start of another, in the zone of `now`."""
    zone = now.tzinfo
    return Range(datetime.combine(first, time(), zone), datetime.combine(after, time(), zone))


def at_clock(value: Range, clock: Clock) -> Range:
    """The range narrowed to a time of day; a single time stands for an hour."""
    day = value.begin or value.finish
    assert day is not None
    start = datetime.combine(day.date(), clock.start, day.tzinfo) if clock.start else None
    end = datetime.combine(day.date(), clock.end, day.tzinfo) if clock.end else None
    if clock.kind == "after":
        return Range(start, value.finish, exact=True)
    if clock.kind == "before":
        return Range(value.begin, end, exact=True)
    return Range(start, end if end and start and end > start else start and start + HOUR, exact=True)


def part_of_day(value: Range, hours: tuple[int, int]) -> Range:
    """The range narrowed to hours of its first day."""
    if value.begin is None:
        return value
    midnight = datetime.combine(value.begin.date(), time(), value.begin.tzinfo)
    finish = midnight + timedelta(hours=hours[1])
    return Range(midnight + timedelta(hours=hours[0]), finish, exact=True)


def signed(value: int | str, said: int) -> int:
    """A number of the data, or the number that was said."""
    return value if isinstance(value, int) else -said if value.startswith("-") else said


def weekday(number: int, which: str | None, today: date, tense: Tense) -> date:
    """The nearest such day: to come (today too), or gone by (today too); next and last leave today out."""
    which = (which or "").lower()
    if which in ("last", "past") or (not which and tense == "past"):
        back = (today.weekday() - number) % 7
        return today - timedelta(days=back or (7 if which else 0))
    ahead = (number - today.weekday()) % 7
    return today + timedelta(days=ahead or (7 if which in ("next", "coming") else 0))


def named_month(number: int, today: date, tense: Tense) -> tuple[date, date]:
    """The nearest month of that name that is to come, or has begun."""
    first = date(today.year, number, 1)
    if tense == "future" and first + relativedelta(months=1) <= today:
        first += relativedelta(years=1)
    if tense == "past" and first > today:
        first -= relativedelta(years=1)
    return first, first + relativedelta(months=1)


def nearest(day: date, today: date, tense: Tense) -> date:
    """The day in the year in which it is to come, or has been."""
    if tense == "future" and day < today:
        return day + relativedelta(years=1)
    return day - relativedelta(years=1) if tense == "past" and day > today else day


def some_days(today: date, offset: int, length: int, tense: Tense) -> tuple[date, date]:
    """Days from today."""
    first = today + timedelta(days=offset)
    return first, first + timedelta(days=length)


def some_weeks(today: date, offset: int, length: int, tense: Tense) -> tuple[date, date]:
    """Weeks from Monday."""
    first = today - timedelta(days=today.weekday()) + timedelta(weeks=offset)
    return first, first + timedelta(weeks=length)


def weeks_of_days(today: date, offset: int, length: int, tense: Tense) -> tuple[date, date]:
    """Seven days a week, from today."""
    return today, today + timedelta(weeks=length)


def some_weekend(today: date, offset: int, length: int, tense: Tense) -> tuple[date, date]:
    """Saturday and Sunday."""
    saturday = today - timedelta(days=today.weekday()) + timedelta(days=5, weeks=offset)
    if tense == "past" and saturday > today:
        saturday -= timedelta(weeks=1)
    return saturday, saturday + timedelta(days=2)


def some_months(today: date, offset: int, length: int, tense: Tense) -> tuple[date, date]:
    """Calendar months."""
    first = today.replace(day=1) + relativedelta(months=offset)
    return first, first + relativedelta(months=length)


def some_years(today: date, offset: int, length: int, tense: Tense) -> tuple[date, date]:
    """Calendar years."""
    first = today.replace(month=1, day=1) + relativedelta(years=offset)
    return first, first + relativedelta(years=length)


UNITS: Mapping[str, Callable[[date, int, int, Tense], tuple[date, date]]] = {
    "day": some_days,
    "week": some_weeks,
    "week_of_days": weeks_of_days,
    "weekend": some_weekend,
    "month": some_months,
    "year": some_years,
}
