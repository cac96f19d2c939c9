"""The comments that people left on the persona's files, dated back from today."""

from datetime import date
from typing import Any, Literal
from zoneinfo import ZoneInfo

from pydantic import BaseModel, ConfigDict
from sqlmodel import Session

from core.sandbox.drive.kinds import digest, seed_id, stamp
from core.sandbox.drive.plan import People, moment, read
from core.sandbox.drive.tables import DriveComment, DriveFile

Json = dict[str, Any]


class PlannedReply(BaseModel):
    """A reply, or an action such as `resolve`."""

    model_config = ConfigDict(extra="forbid")

    by: str
    ago: int
    text: str = ""
    action: Literal["", "resolve", "reopen"] = ""


class PlannedComment(BaseModel):
    """A comment on a seeded file."""

    model_config = ConfigDict(extra="forbid")

    key: str
    file: str
    by: str
    ago: int
    text: str
    replies: list[PlannedReply] = []


def seed_comments(session: Session, people: People, today: date, zone: ZoneInfo) -> None:
    """Make or date anew the comments; one that somebody answered, changed or deleted stays as it is."""
    for entry in read("comments"):
        row = comment(PlannedComment.model_validate(entry), people, today, zone)
        file, old = session.get(DriveFile, row.file_id), session.get(DriveComment, row.id)
        if (file is None or not file.deleted) and (old is None or words(old) == words(row)):
            session.merge(row)
    session.flush()


def comment(one: PlannedComment, people: People, today: date, zone: ZoneInfo) -> DriveComment:
    """A comment with its replies."""
    replies = [reply(one.key, number, item, people, today, zone) for number, item in enumerate(one.replies)]
    created = stamp(moment(today, one.ago, zone))
    return DriveComment(
        id=f"AAAB{digest(f'comment {one.key}')[:8]}",
        file_id=seed_id(one.file),
        author=people.address(one.by),
        content=one.text,
        created=created,
        modified=replies[-1]["created"] if replies else created,
        resolved=any(item.action == "resolve" for item in one.replies),
        replies=replies,
        seed=one.key,
    )


def reply(key: str, number: int, one: PlannedReply, people: People, today: date, zone: ZoneInfo) -> Json:
    """A reply."""
    return {
        "id": f"AAAC{digest(f'reply {key} {number}')[:8]}",
        "author": people.address(one.by),
        "content": one.text,
        "created": stamp(moment(today, one.ago, zone)),
        "action": one.action,
    }


def words(row: DriveComment) -> tuple[object, ...]:
    """What a comment says, apart from when."""
    return row.content, row.deleted, row.resolved, [(one["id"], one["content"]) for one in row.replies]
