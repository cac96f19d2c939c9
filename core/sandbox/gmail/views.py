"""A stored mail in Gmail's four formats."""

from collections.abc import Sequence
from typing import Any

from sqlmodel import Session

from core.sandbox.calls import Call
from core.sandbox.gmail import mime
from core.sandbox.gmail.mailbox import invalid, labels_of
from core.sandbox.gmail.tables import MessageRow

FORMATS = ("full", "metadata", "minimal", "raw")


def wanted_format(call: Call) -> str:
    """The format that a request asks for.

    Raises:
        ApiError: 400 for one that does not exist.
    """
    asked = call.arg("format", "full").lower()
    if asked not in FORMATS:
        raise invalid(f"Invalid value at 'format' (type.googleapis.com/gmail.v1.Format), \"{asked}\"")
    return asked


def show(session: Session, rows: Sequence[MessageRow], form: str, names: Sequence[str] = ()) -> list[dict[str, Any]]:
    """Mails in a format; `names` limits the headers of `metadata`."""
    labels = labels_of(session, [row.id for row in rows])
    return [message(row, labels[row.id], form, names) for row in rows]


def message(row: MessageRow, labels: list[str], form: str, names: Sequence[str] = ()) -> dict[str, Any]:
    """One mail in a format."""
    shown: dict[str, Any] = {
        "id": row.id,
        "threadId": row.thread_id,
        "labelIds": labels,
        "snippet": row.snippet,
        "sizeEstimate": row.size,
        "historyId": str(row.history_id),
        "internalDate": str(row.internal_ms),
    }
    if form == "raw":
        return shown | {"raw": mime.encode(row.raw)}
    if form == "metadata":
        return shown | {"payload": heading(row, names)}
    return shown | ({"payload": mime.payload(mime.parse(row.raw), row.id)} if form == "full" else {})


def heading(row: MessageRow, names: Sequence[str]) -> dict[str, Any]:
    """The payload without its body."""
    mail = mime.parse_headers(row.raw)
    wanted = {name.lower() for name in names}
    shown = [header for header in mime.headers(mail) if not wanted or header["name"].lower() in wanted]
    return {"mimeType": mail.get_content_type(), "headers": shown}


def reference(row: MessageRow, labels: list[str] | None = None) -> dict[str, Any]:
    """What a write answers with: ids and labels."""
    return {"id": row.id, "threadId": row.thread_id} | ({} if labels is None else {"labelIds": labels})
