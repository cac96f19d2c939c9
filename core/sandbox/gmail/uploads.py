"""The ways in which a mail comes with a request: JSON with `raw`, multipart, media, resumable."""

import json
import re
import secrets
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any
from urllib.parse import parse_qsl, urlencode

from sqlmodel import Session

from core.sandbox.calls import ApiError, Call, Reply
from core.sandbox.gmail import mime
from core.sandbox.gmail.mailbox import invalid, not_found
from core.sandbox.gmail.tables import UploadRow

MAX_BYTES = 35 * 1024 * 1024
ROOT = "https://gmail.googleapis.com"


@dataclass(frozen=True)
class Incoming:
    """A request's JSON, and the mail's bytes (None: the request has no mail)."""

    data: dict[str, Any]
    raw: bytes | None

    def message(self) -> bytes:
        """The mail.

        Raises:
            ApiError: 400 where there is none.
        """
        if not self.raw:
            raise invalid("'raw' RFC822 payload message string or uploading message via /upload/* URL required")
        return self.raw


Taker = Callable[[Session, Call, Incoming], dict[str, Any]]


def receive(call: Call, take: Taker) -> dict[str, Any] | Reply:
    """Read the mail of a request and hand it to who takes it, within one change of the world."""
    kind = call.arg("uploadType") if call.path.startswith("/upload/") or call.path.startswith("/resumable/") else ""
    with call.world.change() as session:
        if kind == "resumable" and not call.arg("upload_id"):
            return open_upload(session, call)
        incoming = resumed(session, call) if kind == "resumable" else READERS.get(kind, from_json)(call)
        if incoming.raw and len(incoming.raw) > MAX_BYTES:
            raise ApiError(413, "uploadTooLarge", "Request Entity Too Large")
        return take(session, call, incoming)


def from_json(call: Call) -> Incoming:
    """`raw` in the JSON body, beside the rest or in `message`."""
    data = call.json()
    message = data.get("message")
    raw = (message if isinstance(message, dict) else data).get("raw")
    try:
        return Incoming(data, mime.decode(str(raw)) if raw else None)
    except ValueError as error:
        raise invalid("Invalid value at 'raw' (TYPE_BYTES), Base64 decoding failed") from error


def from_media(call: Call) -> Incoming:
    """The body is the mail."""
    return Incoming({}, call.body)


def from_multipart(call: Call) -> Incoming:
    """JSON and the mail as two parts; cut by hand, because the mail must stay as it is, byte for byte."""
    kind = next((value for name, value in call.headers.items() if name.lower() == "content-type"), "")
    boundary = re.search(r'boundary="?([^";]+)"?', kind)
    parts = re.split(rb"\r?\n?--" + re.escape(boundary[1].encode()), call.body) if boundary else []
    if len(parts) != 4:
        raise ApiError(400, "badContent", "Multipart must have exactly two parts")
    (_, data), (_, raw) = (split_part(part) for part in parts[1:3])
    try:
        return Incoming(dict(json.loads(data or b"{}")), raw)
    except (ValueError, TypeError) as error:
        raise ApiError(400, "parseError", "Parse Error") from error


def split_part(part: bytes) -> tuple[bytes, bytes]:
    """A part's headers and content."""
    heading, _, content = re.sub(rb"^\r?\n", b"", part).partition(b"\r\n\r\n" if b"\r\n\r\n" in part[:200] else b"\n\n")
    return heading, content


def open_upload(session: Session, call: Call) -> Reply:
    """The first request of a resumable upload: where its content goes."""
    row = UploadRow(id=secrets.token_hex(12), account=call.account, metadata_json=call.json())
    session.add(row)
    session.flush()
    query = dict(parse_qsl(urlencode({name: values[-1] for name, values in call.query.items()})))
    place = f"{ROOT}{call.path}?{urlencode(query | {'upload_id': row.id})}"
    return Reply({}, headers={"location": place, "x-guploader-uploadid": row.id})


def resumed(session: Session, call: Call) -> Incoming:
    """The second request: the content, in one piece."""
    row = session.get(UploadRow, call.arg("upload_id"))
    if row is None or row.account != call.account:
        raise not_found()
    session.delete(row)
    return Incoming(row.metadata_json, call.body)


READERS: dict[str, Callable[[Call], Incoming]] = {"media": from_media, "multipart": from_multipart}
