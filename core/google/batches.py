"""Google's batches, written and read at once: the client makes an e-mail of each, which takes longer than all else that
is done to send a search."""

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any
from urllib.parse import urlsplit
from uuid import uuid4

from googleapiclient.errors import BatchError, HttpError
from googleapiclient.http import BatchHttpRequest, HttpRequest

PART = (
    "--{boundary}\nContent-Type: application/http\nMIME-Version: 1.0\nContent-Transfer-Encoding: binary\n"
    "Content-ID: {content_id}\n\n{body}\n"
)
BOUNDARY = re.compile(r'^multipart/mixed\s*;.*?boundary="?([^";,\s]+)', re.IGNORECASE)
CONTENT_ID = re.compile(r"^Content-ID:[ \t]*(<[^>\r\n]*>)", re.IGNORECASE | re.MULTILINE)
NO_BATCH = "Response not in multipart/mixed format."


class Batch(BatchHttpRequest):  # type: ignore[misc]
    """A batch for one API; its requests carry no credentials of their own."""

    def _execute(self, http: Any, order: Sequence[str], requests: Mapping[str, HttpRequest]) -> None:
        """Send the requests, and keep an answer of each that has one."""
        boundary = f"batch_{uuid4().hex}"
        parts = (
            PART.format(
                boundary=boundary, content_id=self._id_to_header(name), body=self._serialize_request(requests[name])
            )
            for name in order
        )
        response, content = http.request(
            self._batch_uri,
            method="POST",
            body=f"{''.join(parts)}--{boundary}--\n",
            headers={"content-type": f'multipart/mixed; boundary="{boundary}"'},
        )
        if response.status >= 300:
            raise HttpError(response, content, uri=self._batch_uri)
        for content_id, payload in answers(response.get("content-type", ""), content.decode("utf-8")):
            answer, body = self._deserialize_response(payload)
            self._responses[self._header_to_id(content_id)] = (answer, body.encode("utf-8"))

    def _serialize_request(self, request: HttpRequest) -> str:
        """A part, letter for letter as the client writes it; what has a body is left to the client."""
        lines = [f"{name}: {value}" for name, value in request.headers.items() if name != "content-type"]
        if request.body is not None or not all(line.isascii() and line.isprintable() for line in lines):
            return str(super()._serialize_request(request))
        uri = urlsplit(request.uri)
        path = f"{uri.path}?{uri.query}" if uri.query else uri.path
        kind = request.headers.get("content-type", "application/json")
        first = [f"{request.method} {path} HTTP/1.1", f"Content-Type: {kind}", "MIME-Version: 1.0"]
        return "\n".join([*first, *lines, f"Host: {uri.netloc}", "\n"])


def answers(content_type: str, text: str) -> Iterator[tuple[str, str]]:
    """The content ids of a batch's answers, and what stands there.

    Raises:
        BatchError: it is no batch, was cut off, or has a part that says not whose it is.
    """
    found = BOUNDARY.match(content_type)
    if found is None:
        raise BatchError(NO_BATCH)
    _, *parts = f"\r\n{text}".split(f"\r\n--{found[1]}")
    if not parts or not parts.pop().startswith("--"):
        raise BatchError(NO_BATCH)
    for part in parts:
        head, _, payload = part.partition("\r\n\r\n")
        content_id = CONTENT_ID.search(head)
        if content_id is None:
            raise BatchError(NO_BATCH)
        yield content_id[1], payload
