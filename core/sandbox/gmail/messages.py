"""users.messages: list, get, send, labels, trash, delete."""

from typing import Any

from sqlalchemy import ColumnElement, and_, or_
from sqlmodel import Session, col, func, select

from core.sandbox.calls import Call, Reply
from core.sandbox.gmail import mailbox, outgoing, search, uploads, views
from core.sandbox.gmail.pages import Cursor, cursor, page_size
from core.sandbox.gmail.tables import MessageRow

MAX_BATCH = 1000


def older(than: Cursor) -> ColumnElement[bool]:
    """What comes after a row in a list, newest first."""
    ms, own = col(MessageRow.internal_ms), col(MessageRow.id)
    return or_(ms < than.ms, and_(ms == than.ms, own < than.id))


def list_messages(call: Call) -> dict[str, Any]:
    """Ids of the mails that a search finds, newest first."""
    size, start = page_size(call), cursor(call)
    with call.world.session() as session:
        condition = search.wanted(session, call)
        total = session.exec(select(func.count()).select_from(MessageRow).where(condition)).one()
        newest = select(MessageRow.id, MessageRow.thread_id, MessageRow.internal_ms).where(condition)
        newest = newest.order_by(col(MessageRow.internal_ms).desc(), col(MessageRow.id).desc())
        rows = session.exec((newest.where(older(start)) if start else newest).limit(size + 1)).all()
    page = rows[:size]
    answer: dict[str, Any] = {"messages": [{"id": r[0], "threadId": r[1]} for r in page]} if page else {}
    more = {"nextPageToken": Cursor(page[-1][2], page[-1][0]).token()} if len(rows) > size else {}
    return answer | more | {"resultSizeEstimate": total}


def get_message(call: Call) -> dict[str, Any]:
    """One mail in a format."""
    form = views.wanted_format(call)
    with call.world.session() as session:
        row = mailbox.find(session, call.account, call.params["id"])
        return views.show(session, [row], form, call.args("metadataHeaders"))[0]


def send_message(call: Call) -> dict[str, Any] | Reply:
    """Send a mail, as JSON or as an upload."""
    return uploads.receive(call, outgoing.send)


def insert_message(call: Call) -> dict[str, Any] | Reply:
    """Put a mail into the mailbox as if by IMAP, without filters."""
    return uploads.receive(call, outgoing.insert)


def import_message(call: Call) -> dict[str, Any] | Reply:
    """Take in a mail as if it had just arrived, with filters."""
    return uploads.receive(call, outgoing.arrive)


def label_change(call: Call, session: Session) -> tuple[list[str], list[str]]:
    """The labels that a request adds and removes.

    Raises:
        ApiError: 400 where there are none, or one that cannot be changed or does not exist.
    """
    body = call.json()
    adding, removing = body.get("addLabelIds") or [], body.get("removeLabelIds") or []
    if not adding and not removing:
        raise mailbox.invalid("No label add or removes specified")
    if not all(isinstance(ids, list) and all(isinstance(i, str) for i in ids) for ids in (adding, removing)):
        raise mailbox.invalid("Invalid value at 'add_label_ids' or 'remove_label_ids'")
    for label in {*adding, *removing} & mailbox.FIXED_LABELS:
        raise mailbox.invalid(f"Invalid label: {label}")
    mailbox.check_labels(session, call.account, [*adding, *removing])
    return adding, removing


def modify_message(call: Call) -> dict[str, Any]:
    """Change a mail's labels."""
    with call.world.change() as session:
        row = mailbox.find(session, call.account, call.params["id"])
        mailbox.relabel(session, row, *label_change(call, session))
        return views.reference(row, mailbox.labels_of(session, [row.id])[row.id])


def batch_modify(call: Call) -> Reply:
    """Change the labels of up to 1,000 mails; ids that nothing has are passed over, as Google does."""
    with call.world.change() as session:
        change = label_change(call, session)
        for row in chosen(call, session):
            mailbox.relabel(session, row, *change)
    return Reply(None)


def batch_delete(call: Call) -> Reply:
    """Delete up to 1,000 mails for good."""
    with call.world.change() as session:
        for row in chosen(call, session):
            mailbox.remove(session, row)
    return Reply(None)


def chosen(call: Call, session: Session) -> list[MessageRow]:
    """The mails that a batch names.

    Raises:
        ApiError: 400 where it names none, too many, or impossible ids.
    """
    ids = call.json().get("ids") or []
    if not ids or not isinstance(ids, list) or len(ids) > MAX_BATCH:
        raise mailbox.invalid(f"Between 1 and {MAX_BATCH} message ids must be specified")
    wanted = [mailbox.check_id(str(value)) for value in ids]
    found = select(MessageRow).where(col(MessageRow.account) == call.account, col(MessageRow.id).in_(wanted))
    return list(session.exec(found).all())


def trash_message(call: Call) -> dict[str, Any]:
    """Move a mail to the trash."""
    return moved(call, ["TRASH"], [])


def untrash_message(call: Call) -> dict[str, Any]:
    """Take a mail out of the trash."""
    return moved(call, [], ["TRASH"])


def moved(call: Call, adding: list[str], removing: list[str]) -> dict[str, Any]:
    """Relabel one mail and show it."""
    with call.world.change() as session:
        row = mailbox.find(session, call.account, call.params["id"])
        mailbox.relabel(session, row, adding, removing)
        return views.reference(row, mailbox.labels_of(session, [row.id])[row.id])


def delete_message(call: Call) -> Reply:
    """Delete a mail for good."""
    with call.world.change() as session:
        mailbox.remove(session, mailbox.find(session, call.account, call.params["id"]))
    return Reply(None)
