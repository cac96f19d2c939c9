"""A batch is what the client would write, and is read as the client reads it."""

import re
from uuid import UUID

import pytest
from googleapiclient.errors import BatchError, HttpError
from googleapiclient.http import BatchHttpRequest, HttpRequest
from httplib2 import Response

from core.google.batches import Batch
from core.google.clients import GoogleClients

CLIENTS = GoogleClients(lambda account: None)
MESSAGES, EVENTS = CLIENTS.resource("gmail.users.messages"), CLIENTS.resource("calendar.events")
REQUESTS = {
    "a get": lambda: MESSAGES.get(userId="me", id="m1", format="metadata", metadataHeaders=["Subject", "From"]),
    "a search of any letters": lambda: MESSAGES.list(userId="me", q="from:Zoë OR 請求書 a&b=c? #1"),
    "no query": lambda: EVENTS.delete(calendarId="primary", eventId="e/1"),
    "a body": lambda: MESSAGES.modify(userId="me", id="m1", body={"addLabelIds": ["Grüße"]}),
    "a header of other letters": lambda: with_header("x-note", "Grüße"),
    "a header of two lines": lambda: with_header("x-note", "a\n b"),
}


def with_header(name: str, value: str) -> HttpRequest:
    made = MESSAGES.get(userId="me", id="m1")
    made.headers[name] = value
    return made


@pytest.mark.parametrize("name", REQUESTS)
def test_a_part_is_letter_for_letter_the_clients(name: str) -> None:
    ours, theirs = Batch(batch_uri="https://x.example/batch"), BatchHttpRequest(batch_uri="https://x.example/batch")
    assert ours._serialize_request(REQUESTS[name]()) == theirs._serialize_request(REQUESTS[name]())


def test_a_batch_goes_where_its_api_takes_batches() -> None:
    assert CLIENTS.empty_batch("gmail")._batch_uri == "https://gmail.googleapis.com/batch"


class Wire:
    """In the network's place: keeps what was sent, and gives what it is told to."""

    def __init__(self, content: bytes = b"", kind: str = "multipart/mixed; boundary=b1", status: int = 200) -> None:
        self.content, self.kind, self.status = content, kind, status
        self.sent: tuple[str, str] = ("", "")

    def request(self, uri: str, *, method: str, body: str, headers: dict[str, str]) -> tuple[Response, bytes]:
        boundary = re.search(r'boundary="(.+)"', headers["content-type"])
        assert boundary and method == "POST" and uri == "https://x.example/batch"
        self.sent = body.replace(boundary[1], "BOUNDARY"), headers["content-type"].replace(boundary[1], "BOUNDARY")
        return Response({"status": str(self.status), "content-type": self.kind}), self.content


def answered(kind: type[BatchHttpRequest], wire: Wire) -> list[tuple[str, object, str]]:
    """What each of all requests was answered, as its caller hears of it."""
    heard: list[tuple[str, object, str]] = []
    batch = kind(lambda name, answer, error: heard.append((name, answer, repr(error))), "https://x.example/batch")
    batch._base_id = UUID(int=7)
    for make in REQUESTS.values():
        batch.add(make())
    batch.execute(http=wire)
    return heard


def part(number: int, status: str, body: str, head: str = "") -> str:
    name = head or f"Content-Type: application/http\r\nContent-ID: <response-{UUID(int=7)} + {number}>"
    return f"--b1\r\n{name}\r\n\r\nHTTP/1.1 {status}\r\nContent-Type: application/json\r\n\r\n{body}\r\n"


PARTS = [
    part(3, "204 No Content", ""),
    part(1, "200 OK", '{\r\n  "subject": "--b1 Grüße 請求書",\r\n\r\n  "size": 3\r\n}\r\n'),
    part(2, "404 Not Found", '{"error": {"code": 404, "message": "Not Found"}}'),
    part(4, "200 OK", '{"id": "m1"}'),
    part(5, "500 Internal Server Error", "broken"),
    part(6, "200 OK", "{}"),
]
WHOLE = "".join(PARTS) + "--b1--"


def test_a_whole_batch_is_sent_and_read_as_the_client_does() -> None:
    ours, theirs = (Wire(WHOLE.encode()) for _ in range(2))
    heard = answered(Batch, ours)
    assert heard == answered(BatchHttpRequest, theirs)
    assert ours.sent == theirs.sent
    assert next(answer for _, answer, _ in heard) == {"subject": "--b1 Grüße 請求書", "size": 3}


@pytest.mark.parametrize("kind", ['multipart/mixed; boundary="b1"', "Multipart/Mixed; charset=utf-8; boundary=b1"])
def test_a_boundary_is_found_however_it_is_written(kind: str) -> None:
    assert len(answered(Batch, Wire(WHOLE.encode(), kind))) == len(REQUESTS)


@pytest.mark.parametrize(
    "content, kind",
    [
        ("".join(PARTS), "multipart/mixed; boundary=b1"),
        (WHOLE, "multipart/mixed; boundary=b2"),
        (WHOLE, "text/html"),
        ("", "multipart/mixed; boundary=b1"),
        (part(1, "200 OK", "{}", "Content-Type: application/http") + "--b1--", "multipart/mixed; boundary=b1"),
    ],
    ids=["cut off", "another boundary", "a page", "nothing", "nobody's answer"],
)
def test_what_is_no_batch_is_refused(content: str, kind: str) -> None:
    with pytest.raises(BatchError):
        answered(Batch, Wire(content.encode(), kind))


def test_a_batch_that_fails_as_a_whole_is_an_error() -> None:
    with pytest.raises(HttpError):
        answered(Batch, Wire(b"{}", "application/json", 503))
