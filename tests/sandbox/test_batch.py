"""Batch requests through Google's own client."""

from typing import Any

import pytest
from googleapiclient.errors import HttpError

from core.sandbox.faults import Fault
from core.sandbox.sandbox import Sandbox
from tests.sandbox.conftest import calendar_of


def run(service: Any, requests: dict[str, Any]) -> dict[str, Any]:
    answers: dict[str, Any] = {}
    batch = service.new_batch_http_request(callback=lambda key, answer, error: answers.update({key: error or answer}))
    for key, request in requests.items():
        batch.add(request, request_id=key)
    batch.execute()
    return answers


def test_each_call_of_a_batch_has_its_own_answer(calendar: Any) -> None:
    entries = calendar.calendarList()
    answers = run(
        calendar, {"good": entries.get(calendarId="primary"), "bad": entries.get(calendarId="nobody@x.example")}
    )
    assert answers["good"]["summary"] == "Sam Okafor"
    assert answers["bad"].resp.status == 404
    assert answers["bad"].error_details[0]["reason"] == "notFound"


def test_text_of_any_language_and_odd_ids_survive_a_batch(calendar: Any) -> None:
    request = calendar.calendarList().get(calendarId="chloe@lumenworks.example")
    assert run(calendar, {"a + b/ü": request})["a + b/ü"]["summary"] == "Chloé Martin"


def test_a_calendar_batch_holds_at_most_fifty_calls(calendar: Any) -> None:
    request = calendar.calendarList().list()
    with pytest.raises(HttpError) as caught:
        run(calendar, {str(number): request for number in range(51)})
    assert caught.value.resp.status == 400
    assert len(run(calendar, {str(number): request for number in range(50)})) == 50


def test_a_batch_without_credentials_is_refused_as_a_whole(sandbox: Sandbox) -> None:
    service = calendar_of(sandbox, account="")
    with pytest.raises(HttpError) as caught:
        run(service, {"1": service.calendarList().list()})
    assert caught.value.resp.status == 401


def test_a_fault_strikes_one_call_of_a_batch(sandbox: Sandbox, calendar: Any) -> None:
    sandbox.faults.add(Fault("GET .*/calendarList$", status=429, retry_after=7, remaining=1))
    answers = run(calendar, {key: calendar.calendarList().list() for key in ("first", "second")})
    assert answers["first"].resp.status == 429
    assert answers["first"].resp["retry-after"] == "7"
    assert answers["second"]["items"]


def test_a_body_that_is_no_batch_is_a_400(sandbox: Sandbox) -> None:
    http = sandbox.http("sam@lumenworks.example")
    response, _ = http.request(
        "https://www.googleapis.com/batch/calendar/v3", "POST", "hello", {"content-type": "text/x"}
    )
    assert response.status == 400


def test_a_batch_of_one_api_takes_no_calls_of_another(sandbox: Sandbox, calendar: Any) -> None:
    body = (
        "--b\r\nContent-Type: application/http\r\nContent-ID: <x + 1>\r\n\r\n"
        "GET /calendar/v3/users/me/calendarList HTTP/1.1\r\n\r\n\r\n--b--\r\n"
    )
    http, headers = sandbox.http("sam@lumenworks.example"), {"content-type": "multipart/mixed; boundary=b"}
    for path, status in {"/batch/gmail/v1": "400", "/batch": "200", "/batch/calendar/v3": "200"}.items():
        _, content = http.request(f"https://www.googleapis.com{path}", "POST", body, headers)
        assert f"HTTP/1.1 {status}" in content.decode()
        assert "Content-ID: <response-x + 1>" in content.decode()
