"""Answers in a person's language: phrases and the names of days, from files."""

from collections.abc import Mapping
from datetime import date
from pathlib import Path

from pydantic import BaseModel, ConfigDict

from core.datafile import read_data
from core.registry.glossary import ENGLISH
from core.settings import ROOT

TONGUES = ROOT / "data" / "language" / "answers"
FORMS = " | "


class Dates(BaseModel):
    """How dates are said: names, and patterns over `{weekday}`, `{day}`, `{month}`, `{year}`, `{text}` …"""

    model_config = ConfigDict(frozen=True, extra="forbid")
    weekdays: tuple[str, ...]
    long_weekdays: tuple[str, ...]
    months: tuple[str, ...]
    long_months: tuple[str, ...]
    yesterday: str
    today: str
    tomorrow: str
    day: str
    day_of_year: str
    long_day: str
    on: str
    from_to: str
    days: str
    since: str
    from_on: str
    before: str
    any_time: str
    all_day: str
    whole_day: str
    and_more: str

    def written(self, pattern: str, day: date) -> str:
        """A day after a pattern."""
        return pattern.format(
            weekday=self.weekdays[day.weekday()],
            long_weekday=self.long_weekdays[day.weekday()],
            day=day.day,
            month=self.months[day.month - 1],
            long_month=self.long_months[day.month - 1],
            year=day.year,
        )

    def near(self, days: int) -> str | None:
        """The name of a day so many days away, where it has one."""
        return {-1: self.yesterday, 0: self.today, 1: self.tomorrow}.get(days)


class Tongue(BaseModel):
    """One language: dates, and English phrase → phrase."""

    model_config = ConfigDict(frozen=True, extra="forbid")
    dates: Dates
    phrases: dict[str, str]

    def phrase(self, english: str, n: object = None) -> str:
        """The phrase, English where there is none, in the form for one or for many."""
        forms = self.phrases.get(english, english).split(FORMS)
        return forms[0] if n in (None, 1) else forms[-1]


def load_tongues(folder: Path = TONGUES) -> Mapping[str, Tongue]:
    """Read all languages of a folder; file name = language code."""
    return {path.stem: Tongue.model_validate(read_data(path)) for path in sorted(folder.glob("*.yaml"))}


def tongue_of(language: str, tongues: Mapping[str, Tongue]) -> Tongue:
    """A language, or English."""
    return tongues.get(language, tongues[ENGLISH])
