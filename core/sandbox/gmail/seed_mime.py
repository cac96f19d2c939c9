"""The RFC 822 bytes that a mail of the seed world becomes."""

import hashlib
from datetime import datetime, timedelta
from email.message import EmailMessage
from email.policy import SMTP
from email.utils import format_datetime, parseaddr
from typing import Any
from zoneinfo import ZoneInfo

from core.sandbox.gmail.files import FILES
from core.sandbox.gmail.seed_mail import Invite, SeedFile, SeedMail, Setting


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
    start = datetime.combine(setting.today + timedelta(days=setting.days(item.day)), item.start, setting.zone)
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
