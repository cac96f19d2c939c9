"""Several people in one app: they sign in, are held apart, hostile requests are refused, and no secret gets out."""

import base64
import http.client
import json
import re
import sqlite3
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import product
from pathlib import Path
from typing import Any
from urllib.parse import quote, urlsplit

import pytest
from playwright.sync_api import Browser, BrowserContext, Locator, Page

from tests.browser.chat import ask
from tests.browser.conftest import running
from tests.browser.provider import CLIENT_ID, CLIENT_SECRET, provider

PEOPLE = {
    "a1": {"name": "Ana Berger", "email": "ana@lumenworks.example", "email_verified": True},
    "e1": {"name": "Eve Miller", "email": "eve@lumenworks.example", "email_verified": True},
    "m1": {"name": "Mallory", "email": "mallory@evil.example", "email_verified": True},
}
COOKIE_SECRET = "planted-cookie-secret-3f90"
MODEL_KEY, OPERATOR = "planted-model-key-b7d2", "planted-operator-token-c481"
pytestmark = pytest.mark.timeout(240)
PATIENCE = 40_000
"""Milliseconds."""
SECRETS = [CLIENT_SECRET, COOKIE_SECRET, MODEL_KEY, OPERATOR, "planted-access-token-91c7"]
WORD = "zymurgyqx"
"""Only Ana says it."""


@dataclass
class Office:
    """The app, and the two who are signed in."""

    url: str
    folder: Path
    ana: BrowserContext
    eve: BrowserContext
    shown: list[str]

    @property
    def place(self) -> str:
        return urlsplit(self.url).netloc


@pytest.fixture(scope="module")
def office(tmp_path_factory: pytest.TempPathFactory, open_context: Callable[..., BrowserContext]) -> Iterator[Office]:
    folder = tmp_path_factory.mktemp("office")
    with provider(PEOPLE) as signs:

        def secrets(url: str) -> str:
            values = {
                "redirect_uri": f"{url}/oauth2callback",
                "cookie_secret": COOKIE_SECRET,
                "client_id": CLIENT_ID,
                "client_secret": CLIENT_SECRET,
                "server_metadata_url": f"{signs.url}/.well-known/openid-configuration",
            }
            return "[auth]\n" + "".join(f"{name} = {json.dumps(value)}\n" for name, value in values.items())

        settings = {"ALLOWED": "lumenworks.example", "MODEL_API_KEY": MODEL_KEY, "API_TOKEN": OPERATOR}
        with running(folder, secrets=secrets, **settings) as desk:
            url = desk.url.replace("127.0.0.1", "localhost")
            yield Office(url, folder, patient(open_context()), patient(open_context()), [])


def patient(context: BrowserContext) -> BrowserContext:
    """Two people are twice the work."""
    context.set_default_timeout(PATIENCE)
    return context


def signed_in(office: Office, context: BrowserContext, name: str) -> Page:
    page = context.new_page()
    page.goto(office.url)
    page.get_by_role("button", name="Sign in").click()
    page.get_by_role("link", name=name).click()
    return page


def button(page: Page, name: str) -> Locator:
    return page.get_by_role("button", name=name, exact=True)


def api(office: Office, context: BrowserContext, path: str, method: str = "GET", **how: Any) -> int:
    return context.request.fetch(f"{office.url}{path}", method=method, **how).status


@pytest.mark.browser
def test_two_people_in_two_browsers_see_nothing_of_each_other(office: Office) -> None:
    ana, eve = signed_in(office, office.ana, "Ana Berger"), signed_in(office, office.eve, "Eve Miller")
    ana.get_by_text("ana@lumenworks.example").wait_for()
    eve.get_by_text("eve@lumenworks.example").wait_for()

    ask(ana, f'Send a mail to ana@lumenworks.example saying "{WORD}"')
    button(ana, "Send").wait_for()
    conversation = re.search(r"[?&]c=(\w+)", ana.url)
    assert conversation is not None
    theirs = office.ana.request.get(f"{office.url}/api/turns").json()["turns"]
    (turn_id,) = (turn["turn_id"] for turn in theirs)
    with sqlite3.connect(office.folder / "data" / "app.db") as database:
        ((card,),) = database.execute("SELECT id FROM approval").fetchall()

    assert office.eve.request.get(f"{office.url}/api/turns").json()["turns"] == []
    for path, method in (
        (f"/api/turns/{turn_id}", "GET"),
        (f"/api/turns/{turn_id}/events", "GET"),
        (f"/api/turns/{turn_id}/cancel", "POST"),
        (f"/api/approvals/{card}", "POST"),
        ("/api/chat", "POST"),
    ):
        data = (
            {"message": "mine", "conversation_id": conversation[1]} if path == "/api/chat" else {"decision": "approve"}
        )
        assert api(office, office.eve, path, method, **({"data": data} if method == "POST" else {})) == 404, path
    for path in (f"/?c={conversation[1]}", f"/latency?turn={turn_id}", "/traces"):
        eve.goto(office.url + path)
        eve.get_by_text("eve@lumenworks.example").first.wait_for()
        eve.wait_for_timeout(500)
        office.shown.append(eve.content())
        assert WORD not in office.shown[-1].lower(), path
        assert not button(eve, "Send").is_visible(), path
    ana.reload()
    button(ana, "Send").click()
    button(ana, "Send").wait_for(state="detached")
    office.shown.append(ana.content())
    ana.close()
    eve.close()


@pytest.mark.browser
def test_who_is_not_let_in_sees_only_why(office: Office, browser: Browser) -> None:
    context = patient(browser.new_context())
    page = signed_in(office, context, "Mallory")
    page.get_by_text("may not use this Glassdesk").wait_for()
    assert not page.get_by_role("textbox").count()
    assert api(office, context, "/api/turns") == 403
    office.shown.append(page.content())
    context.close()


Request = tuple[str, str, dict[str, str], bytes, set[int]]
"""Method, path, headers, body, and the codes with which it may be refused."""


def hostile(office: Office) -> list[Request]:
    """A hundred requests that must not get through, most of them with the right cookie."""
    own = {"Host": office.place, "Cookie": cookies(office.eve)}
    return [
        *at_the_door(own),
        *with_wrong_names(office.place),
        *along_odd_paths(own),
        *with_odd_bodies(own),
        *with_forged_states(own),
    ]


def at_the_door(own: dict[str, str]) -> Iterator[Request]:
    hosts = ("evil.example", "127.0.0.1.evil.example", "localhost@evil.example", "evil.example:80", "0.0.0.0", "a b")
    for host, path in product(hosts, ("/", "/api/turns", "/_stcore/health", "/auth/login", "/oauth/callback?code=x")):
        yield "GET", path, {**own, "Host": host}, b"", {400, 403}
    origins = ("https://evil.example", "null", "http://localhost:1", "http://localhost.evil.example", "file://")
    for origin, path in product(origins, ("/api/chat", "/mcp", "/v1/traces", "/_stcore/upload_file/a/b")):
        yield "POST", path, {**own, "Origin": origin}, b'{"message": "hostile"}', {403}
    for site, path in product(("cross-site", "same-site"), ("/api/turns", "/api/export", "/metrics")):
        yield "GET", path, {**own, "Sec-Fetch-Site": site}, b"", {403}


def with_wrong_names(place: str) -> Iterator[Request]:
    for token in (
        "",
        "Bearer ",
        "Bearer gdk_hostile",
        "Basic aG9zdGlsZTp4",
        f"bearer {OPERATOR}",
        f"Bearer {OPERATOR}x",
    ):
        yield "GET", "/api/turns", {"Host": place, "Authorization": token}, b"", {401}
    for cookie in ("_streamlit_user=hostile", "_streamlit_user=2|1:0|10:1|1:a|4:eyJ9|0", "_streamlit_user=chunks-99"):
        yield "GET", "/api/turns", {"Host": place, "Cookie": cookie}, b"", {401}


def along_odd_paths(own: dict[str, str]) -> Iterator[Request]:
    names = (
        "../../etc/passwd",
        "%2e%2e%2f%2e%2e%2fetc%2fpasswd",
        "..%5c..%5cwin.ini",
        "%00",
        "..%2fapp.db",
        "%5c%5chost%5cshare",
    )
    for name, folder in product(names, ("/media", "/static", "/api/turns", "/_stcore/upload_file")):
        yield "GET", f"{folder}/{name}", own, b"", {400, 401, 403, 404, 405}
    for path in ("/api/turns%0d%0aX-Hostile:%201", "/oauth/callback?state=x%0d%0aSet-Cookie:%20hostile=1"):
        yield "GET", path, own, b"", {400, 404}


def with_odd_bodies(own: dict[str, str]) -> Iterator[Request]:
    for path in ("/api/chat", "/api/approvals/hostile", "/_stcore/upload_file/a/b"):
        yield "POST", path, {**own, "Content-Length": str(10**12)}, b"hostile", {413}
    yield "POST", "/api/chat", own, b"hostile" * 200_000, {413}
    for body in (b"hostile", b"[]", b'{"message": 1}', b'{"message": "a", "hostile": 1}', b"\xff", b'{"message": ""}'):
        yield "POST", "/api/chat", own, body, {400}


def with_forged_states(own: dict[str, str]) -> Iterator[Request]:
    for state in ("", "hostile", "a" * 5000):
        yield "GET", f"/oauth/callback?code=hostile&state={state}", own, b"", {400, 404}
        yield "GET", f"/oauth2callback?code=hostile&state={state}", own, b"", {302}


def cookies(context: BrowserContext) -> str:
    return "; ".join(f"{one['name']}={one['value']}" for one in context.cookies())


def test_a_hundred_hostile_requests_are_refused_and_leave_nothing(office: Office) -> None:
    tried = hostile(office)
    assert len(tried) >= 100
    wrong = []
    for method, path, headers, body, codes in tried:
        status, answered = send(office, method, path, headers, body)
        if status not in codes or b"Traceback" in answered or b"root:" in answered:
            wrong.append((status, method, path[:60], headers.get("Host"), headers.get("Origin")))
    assert wrong == []
    with sqlite3.connect(office.folder / "data" / "app.db") as database:
        kept = "\n".join(database.iterdump())
    assert "hostile" not in kept


def send(office: Office, method: str, path: str, headers: dict[str, str], body: bytes) -> tuple[int, bytes]:
    """One request as it is, on a connection of its own; redirects lead nowhere but to this app."""
    connection = http.client.HTTPConnection(office.place, timeout=20)
    try:
        connection.putrequest(method, path, skip_host=True, skip_accept_encoding=True)
        for name, value in {"Content-Length": str(len(body)), **headers}.items():
            connection.putheader(name, value)
        connection.endheaders(body or None)
        answer = connection.getresponse()
        assert answer.getheader("X-Hostile") is None and "hostile" not in (answer.getheader("Set-Cookie") or "")
        assert (answer.getheader("Location") or "/").startswith("/")
        return answer.status, answer.read(100_000)
    finally:
        connection.close()


def test_a_websocket_of_another_site_is_refused(office: Office) -> None:
    headers = {
        "Host": office.place,
        "Cookie": cookies(office.eve),
        "Connection": "Upgrade",
        "Upgrade": "websocket",
        "Sec-WebSocket-Version": "13",
        "Sec-WebSocket-Key": base64.b64encode(b"0123456789abcdef").decode(),
    }
    assert send(office, "GET", "/_stcore/stream", {**headers, "Origin": "https://evil.example"}, b"")[0] == 403
    assert send(office, "GET", "/_stcore/stream", {**headers, "Host": "evil.example"}, b"")[0] == 403
    assert send(office, "GET", "/_stcore/stream", {**headers, "Origin": office.url}, b"")[0] == 101


def test_pages_tell_the_browser_what_to_refuse(office: Office) -> None:
    headers = office.eve.request.get(office.url).headers
    assert "frame-ancestors 'none'" in headers["content-security-policy"]
    assert "default-src 'self'" in headers["content-security-policy"]
    assert (headers["x-content-type-options"], headers["x-frame-options"]) == ("nosniff", "DENY")
    assert headers["referrer-policy"] == "same-origin" and "strict-transport-security" not in headers
    assert office.eve.request.get(f"{office.url}/api/turns").headers["cache-control"] == "no-store"


@pytest.mark.browser
def test_no_secret_is_in_files_logs_spans_or_pages(office: Office) -> None:
    page = office.ana.new_page()
    page.goto(f"{office.url}/settings")
    page.get_by_role("tab", name="API tokens").click()
    page.get_by_label("For which program").fill("Nightly")
    page.get_by_role("button", name="Read turns").click()
    page.get_by_role("button", name="Make a token").click()
    token = page.get_by_text(re.compile("^gdk_")).inner_text()
    called = office.eve.request.get(f"{office.url}/api/turns", headers={"Authorization": f"Bearer {token}"})
    assert called.json()["turns"]  # Ana's, whoever sends it
    office.ana.request.get(f"{office.url}/api/turns", headers={"Authorization": f"Bearer {OPERATOR}"})
    page.reload()
    page.get_by_role("tab", name="API tokens").click()
    page.get_by_text("Nightly").wait_for()
    office.shown.append(page.content())
    files = [path for path in office.folder.rglob("*") if path.is_file() and path.name != "secrets.toml"]
    places = {path.name: path.read_bytes() for path in files} | {
        f"page {number}": text.encode() for number, text in enumerate(office.shown)
    }
    assert WORD.encode() in places["app.db"] + places.get("app.db-wal", b"")  # what is there is found
    assert {"app.db", "telemetry.db", "log.txt"} <= set(places) and len(office.shown) > 4
    found = [
        (name, secret)
        for secret in [*SECRETS, token, cookies(office.ana).partition("_streamlit_user=")[2][:80]]
        for form in forms(secret)
        for name, content in places.items()
        if form in content
    ]
    assert found == []


def forms(secret: str) -> set[bytes]:
    """A secret as it is, and as it could be hidden: URL-encoded, and in base64 at each place of a longer text."""
    plain = secret.encode()
    coded = {base64.b64encode(b"x" * shift + plain)[4 if shift else 0 : -4] for shift in range(3)}
    return {plain, quote(secret, safe="").encode(), *coded}
