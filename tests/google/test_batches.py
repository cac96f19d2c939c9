"""A batch's parts are what the client would write."""

import pytest
from googleapiclient.http import BatchHttpRequest, HttpRequest

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
