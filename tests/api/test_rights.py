"""Who can do what, over every door of the API: each cell of the table tried, the forbidden ones too."""

import asyncio
import json
from collections.abc import Iterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from types import SimpleNamespace
from typing import Any

import httpx2
import pytest
from mcp import Client
from mcp.client.streamable_http import streamable_http_client
from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.routing import Route
from starlette.testclient import TestClient

from core.api import approvals, chat, exchange, metrics, otlp, turns
from core.api.access import AccessGuard
from core.api.mcp import Door
from core.bootstrap import Services
from core.store.tokens import EVERY_SCOPE, Scope
from tests.people import claims
from tests.runtime.desk import services
from tests.telemetry.otlp import body, sent

OPERATOR = "planted-operator-token"
COOKIE = "x-test-person"
"""Stands for the signed cookie, which the tests in the browser try."""
EMAILS = {name: f"{name}@lumenworks.example" for name in ("ana", "eve", "boss")}
TRACE = "0af7651916cd43dd8448eb211c80319c"


@dataclass
class Desk:
    """The app, Ana's turn and card, and each actor's headers."""

    built: Services
    client: TestClient
    door: Door
    actors: dict[str, dict[str, str]]
    users: dict[str, str]
    turn: dict[str, Any]
    card: str


def session(scope: Any) -> Any:
    sent = dict(scope["headers"]).get(COOKIE.encode(), b"").decode()
    return claims(EMAILS[sent]) if sent in EMAILS else None


@pytest.fixture(scope="module")
def desk(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Desk]:
    folder = tmp_path_factory.mktemp("app")
    with services(folder, allowed="lumenworks.example", administrators=EMAILS["boss"], mcp_writes=True) as built:
        door = Door(lambda: built)
        parts = (chat, turns, approvals, exchange, metrics, otlp)
        routes = [*(route for part in parts for route in part.ROUTES), Route("/mcp", door)]
        guard = Middleware(AccessGuard, OPERATOR, session=session, services=lambda: built)
        client = TestClient(
            Starlette(routes=routes, middleware=[guard]), base_url="http://127.0.0.1:8501", client=("203.0.113.9", 1)
        )
        users = {name: built.people.signed_in(claims(email)) for name, email in EMAILS.items()}
        actors = {"nobody": {}, "wrong": bearer("gdk_wrong"), "operator": bearer(OPERATOR)}
        for name, user in users.items():
            actors[f"{name} signed in"] = {COOKIE: name}
            actors[f"{name} token"] = bearer(built.tokens.make(user.id, "all", EVERY_SCOPE)[1])
        for scope in Scope:
            actors[f"ana {scope}"] = bearer(built.tokens.make(users["ana"].id, scope, {scope})[1])
        turn = built.runtime.start(users["ana"], "Show my unread emails").wait(30)
        asking = 'Send a mail to ana@lumenworks.example saying "Hello"'
        card = built.runtime.start(users["ana"], asking).pause(30)["approvals"][0]["approval_id"]
        built.telemetry.flush()
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr("core.api.caller.host", lambda: SimpleNamespace(ready=lambda: built, front=lambda: built))
            yield Desk(built, client, door, actors, {name: user.id for name, user in users.items()}, turn, card)


def bearer(token: str) -> dict[str, str]:
    return {"Authorization": f"Bearer {token}"}


NOBODY = {"nobody": 401, "wrong": 401}
SIGNED = ("signed in", "token")


def cells(
    own: int, others: int, *, scope: Scope, boss: int | None = None, operator: int | None = None
) -> dict[str, int]:
    """Actor → status: what Ana gets, what the others get, and what a token for something else gets."""
    row = dict(NOBODY)
    for how in SIGNED:
        row[f"ana {how}"] = own
        row[f"eve {how}"] = others
        row[f"boss {how}"] = others if boss is None else boss
    row["operator"] = others if operator is None else operator
    return row | {f"ana {one}": own if one is scope else 403 for one in Scope}


TABLE: dict[str, tuple[str, str, Any, dict[str, int]]] = {
    "ask": ("POST", "/api/chat", {"message": "Hello"}, cells(200, 200, scope=Scope.CHAT)),
    "go on in Ana's conversation": (
        "POST",
        "/api/chat",
        {"message": "Hello", "conversation_id": "{conversation}"},
        cells(200, 404, scope=Scope.CHAT),
    ),
    "follow Ana's turn": ("GET", "/api/turns/{turn}/events", None, cells(200, 404, scope=Scope.CHAT)),
    "stop Ana's turn": ("POST", "/api/turns/{turn}/cancel", {}, cells(200, 404, scope=Scope.CHAT)),
    "list turns": ("GET", "/api/turns", None, cells(200, 200, scope=Scope.READ_TRACES)),
    "read Ana's turn": ("GET", "/api/turns/{turn}", None, cells(200, 404, scope=Scope.READ_TRACES)),
    "export turns": ("GET", "/api/export?format=csv", None, cells(200, 200, scope=Scope.READ_TRACES)),
    "read everybody's counters": (
        "GET",
        "/metrics",
        None,
        cells(403, 403, scope=Scope.READ_TRACES, boss=200, operator=200),
    ),
    "send traces": ("POST", "/v1/traces", b"otlp", cells(200, 200, scope=Scope.WRITE_TRACES)),
    "import turns": ("POST", "/api/import", b"", cells(200, 200, scope=Scope.WRITE_TRACES)),
    "decide Ana's card as nobody knows it": (
        "POST",
        "/api/approvals/unknown",
        {"decision": "approve"},
        cells(404, 404, scope=Scope.CHAT),
    ),
    "something that is not there": (
        "DELETE",
        "/api/turns",
        None,
        cells(405, 405, scope=Scope.CHAT) | {"ana chat": 403},
    ),
}


@pytest.mark.parametrize("deed", TABLE)
def test_each_cell_of_the_table(desk: Desk, deed: str) -> None:
    method, path, content, expected = TABLE[deed]
    values = {"turn": desk.turn["turn_id"], "conversation": desk.turn["conversation_id"]}
    found = {}
    for actor in expected:
        told = (
            json.loads(json.dumps(content).replace("{conversation}", values["conversation"]))
            if isinstance(content, dict)
            else content
        )
        how: dict[str, Any] = {"json": told} if isinstance(told, dict) else {"content": told}
        headers = dict(desk.actors[actor])
        if content == b"otlp":
            how = {"content": body(sent(1))}
            headers["Content-Type"] = "application/x-protobuf"
        found[actor] = desk.client.request(method, path.format(**values), headers=headers, **how).status_code
    assert set(expected) == set(desk.actors)
    assert found == expected


def test_only_ana_decides_her_card(desk: Desk) -> None:
    """The last cells: each refusal leaves the card as it was."""
    yes = {"decision": "approve"}
    for actor, status in cells(200, 404, scope=Scope.CHAT).items():
        if status == 200:
            continue
        answer = desk.client.post(f"/api/approvals/{desk.card}", json=yes, headers=desk.actors[actor])
        assert answer.status_code == status, actor
        assert desk.built.approvals.get(desk.users["ana"], desk.card).state == "pending"
    answer = desk.client.post(f"/api/approvals/{desk.card}", json=yes, headers=desk.actors["ana chat"])
    assert answer.status_code == 200


def test_what_is_listed_is_ones_own(desk: Desk) -> None:
    mine = desk.client.get("/api/turns", headers=desk.actors["ana signed in"]).json()["turns"]
    assert desk.turn["turn_id"] in {turn["turn_id"] for turn in mine}
    for actor in ("eve signed in", "boss signed in", "eve token", "operator"):
        theirs = desk.client.get("/api/turns", headers=desk.actors[actor]).json()["turns"]
        assert not {turn["turn_id"] for turn in mine} & {turn["turn_id"] for turn in theirs}, actor
        asked = desk.client.get(
            f"/api/turns?conversation_id={desk.turn['conversation_id']}", headers=desk.actors[actor]
        )
        assert asked.json()["turns"] == [], actor
        assert desk.turn["turn_id"] not in desk.client.get("/api/export", headers=desk.actors[actor]).text, actor


def test_sent_traces_are_the_senders(desk: Desk) -> None:
    headers = {**desk.actors["eve token"], "Content-Type": "application/x-protobuf"}
    trace = "1" * 32
    assert desk.client.post("/v1/traces", content=body(sent(7, trace_id=trace)), headers=headers).status_code == 200
    assert desk.client.get(f"/api/turns/{trace}", headers=desk.actors["eve signed in"]).status_code == 200
    for actor in ("ana signed in", "boss signed in", "operator"):
        assert desk.client.get(f"/api/turns/{trace}", headers=desk.actors[actor]).status_code == 404, actor


@asynccontextmanager
async def mcp(desk: Desk, actor: str) -> Any:
    transport = httpx2.ASGITransport(desk.client.app, client=("203.0.113.9", 1))
    async with (
        httpx2.AsyncClient(transport=transport, headers=desk.actors[actor]) as http,
        Client(streamable_http_client("http://127.0.0.1:8501/mcp", http_client=http), cache=None) as client,
    ):
        yield client


async def test_over_mcp_each_acts_as_themselves(desk: Desk) -> None:
    for actor, name in (("ana mcp", "ana"), ("eve token", "eve"), ("boss token", "boss")):
        async with mcp(desk, actor) as client:
            result = await client.call_tool("list_calendars", {})
        assert not result.is_error, result.content
        await asyncio.to_thread(desk.built.telemetry.flush)
        assert "mcp.request" in await asyncio.to_thread(spans_of, desk, desk.users[name]), actor
    for actor in ("nobody", "wrong", "ana chat", "ana read_traces", "ana write_traces"):
        answer = desk.client.post("/mcp", json={}, headers=desk.actors[actor])
        assert answer.status_code == (401 if actor in NOBODY else 403), actor
    await desk.door.close()


def spans_of(desk: Desk, user_id: str) -> set[str]:
    from sqlmodel import select

    from telemetry.tables import Span

    with desk.built.telemetry.store.reader() as session:
        return set(session.exec(select(Span.name).where(Span.user_id == user_id)))


async def test_over_mcp_who_is_read_only_writes_nothing(desk: Desk) -> None:
    boss = desk.built.people.user(desk.users["boss"])
    desk.built.people.set_read_only(boss, desk.users["eve"], True)
    door = desk.door = Door(lambda: desk.built)
    desk.client.app.router.routes[-1] = Route("/mcp", door)  # a new one, since the last test has closed the other
    async with mcp(desk, "eve token") as client:
        result = await client.call_tool("send_gmail_message", {"to": ["a@b.example"], "subject": "s", "body": "b"})
        read = await client.call_tool("list_calendars", {})
    await door.close()
    desk.built.people.set_read_only(boss, desk.users["eve"], False)
    assert result.is_error and "read-only mode" in result.content[0].text
    assert not read.is_error
