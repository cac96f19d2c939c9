"""Mail on its way: who it goes to, which thread it joins, what filters do with it when it arrives."""

import re
from collections.abc import Iterable
from datetime import datetime
from email.message import Message as Mail
from email.utils import format_datetime, formataddr, getaddresses, parsedate_to_datetime
from secrets import token_hex
from typing import Any

from sqlmodel import Session, col, select

from core.sandbox.calls import Call
from core.sandbox.gmail import mailbox, mime, views
from core.sandbox.gmail.filters import apply_filters
from core.sandbox.gmail.index import bare_subject
from core.sandbox.gmail.tables import MessageRow
from core.sandbox.gmail.uploads import Incoming

ADDRESS = re.compile(r"[^\s@<>,;\"]+@[^\s@<>,;\"]+")


def milliseconds(moment: datetime) -> int:
    """Milliseconds since 1970."""
    return int(moment.timestamp() * 1000)


def addresses(mail: Mail, name: str) -> list[str]:
    """The addresses of a header, in small letters.

    Raises:
        ApiError: 400 where one is no address, as Google says it.
    """
    written = mime.undecoded(mail, name)
    found = [address for _, address in getaddresses(written) if address]
    if any(written) and (not found or not all(ADDRESS.fullmatch(address) for address in found)):
        raise mailbox.invalid(f"Invalid {name} header")
    return [address.lower() for address in found]


def recipients(mail: Mail) -> list[str]:
    """Everybody a mail goes to.

    Raises:
        ApiError: 400 for a wrong address or none at all.
    """
    everyone = [address for name in ("To", "Cc", "Bcc") for address in addresses(mail, name)]
    if not everyone:
        raise mailbox.invalid("Recipient address required")
    return everyone


def completed(raw: bytes, call: Call) -> bytes:
    """A mail with the headers that Gmail adds: the sender's own address, a date, a Message-ID. The rest stays."""
    mail = mime.parse_headers(raw)
    sender = getaddresses(mime.undecoded(mail, "From"))
    if not sender or sender[0][1].lower() != call.account:
        raw = with_header(raw, "From", formataddr((sender[0][0] if sender else "", call.account)))
    if not mime.header(mail, "Date"):
        raw = with_header(raw, "Date", format_datetime(call.now()))
    if not mime.header(mail, "Message-ID"):
        raw = with_header(raw, "Message-ID", f"<{token_hex(12)}@mail.gmail.com>")
    return raw


def with_header(raw: bytes, name: str, value: str) -> bytes:
    """A mail with a header replaced or put in front."""
    end = b"\r\n" if b"\r\n" in raw[:2000] else b"\n"
    head, gap, rest = raw.partition(end + end)
    old = re.compile(rb"^" + name.encode() + rb":.*(?:\r?\n[ \t].*)*(?:\r?\n|\Z)", re.IGNORECASE | re.MULTILINE)
    return f"{name}: {value}".encode() + end + old.sub(b"", head) + gap + rest


def thread_of(session: Session, account: str, mail: Mail, thread_id: str) -> str | None:
    """The thread that a mail joins: the one named or referred to, if the subject is the same. None: a new one.

    Raises:
        ApiError: 400 or 404 for a named thread that there is not.
    """
    subject = bare_subject(mime.header(mail, "Subject"))
    if thread_id:
        mailbox.check_id(thread_id, "thread_id")
        candidates = mailbox.find_thread(session, account, thread_id)
    else:
        candidates = referred(session, account, mail)
    return next((row.thread_id for row in candidates if bare_subject(row.subject) == subject), None)


def referred(session: Session, account: str, mail: Mail) -> list[MessageRow]:
    """The mails that a mail answers, the nearest first."""
    text = " ".join([*mime.values(mail, "References"), *mime.values(mail, "In-Reply-To")])
    ids = re.findall(r"<([^<>\s]+)>", text)
    found = select(MessageRow).where(col(MessageRow.account) == account, col(MessageRow.message_id).in_(ids))
    return sorted(session.exec(found).all(), key=lambda row: ids.index(row.message_id), reverse=True)


def send(session: Session, call: Call, incoming: Incoming) -> dict[str, Any]:
    """Send a mail: it is in Sent, and in the inbox too where the sender is among the recipients."""
    raw = incoming.message()
    return sent(session, call, raw, str(incoming.data.get("threadId") or ""))


def sent(session: Session, call: Call, raw: bytes, thread_id: str) -> dict[str, Any]:
    """Store a sent mail and show it."""
    mail = mime.parse(raw)
    home = call.account in recipients(mail)
    thread = thread_of(session, call.account, mail, thread_id)
    labels = {"SENT", *(("INBOX", "UNREAD") if home else ())}
    row = store(session, call, completed(raw, call), labels, thread)
    if home:
        apply_filters(session, call, row)
    return views.reference(row, mailbox.labels_of(session, [row.id])[row.id])


def insert(session: Session, call: Call, incoming: Incoming) -> dict[str, Any]:
    """Store a mail with the labels asked for."""
    row = stored(session, call, incoming, ())
    return views.reference(row, mailbox.labels_of(session, [row.id])[row.id])


def arrive(session: Session, call: Call, incoming: Incoming) -> dict[str, Any]:
    """Take a mail in: inbox and unread unless other labels are asked for, then the filters."""
    row = stored(session, call, incoming, ("INBOX", "UNREAD"))
    apply_filters(session, call, row)
    return views.reference(row, mailbox.labels_of(session, [row.id])[row.id])


def stored(session: Session, call: Call, incoming: Incoming, usual: Iterable[str]) -> MessageRow:
    """Store a mail that comes from outside; its time is its Date header's only where that is asked for."""
    raw, labels = incoming.message(), list(incoming.data.get("labelIds") or usual)
    mailbox.check_labels(session, call.account, labels)
    mail = mime.parse(raw)
    thread = thread_of(session, call.account, mail, str(incoming.data.get("threadId") or ""))
    received = call.arg("internalDateSource", "receivedTime") == "receivedTime"
    return store(session, call, raw, labels, thread, call.now() if received else dated(mail, call))


def dated(mail: Mail, call: Call) -> datetime:
    """The time in a mail's Date header; now where there is none."""
    try:
        return parsedate_to_datetime(mime.header(mail, "Date"))
    except ValueError:
        return call.now()


def store(
    session: Session, call: Call, raw: bytes, labels: Iterable[str], thread: str | None, when: datetime | None = None
) -> MessageRow:
    """Put a mail into the mailbox as the user's own doing."""
    moment = milliseconds(when or call.now())
    return mailbox.add(session, call.account, raw, labels, moment, thread_id=thread, touched=True)
