"""Requests to Google: what is repeated, what never is, and what a failure says."""

import ssl
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import httplib2
import pytest
from google.auth.exceptions import RefreshError, TransportError

from core.google.clients import GoogleClients
from core.google.errors import GoogleError
from core.google.patience import Patience
from tests.google.conftest import ACCOUNT, Office

CONNECT = "Google no longer accepts the sign-in of this account. Connect the account again, then repeat the question."
UNKNOWN = "Google did not confirm the change, so it is unknown whether it was made. Check before you try it again."


def failure(office: Office, request: Any) -> GoogleError:
    with pytest.raises(GoogleError) as caught:
        office.google.execute(request)
    return caught.value


def test_a_request_acts_as_its_account(office: Office) -> None:
    assert office.google.execute(office.get("m1")) == {"id": "m1", "account": ACCOUNT}


@pytest.mark.parametrize(
    "kind",
    [
        {"status": 503},
        {"status": 429},
        {"reason": "userRateLimitExceeded"},
        {"kind": "lost_reply"},
        {"kind": "drop"},
        {"kind": "latency", "seconds": 60},
    ],
)
def test_a_read_is_repeated_after_a_passing_trouble(office: Office, kind: dict[str, Any]) -> None:
    office.trouble("messages/m1", remaining=2, **kind)
    assert office.google.execute(office.get("m1"))["id"] == "m1"
    assert office.pauses == [0.5, 1.0]


def test_a_read_is_given_up_after_three_tries(office: Office) -> None:
    office.trouble("messages/m1", status=503)
    error = failure(office, office.get("m1"))
    assert (error.status, len(office.pauses)) == (503, 2)
    assert error.sentence == "Google has a problem of its own (503). Try again in a minute."


def test_retry_after_is_kept_to(office: Office) -> None:
    office.trouble("messages/m1", remaining=1, status=429, retry_after=3)
    office.google.execute(office.get("m1"))
    assert office.pauses == [3.0]


def test_a_wait_that_is_too_long_is_said_at_once(office: Office) -> None:
    office.trouble("messages/m1", status=429, retry_after=60)
    error = failure(office, office.get("m1"))
    assert office.pauses == []
    assert error.sentence.endswith("Try again in 60 seconds.")


@pytest.mark.parametrize(
    ("kind", "effects", "sentence"),
    [
        ({"kind": "lost_reply"}, 1, UNKNOWN),
        ({"kind": "latency", "seconds": 60}, 0, UNKNOWN),
        ({"status": 503}, 0, UNKNOWN),
        ({"status": 429}, 0, "Google asks to slow down: too many requests for this account. Try again in a minute."),
        ({"kind": "drop"}, 0, "Google cannot be reached. Check the network, then try again."),
    ],
)
def test_a_write_is_sent_once_and_says_what_is_known(
    office: Office, kind: dict[str, Any], effects: int, sentence: str
) -> None:
    office.trouble("messages/send", remaining=1, **kind)
    assert failure(office, office.send()).sentence == sentence
    assert (len(office.seen), office.pauses) == (effects, [])


@pytest.mark.parametrize(
    ("kind", "sentence"),
    [
        ({"status": 401}, CONNECT),
        ({"status": 404}, "There is no such mail, or this account may not see it. Search again for its current id."),
        ({"status": 410}, "That mail has been deleted already; nothing is left to do."),
        ({"reason": "accessNotConfigured"}, "The Gmail API is not enabled for this app. Enable it at https://console."),
        ({"reason": "insufficientPermissions"}, "This account has not allowed the app to do that with Gmail"),
        ({"reason": "domainPolicy"}, "The organisation's administrator has turned Gmail off for this account."),
        ({"reason": "dailyLimitExceeded"}, "The daily quota for Gmail is used up."),
        ({"status": 400}, "Google did not accept the request: "),
    ],
)
def test_a_refusal_says_what_to_do_next(office: Office, kind: dict[str, Any], sentence: str) -> None:
    office.trouble("messages/m1", **kind)
    assert failure(office, office.get("m1")).sentence.startswith(sentence)
    assert office.pauses == []


def test_a_read_that_travels_as_a_post_is_repeated(office: Office) -> None:
    office.trouble("messages$", remaining=1, status=503)
    office.google.execute(office.messages.list(userId="me", q="word " * 500))
    office.trouble("freeBusy", remaining=1, status=503)
    office.google.execute(office.google.resource("calendar.freebusy").query(body={"items": []}))
    assert (office.seen, len(office.pauses)) == (["GET messages", "POST freeBusy"], 2)


def test_a_batch_sends_again_only_what_failed(office: Office) -> None:
    office.trouble("messages/m7$", remaining=1, status=429)
    office.trouble("messages/gone$", status=404)
    ids = [f"m{number}" for number in range(30)] + ["gone"]
    found = office.google.batch({one: office.get(one) for one in ids})
    assert list(found) == ids
    assert sorted(office.seen) == sorted(f"GET {one}" for one in ids if one != "gone")
    assert isinstance(found["gone"], GoogleError) and found["gone"].status == 404
    assert found["m7"] == {"id": "m7", "account": ACCOUNT}


def test_a_batch_keeps_what_came_when_a_part_stays_broken(office: Office) -> None:
    office.trouble("messages/m1$", status=503)
    found = office.google.batch({one: office.get(one) for one in ("m0", "m1")})
    assert found["m0"] == {"id": "m0", "account": ACCOUNT}
    assert isinstance(found["m1"], GoogleError) and len(office.pauses) == 2


def test_a_batch_that_cannot_be_sent_fails_as_one(office: Office) -> None:
    office.trouble("/batch", kind="drop")
    with pytest.raises(GoogleError, match="Google cannot be reached"):
        office.google.batch({"m0": office.get("m0")})
    assert len(office.pauses) == 2


def test_sixteen_threads_have_their_own_transports_and_accounts(office: Office) -> None:
    def ask(number: int) -> str:
        google = office.clients.for_account(f"person{number}@lumenworks.example")
        request = google.resource("gmail.users.messages").get(userId="me", id="m1")
        return str(google.execute(request)["account"])

    with ThreadPoolExecutor(16) as pool:
        accounts = list(pool.map(ask, list(range(16)) * 4))
    assert accounts == [f"person{number}@lumenworks.example" for number in range(16)] * 4


class Answer:
    """An HTTP object with one answer to everything."""

    def __init__(self, status: int, body: bytes | Exception) -> None:
        self._status, self._body = status, body

    def request(self, *_: object, **__: object) -> tuple[httplib2.Response, bytes]:
        if isinstance(self._body, Exception):
            raise self._body
        return httplib2.Response({"status": str(self._status), "content-type": "text/html"}), self._body


DISABLED = b"""{"error": {"code": 403, "status": "PERMISSION_DENIED", "message": "Enable it by visiting
https://console.developers.google.com/apis/api/gmail.googleapis.com/overview?project=1 then retry.",
"details": [{"reason": "SERVICE_DISABLED"}]}}""".replace(b"\n", b" ")
STRANGE = "What answered was not Google. Check the network (a sign-in page, a proxy), then try again."


@pytest.mark.parametrize("batch", [False, True])
@pytest.mark.parametrize(
    ("status", "body", "sentence"),
    [
        (200, b"<html>Welcome to the hotel</html>", STRANGE),
        (200, b"", STRANGE),
        (200, b"[]", STRANGE),
        (502, b"<html>Bad gateway</html>", "Google has a problem of its own (502). Try again in a minute."),
        (500, b"\xff\xfe\x00", "Google has a problem of its own (500). Try again in a minute."),
        (400, b'{"error": "invalid_request"}', "Google did not accept the request: 400. Correct it and try again."),
        (400, b'{"error": {"message": "m", "details": "x", "errors": null}}', "Google did not accept the request: m."),
        (400, b'{"error": {"message": "No."}}', "Google did not accept the request: No. Correct it and try again."),
        (403, b'{"error": {"message": "No."}}', "This account may not do that: No. Ask the owner for access."),
        (
            403,
            DISABLED,
            "The Gmail API is not enabled for this app. Enable it at https://console.developers.google.com",
        ),
        (0, RefreshError("invalid_grant: revoked", {"token": "1//secret"}), CONNECT),
        (0, RefreshError("server_error", retryable=True), "The connection to Google broke. Try again."),
        (0, TransportError("no route"), "Google cannot be reached. Check the network, then try again."),
        (0, ssl.SSLError("bad certificate"), "The connection to Google broke. Try again."),
    ],
)
def test_any_answer_is_either_googles_or_said(batch: bool, status: int, body: bytes | Exception, sentence: str) -> None:
    clients = GoogleClients(lambda _: Answer(status, body), Patience(sleep=lambda _: None))
    google = clients.for_account(ACCOUNT)
    request = google.resource("gmail.users.messages").get(userId="me", id="m1")
    with pytest.raises(GoogleError) as caught:
        google.batch({"m1": request}) if batch else google.execute(request)
    assert caught.value.sentence.startswith(sentence)


def test_a_write_without_an_answer_is_done_and_one_with_a_strange_answer_is_not_known() -> None:
    for status, body, sentence in ((204, b"", None), (200, b"<html>", UNKNOWN)):
        google = GoogleClients(lambda _, found=(status, body): Answer(*found)).for_account(ACCOUNT)
        request = google.resource("calendar.events").delete(calendarId="primary", eventId="e1")
        if sentence is None:
            assert google.execute(request) == {}
        else:
            with pytest.raises(GoogleError, match=sentence[:30]):
                google.execute(request)


def test_rest_is_taken_as_patience_takes_it(office: Office) -> None:
    office.google.rest(1.5)
    assert office.pauses == [1.5] and office.seen == []
