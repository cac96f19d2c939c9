"""What tools return: structured, small, with the ids that a next call needs."""

from typing import Literal

from pydantic import BaseModel, ConfigDict, Field


class Result(BaseModel):
    """Base of all results: frozen."""

    model_config = ConfigDict(frozen=True)


class Failure(Result):
    """One item of a batch that could not be had."""

    id: str
    reason: str


class Attachment(Result):
    """A file in a mail. Size in bytes."""

    attachment_id: str
    filename: str
    mime_type: str
    size: int


class MailSummary(Result):
    """A mail as a list shows it. `date` is RFC 3339 in the user's zone."""

    message_id: str
    thread_id: str
    sender: str = Field(description="Display name, or the address where there is none")
    sender_email: str
    subject: str
    date: str
    snippet: str
    labels: list[str] = Field(description="Label names, system labels in capitals")
    unread: bool
    has_attachments: bool


class MailPage(Result):
    """One page of a mail search, newest first."""

    query: str
    messages: list[MailSummary]
    total_estimate: int
    next_page_token: str | None = None
    failed: list[Failure] = []


class Mail(MailSummary):
    """A whole mail. `body` is readable text; a cut is said in it with both sizes."""

    to: list[str]
    cc: list[str]
    body: str
    attachments: list[Attachment]
    rfc822_message_id: str | None = None


class MailBatch(Result):
    """Several mails, in the order asked for, and those that failed."""

    messages: list[Mail | MailSummary]
    failed: list[Failure]


class MailThread(Result):
    """A conversation, oldest mail first."""

    thread_id: str
    subject: str
    messages: list[Mail]


class MailThreadBatch(Result):
    """Several threads and those that failed."""

    threads: list[MailThread]
    failed: list[Failure]


class SavedAttachment(Result):
    """An attachment that was stored on this machine. `text` is its content where it is readable."""

    filename: str
    mime_type: str
    size: int
    sha256: str
    path: str
    text: str | None = None


class Label(Result):
    """A Gmail label with its counts (None: not known)."""

    label_id: str
    name: str
    kind: Literal["system", "user"]
    total: int | None = None
    unread: int | None = None


class LabelList(Result):
    """All labels."""

    labels: list[Label]


class MailFilter(Result):
    """A Gmail filter in Google's own terms."""

    filter_id: str
    criteria: dict[str, object]
    action: dict[str, object]


class FilterList(Result):
    """All filters."""

    filters: list[MailFilter]


class CalendarSummary(Result):
    """A calendar that the account sees."""

    calendar_id: str
    name: str
    primary: bool
    role: str
    zone: str


class CalendarList(Result):
    """All calendars."""

    calendars: list[CalendarSummary]


class Guest(Result):
    """Somebody invited to an event."""

    email: str
    name: str
    response: Literal["accepted", "declined", "tentative", "needsAction"]
    organizer: bool = False
    me: bool = False


class EventFile(Result):
    """A file attached to an event."""

    title: str
    mime_type: str
    link: str


class Event(Result):
    """A calendar event. Timed: RFC 3339 in the user's zone. All-day: dates, `end` exclusive."""

    event_id: str
    calendar_id: str
    title: str
    start: str
    end: str
    all_day: bool
    zone: str
    location: str | None = None
    description: str | None = None
    organizer: str | None = None
    guests: list[Guest] = []
    my_response: str | None = None
    series_id: str | None = Field(default=None, description="Set for an instance of a recurring event")
    meet_link: str | None = None
    link: str
    status: str
    files: list[EventFile] = []


class EventPage(Result):
    """Events of a range, in order of their start. `time_min`/`time_max` are what was asked, RFC 3339."""

    calendar_id: str
    zone: str
    time_min: str | None
    time_max: str | None
    query: str | None = None
    events: list[Event]
    next_page_token: str | None = None


class Interval(Result):
    """A span of time, RFC 3339 in the user's zone."""

    start: str
    end: str
    minutes: int


class CalendarBusy(Result):
    """When one calendar is busy, or why that could not be had."""

    calendar_id: str
    busy: list[Interval]
    error: str | None = None


class FreeBusy(Result):
    """Busy times of calendars, and the gaps in which all of them are free."""

    time_min: str
    time_max: str
    zone: str
    calendars: list[CalendarBusy]
    free: list[Interval]


class SentMail(Result):
    """A mail that was sent."""

    message_id: str
    thread_id: str
    to: list[str]
    cc: list[str] = []
    bcc: list[str] = []
    subject: str
    attachments: list[str] = Field(default=[], description="File names")
    reply: bool
    rfc822_message_id: str
    link: str
    note: str | None = None


class DraftMail(Result):
    """A mail that was written and not sent."""

    draft_id: str
    message_id: str
    thread_id: str
    to: list[str]
    cc: list[str] = []
    bcc: list[str] = []
    subject: str
    attachments: list[str] = Field(default=[], description="File names")
    reply: bool
    link: str
    note: str | None = None


class LabelChange(Result):
    """What was done to a label itself. `before` is its earlier name, `total` how many mails had it."""

    action: Literal["created", "updated", "deleted"]
    label_id: str
    name: str
    before: str | None = None
    total: int | None = None
    note: str | None = None


class LabelledMail(Result):
    """A mail whose labels were changed."""

    message_id: str
    thread_id: str
    subject: str
    labels: list[str]


class MailLabels(Result):
    """A change of labels of mails, with the labels' names."""

    added: list[str]
    removed: list[str]
    messages: list[LabelledMail]
    unchanged: int = Field(default=0, description="How many of them were so before")
    failed: list[Failure] = []


class FilterChange(Result):
    """A filter that was made or deleted."""

    action: Literal["created", "deleted"]
    filter: MailFilter
    note: str | None = None


class FieldChange(Result):
    """One property of an event; None: it had, or has, none."""

    field: str
    before: str | None
    after: str | None


class EventChange(Result):
    """What was done to an event. `invitations` says who is told of it."""

    action: Literal["created", "updated", "deleted", "already_deleted"]
    event: Event
    changes: list[FieldChange] = []
    scope: Literal["this", "all"] = Field(description="One event, or every one of a series")
    invitations: str
    note: str | None = None
