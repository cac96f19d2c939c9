"""The mailbox's changes: adding, relabelling and removing mails, each with its place in the history."""

import re
import secrets
from collections import defaultdict
from collections.abc import Collection, Iterable, Sequence
from typing import Any

from sqlalchemy import delete as sql_delete
from sqlmodel import Session, col, func, select

from core.sandbox.calls import ApiError
from core.sandbox.gmail.index import columns
from core.sandbox.gmail.tables import DraftRow, HistoryRow, LabelRow, MessageLabelRow, MessageRow

SYSTEM_LABELS = (
    "CHAT",
    "SENT",
    "INBOX",
    "IMPORTANT",
    "TRASH",
    "DRAFT",
    "SPAM",
    "CATEGORY_FORUMS",
    "CATEGORY_UPDATES",
    "CATEGORY_PERSONAL",
    "CATEGORY_PROMOTIONS",
    "CATEGORY_SOCIAL",
    "STARRED",
    "UNREAD",
)
FIXED_LABELS = {"SENT", "DRAFT", "CHAT"}
HIDDEN_LABELS = ("SPAM", "TRASH")


def not_found() -> ApiError:
    """Google's answer where an id is well formed and nothing has it."""
    return ApiError(404, "notFound", "Requested entity was not found.")


def invalid(message: str) -> ApiError:
    """Google's answer to a wrong argument."""
    return ApiError(400, "invalidArgument", message)


def new_id(ms: int) -> str:
    """An id like Gmail's: 16 hexadecimal digits that grow with time (milliseconds since 1970)."""
    return f"{(ms << 20) + secrets.randbits(20):016x}"


def check_id(value: str, what: str = "id") -> str:
    """An id as it came, if it can be one.

    Raises:
        ApiError: 400 where it cannot.
    """
    if not re.fullmatch(r"[0-9a-fA-F]{1,16}", value):
        raise invalid(f"Invalid {what} value")
    return value.lower().zfill(16)


def find(session: Session, account: str, message_id: str) -> MessageRow:
    """One mail of an account.

    Raises:
        ApiError: 400 for an impossible id, 404 for an unknown one.
    """
    row = session.get(MessageRow, check_id(message_id))
    if row is None or row.account != account:
        raise not_found()
    return row


def find_thread(session: Session, account: str, thread_id: str) -> Sequence[MessageRow]:
    """A thread's mails, oldest first.

    Raises:
        ApiError: as `find`.
    """
    wanted = select(MessageRow).where(
        col(MessageRow.account) == account, col(MessageRow.thread_id) == check_id(thread_id)
    )
    rows = session.exec(wanted.order_by(col(MessageRow.internal_ms), col(MessageRow.id))).all()
    if not rows:
        raise not_found()
    return rows


def labels_of(session: Session, message_ids: Collection[str]) -> dict[str, list[str]]:
    """The label ids of mails, sorted."""
    found: dict[str, list[str]] = defaultdict(list)
    wanted = select(MessageLabelRow).where(col(MessageLabelRow.message_id).in_(message_ids))
    for row in session.exec(wanted.order_by(col(MessageLabelRow.label_id))):
        found[row.message_id].append(row.label_id)
    return found


def label_names(session: Session, account: str) -> dict[str, str]:
    """The names of the user's own labels by their ids."""
    rows = session.exec(select(LabelRow).where(col(LabelRow.account) == account)).all()
    return {row.id: row.name for row in rows}


def check_labels(session: Session, account: str, label_ids: Iterable[str]) -> None:
    """Refuse labels that the account has not.

    Raises:
        ApiError: 400 with the first such label.
    """
    known = {*SYSTEM_LABELS, *label_names(session, account)}
    for label_id in label_ids:
        if label_id not in known:
            raise invalid(f"Invalid label: {label_id}")


def record(session: Session, row: MessageRow, kind: str, labels: Iterable[str]) -> None:
    """Write a change into the history and give the mail its id."""
    entry = HistoryRow(
        account=row.account, message_id=row.id, thread_id=row.thread_id, kind=kind, labels=sorted(labels)
    )
    session.add(entry)
    session.flush()
    row.history_id = entry.id or 0


def latest_history(session: Session, account: str) -> int:
    """The mailbox's current historyId."""
    newest = select(func.max(HistoryRow.id)).where(col(HistoryRow.account) == account)
    return session.exec(newest).one() or 1


def add(
    session: Session,
    account: str,
    raw: bytes,
    labels: Iterable[str],
    internal_ms: int,
    *,
    message_id: str | None = None,
    thread_id: str | None = None,
    **more: Any,
) -> MessageRow:
    """Store a mail; without a thread it begins one."""
    own_id = message_id or new_id(internal_ms)
    row = MessageRow(
        id=own_id, account=account, thread_id=thread_id or own_id, internal_ms=internal_ms, **more, **columns(raw)
    )
    session.add(row)
    kept = sorted(set(labels))
    session.add_all(MessageLabelRow(message_id=own_id, label_id=label) for label in kept)
    record(session, row, "messagesAdded", kept)
    return row


def relabel(session: Session, row: MessageRow, add_ids: Iterable[str], remove_ids: Iterable[str]) -> None:
    """Add and remove labels; what is thrown away or spam leaves the inbox, what returns to it is neither."""
    before = set(labels_of(session, [row.id])[row.id])
    adding, removing = set(add_ids), set(remove_ids)
    removing |= {"INBOX"} if adding & {*HIDDEN_LABELS} else set()
    removing |= {*HIDDEN_LABELS} - adding if "INBOX" in adding - removing else set()
    added, removed = adding - removing - before, (removing & before)
    drop_labels(session, row.id, removed)
    session.add_all(MessageLabelRow(message_id=row.id, label_id=label) for label in sorted(added))
    for kind, labels in (("labelsAdded", added), ("labelsRemoved", removed)):
        if labels:
            row.touched = True
            record(session, row, kind, labels)
    session.flush()


def drop_labels(session: Session, message_id: str, labels: Collection[str]) -> None:
    """Take labels off a mail."""
    found = col(MessageLabelRow.message_id) == message_id, col(MessageLabelRow.label_id).in_(labels)
    session.execute(sql_delete(MessageLabelRow).where(*found))


def remove(session: Session, row: MessageRow) -> None:
    """Delete a mail for good, and the draft that it was."""
    record(session, row, "messagesDeleted", labels_of(session, [row.id])[row.id])
    session.execute(sql_delete(MessageLabelRow).where(col(MessageLabelRow.message_id) == row.id))
    session.execute(sql_delete(DraftRow).where(col(DraftRow.message_id) == row.id))
    session.delete(row)
    session.flush()
