"""What belongs to the account as a whole: profile, addresses to send as, history."""

from typing import Any

from sqlmodel import Session, col, func, select

from core.sandbox.calls import Call
from core.sandbox.gmail import mailbox
from core.sandbox.gmail.pages import page_size
from core.sandbox.gmail.tables import HistoryRow, MessageRow

KINDS = {
    "messageAdded": "messagesAdded",
    "messageDeleted": "messagesDeleted",
    "labelAdded": "labelsAdded",
    "labelRemoved": "labelsRemoved",
}


def get_profile(call: Call) -> dict[str, Any]:
    """The address and the size of the mailbox."""
    with call.world.session() as session:
        counted = select(func.count(), func.count(col(MessageRow.thread_id).distinct())).select_from(MessageRow)
        mails, threads = session.exec(counted.where(col(MessageRow.account) == call.account)).one()
        newest = mailbox.latest_history(session, call.account)
    totals = {"messagesTotal": mails, "threadsTotal": threads, "historyId": str(newest)}
    return {"emailAddress": call.account} | totals


def send_as(call: Call) -> dict[str, Any]:
    """The account's one address."""
    return {
        "sendAsEmail": call.account,
        "displayName": "",
        "replyToAddress": "",
        "signature": "",
        "isPrimary": True,
        "isDefault": True,
    }


def list_send_as(call: Call) -> dict[str, Any]:
    """All addresses that the account may send as."""
    return {"sendAs": [send_as(call)]}


def get_send_as(call: Call) -> dict[str, Any]:
    """One of them.

    Raises:
        ApiError: 404.
    """
    if call.params["id"].lower() != call.account:
        raise mailbox.not_found()
    return send_as(call)


def list_history(call: Call) -> dict[str, Any]:
    """What changed since a historyId, oldest first.

    Raises:
        ApiError: 400 without a start, 404 for one that this mailbox never had.
    """
    size, start = page_size(call), call.arg("pageToken") or call.arg("startHistoryId")
    if not start.isdigit():
        raise mailbox.invalid("Missing or invalid startHistoryId")
    with call.world.session() as session:
        newest = mailbox.latest_history(session, call.account)
        if not 0 < int(start) <= newest:
            raise mailbox.not_found()
        rows = session.exec(since(call, int(start)).limit(size + 1)).all()
        entries = [change(session, row) for row in rows[:size]]
    more = {"nextPageToken": str(rows[size - 1].id)} if len(rows) > size else {}
    return ({"history": entries} if entries else {}) | more | {"historyId": str(newest)}


def since(call: Call, start: int) -> Any:
    """The history rows that a request wants."""
    wanted = select(HistoryRow).where(col(HistoryRow.account) == call.account, col(HistoryRow.id) > start)
    kinds = [KINDS[kind] for kind in call.args("historyTypes") if kind in KINDS]
    return (wanted.where(col(HistoryRow.kind).in_(kinds)) if kinds else wanted).order_by(col(HistoryRow.id))


def change(session: Session, row: HistoryRow) -> dict[str, Any]:
    """A history row in Google's form."""
    message: dict[str, Any] = {"id": row.message_id, "threadId": row.thread_id}
    now = mailbox.labels_of(session, [row.message_id])[row.message_id]
    detail = {"message": message | {"labelIds": now}}
    labels = {"labelIds": row.labels} if row.kind.startswith("labels") else {}
    return {"id": str(row.id), "messages": [message], row.kind: [detail | labels]}
