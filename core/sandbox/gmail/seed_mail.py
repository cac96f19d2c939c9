"""One mail of the seed world: what its YAML says, and the RFC 822 bytes that it becomes."""

import hashlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import date, datetime, time, timedelta
from email.message import EmailMessage
from email.policy import SMTP
from email.utils import format_datetime, parseaddr
from typing import Any, Literal
from zoneinfo import ZoneInfo

from jinja2 import Environment
from pydantic import BaseModel, ConfigDict, Field

from core.sandbox.gmail.files import FILES

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
            "dmy": shown(lambda then: f"{then:%d.%m.%Y}"),
            "month": shown(lambda then: f"{then:%B}"),
            "year": shown(lambda then: f"{then:%Y}"),
            "ja": shown(lambda then: f"{then.month}月{then.day}日（{'月火水木金土日'[then.weekday()]}）"),
            "rfc": shown(lambda then: format_datetime(datetime.combine(then, time(17, 10), self.zone))),
        }


def message_id(mail: SeedMail, setting: Setting) -> str:
    """A Message-ID that stays the same whatever the date."""
    domain = parseaddr(setting.address(mail.sender))[1].partition("@")[2]
    return f"<{hashlib.sha256(mail.key.encode()).hexdigest()[:20]}@{domain}>"


def build(mail: SeedMail, chain: list[SeedMail], moment: datetime, setting: Setting, own: str) -> bytes:
    """The bytes of a mail. `chain` is what it answers, the first mail of the thread first."""
    message = EmailMessage(policy=SMTP)
    address(message, mail, chain, moment, setting, own)
    write(message, mail, setting)
    for item in mail.files:
        attach(message, item, setting)
    if mail.invite:
        invite(message, mail, mail.invite, setting)
    for number, part in enumerate(part for part in message.walk() if part.is_multipart()):
        if part.get_content_maintype() == "multipart":
            part.set_boundary(f"=_{hashlib.sha256(mail.key.encode()).hexdigest()[:16]}_{number}")
    return message.as_bytes()


def address(
    message: EmailMessage, mail: SeedMail, chain: list[SeedMail], moment: datetime, setting: Setting, own: str
) -> None:
    """Write the headers."""
    zone = ZoneInfo(setting.zones[mail.sender]) if mail.sender in setting.zones else setting.zone
    root = chain[0] if chain else mail
    values = {
        "Delivered-To": own if mail.sender != "sam" else "",
        "From": setting.address(mail.sender),
        "To": ", ".join(setting.address(name) for name in mail.to),
        "Cc": ", ".join(setting.address(name) for name in mail.cc),
        "Bcc": ", ".join(setting.address(name) for name in mail.bcc),
        "Subject": setting.fill(mail.subject or f"Re: {root.subject}"),
        "Date": format_datetime(moment.astimezone(zone)),
        "Message-ID": message_id(mail, setting),
        "In-Reply-To": message_id(chain[-1], setting) if chain else "",
        "References": " ".join(message_id(parent, setting) for parent in chain),
        **mail.headers,
    }
    for name, value in values.items():
        if value:
            message[name] = value


def write(message: EmailMessage, mail: SeedMail, setting: Setting) -> None:
    """Write the text, the HTML, or both as alternatives."""
    form: dict[str, Any] = {"charset": mail.charset} | ({"cte": mail.encoding} if mail.encoding else {})
    if mail.text is not None:
        message.set_content(setting.fill(mail.text), **form)
    if mail.html is not None and mail.text is not None:
        message.add_alternative(setting.fill(mail.html), subtype="html", **form)
    elif mail.html is not None:
        message.set_content(setting.fill(mail.html), subtype="html", **form)


def attach(message: EmailMessage, item: SeedFile, setting: Setting) -> None:
    """Attach a generated file."""
    mime_type, content = FILES[item.kind](setting.filled(item.data))
    kind, _, subtype = (item.type or mime_type).partition("/")
    placed: dict[str, Any] = {"disposition": "inline", "cid": f"<{item.name}>"} if item.inline else {}
    if isinstance(content, EmailMessage):
        message.add_attachment(content, filename=item.name)
    else:
        message.add_attachment(content, maintype=kind, subtype=subtype, filename=item.name, **placed)


def invite(message: EmailMessage, mail: SeedMail, item: Invite, setting: Setting) -> None:
    """Add an invitation the way Google Calendar sends it: as an alternative text and as a file."""
    days = int(str(Environment(autoescape=False).compile_expression(item.day)(**setting.words())))
    start = datetime.combine(setting.today + timedelta(days=days), item.start, setting.zone)
    name, organiser = parseaddr(setting.address(mail.sender))
    lines = [
        "BEGIN:VCALENDAR",
        "PRODID:-//Example//Calendar//EN",
        "VERSION:2.0",
        "METHOD:REQUEST",
        "BEGIN:VEVENT",
        f"UID:{mail.key}@calendar.example",
        f"DTSTART:{start.astimezone(ZoneInfo('UTC')):%Y%m%dT%H%M%SZ}",
        f"DTEND:{(start + timedelta(minutes=item.minutes)).astimezone(ZoneInfo('UTC')):%Y%m%dT%H%M%SZ}",
        f"SUMMARY:{item.title}",
        f"LOCATION:{item.place}",
        f"ORGANIZER;CN={name}:mailto:{organiser}",
        "END:VEVENT",
        "END:VCALENDAR",
        "",
    ]
    text = "\r\n".join(lines)
    message.add_alternative(text, subtype="calendar", params={"method": "REQUEST"})
    message.add_attachment(text.encode(), maintype="application", subtype="ics", filename="invite.ics")
