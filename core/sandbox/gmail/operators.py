"""The search operators that are no plain words: labels, states, dates, sizes, kinds of content."""

import re
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, date, datetime, time
from zoneinfo import ZoneInfo

from dateutil.relativedelta import relativedelta
from sqlalchemy import ColumnElement, false, func, not_, or_, true
from sqlmodel import col, select

from core.sandbox.gmail.mailbox import HIDDEN_LABELS, SYSTEM_LABELS
from core.sandbox.gmail.tables import MessageLabelRow, MessageRow

Condition = ColumnElement[bool]
PLACES = {"draft": "DRAFT", "drafts": "DRAFT", "chats": "CHAT", "chat": "CHAT"}
CATEGORIES = {"primary": "CATEGORY_PERSONAL"}
HOSTS = {
    "drive": "drive.google.com",
    "document": "docs.google.com/document",
    "spreadsheet": "docs.google.com/spreadsheets",
    "presentation": "docs.google.com/presentation",
    "youtube": "youtube.com",
    "link": "://",
}
UNITS = {"h": "hours", "d": "days", "w": "weeks", "m": "months", "y": "years"}


@dataclass(frozen=True)
class Scope:
    """Whose mail is searched, when and in which zone; `labels` are the user's own, ids by name."""

    account: str
    now: datetime
    zone: ZoneInfo
    labels: dict[str, str]


def labelled(label_id: str) -> Condition:
    """That a mail has a label."""
    having = select(MessageLabelRow.message_id).where(col(MessageLabelRow.label_id) == label_id)
    return col(MessageRow.id).in_(having)


def label_key(name: str) -> str:
    """A label's name as a search writes it: small letters, hyphens for spaces and slashes."""
    return re.sub(r"[\s/&-]+", "-", name.casefold())


def by_label(text: str, seen: Scope) -> Condition | None:
    """`label:` and `in:`: a system label, or one of the user's own; an unknown one holds nothing."""
    name = text.lower()
    if name in ("anywhere", "all"):
        return true()
    if name in ("archive", "archived"):
        return not_(or_(*(labelled(label) for label in ("INBOX", "SENT", "DRAFT", *HIDDEN_LABELS))))
    own = seen.labels.get(label_key(text))
    system = PLACES.get(name, name.upper())
    if own or text in seen.labels.values():
        return labelled(own or text)
    return labelled(system) if system in SYSTEM_LABELS else false()


def by_state(text: str, seen: Scope) -> Condition | None:
    """`is:`."""
    if text.lower() == "read":
        return not_(labelled("UNREAD"))
    return by_label(text, seen)


def by_category(text: str, _: Scope) -> Condition | None:
    """`category:`; reservations and purchases are not told apart here."""
    return labelled(CATEGORIES.get(text.lower(), f"CATEGORY_{text.upper()}"))


def by_content(text: str, seen: Scope) -> Condition | None:
    """`has:`: an attachment, a link of some kind, a label of one's own, a star."""
    name = text.lower()
    if name in ("attachment", "attachments"):
        return col(MessageRow.has_attachment).is_(True)
    if name in ("userlabels", "nouserlabels"):
        own = or_(false(), *(labelled(label) for label in seen.labels.values()))
        return own if name == "userlabels" else not_(own)
    if name in ("star", "yellow-star"):
        return labelled("STARRED")
    host = HOSTS.get(name.removesuffix("s"), HOSTS.get(name))
    return func.instr(MessageRow.links, host) > 0 if host else false()


def by_message_id(text: str, _: Scope) -> Condition | None:
    """`rfc822msgid:`."""
    return col(MessageRow.message_id) == text.strip("<>")


def by_size(larger: bool) -> Callable[[str, Scope], Condition | None]:
    """`larger:` and `smaller:`, in bytes, K or M."""

    def condition(text: str, _: Scope) -> Condition | None:
        match = re.fullmatch(r"(\d{1,12})\s*([km]?)b?", text.lower())
        if not match:
            return None
        limit = int(match[1]) * {"": 1, "k": 1024, "m": 1024 * 1024}[match[2]]
        return col(MessageRow.size) > limit if larger else col(MessageRow.size) < limit

    return condition


def by_date(later: bool) -> Callable[[str, Scope], Condition | None]:
    """`after:` and `before:`: a day in the account's zone, or seconds since 1970."""

    def condition(text: str, seen: Scope) -> Condition | None:
        moment = moment_of(text, seen.zone)
        return None if moment is None else bounded(moment, later)

    return condition


def by_age(later: bool) -> Callable[[str, Scope], Condition | None]:
    """`newer_than:` and `older_than:`: hours, days, weeks, months, years back from now."""

    def condition(text: str, seen: Scope) -> Condition | None:
        match = re.fullmatch(r"(\d{1,4})([hdwmy])", text.lower())
        if not match:
            return None
        back = relativedelta(**{UNITS[match[2]]: int(match[1])})  # type: ignore[arg-type]
        try:
            return bounded(seen.now - back, later)
        except (ValueError, OverflowError):
            return true() if later else false()

    return condition


def bounded(moment: datetime, later: bool) -> Condition:
    """From a moment on, or before it."""
    ms = int(moment.timestamp() * 1000)
    return col(MessageRow.internal_ms) >= ms if later else col(MessageRow.internal_ms) < ms


def moment_of(text: str, zone: ZoneInfo) -> datetime | None:
    """The start of a day (`2026/11/30`, `11/30/2026`, `2026/11`, `2026`), or the moment of an epoch second."""
    if re.fullmatch(r"\d{8,11}", text):
        return datetime.fromtimestamp(int(text), UTC)
    numbers = [int(part) for part in re.split(r"[/.-]", text)] if re.fullmatch(r"[\d/.-]*\d", text) else []
    if len(numbers) == 3 and numbers[0] < 100:
        numbers = [numbers[2], numbers[0], numbers[1]]
    try:
        day = date(*[*numbers, 1, 1][:3]) if 1 <= len(numbers) <= 3 else None
    except (ValueError, OverflowError):
        return None
    return datetime.combine(day, time(), zone) if day and day.year > 1 else None


SPECIAL: dict[str, Callable[[str, Scope], Condition | None]] = {
    "label": by_label,
    "in": by_label,
    "is": by_state,
    "category": by_category,
    "has": by_content,
    "rfc822msgid": by_message_id,
    "larger": by_size(True),
    "size": by_size(True),
    "smaller": by_size(False),
    "after": by_date(True),
    "newer": by_date(True),
    "before": by_date(False),
    "older": by_date(False),
    "newer_than": by_age(True),
    "older_than": by_age(False),
}
