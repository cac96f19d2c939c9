"""The guard before every route: who comes in by which door, and with which right."""

from types import SimpleNamespace

import pytest
from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.responses import PlainTextResponse
from starlette.routing import Route, WebSocketRoute
from starlette.testclient import TestClient
from starlette.websockets import WebSocketDisconnect

from core.api.access import IDENTITY, AccessGuard
from core.api.doors import names_of
from core.api.rates import WRONG_TOKENS, Rates
from core.errors import NotAllowed
from core.store.tokens import Grant, Scope
from tests.people import CLAIMS, rules

EVERYWHERE = names_of("https://desk.example", "0.0.0.0")
ANA = SimpleNamespace(id="ana")


class Tokens:
    """One token, Ana's; it may chat and nothing else."""

    def find(self, token):
        return Grant("1", "ana", frozenset({Scope.CHAT})) if token == "anas" else None


class People:
    """Ana, who may be disabled."""

    out = False

    def user(self, user_id):
        if self.out:
            raise NotAllowed("out")
        return ANA

    def signed_in(self, claims):
        return self.user("ana")


def who(request):
    identity = request.scope.get("state", {}).get(IDENTITY)
    return PlainTextResponse("in" if identity is None else identity.key)


async def stream(websocket):
    await websocket.accept()
    await websocket.send_text("in")
    await websocket.close()


PATHS = ("/api/turns", "/api/chat", "/v1/traces", "/mcp", "/metrics", "/healthz", "/readyz", "/", "/oauth/callback")


def client(token="", caller=("127.0.0.1", 5000), base_url="http://127.0.0.1:8501", people=None, **how):
    routes = [Route(path, who, methods=["GET", "POST"]) for path in PATHS]
    app = Starlette(routes=[*routes, WebSocketRoute("/_stcore/stream", stream)])
    services = SimpleNamespace(tokens=Tokens(), people=people or People())
    guard = AccessGuard(app, token, services=lambda: services, **how)
    return TestClient(guard, base_url=base_url, client=caller)


def bearer(token):
    return {"Authorization": f"Bearer {token}"}


@pytest.mark.parametrize("base_url", ["http://127.0.0.1:8501", "http://localhost:8501", "http://[::1]:8501"])
@pytest.mark.parametrize("path", PATHS)
def test_in_local_mode_this_machine_is_served(base_url, path):
    assert client(base_url=base_url).get(path).status_code == 200


@pytest.mark.parametrize("address", ["192.168.1.7", "10.0.0.1", "203.0.113.9", "fe80::1", "unknown"])
def test_in_local_mode_other_machines_are_refused(address):
    answer = client(caller=(address, 5000)).get("/api/turns")
    assert answer.status_code == 403
    assert "GLASSDESK_API_TOKEN" in answer.json()["error"]["message"]
    page = client(caller=(address, 5000), token="right").get("/")
    assert page.status_code == 403 and "sign-in" in page.text


FOREIGN_HOSTS = [
    "evil.example",
    "127.0.0.1.evil.example",
    "localhost.evil.example",
    "",
    "[::",
    "evil.example@127.0.0.1",
    "127.0.0.1@evil.example",
    "127.0.0.1:port",
    "127.0.0.1/evil",
    "127.0.0.1, evil.example",
    "desk.example.evil.example",
    "0.0.0.0",
]


@pytest.mark.parametrize("path", ["/api/turns", "/", "/readyz", "/oauth/callback"])
@pytest.mark.parametrize("name", FOREIGN_HOSTS)
def test_a_foreign_host_is_refused_at_every_door(name, path):
    assert client().get(path, headers={"Host": name}).status_code == 403
    assert client(names=EVERYWHERE, session=lambda _: CLAIMS).get(path, headers={"Host": name}).status_code == 403
    with_token = client("right", names=EVERYWHERE).get(path, headers={"Host": name, **bearer("right")})
    assert with_token.status_code == 403


FOREIGN_ORIGINS = [
    "https://evil.example",
    "null",
    "http://127.0.0.1.evil.example",
    "file://",
    "http://127.0.0.1:3000",
    "http://localhost",
    "http://evil@127.0.0.1:8501",
    "chrome-extension://127.0.0.1:8501",
    "http://127.0.0.1:8501/evil",
    "http://[::",
]


@pytest.mark.parametrize("path", ["/api/turns", "/", "/mcp", "/oauth/callback"])
@pytest.mark.parametrize("origin", FOREIGN_ORIGINS)
def test_a_foreign_origin_is_refused_at_every_door(origin, path):
    assert client().post(path, headers={"Origin": origin}).status_code == 403


@pytest.mark.parametrize("headers", [{"Host": "evil.example"}, {"Origin": "https://evil.example"}])
def test_a_websocket_of_another_site_is_refused(headers):
    sent = {"Host": "127.0.0.1:8501", **headers}
    with pytest.raises(WebSocketDisconnect) as refused, client().websocket_connect("/_stcore/stream", headers=sent):
        pass
    assert refused.value.code == 1008


def test_our_own_websocket_is_served():
    sent = {"Host": "127.0.0.1:8501", "Origin": "http://localhost:8501"}
    with client().websocket_connect("/_stcore/stream", headers=sent) as own:
        assert own.receive_text() == "in"


@pytest.mark.parametrize("site", ["cross-site", "same-site"])
def test_what_a_browser_sends_for_another_site_reaches_no_route(site):
    sent = {"Sec-Fetch-Site": site}
    assert client().get("/api/turns", headers=sent).status_code == 403
    assert client().post("/oauth/callback", headers=sent).status_code == 403
    assert client().get("/", headers=sent).status_code == 200  # a link to the app


def test_our_own_pages_may_call():
    own = {"Origin": "http://localhost:8501", "Sec-Fetch-Site": "same-origin"}
    assert client().get("/api/turns", headers=own).text == "local"


@pytest.mark.parametrize("sent", [None, "", "Bearer", "Bearer wrong", "right", "bearer right", "Bearer right "])
def test_with_the_operators_token_only_its_bearer_is_served(sent):
    headers = {} if sent is None else {"Authorization": sent}
    answer = client("right").get("/api/turns", headers=headers)
    assert (answer.status_code, answer.json()["error"]["code"]) == (401, "unauthorized")
    assert answer.headers["www-authenticate"] == "Bearer"


def test_with_the_operators_token_its_bearer_is_served_from_anywhere():
    guarded = client("right", caller=("203.0.113.9", 1), base_url="https://desk.example", names=EVERYWHERE)
    assert guarded.get("/api/turns", headers=bearer("right")).text == "operator"


def test_in_local_mode_the_public_name_opens_the_api_alone():
    guarded = client("right", base_url="https://desk.example", names=EVERYWHERE)
    assert guarded.get("/").status_code == 403


def test_a_persons_token_opens_what_its_scopes_say():
    guarded = client(caller=("203.0.113.9", 1), base_url="https://desk.example", names=EVERYWHERE)
    assert guarded.post("/api/chat", headers=bearer("anas")).text == "token 1"
    for method, path in (("GET", "/api/turns"), ("POST", "/v1/traces"), ("POST", "/mcp"), ("DELETE", "/api/anything")):
        answer = guarded.request(method, path, headers=bearer("anas"))
        assert answer.status_code == 403 and "lacks" in answer.json()["error"]["message"], path


def test_a_token_of_somebody_who_may_not_come_in_any_more_opens_nothing():
    people = People()
    guarded = client(people=people)
    assert guarded.post("/api/chat", headers=bearer("anas")).status_code == 200
    people.out = True
    assert guarded.post("/api/chat", headers=bearer("anas")).status_code == 403


def test_with_a_sign_in_the_api_needs_one_even_here():
    assert client(session=lambda _: None).get("/api/turns").status_code == 401
    assert client(session=lambda _: CLAIMS).get("/api/turns").text == "person ana"
    assert client(session=lambda _: CLAIMS).get("/oauth/callback").text == "person ana"
    assert client(session=lambda _: None).get("/oauth/callback").text == "in"  # nobody, as its route will say
    assert client(session=lambda _: None).get("/").status_code == 200  # the page asks for it


def test_while_the_app_starts_a_token_is_neither_right_nor_wrong():
    guard = AccessGuard(Starlette(), services=lambda: None)
    answer = TestClient(guard, base_url="http://127.0.0.1", client=("127.0.0.1", 1)).get(
        "/api/turns", headers=bearer("anas")
    )
    assert answer.status_code == 503


def test_wrong_tokens_are_soon_not_even_looked_at():
    guarded = client("right", rates=Rates(0))
    for _ in range(WRONG_TOKENS):
        assert guarded.get("/api/turns", headers=bearer("guess")).status_code == 401
    answer = guarded.get("/api/turns", headers=bearer("guess"))
    assert (answer.status_code, answer.json()["error"]["code"]) == (429, "too_many_requests")
    assert 1 <= int(answer.headers["retry-after"]) <= 60


def test_a_caller_who_calls_too_often_waits_and_nobody_else_does():
    guarded = client("right", rates=Rates(3))
    assert [guarded.post("/api/chat", headers=bearer("anas")).status_code for _ in range(5)] == [200] * 3 + [429] * 2
    assert guarded.post("/api/chat", headers=bearer("right")).status_code == 200


def test_programs_may_send_their_spans_more_often():
    guarded = client("right", rates=Rates(1))
    assert [guarded.post("/v1/traces", headers=bearer("right")).status_code for _ in range(10)] == [200] * 10


def test_a_body_may_not_be_too_large_whatever_its_header_says():
    def pieces():
        for _ in range(20):
            yield b"x" * 100_000

    async def read(request):
        return PlainTextResponse(str(len(await request.body())))

    routes = [Route(path, read, methods=["POST"]) for path in ("/api/chat", "/")]
    app = Starlette(routes=routes, middleware=[Middleware(AccessGuard)])
    guarded = TestClient(app, base_url="http://127.0.0.1", client=("127.0.0.1", 1))
    for content in (b"x" * 1_000_001, pieces()):
        answer = guarded.post("/api/chat", content=content)
        assert (answer.status_code, answer.json()["error"]["code"]) == (413, "too_large")
    assert guarded.post("/api/chat", content=b"x" * 1_000_000).text == "1000000"
    assert guarded.post("/", content=b"x", headers={"Content-Length": "-1"}).status_code == 413
    assert guarded.post("/", content=b"x", headers={"Content-Length": "9" * 5000}).status_code == 413


@pytest.mark.parametrize("path", ["/api/..%2f..%2fetc", "/%00", "/media/..%5cwin.ini", "/api/turns%0d%0aX: 1", "/a/.."])
def test_a_path_that_leads_out_or_hides_something_is_refused(path):
    guard = AccessGuard(Starlette(routes=[Route("/{rest:path}", who)]))
    answer = TestClient(guard, base_url="http://127.0.0.1", client=("127.0.0.1", 1)).get(path)
    assert answer.status_code == (400 if path != "/a/.." else 200)  # the client has tidied up the last one


def test_health_is_open_to_whoever_watches():
    assert client("right", caller=("203.0.113.9", 1), base_url="https://10.0.0.7").get("/healthz").text == "in"
    assert client("right", caller=("203.0.113.9", 1)).get("/readyz").text == "in"


def test_who_may_come_in_is_said_by_address_or_domain():
    listed = rules(allowed="Lumenworks.example, @partner.example, eve@other.example", administrators="boss@own.example")
    for email in ("ana@lumenworks.example", "x@partner.example", "eve@other.example", "boss@own.example"):
        assert listed.allows(email)
    for email in ("ana@evil-lumenworks.example", "ana@lumenworks.example.evil.example", "bob@other.example", "@", ""):
        assert not listed.allows(email)
    assert rules(allowed="*").allows("anybody@at.all") and not rules().allows("anybody@at.all")
