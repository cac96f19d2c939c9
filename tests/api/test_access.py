import pytest
from starlette.applications import Starlette
from starlette.responses import PlainTextResponse
from starlette.routing import Route
from starlette.testclient import TestClient

from core.api.access import AccessGuard


def client(token="", caller=("127.0.0.1", 5000), base_url="http://127.0.0.1:8501"):
    app = Starlette(routes=[Route(path, lambda _: PlainTextResponse("in")) for path in ("/api/turns", "/healthz")])
    return TestClient(AccessGuard(app, token), base_url=base_url, client=caller)


@pytest.mark.parametrize("base_url", ["http://127.0.0.1:8501", "http://localhost:8501", "http://[::1]:8501"])
def test_without_a_token_this_machine_is_served(base_url):
    assert client(base_url=base_url).get("/api/turns").text == "in"


@pytest.mark.parametrize("address", ["192.168.1.7", "10.0.0.1", "203.0.113.9", "fe80::1", "unknown"])
def test_without_a_token_other_machines_are_refused(address):
    answer = client(caller=(address, 5000)).get("/api/turns")
    assert answer.status_code == 403
    assert "GLASSDESK_API_TOKEN" in answer.json()["error"]["message"]


@pytest.mark.parametrize("name", ["evil.example", "127.0.0.1.evil.example", "localhost.evil.example", "", "[::"])
def test_a_foreign_host_is_refused(name):
    answer = client().get("/api/turns", headers={"Host": name})
    assert (answer.status_code, answer.json()["error"]["code"]) == (403, "refused")


@pytest.mark.parametrize("origin", ["https://evil.example", "null", "http://127.0.0.1.evil.example", "file://"])
def test_a_foreign_origin_is_refused(origin):
    assert client().get("/api/turns", headers={"Origin": origin}).status_code == 403


def test_our_own_pages_may_call():
    assert client().get("/api/turns", headers={"Origin": "http://localhost:8501"}).text == "in"


@pytest.mark.parametrize("sent", [None, "", "Bearer", "Bearer wrong", "right", "bearer right"])
def test_with_a_token_only_its_bearer_is_served(sent):
    headers = {} if sent is None else {"Authorization": sent}
    answer = client("right").get("/api/turns", headers=headers)
    assert (answer.status_code, answer.json()["error"]["code"]) == (401, "unauthorized")


def test_with_a_token_its_bearer_is_served_from_anywhere():
    guarded = client("right", caller=("203.0.113.9", 1), base_url="https://desk.example")
    assert guarded.get("/api/turns", headers={"Authorization": "Bearer right"}).text == "in"


def test_health_is_open():
    assert client("right", caller=("203.0.113.9", 1)).get("/healthz").text == "in"
