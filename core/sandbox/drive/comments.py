"""comments and replies."""

import secrets
from html import escape

from sqlmodel import Session, col, select

from core.sandbox.calendar.pages import decode, encode
from core.sandbox.calls import ApiError, Call, Reply
from core.sandbox.drive.access import Access
from core.sandbox.drive.asking import Json, access_of, asked, forbidden, invalid, need, need_fields
from core.sandbox.drive.changes import stamped
from core.sandbox.drive.kinds import stamp
from core.sandbox.drive.natives import Natives
from core.sandbox.drive.people import author
from core.sandbox.drive.tables import DriveComment

ACTIONS = {"resolve": True, "reopen": False}


def list_comments(call: Call, natives: Natives) -> Json:
    """comments.list, the last changed first."""
    need_fields(call)
    since = stamped(call.arg("startModifiedTime"))
    with call.world.session() as session:
        access = access_of(session, call)
        file = asked(access, call, everywhere=True)
        query = select(DriveComment).where(DriveComment.file_id == file.id, col(DriveComment.modified) >= since)
        if not call.flag("includeDeleted"):
            query = query.where(~col(DriveComment.deleted))
        rows = session.exec(query.order_by(col(DriveComment.modified).desc(), col(DriveComment.id))).all()
        size = call.number("pageSize", 20, 100)
        start = (decode("comments", call.arg("pageToken")) or 0) if call.arg("pageToken") else 0
        answer: Json = {"kind": "drive#commentList"}
        answer["comments"] = [comment(row, access) for row in rows[start : start + size]]
    return answer | ({"nextPageToken": encode("comments", start + size)} if start + size < len(rows) else {})


def get_comment(call: Call, natives: Natives) -> Json:
    """comments.get."""
    need_fields(call)
    with call.world.session() as session:
        access = access_of(session, call)
        return comment(one_of(session, access, call), access)


def create_comment(call: Call, natives: Natives) -> Json:
    """comments.create."""
    need_fields(call)
    body = call.json()
    with call.world.change() as session:
        access = access_of(session, call)
        file = asked(access, call, everywhere=True)
        need(access, file, "commenter")
        now = stamp(call.now())
        row = DriveComment(
            id=f"AAAB{secrets.token_urlsafe(6)}",
            file_id=file.id,
            author=call.account,
            content=text_of(body),
            quoted=str((body.get("quotedFileContent") or {}).get("value") or ""),
            anchor=str(body.get("anchor") or ""),
            created=now,
            modified=now,
        )
        session.add(row)
        return comment(row, access)


def update_comment(call: Call, natives: Natives) -> Json:
    """comments.update: of the words, by who wrote them."""
    need_fields(call)
    with call.world.change() as session:
        access = access_of(session, call)
        row = one_of(session, access, call)
        need_author(row.author, call)
        row.content, row.modified = text_of(call.json()), stamp(call.now())
        session.add(row)
        return comment(row, access)


def delete_comment(call: Call, natives: Natives) -> Reply:
    """comments.delete; it stays as a deleted one without its words."""
    with call.world.change() as session:
        access = access_of(session, call)
        row = one_of(session, access, call)
        need_author(row.author, call)
        row.content, row.deleted, row.modified = "", True, stamp(call.now())
        session.add(row)
    return Reply(None)


def list_replies(call: Call, natives: Natives) -> Json:
    """replies.list, oldest first."""
    need_fields(call)
    with call.world.session() as session:
        access = access_of(session, call)
        row = one_of(session, access, call)
        return {"kind": "drive#replyList", "replies": [reply(one, access) for one in row.replies]}


def create_reply(call: Call, natives: Natives) -> Json:
    """replies.create, which may also resolve or reopen the comment."""
    need_fields(call)
    body = call.json()
    action = body.get("action")
    if action is not None and action not in ACTIONS:
        raise invalid("Invalid value for: action", "parameter:reply.action")
    with call.world.change() as session:
        access = access_of(session, call)
        row = one_of(session, access, call)
        need(access, asked(access, call, everywhere=True), "commenter")
        content = str(body.get("content") or "") if action else text_of(body)
        now = stamp(call.now())
        made = {"id": f"AAAC{secrets.token_urlsafe(6)}", "author": call.account, "content": content}
        made |= {"created": now, "action": action or ""}
        row.replies = [*row.replies, made]
        row.modified, row.resolved = now, ACTIONS.get(str(action), row.resolved)
        session.add(row)
        return reply(made, access)


def text_of(body: Json) -> str:
    """The words of a comment.

    Raises:
        ApiError: 400 where there are none.
    """
    content = str(body.get("content") or "")
    if not content.strip():
        raise invalid("The content field is required.", reason="required")
    return content


def need_author(who: str, call: Call) -> None:
    """Refuse to change the words of somebody else.

    Raises:
        ApiError: 403.
    """
    if who != call.account:
        raise forbidden()


def one_of(session: Session, access: Access, call: Call) -> DriveComment:
    """The comment of a call's path.

    Raises:
        ApiError: 404 where there is none.
    """
    file, wanted = asked(access, call, everywhere=True), call.params["comment"]
    row = session.get(DriveComment, wanted)
    if row is None or row.file_id != file.id or (row.deleted and not call.flag("includeDeleted")):
        raise ApiError(404, "notFound", f"Comment not found: {wanted}.", location="parameter:commentId")
    return row


def comment(row: DriveComment, access: Access) -> Json:
    """A comment as Drive shows it."""
    body: Json = {
        "kind": "drive#comment",
        "id": row.id,
        "createdTime": row.created,
        "modifiedTime": row.modified,
        "author": author(access, row.author),
        "deleted": row.deleted,
        "resolved": row.resolved,
        "replies": [reply(one, access) for one in row.replies],
    }
    body |= {} if row.deleted else {"content": row.content, "htmlContent": escape(row.content)}
    body |= {"quotedFileContent": {"mimeType": "text/html", "value": row.quoted}} if row.quoted else {}
    return body | ({"anchor": row.anchor} if row.anchor else {})


def reply(one: Json, access: Access) -> Json:
    """A reply as Drive shows it."""
    body = {
        "kind": "drive#reply",
        "id": one["id"],
        "createdTime": one["created"],
        "modifiedTime": one["created"],
        "author": author(access, one["author"]),
        "deleted": False,
    }
    body |= {"content": one["content"], "htmlContent": escape(one["content"])} if one["content"] else {}
    return body | ({"action": one["action"]} if one["action"] else {})
