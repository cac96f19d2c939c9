"""The transport under Google's client."""

from typing import Any

import httplib2
import pytest
from googleapiclient.errors import HttpError

from core.sandbox.sandbox import Sandbox
from core.users import SANDBOX_ACCOUNT

LIST = "https://www.googleapis.com/calendar/v3/users/me/calendarList"


def test_only_googles_hosts_can_be_reached(sandbox: Sandbox) -> None:
    http = sandbox.http(SANDBOX_ACCOUNT)
    for host in ("example.com", "evilgoogleapis.com", "localhost"):
        with pytest.raises(httplib2.ServerNotFoundError, match=host):
            http.request(LIST.replace("www.googleapis.com", host))
    assert http.request(LIST.replace("www.", "calendar-json."))[0].status == 200


def test_a_request_too_long_for_a_url_comes_as_a_post_and_is_a_get(calendar: Any) -> None:
    listed = calendar.events().list(calendarId="primary", q="stand-up " + "up " * 900, maxResults=1).execute()
    assert [item["summary"] for item in listed["items"]] == ["Stand-up"]


def test_a_path_or_method_that_is_not_there_is_an_error_in_googles_shape(sandbox: Sandbox) -> None:
    http = sandbox.http(SANDBOX_ACCOUNT)
    assert http.request("https://www.googleapis.com/calendar/v3/nothing")[0].status == 404
    response, content = http.request(LIST, "DELETE")
    assert response.status == 405
    assert b'"reason": "httpMethodNotAllowed"' in content


def test_a_body_that_is_not_json_is_a_400(sandbox: Sandbox) -> None:
    uri = "https://www.googleapis.com/calendar/v3/freeBusy"
    for body in ("{", "[1]", b"\xff"):
        response, content = sandbox.http(SANDBOX_ACCOUNT).request(uri, "POST", body)
        assert (response.status, b"parseError" in content) == (400, True)


def test_calendar_errors_have_no_status_and_gmail_errors_have_one(sandbox: Sandbox, calendar: Any) -> None:
    with pytest.raises(HttpError) as caught:
        calendar.events().get(calendarId="primary", eventId="nothing").execute()
    assert caught.value.content == (
        b'{"error": {"code": 404, "message": "Not Found", "errors": '
        b'[{"message": "Not Found", "domain": "global", "reason": "notFound"}]}}'
    )
    uri = "https://gmail.googleapis.com/gmail/v1/users/me/messages/nothing"
    assert b'"status": "' in sandbox.http(SANDBOX_ACCOUNT).request(uri)[1]
