"""users.labels: the system's and the user's own."""

from typing import Any

from sqlalchemy import delete as sql_delete
from sqlmodel import Session, col, func, select

from core.sandbox.calls import ApiError, Call, Reply
from core.sandbox.gmail import mailbox
from core.sandbox.gmail.operators import label_key, labelled
from core.sandbox.gmail.tables import LabelRow, MessageLabelRow, MessageRow

MESSAGE_VISIBILITY = ("show", "hide")
LABEL_VISIBILITY = ("labelShow", "labelShowIfUnread", "labelHide")
MAX_NAME = 225


def system(label_id: str) -> dict[str, Any]:
    """A system label in Google's form."""
    hidden = {"messageListVisibility": "hide", "labelListVisibility": "labelHide"}
    extra = hidden if label_id.startswith("CATEGORY_") or label_id in ("CHAT", "TRASH", "SPAM") else {}
    return {"id": label_id, "name": label_id, "type": "system"} | extra


def own(row: LabelRow) -> dict[str, Any]:
    """A label of the user's in Google's form."""
    visible = {"messageListVisibility": row.message_visibility, "labelListVisibility": row.label_visibility}
    return {"id": row.id, "name": row.name, "type": "user"} | visible | ({"color": row.color} if row.color else {})


def counts(session: Session, account: str, label_id: str) -> dict[str, int]:
    """How many mails and threads have a label, and how many of them are unread."""
    mails = func.count(col(MessageRow.id))
    found = select(mails, func.count(col(MessageRow.thread_id).distinct())).where(
        col(MessageRow.account) == account, labelled(label_id)
    )
    (total, threads), (unread, fresh) = session.exec(found).one(), session.exec(found.where(labelled("UNREAD"))).one()
    return {"messagesTotal": total, "messagesUnread": unread, "threadsTotal": threads, "threadsUnread": fresh}


def list_labels(call: Call) -> dict[str, Any]:
    """All labels, without counts, as Google's list."""
    with call.world.session() as session:
        rows = session.exec(select(LabelRow).where(col(LabelRow.account) == call.account).order_by(col(LabelRow.id)))
        return {"labels": [*(system(label) for label in mailbox.SYSTEM_LABELS), *(own(row) for row in rows)]}


def find_own(session: Session, call: Call) -> LabelRow:
    """The user's label that a request names.

    Raises:
        ApiError: 400 for a system label, 404 for none.
    """
    if call.params["id"] in mailbox.SYSTEM_LABELS:
        raise mailbox.invalid("Invalid update request" if call.method != "DELETE" else "Invalid delete request")
    row = session.get(LabelRow, (call.account, call.params["id"]))
    if row is None:
        raise mailbox.not_found()
    return row


def get_label(call: Call) -> dict[str, Any]:
    """One label with its counts."""
    label_id = call.params["id"]
    with call.world.session() as session:
        shown = system(label_id) if label_id in mailbox.SYSTEM_LABELS else own(find_own(session, call))
        return shown | counts(session, call.account, label_id)


def create_label(call: Call) -> dict[str, Any]:
    """Make a label."""
    with call.world.change() as session:
        name = checked_name(session, call.account, call.json().get("name"), "")
        row = LabelRow(account=call.account, id=free_id(session, call.account), name=name)
        fill(row, call.json())
        session.add(row)
    return own(row)


def free_id(session: Session, account: str) -> str:
    """An id that no label of the account has had."""
    numbers = [int(label_id.removeprefix("Label_")) for label_id in mailbox.label_names(session, account)]
    return f"Label_{max(numbers, default=0) + 1}"


def checked_name(session: Session, account: str, name: Any, own_id: str) -> str:
    """A name that a label may have.

    Raises:
        ApiError: 400 for none or a bad one, 409 for one that is taken.
    """
    if not isinstance(name, str) or not name.strip() or len(name) > MAX_NAME:
        raise mailbox.invalid("Invalid label name")
    taken = [other for label_id, other in mailbox.label_names(session, account).items() if label_id != own_id]
    if name.strip().upper() in mailbox.SYSTEM_LABELS:
        raise mailbox.invalid("Invalid label name")
    if label_key(name.strip()) in {label_key(other) for other in taken}:
        raise ApiError(409, "aborted", "Label name exists or conflicts")
    return name.strip()


def fill(row: LabelRow, body: dict[str, Any]) -> None:
    """Take over what a request says of a label's looks.

    Raises:
        ApiError: 400 for a value that there is not.
    """
    row.message_visibility = choice(body, "messageListVisibility", MESSAGE_VISIBILITY, row.message_visibility)
    row.label_visibility = choice(body, "labelListVisibility", LABEL_VISIBILITY, row.label_visibility)
    row.color = body["color"] if isinstance(body.get("color"), dict) else row.color


def choice(body: dict[str, Any], name: str, allowed: tuple[str, ...], default: str) -> str:
    """One of the allowed values."""
    value = body.get(name, default)
    if value not in allowed:
        raise mailbox.invalid(f"Invalid value at 'label.{name}': {value!r}")
    return str(value)


def update_label(call: Call) -> dict[str, Any]:
    """Replace a label's fields (PUT), or the ones given (PATCH)."""
    body = call.json()
    with call.world.change() as session:
        row = find_own(session, call)
        name = body.get("name", row.name if call.method == "PATCH" else None)
        row.name = checked_name(session, call.account, name, row.id)
        fill(row, body)
        session.add(row)
    return own(row)


def delete_label(call: Call) -> Reply:
    """Delete a label and take it off all mails; the mails stay."""
    with call.world.change() as session:
        row = find_own(session, call)
        mails = select(MessageRow.id).where(col(MessageRow.account) == call.account)
        label = col(MessageLabelRow.label_id) == row.id
        session.execute(sql_delete(MessageLabelRow).where(label, col(MessageLabelRow.message_id).in_(mails)))
        session.delete(row)
    return Reply(None)
