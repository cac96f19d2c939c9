"""users.threads: a thread is the mails that share its id."""

from typing import Any

from sqlalchemy import and_, or_
from sqlmodel import Session, col, func, select

from core.sandbox.calls import Call, Reply
from core.sandbox.gmail import mailbox, search, views
from core.sandbox.gmail.messages import label_change
from core.sandbox.gmail.pages import Cursor, cursor, page_size
from core.sandbox.gmail.tables import MessageRow


def list_threads(call: Call) -> dict[str, Any]:
    """Threads with a mail that a search finds, the one with the newest mail first."""
    size, start = page_size(call), cursor(call)
    with call.world.session() as session:
        thread, newest = col(MessageRow.thread_id), func.max(MessageRow.internal_ms)
        found = select(thread).where(search.wanted(session, call)).distinct()
        total = session.exec(select(func.count()).select_from(found.subquery())).one()
        listed = select(thread, newest).where(col(MessageRow.account) == call.account, thread.in_(found))
        listed = listed.group_by(thread).order_by(newest.desc(), thread.desc())
        if start:
            listed = listed.having(or_(newest < start.ms, and_(newest == start.ms, thread < start.id)))
        rows = session.exec(listed.limit(size + 1)).all()
        page = [entry(session, call.account, row[0]) for row in rows[:size]]
    more = {"nextPageToken": Cursor(rows[size - 1][1], rows[size - 1][0]).token()} if len(rows) > size else {}
    return ({"threads": page} if page else {}) | more | {"resultSizeEstimate": total}


def entry(session: Session, account: str, thread_id: str) -> dict[str, Any]:
    """A thread as a list shows it: by its newest mail, and without reading any mail's bytes."""
    wanted = select(MessageRow.snippet, MessageRow.history_id).where(
        col(MessageRow.account) == account, col(MessageRow.thread_id) == thread_id
    )
    rows = session.exec(wanted.order_by(col(MessageRow.internal_ms).desc(), col(MessageRow.id).desc())).all()
    return {"id": thread_id, "snippet": rows[0][0], "historyId": str(max(row[1] for row in rows))}


def get_thread(call: Call) -> dict[str, Any]:
    """A thread with all its mails, oldest first."""
    form = views.wanted_format(call)
    with call.world.session() as session:
        rows = mailbox.find_thread(session, call.account, call.params["id"])
        messages = views.show(session, rows, form, call.args("metadataHeaders"))
    return {"id": rows[0].thread_id, "historyId": str(max(r.history_id for r in rows)), "messages": messages}


def modify_thread(call: Call) -> dict[str, Any]:
    """Change the labels of all mails of a thread."""
    with call.world.change() as session:
        return relabelled(session, call, *label_change(call, session))


def trash_thread(call: Call) -> dict[str, Any]:
    """Move a thread to the trash."""
    with call.world.change() as session:
        return relabelled(session, call, ["TRASH"], [])


def untrash_thread(call: Call) -> dict[str, Any]:
    """Take a thread out of the trash."""
    with call.world.change() as session:
        return relabelled(session, call, [], ["TRASH"])


def relabelled(session: Session, call: Call, adding: list[str], removing: list[str]) -> dict[str, Any]:
    """Relabel a thread and show it."""
    rows = mailbox.find_thread(session, call.account, call.params["id"])
    for row in rows:
        mailbox.relabel(session, row, adding, removing)
    labels = mailbox.labels_of(session, [row.id for row in rows])
    return {"id": rows[0].thread_id, "messages": [views.reference(row, labels[row.id]) for row in rows]}


def delete_thread(call: Call) -> Reply:
    """Delete a thread for good."""
    with call.world.change() as session:
        for row in mailbox.find_thread(session, call.account, call.params["id"]):
            mailbox.remove(session, row)
    return Reply(None)
