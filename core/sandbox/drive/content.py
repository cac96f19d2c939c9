"""The bytes of files: stored as revisions, handed out whole or in ranges."""

import hashlib
import re
from datetime import datetime

from sqlmodel import Session

from core.filetext import text_of
from core.sandbox.calls import ApiError, Call, Reply
from core.sandbox.drive.kinds import new_id, stamp
from core.sandbox.drive.tables import DriveFile, DriveRevision
from core.sandbox.gmail.words import row

RANGE = re.compile(r"bytes=(\d*)-(\d*)")


def put(
    session: Session,
    file: DriveFile,
    data: bytes,
    mime_type: str,
    who: str,
    when: datetime,
    text: str | None = None,
) -> None:
    """Give a file new bytes; what it held before stays as a revision.

    Args:
        text: what a search finds in it; read from the bytes if left out.
    """
    digest = hashlib.md5(data, usedforsecurity=False).hexdigest()
    revision = DriveRevision(
        file_id=file.id,
        id=new_id(),
        mime_type=mime_type,
        content=data,
        md5=digest,
        modified=stamp(when),
        modified_by=who,
    )
    session.add(revision)
    file.mime_type, file.head, file.size, file.md5 = mime_type, revision.id, len(data), digest
    file.words = row([(text_of(data, mime_type) or "") if text is None else text])
    session.add(file)


def data_of(session: Session, file: DriveFile) -> bytes:
    """What a file holds now."""
    revision = session.get(DriveRevision, (file.id, file.head)) if file.head else None
    return revision.content if revision else b""


def served(call: Call, data: bytes, mime_type: str) -> Reply:
    """Bytes as an answer: all of them, or the range that the call asks for (206).

    Raises:
        ApiError: 416 where the range begins behind the end.
    """
    kind = {"content-type": mime_type, "accept-ranges": "bytes"}
    match = RANGE.fullmatch(call.headers.get("range", "").replace(" ", ""))
    if match is None or match.groups() == ("", ""):
        return Reply(data, headers=kind)
    first, last = match.groups()
    start = int(first) if first else max(0, len(data) - int(last))
    end = min(int(last), len(data) - 1) if first and last else len(data) - 1
    if start > end:
        headers = {"content-range": f"bytes */{len(data)}"}
        message = "Request range not satisfiable"
        raise ApiError(416, "requestedRangeNotSatisfiable", message, headers, location="header:Range")
    return Reply(data[start : end + 1], 206, {**kind, "content-range": f"bytes {start}-{end}/{len(data)}"})
