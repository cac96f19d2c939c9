"""The sandbox's sign-in: as strict as Google's, and its tokens open exactly what was allowed."""

import json
import re
from base64 import urlsafe_b64encode
from datetime import timedelta
from hashlib import sha256
from urllib.parse import parse_qs, urlencode, urlsplit

import pytest

from core.sandbox.oauth.consent import ConsentPages
from core.sandbox.sandbox import APIS, NATIVES, Sandbox
from tests.sandbox.conftest import WEDNESDAY

SAM, ANA = "sam@lumenworks.example", "ana@lumenworks.example"
BACK = "http://127.0.0.1:8501/oauth/callback"
MAIL, EVENTS = (f"https://www.googleapis.com/auth/{name}" for name in ("gmail.readonly", "calendar.readonly"))
EMAIL = "https://www.googleapis.com/auth/userinfo.email"
VERIFIER = "v" * 64
CHALLENGE = urlsafe_b64encode(sha256(VERIFIER.encode()).digest()).rstrip(b"=").decode()
INBOX = "https://gmail.googleapis.com/gmail/v1/users/me/messages"
CALENDARS = "https://www.googleapis.com/calendar/v3/users/me/calendarList"
ASKED = {
    "client_id": "desk",
    "redirect_uri": BACK,
    "response_type": "code",
    "scope": f"openid {EMAIL} {MAIL} {EVENTS}",
    "state": "s1",
    "access_type": "offline",
    "include_granted_scopes": "true",
    "code_challenge": CHALLENGE,
    "code_challenge_method": "S256",
}


class Desk:
    """An app and a browser in front of the sandbox; its clock can be moved."""

    def __init__(self, path):
        self.now = WEDNESDAY
        self.sandbox = Sandbox(path, "Europe/Berlin", lambda: self.now, (SAM, ANA))
        self.sandbox.world.create()
        self.sandbox.office.register("desk", "s3cret", [BACK])
        purposes = {MAIL: "Read <b>mail</b>.", EVENTS: "See events."}
        self.pages = ConsentPages(self.sandbox.office, purposes)

    def open(self, **changes):
        return self.pages.open({**ASKED, **changes})

    def ticket(self, **changes):
        return re.search(r'name="ticket" value="([^"]+)"', self.open(**changes).body)[1]

    def allow(self, *scopes, account=SAM, **changes):
        form = {"ticket": [self.ticket(**changes)], "account": [account], "scope": list(scopes), "answer": ["allow"]}
        return said(self.pages.answer(form).location)

    def token(self, code, **changes):
        form = {
            "grant_type": "authorization_code",
            "client_id": "desk",
            "client_secret": "s3cret",
            "code": code,
            "redirect_uri": BACK,
            "code_verifier": VERIFIER,
        }
        return self.post("token", **{**form, **changes})

    def renew(self, refresh):
        form = {"grant_type": "refresh_token", "client_id": "desk", "client_secret": "s3cret"}
        return self.post("token", **form, refresh_token=refresh)

    def post(self, path, **form):
        return self.send(f"https://oauth2.googleapis.com/{path}", "POST", urlencode(form))

    def get(self, uri, token=""):
        return self.send(uri, headers={"authorization": f"Bearer {token}"})

    def send(self, uri, method="GET", body=None, headers=None):
        answer, content = self.sandbox.line().request(uri, method, body, headers)
        return answer.status, json.loads(content)


def said(url):
    return {name: values[0] for name, values in parse_qs(urlsplit(url).query).items()}


@pytest.fixture
def desk(tmp_path):
    made = Desk(tmp_path / "world.db")
    yield made
    made.sandbox.close()


def test_what_was_allowed_opens_and_the_rest_does_not(desk):
    back = desk.allow(MAIL)
    assert back["state"] == "s1"
    status, tokens = desk.token(back["code"])
    assert status == 200 and tokens["scope"].split() == [MAIL, EMAIL, "openid"]
    assert desk.get(INBOX, tokens["access_token"])[0] == 200
    status, refused = desk.get(CALENDARS, tokens["access_token"])
    assert (status, refused["error"]["errors"][0]["reason"]) == (403, "insufficientPermissions")
    assert desk.get(INBOX)[0] == desk.get(INBOX, tokens["refresh_token"])[0] == 401


def test_every_method_of_the_sandbox_is_one_whose_permissions_google_describes():
    from core.sandbox import drive
    from core.sandbox.oauth.permissions import Permissions

    needed = Permissions().needed
    routes = [*(route for api in APIS for route in api.ROUTES), *drive.routes(NATIVES)]
    unknown = [route for route in routes if needed(route.method, route.template) is None]
    assert all(route.template.startswith(("/upload/", "/slides/")) for route in unknown)
    assert not [route for route in unknown if route.method not in ("PUT", "GET")]


def test_a_code_is_used_once_and_its_second_use_ends_what_it_gave(desk):
    code = desk.allow(MAIL)["code"]
    _, tokens = desk.token(code)
    assert desk.token(code) == (400, {"error": "invalid_grant", "error_description": "Bad Request"})
    assert desk.get(INBOX, tokens["access_token"])[0] == 401


@pytest.mark.parametrize(
    ("changes", "error"),
    [
        ({"code_verifier": "w" * 64}, "invalid_grant"),
        ({"code_verifier": ""}, "invalid_grant"),
        ({"redirect_uri": BACK + "/"}, "redirect_uri_mismatch"),
        ({"client_secret": "wrong"}, "invalid_client"),
        ({"client_id": "other"}, "invalid_client"),
        ({"code": "4/made-up"}, "invalid_grant"),
        ({"grant_type": "password"}, "unsupported_grant_type"),
    ],
)
def test_a_code_opens_nothing_for_anybody_else(desk, changes, error):
    code = desk.allow(MAIL)["code"]
    assert desk.token(**{"code": code, **changes})[1]["error"] == error
    desk.now += timedelta(minutes=6)
    assert desk.token(code)[1]["error"] == "invalid_grant"


@pytest.mark.parametrize(
    ("changes", "error"),
    [
        ({"code_challenge": ""}, "invalid_request"),
        ({"code_challenge_method": "plain"}, "invalid_request"),
        ({"response_type": "token"}, "unsupported_response_type"),
        ({"scope": "https://www.googleapis.com/auth/contacts"}, "invalid_scope"),
    ],
)
def test_a_request_that_is_wrong_goes_back_with_google_s_reason(desk, changes, error):
    assert said(desk.open(**changes).location) == {"state": "s1", "error": error}


@pytest.mark.parametrize("changes", [{"client_id": "evil"}, {"redirect_uri": "https://evil.example/"}])
def test_nobody_is_sent_to_an_address_that_is_not_registered(desk, changes):
    shown = desk.open(**changes)
    assert (shown.status, shown.location) == (400, "")


def test_a_form_is_taken_once_and_only_from_its_own_page(desk):
    form = {"ticket": [desk.ticket()], "account": [SAM], "scope": [MAIL], "answer": ["allow"]}
    assert desk.pages.answer(form).status == 303
    assert desk.pages.answer(form).status == desk.pages.answer({**form, "ticket": ["guessed"]}).status == 400
    old = desk.ticket()
    desk.now += timedelta(minutes=11)
    assert desk.pages.answer({**form, "ticket": [old]}).status == 400


def test_a_form_gives_no_more_than_its_page_asked_and_nobody_unknown(desk):
    back = desk.allow(MAIL, "https://www.googleapis.com/auth/drive", scope=f"openid {MAIL}")
    assert desk.token(back["code"])[1]["scope"].split() == [MAIL, "openid"]
    form = {"ticket": [desk.ticket()], "account": ["eve@x.example"], "scope": [MAIL], "answer": ["allow"]}
    assert desk.pages.answer(form).status == 400


def test_no_is_an_answer_and_so_is_nothing_ticked(desk):
    form = {"ticket": [desk.ticket()], "account": [SAM], "scope": [MAIL], "answer": ["deny"]}
    assert said(desk.pages.answer(form).location) == {"state": "s1", "error": "access_denied"}
    assert desk.allow()["error"] == "access_denied"


def test_the_page_shows_what_is_asked_as_text_and_lets_nobody_frame_it(desk):
    shown = desk.open()
    assert "Read &lt;b&gt;mail&lt;/b&gt;." in shown.body and SAM in shown.body and ANA in shown.body
    assert shown.headers()["x-frame-options"] == "DENY"
    assert "form-action 'self' http://127.0.0.1:8501" in shown.headers()["content-security-policy"]


def test_what_was_allowed_before_is_kept_and_only_asked_again_on_demand(desk):
    desk.token(desk.allow(MAIL)["code"])
    _, more = desk.token(desk.allow(EVENTS, scope=EVENTS, login_hint=SAM)["code"])
    assert {MAIL, EVENTS} <= set(more["scope"].split()) and "refresh_token" not in more
    assert "code" in said(desk.open(scope=EVENTS, login_hint=SAM).location)
    assert desk.open(scope=EVENTS, login_hint=SAM, prompt="consent").status == 200
    _, again = desk.token(desk.allow(EVENTS, scope=EVENTS, login_hint=SAM, prompt="consent")["code"])
    assert again["refresh_token"]


def test_a_token_lasts_an_hour_and_a_refresh_gives_another(desk):
    _, tokens = desk.token(desk.allow(MAIL)["code"])
    desk.now += timedelta(hours=1)
    assert desk.get(INBOX, tokens["access_token"])[0] == 401
    status, fresh = desk.renew(tokens["refresh_token"])
    assert status == 200 and "refresh_token" not in fresh
    assert desk.get(INBOX, fresh["access_token"])[0] == 200


def test_revoking_any_token_takes_back_all_that_was_allowed(desk):
    _, tokens = desk.token(desk.allow(MAIL)["code"])
    assert desk.post("revoke", token=tokens["access_token"])[0] == 200
    assert desk.get(INBOX, tokens["access_token"])[0] == 401
    assert desk.renew(tokens["refresh_token"])[1]["error"] == "invalid_grant"
    assert desk.post("revoke", token=tokens["refresh_token"])[0] == 400
    assert desk.sandbox.office.granted("desk", SAM) == frozenset()


def test_the_identity_is_signed_and_says_who_it_is_for(desk):
    from google.oauth2 import id_token

    from core.google.wire import WireRequest

    _, tokens = desk.token(desk.allow(MAIL, account=ANA)["code"])
    claims = id_token.verify_oauth2_token(
        tokens["id_token"], WireRequest(desk.sandbox.line()), "desk", clock_skew_in_seconds=10**9
    )
    assert (claims["email"], claims["email_verified"], claims["aud"]) == (ANA, True, "desk")
    info = desk.get("https://openidconnect.googleapis.com/v1/userinfo", tokens["access_token"])[1]
    assert (info["email"], info["sub"]) == (ANA, claims["sub"])


def test_a_batch_is_allowed_what_its_token_is(desk):
    _, tokens = desk.token(desk.allow(MAIL)["code"])
    part = "--b\nContent-Type: application/http\nContent-ID: <1>\n\nGET /gmail/v1/users/me/messages HTTP/1.1\n\n\n--b--"
    headers = {"content-type": "multipart/mixed; boundary=b", "authorization": f"Bearer {tokens['access_token']}"}
    _, content = desk.sandbox.line().request("https://gmail.googleapis.com/batch/gmail/v1", "POST", part, headers)
    assert b"HTTP/1.1 200 OK" in content
    del headers["authorization"]
    answer, _ = desk.sandbox.line().request("https://gmail.googleapis.com/batch/gmail/v1", "POST", part, headers)
    assert answer.status == 401


def test_secrets_are_not_kept_as_they_are(desk):
    _, tokens = desk.token(desk.allow(MAIL)["code"])
    content = b"".join(path.read_bytes() for path in desk.sandbox.world.path.parent.iterdir())
    assert tokens["access_token"].encode() not in content and tokens["refresh_token"].encode() not in content
