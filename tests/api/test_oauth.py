"""The way to Google and back over HTTP: the callback, and the sandbox's sign-in behind its own addresses."""

import re
from types import SimpleNamespace
from urllib.parse import parse_qs, urlsplit

import pytest
from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.testclient import TestClient

from core.api import oauth, sandbox
from core.api.access import AccessGuard
from tests.google.workspaces import ME, SAM, Place

BASE = "http://127.0.0.1:8501"


@pytest.fixture(scope="module")
def place(tmp_path_factory):
    made = Place(tmp_path_factory.mktemp("oauth"))
    made.accounts.connections.welcome(ME.id)
    yield made
    made.close()


@pytest.fixture
def browser(place, monkeypatch):
    services = SimpleNamespace(
        accounts=place.accounts,
        workspace=place.workspace,
        sandbox=place.sandbox,
        people=SimpleNamespace(local=lambda: ME),
    )
    ready = SimpleNamespace(ready=lambda: services)
    monkeypatch.setattr("core.api.caller.host", lambda: ready)
    app = Starlette(routes=[*oauth.ROUTES, *sandbox.ROUTES], middleware=[Middleware(AccessGuard)])
    return TestClient(app, BASE, follow_redirects=False, client=("127.0.0.1", 50000))


def consent(browser, url):
    """The page's form, and where it leads."""
    page = browser.get(url)
    assert page.status_code == 200 and page.headers["x-frame-options"] == "DENY"
    asked = parse_qs(urlsplit(url).query)["scope"][0].split()
    ticket = re.search(r'name="ticket" value="([^"]+)"', page.text)[1]
    form = {"ticket": ticket, "account": SAM, "scope": asked, "answer": "allow"}
    return browser.post("/sandbox/oauth/authorize", data=form, headers={"origin": BASE}).headers["location"]


def test_the_whole_way_leads_back_to_the_page_without_a_secret_in_its_address(place, browser):
    back = consent(browser, place.accounts.begin(ME, "gmail", return_to="/agents?tool=x"))
    assert back.startswith(f"{BASE}/oauth/callback?")
    answer = browser.get(back)
    assert (answer.status_code, answer.headers["location"]) == (
        303,
        "/agents?tool=x&connect=ok&service=gmail&access=read",
    )
    assert place.profile(ME)["emailAddress"] == SAM


@pytest.mark.parametrize("change", ["replayed", "forged", "empty"])
def test_a_callback_that_is_not_the_first_of_its_own_is_refused_and_said(place, browser, change):
    back = consent(browser, place.accounts.begin(ME, "gmail"))
    bad = {"replayed": back, "forged": re.sub(r"state=[^&]+", "state=forged", back), "empty": f"{BASE}/oauth/callback"}
    if change == "replayed":
        browser.get(back)
    answer = browser.get(bad[change])
    assert answer.status_code == 400 and "Open the Connect page" in answer.text
    assert "location" not in answer.headers and "forged" not in answer.text


def test_a_no_is_brought_back(place, browser):
    url = place.accounts.begin(ME, "gmail")
    state = parse_qs(urlsplit(url).query)["state"][0]
    answer = browser.get("/oauth/callback", params={"state": state, "error": "access_denied"})
    assert answer.headers["location"] == "/connect?connect=denied&service=gmail&access=read"


def test_nobody_can_post_the_form_from_another_site_or_without_its_page(place, browser):
    form = {"ticket": "guessed", "account": SAM, "scope": "x", "answer": "allow"}
    foreign = browser.post("/sandbox/oauth/authorize", data=form, headers={"origin": "https://evil.example"})
    assert foreign.status_code == 403
    own = browser.post("/sandbox/oauth/authorize", data=form, headers={"origin": BASE})
    assert own.status_code == 400 and "too old" in own.text


def test_the_endpoints_speak_over_http_too(place, browser):
    refused = browser.post("/sandbox/oauth/token", data={"grant_type": "refresh_token", "client_id": "eve"})
    assert (refused.status_code, refused.json()["error"]) == (401, "invalid_client")
    assert browser.post("/sandbox/oauth/revoke", data={"token": "none"}).status_code == 400
    assert browser.get("/sandbox/oauth/userinfo").status_code == 401
    (pem,) = browser.get("/sandbox/oauth/certs").json().values()
    assert pem.startswith("-----BEGIN PUBLIC KEY-----")
    token = place.accounts.signins.token(ME.id, SAM)
    found = browser.get("/sandbox/oauth/userinfo", headers={"authorization": f"Bearer {token}"})
    assert found.json()["email"] == SAM


def test_there_is_no_sandbox_beside_the_real_google(place, browser):
    object.__setattr__(place.workspace, "pages", None)
    try:
        assert browser.get("/sandbox/oauth/authorize").status_code == 404
        assert browser.post("/sandbox/oauth/token").status_code == 404
    finally:
        object.__setattr__(place.workspace, "pages", place.pages)
