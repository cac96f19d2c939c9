"""When: ranges of time found in a text. The phrases are data; a library reads written dates."""

import re
from dataclasses import dataclass, replace
from datetime import UTC, date, datetime, time, timedelta
from pathlib import Path

import dateparser

from core.agents.offline.days import (
    UNITS,
    Clock,
    Range,
    Tense,
    at_clock,
    days,
    named_month,
    nearest,
    part_of_day,
    signed,
    weekday,
)
from core.agents.offline.timefile import PartOfDay, Span, TimesFile
from core.datafile import read_data
from core.registry.references import alternatives
from core.settings import ROOT

ISO_DATE = re.compile(r"\d{4}-\d{2}-\d{2}")
ENDINGS = re.compile(r"(?<=\d)(?:st|nd|rd|th)\b| of\b|\.$", re.IGNORECASE)
NO_YEAR = re.compile(r"\d{1,2}([./])\d{1,2}")
TIMES = ROOT / "data" / "language" / "times.yaml"


@dataclass(frozen=True)
class Found:
    """A value and the places in the text that said it."""

    value: Range | None
    places: tuple[tuple[int, int], ...] = ()


class Times:
    """Finds ranges and lengths of time in English (or glossed) text.

    Args:
        file: the phrases.
    """

    def __init__(self, file: TimesFile) -> None:
        self._file = file
        number = rf"(?:\d{{1,4}}|{alternatives(file.numbers)})"
        hour = rf"(?:\d{{1,2}}|{alternatives(file.hour_words)})"
        short = alternatives(name[:3] for name in file.weekdays)
        self._names = {
            "{n}": number, "{hour}": hour, "{weekday}": alternatives(file.weekdays), "{day}": short,
            "{month}": alternatives(file.months),
        }  # fmt: skip
        self._names["{clock}"] = self.filled(file.clock)
        self._spans = [(span, self._pattern(span.match)) for span in file.spans]
        self._dates = [self._pattern(pattern) for pattern in file.dates]
        self._parts = [(part, self._pattern(part.match)) for part in file.parts]
        self._clocks = {kind: [self._pattern(one) for one in patterns] for kind, patterns in file.clocks.items()}
        self._lengths = [(length, self._pattern(length.match)) for length in file.durations]
        self._lead = re.compile(rf"\b{file.lead}", re.IGNORECASE)
        self._open = [re.compile(rf"\b(?:{text})", re.IGNORECASE) for text in (file.open.since, file.open.until)]

    def find(self, text: str, now: datetime, tense: Tense) -> Found:
        """The range that a text speaks of, and where.

        Args:
            text: English or glossed.
            now: aware, in the user's zone.
            tense: which Friday "on Friday" is.
        """
        days, day_place = self._days(text, now, tense)
        clock, clock_place = self._clock(text)
        part, part_place = self._part(text) if not clock else (None, None)
        places = [self._widened(text, place) for place in (day_place, clock_place, part_place) if place]
        if not places:
            return Found(None)
        value = days or self._today(clock, now, tense)
        if clock:
            value = at_clock(value, clock)
        elif part:
            value = part_of_day(value, part.hours)
        value = replace(self._opened(text, value, day_place, now), dated=days is not None, timed=clock is not None)
        return Found(value, tuple(places))

    def minutes(self, text: str) -> tuple[int | None, tuple[tuple[int, int], ...]]:
        """A length of time in minutes, and where it is said."""
        for length, pattern in self._lengths:
            if match := pattern.search(text):
                count = self._number(match["n"]) if length.each else 0
                return length.minutes or count * length.each, (match.span(),)
        return None, ()

    def number(self, text: str) -> int | None:
        """A number in digits or words."""
        return int(text) if text.isdigit() else self._file.numbers.get(text.lower())

    def _days(self, text: str, now: datetime, tense: Tense) -> tuple[Range | None, tuple[int, int] | None]:
        for pattern in self._dates:
            if (match := pattern.search(text)) and (day := self._date(match[0], now, tense)):
                return days(day, day + timedelta(days=1), now), match.span()
        for span, pattern in self._spans:
            if match := pattern.search(text):
                return self._resolve(span, match, now, tense), match.span()
        return None, None

    def _resolve(self, span: Span, match: re.Match[str], now: datetime, tense: Tense) -> Range:
        said = self._number(match["n"]) if "n" in match.re.groupindex else 1
        offset, length = signed(span.offset, said), signed(span.length, said)
        if span.unit == "weekday":
            day = weekday(self._weekday(match["weekday"]), match["which"], now.date(), tense)
            return days(day, day + timedelta(days=1), now)
        if span.unit == "named_month":
            return days(*named_month(self._month(match["month"]), now.date(), tense), now)
        if span.unit == "hour":
            return Range(now - timedelta(hours=length), now, exact=True)
        if span.backwards:
            length_days = length * (7 if span.unit == "week_of_days" else 1)
            return days(now.date() - timedelta(days=length_days), now.date() + timedelta(days=1), now)
        found = days(*UNITS[span.unit](now.date(), offset, length, tense), now)
        return Range(now, found.finish) if span.from_now else found

    def _date(self, text: str, now: datetime, tense: Tense) -> date | None:
        settings = {
            "PREFER_DATES_FROM": tense,
            "RELATIVE_BASE": now.replace(tzinfo=None),
            "DATE_ORDER": self._file.order,
        }
        settings |= {"DATE_ORDER": "YMD"} if ISO_DATE.fullmatch(text) else {}
        plain = ENDINGS.sub("", text)
        yearless = NO_YEAR.fullmatch(plain)
        found = dateparser.parse(
            f"{plain}{yearless[1]}{now.year}" if yearless else plain, ["%d.%m.%Y"], ["en"], settings=settings
        )
        return nearest(found.date(), now.date(), tense) if found and yearless else found and found.date()

    def _clock(self, text: str) -> tuple[Clock | None, tuple[int, int] | None]:
        for kind, patterns in self._clocks.items():
            for pattern in patterns:
                if match := pattern.search(text):
                    said = match.groupdict()
                    start, end = self._time(said.get("start")), self._time(said.get("end"))
                    if start or end:
                        return Clock(kind, start, end), match.span()
        return None, None

    def _time(self, text: str | None) -> time | None:
        if not text:
            return None
        if text.lower() in self._file.named_clock:
            return time(self._file.named_clock[text.lower()])
        match = re.match(rf"({self._names['{hour}']})(?:[:.](\d{{2}}))?\s?(\D*)$", text.lower())
        hour, minute = (self.number(match[1]), int(match[2] or 0)) if match else (None, 0)
        if not match or hour is None:
            return None
        suffix = match[3].replace(".", "")
        if suffix in ("am", "pm"):
            hour = hour % 12 + (12 if suffix == "pm" else 0)
        elif not match[2] and hour < self._file.afternoon_below and suffix != "h":
            hour += 12
        return time(hour, minute) if hour < 24 and minute < 60 else None

    def _part(self, text: str) -> tuple[PartOfDay | None, tuple[int, int] | None]:
        for part, pattern in self._parts:
            if match := pattern.search(text):
                return part, match.span()
        return None, None

    def _today(self, clock: Clock | None, now: datetime, tense: Tense) -> Range:
        late = clock and clock.kind in ("at", "between") and clock.start and clock.start < now.time()
        shift = timedelta(days=1 if late and tense == "future" else 0)
        return days(now.date() + shift, now.date() + shift + timedelta(days=1), now)

    def _opened(self, text: str, value: Range, place: tuple[int, int] | None, now: datetime) -> Range:
        if place is None:
            return value
        since, until = (pattern.search(text[: place[0]]) for pattern in self._open)
        if since:
            return Range(value.begin, None)
        return Range(None, value.begin) if until else value

    def _widened(self, text: str, place: tuple[int, int]) -> tuple[int, int]:
        before = text[: place[0]]
        leads = [match.start() for pattern in (self._lead, *self._open) if (match := pattern.search(before))]
        return min([place[0], *leads]), place[1]

    def _number(self, text: str) -> int:
        return self.number(text) or 1

    def _weekday(self, name: str) -> int:
        return [day[:3] for day in self._file.weekdays].index(name.lower()[:3])

    def _month(self, name: str) -> int:
        return [month[:3] for month in self._file.months].index(name.lower()[:3]) + 1

    def filled(self, pattern: str) -> str:
        """A pattern of the data with its names (`{n}`, `{weekday}` …) filled in."""
        for name, value in self._names.items():
            pattern = pattern.replace(name, value)
        return pattern

    def _pattern(self, pattern: str) -> re.Pattern[str]:
        return re.compile(rf"(?<![\w.:])(?:{self.filled(pattern)})(?!\w)", re.IGNORECASE)


def load_times(path: Path = TIMES) -> Times:
    """Read the phrases; and the library its own data, which it otherwise does at the first date."""
    times = Times(TimesFile.model_validate(read_data(path)))
    times.find("1 January", datetime(2000, 1, 1, tzinfo=UTC), "future")
    return times
