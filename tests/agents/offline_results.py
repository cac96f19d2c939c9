"""Results as the tools return them, for conversations with the offline assistant."""

from core.mcp_server.results import (
    Attachment,
    CalendarBusy,
    CalendarList,
    CalendarSummary,
    Event,
    EventPage,
    FreeBusy,
    Guest,
    Interval,
    Mail,
    MailPage,
    MailSummary,
)


def summary(number: int, sender: str, subject: str, date: str, **more: object) -> MailSummary:
    values = {
        "message_id": f"m{number}", "thread_id": f"t{number}", "sender": sender,
        "sender_email": f"{sender.split()[0].lower()}@lumenworks.example", "subject": subject, "date": date,
        "snippet": f"About {subject}", "labels": ["INBOX"], "unread": True, "has_attachments": False,
    }  # fmt: skip
    return MailSummary.model_validate(values | more)


INVOICE = summary(1, "Ana Ruiz", "Invoice 2041 is due on Friday", "2026-11-30T09:12:00+01:00", has_attachments=True)
ROADMAP = summary(2, "Kenji Mori", "製品ロードマップのレビュー", "2026-11-30T07:40:00+01:00")
RELEASE = summary(3, "Build bot", "[lumen-firmware] Release 4.2 failed on main", "2026-11-30T12:58:00+01:00")
OFFSITE = summary(4, "Lena Vogt", "Offsite: two dates", "2026-11-29T16:25:00+01:00", labels=["INBOX", "STARRED"])
FAIR = summary(5, "Elena Gómez", "Colaboración | feria", "2025-11-28T12:44:00+01:00", unread=False)
UNREAD = MailPage(query="is:unread", messages=[INVOICE, ROADMAP, RELEASE, OFFSITE, FAIR], total_estimate=5)
NOTHING = MailPage(query="from:bob", messages=[], total_estimate=0)

PDF = Attachment(attachment_id="a1", filename="invoice-2041.pdf", mime_type="application/pdf", size=80_400)


def whole(mail: MailSummary, body: str = "Hello Sam", attachments: tuple[Attachment, ...] = ()) -> Mail:
    more = {"to": ["Sam Okafor <sam@lumenworks.example>"], "cc": [], "body": body, "attachments": list(attachments)}
    return Mail.model_validate(mail.model_dump() | more)


def event(number: int, title: str, start: str, end: str, **more: object) -> Event:
    values = {
        "event_id": f"e{number}", "calendar_id": "primary", "title": title, "start": start, "end": end,
        "all_day": len(start) == len("2026-12-01"), "zone": "Europe/Berlin", "link": "", "status": "confirmed",
    }  # fmt: skip
    return Event.model_validate(values | more)


SAM = Guest(email="sam@lumenworks.example", name="Sam Okafor", response="accepted", me=True, organizer=True)
KENJI = Guest(email="kenji@lumenworks.example", name="Kenji Mori", response="tentative")
DUE = event(1, "Invoice is due", "2026-12-01", "2026-12-02")
STANDUP = event(2, "Stand-up", "2026-12-01T09:15:00+01:00", "2026-12-01T09:30:00+01:00", guests=[SAM, KENJI])
REVIEW = event(3, "Roadmap review", "2026-12-01T14:00:00+01:00", "2026-12-01T15:00:00+01:00", location="Lantern room")


def page(*events: Event) -> EventPage:
    return EventPage(calendar_id="primary", zone="Europe/Berlin", time_min=None, time_max=None, events=list(events))


TOMORROW = page(DUE, STANDUP, REVIEW)


def hour(first: str, last: str, minutes: int = 60) -> Interval:
    return Interval(start=f"2026-12-01T{first}:00+01:00", end=f"2026-12-01T{last}:00+01:00", minutes=minutes)


def free_busy(busy: list[Interval], free: list[Interval]) -> FreeBusy:
    return FreeBusy(
        time_min="2026-12-01T00:00:00+01:00",
        time_max="2026-12-02T00:00:00+01:00",
        zone="Europe/Berlin",
        calendars=[CalendarBusy(calendar_id="primary", busy=busy)],
        free=free,
    )


def calendar(name: str, primary: bool = False) -> CalendarSummary:
    address = f"{name.split()[0].lower()}@lumenworks.example"
    return CalendarSummary(calendar_id=address, name=name, primary=primary, role="reader", zone="Europe/Berlin")


CALENDARS = CalendarList(calendars=[calendar("Sam Okafor", primary=True), calendar("Kenji Mori")])
