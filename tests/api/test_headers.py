"""What each answer tells the browser to refuse."""

import pytest
from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.responses import PlainTextResponse
from starlette.routing import Route
from starlette.testclient import TestClient

from core.api.headers import SecurityHeaders


def client(secure: bool) -> TestClient:
    async def page(_: object) -> PlainTextResponse:
        answer = PlainTextResponse("in", headers={"content-security-policy": "default-src 'none'"})
        answer.set_cookie("one", "1", httponly=True)
        answer.set_cookie("two", "2", secure=True)
        return answer

    async def own(_: object) -> PlainTextResponse:
        return PlainTextResponse("in")

    routes = [Route("/", own), Route("/strict", page), Route("/api/turns", own)]
    return TestClient(Starlette(routes=routes, middleware=[Middleware(SecurityHeaders, secure=secure)]))


def test_every_answer_refuses_frames_foreign_places_and_guesses() -> None:
    headers = client(False).get("/").headers
    assert "frame-ancestors 'none'" in headers["content-security-policy"]
    assert "http" not in headers["content-security-policy"]  # no other place is named
    assert (headers["x-content-type-options"], headers["x-frame-options"]) == ("nosniff", "DENY")
    assert headers["referrer-policy"] == "same-origin" and "camera=()" in headers["permissions-policy"]
    assert "cache-control" not in headers
    assert client(False).get("/api/turns").headers["cache-control"] == "no-store"


def test_an_answer_may_be_stricter_about_itself() -> None:
    assert client(False).get("/strict").headers["content-security-policy"] == "default-src 'none'"


@pytest.mark.parametrize("secure", [True, False])
def test_behind_https_browsers_keep_to_it_and_cookies_travel_no_other_way(secure: bool) -> None:
    headers = client(secure).get("/strict").headers
    cookies = headers.get_list("set-cookie")
    assert [cookie.lower().count("secure") for cookie in cookies] == ([1, 1] if secure else [0, 1])
    assert ("strict-transport-security" in headers) is secure
