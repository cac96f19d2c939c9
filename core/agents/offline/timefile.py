"""The phrases for times, as their file has them."""

from pydantic import BaseModel, ConfigDict


class Span(BaseModel):
    """A phrase for a span of days; `offset` and `length` may be `n` or `-n`, the number that was said."""

    model_config = ConfigDict(frozen=True, extra="forbid")
    match: str
    unit: str
    offset: int | str = 0
    length: int | str = 1
    from_now: bool = False
    backwards: bool = False


class PartOfDay(BaseModel):
    """A phrase for a part of a day."""

    model_config = ConfigDict(frozen=True, extra="forbid")
    match: str
    hours: tuple[int, int]


class Length(BaseModel):
    """A phrase for a length of time: so many minutes, or the number that was said times `each`."""

    model_config = ConfigDict(frozen=True, extra="forbid")
    match: str
    minutes: int = 0
    each: int = 0


class Opening(BaseModel):
    """What stands before a time that only begins or ends a range."""

    model_config = ConfigDict(frozen=True, extra="forbid")
    since: str
    until: str


class TimesFile(BaseModel):
    """The data."""

    model_config = ConfigDict(frozen=True, extra="forbid")
    numbers: dict[str, int]
    hour_words: tuple[str, ...]
    weekdays: tuple[str, ...]
    months: tuple[str, ...]
    spans: tuple[Span, ...]
    dates: tuple[str, ...]
    order: str
    parts: tuple[PartOfDay, ...]
    afternoon_below: int
    clock: str
    named_clock: dict[str, int]
    clocks: dict[str, tuple[str, ...]]
    open: Opening
    lead: str
    durations: tuple[Length, ...]
