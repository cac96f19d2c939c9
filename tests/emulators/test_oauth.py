"""Our side of Google's OAuth against emulate's: authorise, PKCE, code, refresh, identity, revoke."""

import re
from collections.abc import Iterator
from dataclasses import replace
from html import unescape
from typing import Any
from urllib.parse import parse_qsl, urlencode, urlsplit

import httplib2
import pytest

from core.google.oauth import OAuth, Refused, SignInError
from core.google.provider import GOOGLE, Client
from tests.emulators.others import EMULATE, SAM, emulate

pytestmark = pytest.mark.skipif(EMULATE is None, reason="emulate is not installed: docs/emulators.md")
BACK = "http://127.0.0.1:8501/oauth/callback"
CLIENT = Client("desk.apps.googleusercontent.com", "GOCSPX-secret")
SCOPES = ["openid", "https://www.googleapis.com/auth/userinfo.email", "https://www.googleapis.com/auth/gmail.readonly"]
PLACES = {
    "/token": "/oauth2/token",
    "/revoke": "/oauth2/revoke",
    "/v1/userinfo": "/oauth2/v2/userinfo",
    "/oauth2/v1/certs": "/oauth2/v3/certs",
}
"""Google's paths, and emulate's."""


@pytest.fixture(scope="module")
def root(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    client = {"client_id": CLIENT.id, "client_secret": CLIENT.secret, "redirect_uris": [BACK]}
    seed = {"users": [{"email": SAM, "name": "Sam Okafor"}], "oauth_clients": [client]}
    with emulate(seed, tmp_path_factory.mktemp("oauth")) as gateway:
        yield gateway.place("", "")


@pytest.fixture
def oauth(root: str) -> OAuth:
    class Line:
        def request(self, uri: str, method: str = "GET", body: Any = None, headers: Any = None) -> Any:
            path = urlsplit(uri).path
            return httplib2.Http(timeout=20).request(root + PLACES.get(path, path), method, body, headers)

    issuer = root.replace("127.0.0.1", "localhost")
    return OAuth(replace(GOOGLE, issuers=frozenset({root, issuer})), Line)


def visit(root: str, url: str) -> dict[str, str]:
    """What a browser brings back from emulate's account chooser."""
    http = httplib2.Http(timeout=20)
    http.follow_redirects = False
    parts = urlsplit(url)
    _, page = http.request(f"{root}{parts.path}?{parts.query}")
    form = next(one for one in re.findall(r"<form.*?</form>", page.decode(), re.DOTALL) if SAM in one)
    fields = {name: unescape(value) for name, value in re.findall(r'name="([^"]+)" value="([^"]*)"', form)}
    headers = {"content-type": "application/x-www-form-urlencoded"}
    answer, _ = http.request(f"{root}/o/oauth2/v2/auth/callback", "POST", urlencode(fields), headers)
    return dict(parse_qsl(urlsplit(answer["location"]).query))


def test_the_whole_way(root: str, oauth: OAuth) -> None:
    asking = oauth.ask(CLIENT, BACK, SCOPES, "s1", hint="", consent=True)
    back = visit(root, asking.url)
    assert back["state"] == "s1"
    tokens = oauth.exchange(CLIENT, BACK, back["code"], asking.verifier)
    assert oauth.identify(CLIENT, tokens) == oauth.identify(CLIENT, replace(tokens, identity=None)) == SAM
    assert tokens.refresh
    fresh = oauth.refresh(CLIENT, tokens.refresh)
    assert fresh.access != tokens.access
    assert oauth.revoke(fresh.access)
    assert oauth.revoke(tokens.refresh)
    with pytest.raises(Refused, match="no longer accepts"):
        oauth.refresh(CLIENT, tokens.refresh)


def test_a_code_is_used_once_and_only_with_its_verifier(root: str, oauth: OAuth) -> None:
    asking = oauth.ask(CLIENT, BACK, SCOPES, "s2", hint=SAM, consent=False)
    back = visit(root, asking.url)
    with pytest.raises(SignInError):
        oauth.exchange(CLIENT, BACK, back["code"], "w" * 64)
    again = oauth.ask(CLIENT, BACK, SCOPES, "s3", hint=SAM, consent=False)
    code = visit(root, again.url)["code"]
    oauth.exchange(CLIENT, BACK, code, again.verifier)
    with pytest.raises(SignInError):
        oauth.exchange(CLIENT, BACK, code, again.verifier)


def test_a_wrong_secret_is_the_app_s_fault_and_not_the_person_s(root: str, oauth: OAuth) -> None:
    asking = oauth.ask(CLIENT, BACK, SCOPES, "s4", hint=SAM, consent=False)
    with pytest.raises(Refused, match="client id and secret"):
        oauth.exchange(Client(CLIENT.id, "wrong"), BACK, visit(root, asking.url)["code"], asking.verifier)
