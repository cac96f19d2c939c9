"""Batch requests: several calls in one multipart/mixed body, each answered with a status of its own."""

import re
from collections.abc import Callable
from dataclasses import dataclass
from email import message_from_bytes
from email.message import Message
from http.client import responses
from uuid import uuid4

from core.sandbox.calls import ApiError, Reply
from core.sandbox.requests import Request, content

LIMITS = {"/batch": 100, "/batch/gmail/v1": 100, "/batch/drive/v3": 100, "/batch/calendar/v3": 50}
"""Calls that one batch may hold, by the path of the batch."""

BLANK_LINE = re.compile(rb"\r?\n\r?\n")


@dataclass(frozen=True)
class Part:
    """One call of a batch and the id that its answer refers to."""

    content_id: str
    request: Request | None


def run(batch: Request, answer: Callable[[Request], Reply]) -> Reply:
    """Answer a batch, call by call.

    Raises:
        ApiError: 400 where it is no batch, or one with too many calls.
    """
    parts = read(batch)
    if len(parts) > LIMITS[batch.path]:
        message = f"The batch request contains too many calls: {len(parts)}, at most {LIMITS[batch.path]}."
        raise ApiError(400, "badRequest", message)
    return write([(part.content_id, one(part, batch.path, answer)) for part in parts])


def one(part: Part, batch_path: str, answer: Callable[[Request], Reply]) -> Reply:
    """The answer to one call; a batch of one API takes no calls of another, and no batches."""
    home = batch_path.removeprefix("/batch")
    if part.request is None or part.request.path in LIMITS or not part.request.path.startswith(home):
        error = ApiError(400, "badRequest", "Bad Request")
        return Reply(error.body(), error.status)
    return answer(part.request)


def read(batch: Request) -> list[Part]:
    """The calls of a batch."""
    kind = batch.headers.get("content-type", "")
    message = message_from_bytes(b"Content-Type: " + kind.encode() + b"\r\n\r\n" + batch.body)
    if message.get_content_type() != "multipart/mixed" or not message.is_multipart():
        raise ApiError(400, "badRequest", "Failed to parse batch request, error: Not a multipart/mixed body.")
    return [Part(part.get("Content-ID", ""), read_request(part)) for part in message.walk() if part is not message]


def read_request(part: Message) -> Request | None:
    """The HTTP request inside a part, None where there is none."""
    payload = part.get_payload(decode=True)
    head, _, rest = payload.strip(b"\r\n").partition(b"\n") if isinstance(payload, bytes) else (b"", b"", b"")
    words = head.decode(errors="replace").split()
    if len(words) < 2:
        return None
    header_text, *bodies = BLANK_LINE.split(b"\n" + rest, maxsplit=1)
    headers = {name.lower(): str(value) for name, value in message_from_bytes(header_text.lstrip()).items()}
    return Request.make(words[1], words[0], bodies[0] if bodies else b"", headers)


def write(replies: list[tuple[str, Reply]]) -> Reply:
    """The answers as one multipart/mixed body."""
    boundary = f"batch_{uuid4().hex}"
    parts = b"".join(f"--{boundary}\r\n".encode() + write_part(name, reply) for name, reply in replies)
    return Reply(parts + f"--{boundary}--\r\n".encode(), 200, {"content-type": f"multipart/mixed; boundary={boundary}"})


def write_part(content_id: str, reply: Reply) -> bytes:
    """One answer, as an HTTP response inside a part."""
    status, headers, body = content(reply)
    lines = [
        "Content-Type: application/http",
        f"Content-ID: <response-{content_id.strip().removeprefix('<').removesuffix('>')}>",
        "",
        f"HTTP/1.1 {status} {responses.get(status, 'Unknown')}",
        *(f"{name.title()}: {value}" for name, value in headers.items()),
        "",
        "",
    ]
    return "\r\n".join(lines).encode() + body + b"\r\n"
