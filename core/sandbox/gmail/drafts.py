"""users.drafts: a draft keeps its id while its message is replaced at each update."""

from typing import Any

from sqlmodel import Session, col, select

from core.sandbox.calls import Call, Reply
from core.sandbox.gmail import mailbox, mime, outgoing, search, uploads, views
from core.sandbox.gmail.messages import older
from core.sandbox.gmail.pages import Cursor, cursor, page_size
from core.sandbox.gmail.tables import DraftRow, MessageRow
from core.sandbox.gmail.uploads import Incoming


def list_drafts(call: Call) -> dict[str, Any]:
    """Drafts that a search finds, newest first."""
    size, start = page_size(call), cursor(call)
    with call.world.session() as session:
        found = select(DraftRow, MessageRow).join(MessageRow, col(MessageRow.id) == col(DraftRow.message_id))
        found = found.where(search.wanted(session, call)).order_by(
            col(MessageRow.internal_ms).desc(), col(MessageRow.id).desc()
        )
        rows = session.exec(found.where(older(start)) if start else found).all()
    page = [{"id": draft.id, "message": views.reference(row)} for draft, row in rows[:size]]
    last = rows[size - 1][1] if len(rows) > size else None
    more = {"nextPageToken": Cursor(last.internal_ms, last.id).token()} if last else {}
    return ({"drafts": page} if page else {}) | more | {"resultSizeEstimate": len(rows)}


def find_draft(session: Session, call: Call, draft_id: str) -> tuple[DraftRow, MessageRow]:
    """A draft and its message.

    Raises:
        ApiError: 404.
    """
    draft = session.get(DraftRow, draft_id)
    if draft is None or draft.account != call.account:
        raise mailbox.not_found()
    return draft, mailbox.find(session, call.account, draft.message_id)


def get_draft(call: Call) -> dict[str, Any]:
    """One draft, its message in a format."""
    form = views.wanted_format(call)
    with call.world.session() as session:
        draft, row = find_draft(session, call, call.params["id"])
        return {"id": draft.id, "message": views.show(session, [row], form)[0]}


def create_draft(call: Call) -> dict[str, Any] | Reply:
    """Make a draft; it may lack recipients and subject."""

    def take(session: Session, call: Call, incoming: Incoming) -> dict[str, Any]:
        row = written(session, call, incoming)
        draft = DraftRow(id=f"r{int(row.id, 16)}", account=call.account, message_id=row.id)
        session.add(draft)
        return shown(session, draft, row)

    return uploads.receive(call, take)


def update_draft(call: Call) -> dict[str, Any] | Reply:
    """Replace a draft's message."""

    def take(session: Session, call: Call, incoming: Incoming) -> dict[str, Any]:
        draft, old = find_draft(session, call, call.params["id"])
        row = written(session, call, incoming)
        draft.message_id = row.id
        session.flush()
        mailbox.remove(session, old)
        return shown(session, draft, row)

    return uploads.receive(call, take)


def written(session: Session, call: Call, incoming: Incoming) -> MessageRow:
    """Store a draft's message, in the thread that it answers."""
    raw = outgoing.completed(incoming.message(), call)
    message = incoming.data.get("message")
    thread_id = str((message.get("threadId") if isinstance(message, dict) else "") or "")
    thread = outgoing.thread_of(session, call.account, mime.parse(raw), thread_id)
    return outgoing.store(session, call, raw, ["DRAFT"], thread)


def shown(session: Session, draft: DraftRow, row: MessageRow) -> dict[str, Any]:
    """What a write answers with."""
    return {"id": draft.id, "message": views.reference(row, mailbox.labels_of(session, [row.id])[row.id])}


def delete_draft(call: Call) -> Reply:
    """Throw a draft away for good."""
    with call.world.change() as session:
        mailbox.remove(session, find_draft(session, call, call.params["id"])[1])
    return Reply(None)


def send_draft(call: Call) -> dict[str, Any] | Reply:
    """Send a draft, with a new text where the request has one; the draft is gone, the mail has an id of its own."""

    def take(session: Session, call: Call, incoming: Incoming) -> dict[str, Any]:
        _, row = find_draft(session, call, str(incoming.data.get("id") or ""))
        answer = outgoing.sent(session, call, incoming.raw or row.raw, row.thread_id)
        mailbox.remove(session, row)
        return answer

    return uploads.receive(call, take)
