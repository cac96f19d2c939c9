"""The ways in which content comes with a request: none, media, multipart, resumable in one piece or in chunks."""

import json
import re
import secrets
from collections.abc import Callable
from dataclasses import dataclass
from email import message_from_bytes
from typing import Any
from urllib.parse import urlencode

from sqlmodel import Session

from core.sandbox.calls import ApiError, Call, Reply
from core.sandbox.drive.asking import invalid
from core.sandbox.drive.tables import DriveUpload

HOST = "https://www.googleapis.com"
CHUNK = re.compile(r"bytes (?:(\d+)-(\d+)|\*)/(\d+|\*)")
UNKNOWN_TYPE = "application/octet-stream"


@dataclass(frozen=True)
class Media:
    """Content and its type."""

    data: bytes
    mime_type: str


@dataclass(frozen=True)
class Incoming:
    """A request's JSON, and the content that came with it."""

    asked: dict[str, Any]
    media: Media | None


Taker = Callable[[Session, Call, Incoming, str], dict[str, Any]]
"""Takes what came for a file by its id (empty: a new one)."""


def receive(call: Call, take: Taker) -> dict[str, Any] | Reply:
    """Read what a request brings and hand it to who takes it, within one change of the world."""
    kind = call.arg("uploadType") if call.path.startswith("/upload/") else ""
    with call.world.change() as session:
        if kind == "resumable" and not call.arg("upload_id"):
            return opened(session, call)
        incoming = READERS.get(kind, from_json)(call)
        return take(session, call, incoming, call.params.get("file", ""))


def resume(call: Call, take: Taker) -> dict[str, Any] | Reply:
    """A further request of a resumable upload: 308 until all has come, then always the same answer."""
    with call.world.change() as session:
        row = session.get(DriveUpload, call.arg("upload_id"))
        if row is None or row.account != call.account:
            raise ApiError(404, "notFound", "Upload not found.")
        if row.answer is not None:
            return row.answer
        if not grown(session, row, call):
            end = {"range": f"bytes=0-{len(row.content) - 1}"} if row.content else {}
            return Reply(b"", 308, end)
        incoming = Incoming(row.asked, Media(row.content, row.mime_type or type_of(row.asked)))
        row.answer, row.content = take(session, call, incoming, row.file_id), b""
        return row.answer


def opened(session: Session, call: Call) -> Reply:
    """The first request of a resumable upload: where its content goes."""
    row = DriveUpload(
        id=secrets.token_hex(12),
        account=call.account,
        method=call.method,
        file_id=call.params.get("file", ""),
        mime_type=call.headers.get("x-upload-content-type", ""),
        asked=call.json(),
    )
    session.add(row)
    query = {name: values[-1] for name, values in call.query.items()} | {"upload_id": row.id}
    place = f"{HOST}{call.path}?{urlencode(query)}"
    return Reply({}, headers={"location": place, "x-guploader-uploadid": row.id})


def grown(session: Session, row: DriveUpload, call: Call) -> bool:
    """Add a chunk; whether the content is complete now.

    Raises:
        ApiError: 400 where the range cannot be read.
    """
    said = call.headers.get("content-range")
    if said is None:
        row.content = call.body
        return True
    match = CHUNK.fullmatch(said.strip())
    if match is None:
        raise invalid("Failed to parse Content-Range header.", "header:Content-Range")
    first, last, total = match.groups()
    if first is not None and int(first) == len(row.content) and int(last) - int(first) + 1 == len(call.body):
        row.content = row.content + call.body
        session.add(row)
    return total != "*" and int(total) == len(row.content)


def from_json(call: Call) -> Incoming:
    """JSON alone."""
    return Incoming(call.json(), None)


def from_media(call: Call) -> Incoming:
    """Content alone."""
    return Incoming({}, Media(call.body, call.headers.get("content-type", UNKNOWN_TYPE)))


def from_multipart(call: Call) -> Incoming:
    """JSON and content as two parts; cut by hand, because the content must stay as it is, byte for byte."""
    boundary = re.search(r'boundary="?([^";]+)"?', call.headers.get("content-type", ""))
    mark = f"--{boundary[1]}".encode() if boundary else b""
    newline = b"\r\n" if call.body.lstrip().startswith(mark + b"\r\n") else b"\n"
    parts = (newline + call.body.lstrip()).split(newline + mark) if mark else []
    if len(parts) != 4:
        raise invalid("Multipart must have exactly two parts", reason="badContent")
    (_, data), (headers, content) = (part.removeprefix(newline).split(newline * 2, 1) for part in parts[1:3])
    try:
        asked = dict(json.loads(data or b"{}"))
    except (ValueError, TypeError) as error:
        raise invalid("Parse Error", reason="parseError") from error
    sent = message_from_bytes(headers).get("Content-Type")
    kind = " ".join(str(sent).split()) if sent else type_of(asked)  # a long type comes on a line of its own
    return Incoming(asked, Media(content, kind))


def type_of(asked: dict[str, Any]) -> str:
    """The type that the metadata name."""
    return str(asked.get("mimeType") or UNKNOWN_TYPE)


READERS: dict[str, Callable[[Call], Incoming]] = {"media": from_media, "multipart": from_multipart}
