"""One mail of the seed world as its YAML says it, and the setting that its texts refer to."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import date, datetime, time, timedelta
from email.utils import format_datetime
from typing import Any, Literal
from zoneinfo import ZoneInfo

from jinja2 import Environment
from pydantic import BaseModel, ConfigDict, Field

WEEKDAYS = ("mon", "tue", "wed", "thu", "fri", "sat", "sun")


class Strict(BaseModel):
    """Base of what is read from the seed files."""

    model_config = ConfigDict(frozen=True, extra="forbid")


class When(Strict):
    """Days before today, and the time of day in the persona's zone."""

    days_ago: int = Field(default=0, ge=0)
    time: time


class SeedFile(Strict):
    """An attachment made by code: `kind` names who makes it, `data` is what it is made of."""

    name: str
    kind: Literal["pdf", "png", "xlsx", "text", "eml", "zip"]
    data: Any = None
    type: str | None = None
    inline: bool = False


class Invite(Strict):
    """A calendar invitation; the day is an offset from today, as an expression."""

    title: str
    day: str
    start: time
    minutes: int
    place: str = ""


class SeedMail(Strict):
    """A mail. People are short names from `people.yaml` or whole addresses; texts may use `{{ day(3) }}`."""

    key: str
    sender: str = Field(alias="from")
    to: list[str] = ["sam"]
    cc: list[str] = []
    bcc: list[str] = []
    subject: str = ""
    reply_to: str | None = None
    when: When
    labels: list[str] = ["inbox"]
    category: str = ""
    text: str | None = None
    html: str | None = None
    charset: str = "utf-8"
    encoding: Literal["7bit", "8bit", "quoted-printable", "base64"] | None = None
    files: list[SeedFile] = []
    invite: Invite | None = None
    headers: dict[str, str] = {}


@dataclass(frozen=True)
class Setting:
    """What mails are built with: who is who, today, the persona's zone."""

    people: Mapping[str, str]
    zones: Mapping[str, str]
    today: date
    zone: ZoneInfo

    def address(self, name: str) -> str:
        """A person's name and address."""
        return self.people.get(name, name)

    def offset(self, week: int, weekday: str) -> int:
        """Days from today to a weekday; week 0 is the next such day after today."""
        ahead = (WEEKDAYS.index(weekday) - self.today.weekday()) % 7 or 7
        return ahead + 7 * week

    def days(self, expression: str) -> int:
        """Days from today, from an expression such as `on(1, "tue")`."""
        return int(str(Environment(autoescape=False).compile_expression(expression)(**self.words())))

    def in_week(self, week: int, weekday: str) -> int:
        """Days from today to a weekday of a week; week 0 is the week of today."""
        return WEEKDAYS.index(weekday) - self.today.weekday() + 7 * week

    def filled(self, data: Any) -> Any:
        """Data with the dates of all texts in it filled in."""
        if isinstance(data, dict):
            return {name: self.filled(value) for name, value in data.items()}
        if isinstance(data, list):
            return [self.filled(value) for value in data]
        return self.fill(data) if isinstance(data, str) else data

    def fill(self, text: str) -> str:
        """A text with its dates filled in."""
        return Environment(autoescape=False).from_string(text).render(**self.words()) if "{{" in text else text

    def words(self) -> dict[str, Callable[..., int | str]]:
        """The functions that a text may use; all but the first two take days from today."""

        def shown(form: Callable[[date], str]) -> Callable[[int], str]:
            return lambda days: form(self.today + timedelta(days=days))

        return {
            "on": self.offset,
            "week": self.in_week,
            "day": shown(lambda then: f"{then:%A} {then.day} {then:%B}"),
            "iso": shown(lambda then: f"{then}"),
            "dmy": shown(lambda then: f"{then:%d.%m.%Y}"),
            "month": shown(lambda then: f"{then:%B}"),
            "year": shown(lambda then: f"{then:%Y}"),
            "ja": shown(lambda then: f"{then.month}月{then.day}日（{'月火水木金土日'[then.weekday()]}）"),
            "rfc": shown(lambda then: format_datetime(datetime.combine(then, time(17, 10), self.zone))),
        }
