"""Trouble on demand."""

import http.client
from pathlib import Path
from typing import Any

import pytest
from googleapiclient.errors import HttpError

from core.sandbox.faults import Fault, Kind
from core.sandbox.sandbox import Sandbox
from tests.sandbox.conftest import WEDNESDAY, calendar_of

HOUR = {
    "summary": "Once",
    "start": {"dateTime": "2026-11-20T10:00:00Z"},
    "end": {"dateTime": "2026-11-20T11:00:00Z"},
}


def refused(calendar: Any) -> HttpError:
    with pytest.raises(HttpError) as caught:
        calendar.calendarList().list().execute()
    return caught.value


@pytest.mark.parametrize(
    ("fault", "status", "reason", "domain"),
    [
        (Fault(status=401), 401, "authError", "global"),
        (Fault(reason="rateLimitExceeded"), 403, "rateLimitExceeded", "usageLimits"),
        (Fault(reason="userRateLimitExceeded"), 403, "userRateLimitExceeded", "usageLimits"),
        (Fault(reason="domainPolicy"), 403, "domainPolicy", "global"),
        (Fault(reason="accessNotConfigured"), 403, "accessNotConfigured", "usageLimits"),
        (Fault(reason="insufficientPermissions"), 403, "insufficientPermissions", "global"),
        (Fault(status=404), 404, "notFound", "global"),
        (Fault(status=410), 410, "deleted", "global"),
        (Fault(status=429), 429, "rateLimitExceeded", "usageLimits"),
        (Fault(status=500), 500, "internalError", "global"),
        (Fault(status=503), 503, "backendError", "global"),
    ],
)
def test_a_fault_answers_as_google_does(
    sandbox: Sandbox, calendar: Any, fault: Fault, status: int, reason: str, domain: str
) -> None:
    sandbox.faults.add(fault)
    error = refused(calendar)
    detail = error.error_details[0]
    assert (error.resp.status, detail["reason"], detail["domain"]) == (status, reason, domain)


def test_a_disabled_api_names_the_page_that_enables_it(sandbox: Sandbox, calendar: Any) -> None:
    sandbox.faults.add(Fault(reason="accessNotConfigured"))
    assert "https://console.developers.google.com/apis/api/calendar-json.googleapis.com/" in refused(calendar).reason


def test_a_missing_scope_is_named_in_the_header(sandbox: Sandbox, calendar: Any) -> None:
    sandbox.faults.add(Fault(reason="insufficientPermissions"))
    challenge = refused(calendar).resp["www-authenticate"]
    assert 'error="insufficient_scope", scope="https://www.googleapis.com/auth/calendar"' in challenge


def test_newer_apis_send_details(sandbox: Sandbox) -> None:
    sandbox.faults.add(Fault("/gmail/", reason="accessNotConfigured"))
    uri = "https://gmail.googleapis.com/gmail/v1/users/me/labels"
    _, content = sandbox.http("sam@lumenworks.example").request(uri)
    assert b'"status": "PERMISSION_DENIED"' in content
    assert b'"reason": "SERVICE_DISABLED"' in content


def test_a_fault_strikes_only_what_it_matches_and_as_often_as_it_says(sandbox: Sandbox, calendar: Any) -> None:
    sandbox.faults.add(Fault("POST .*/freeBusy", status=503))
    sandbox.faults.add(Fault("GET .*/calendarList$", status=429, retry_after=3, remaining=2))
    assert [refused(calendar).resp["retry-after"] for _ in range(2)] == ["3", "3"]
    assert calendar.calendarList().list().execute()["items"]


def test_another_process_meets_the_same_fault_until_it_is_cleared(sandbox: Sandbox, tmp_path: Path) -> None:
    other = Sandbox(tmp_path / "sandbox.db", "Europe/Berlin", lambda: WEDNESDAY)
    sandbox.faults.add(Fault(status=503))
    assert refused(calendar_of(other)).resp.status == 503
    other.faults.clear()
    assert calendar_of(sandbox).calendarList().list().execute()["items"]
    other.close()


def test_a_lost_reply_has_had_its_effect(sandbox: Sandbox, calendar: Any) -> None:
    sandbox.faults.add(Fault("POST .*/events$", Kind.LOST_REPLY, remaining=1))
    with pytest.raises(http.client.RemoteDisconnected):
        calendar.events().insert(calendarId="primary", body=HOUR).execute()
    assert len(calendar.events().list(calendarId="primary", q="once").execute()["items"]) == 1


def test_a_refused_connection_and_an_error_have_no_effect(sandbox: Sandbox, calendar: Any) -> None:
    sandbox.faults.add(Fault("POST .*/events$", Kind.DROP, remaining=1))
    with pytest.raises(ConnectionRefusedError):
        calendar.events().insert(calendarId="primary", body=HOUR).execute()
    sandbox.faults.add(Fault("POST .*/events$", status=500, remaining=1))
    with pytest.raises(HttpError):
        calendar.events().insert(calendarId="primary", body=HOUR).execute()
    assert calendar.events().list(calendarId="primary", q="once").execute()["items"] == []


def test_a_stalled_answer_ends_at_the_callers_patience(sandbox: Sandbox) -> None:
    sandbox.faults.add(Fault(kind="latency", seconds=120))
    with pytest.raises(TimeoutError):
        calendar_of(sandbox, timeout=0.01).calendarList().list().execute()


def test_a_slow_answer_is_still_an_answer(sandbox: Sandbox, calendar: Any) -> None:
    sandbox.faults.add(Fault(kind="latency", seconds=0.01))
    assert calendar.calendarList().list().execute()["items"]


def test_a_fault_that_makes_no_sense_is_not_armed(sandbox: Sandbox) -> None:
    for wrong in (Fault("("), Fault(kind="gremlins")):
        with pytest.raises(ValueError, match=r"\(|gremlins"):
            sandbox.faults.add(wrong)


def test_an_empty_page_comes_with_the_token_of_the_same_page(sandbox: Sandbox, calendar: Any) -> None:
    whole = calendar.calendarList().list().execute()["items"]
    sandbox.faults.add(Fault("GET .*/calendarList$", Kind.EMPTY_PAGE, remaining=1))
    empty = calendar.calendarList().list(maxResults=4).execute()
    assert empty["items"] == []
    first = calendar.calendarList().list(maxResults=4, pageToken=empty["nextPageToken"]).execute()
    sandbox.faults.add(Fault("GET .*/calendarList$", Kind.EMPTY_PAGE, remaining=1))
    again = calendar.calendarList().list(maxResults=4, pageToken=first["nextPageToken"]).execute()
    assert again["nextPageToken"] == first["nextPageToken"]
    last = calendar.calendarList().list(maxResults=4, pageToken=again["nextPageToken"]).execute()
    assert first["items"] + last["items"] == whole
