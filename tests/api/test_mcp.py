"""`/mcp`: other people's MCP clients at the app's door."""

import asyncio
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import httpx2
import pytest
from mcp import Client
from mcp.client.streamable_http import streamable_http_client
from mcp_types import CallToolResult
from mcp_types.version import MODERN_PROTOCOL_VERSIONS
from opentelemetry import trace
from sqlmodel import select
from starlette.applications import Starlette
from starlette.routing import Route
from starlette.testclient import TestClient

from core.api.access import AccessGuard
from core.api.mcp import Door
from core.bootstrap import Services
from core.errors import Unavailable
from core.mcp_server.meta import ACCOUNT, ZONE
from telemetry.tables import Span
from tests.runtime.desk import ask, branches, sam, services

URL = "http://127.0.0.1:8501/mcp"
MODES = ["legacy", "auto", MODERN_PROTOCOL_VERSIONS[-1]]
MAIL = {"to": ["ana@lumenworks.example"], "subject": "Invoice 2041", "body": "It is paid."}


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Services]:
    with services(tmp_path_factory.mktemp("app")) as one:
        yield one


@pytest.fixture
def writing(tmp_path: Path) -> Iterator[Services]:
    with services(tmp_path, mcp_writes=True, cache_entries=10) as one:
        yield one


@asynccontextmanager
async def connected(built: Services, mode: str = "auto", token: str = "") -> AsyncIterator[Client]:
    """An MCP client of the app, over HTTP in all but the socket."""
    door = Door(lambda: built)
    app = AccessGuard(Starlette(routes=[Route("/mcp", door)]), token)
    headers = {"Authorization": f"Bearer {token}"} if token else {}
    transport = httpx2.ASGITransport(app, client=("127.0.0.1", 5000))
    async with (
        httpx2.AsyncClient(transport=transport, headers=headers) as http,
        Client(streamable_http_client(URL, http_client=http), mode=mode, cache=None) as client,
    ):
        yield client
    await door.close()


def said(result: CallToolResult) -> str:
    return "".join(item.text for item in result.content if item.type == "text")


@pytest.mark.parametrize("token", ["", "secret"])
@pytest.mark.parametrize("mode", MODES)
async def test_the_sdks_own_client_reads_in_each_protocol_mode(built: Services, mode: str, token: str) -> None:
    async with connected(built, mode, token) as client:
        result = await client.call_tool("search_gmail_messages", {"query": "is:unread from:ana"})
    assert not result.is_error, said(result)
    assert "2041" in said(result)


async def test_only_what_reads_is_offered_unless_the_setting_says_otherwise(built: Services, writing: Services) -> None:
    async def offered(one: Services) -> set[str]:
        async with connected(one) as client:
            return {tool.name for tool in (await client.list_tools()).tools}

    every = {tool.name for _, tool in built.catalogue.tools()}
    assert await offered(built) == {tool.name for _, tool in built.catalogue.tools() if tool.reads}
    assert await offered(writing) == every


async def test_a_write_is_refused_where_it_is_not_offered(built: Services) -> None:
    async with connected(built) as client:
        result = await client.call_tool("send_gmail_message", MAIL)
    assert result.is_error and said(result).startswith("There is no tool send_gmail_message")


async def test_what_its_user_has_switched_off_is_neither_offered_nor_called(built: Services) -> None:
    switches = [("agent", "calendar"), ("tool", "search_gmail_messages")]
    try:
        for kind, name in switches:
            built.switchboard.switch(sam(built), kind, name, on=False)
        async with connected(built) as client:
            names = {tool.name for tool in (await client.list_tools()).tools}
            calls = [await client.call_tool(name, {}) for name in ("get_events", "search_gmail_messages")]
    finally:
        for kind, name in switches:
            built.switchboard.switch(sam(built), kind, name, on=True)
    assert not names & {"get_events", "list_calendars", "search_gmail_messages"} and "list_gmail_labels" in names
    assert [said(call)[:26] for call in calls] == ["This tool is switched off."] * 2


async def test_no_other_account_acts(built: Services) -> None:
    async with connected(built) as client:
        foreign = await client.call_tool("list_calendars", {}, meta={ACCOUNT: "ana@lumenworks.example"})
        own = await client.call_tool("get_events", {}, meta={ACCOUNT: sam(built).account, ZONE: "Asia/Tokyo"})
    assert foreign.is_error and said(foreign).startswith("This server does not act for that account.")
    assert own.structured_content["zone"] == "Asia/Tokyo"


@pytest.mark.parametrize("mode", MODES)
async def test_every_span_of_a_call_belongs_to_the_user_and_goes_into_the_clients_trace(
    writing: Services, mode: str
) -> None:
    async with connected(writing, mode) as client:
        with trace.get_tracer("test").start_as_current_span("elsewhere") as span:
            await client.call_tool("list_calendars", {})
    await asyncio.to_thread(writing.telemetry.flush)
    call, google = "tools/call list_calendars", "calendar.calendarList.list"
    request = ("mcp.request", [(call, [google])])
    trace_id = trace.format_trace_id(span.get_span_context().trace_id)
    with writing.telemetry.store.reader() as session:
        spans = session.exec(select(Span).where(Span.trace_id == trace_id).order_by(Span.start_ns)).all()
    assert branches(spans, None) == [("elsewhere", [(call, [request])])]
    assert {one.user_id for one in spans} == {sam(writing).id}


async def test_a_write_is_made_at_once_and_ends_what_was_remembered(writing: Services) -> None:
    question = "Show my unread emails"
    ask(writing, question)
    async with connected(writing) as client:
        found = await client.call_tool("search_gmail_messages", {"query": "is:unread from:ana"})
        (mail, *_) = found.structured_content["messages"]
        changed = await client.call_tool(
            "modify_gmail_message_labels", {"message_id": mail["message_id"], "remove_label_ids": ["UNREAD"]}
        )
    assert not changed.is_error, said(changed)
    again = await asyncio.to_thread(ask, writing, question)
    assert mail["subject"] not in again["response"]


@pytest.mark.parametrize(
    ("headers", "caller", "status"),
    [
        ({"Host": "evil.example"}, "127.0.0.1", 403),
        ({"Origin": "https://evil.example"}, "127.0.0.1", 403),
        ({}, "192.168.1.7", 403),
    ],
)
def test_the_door_is_guarded_as_the_api_is(headers: dict[str, str], caller: str, status: int) -> None:
    app = AccessGuard(Starlette(routes=[Route("/mcp", Door(lambda: None))]), "")
    client = TestClient(app, base_url="http://127.0.0.1:8501", client=(caller, 5000))
    assert client.post("/mcp", json={}, headers=headers).status_code == status


def test_with_a_token_only_its_bearer_comes_in() -> None:
    app = AccessGuard(Starlette(routes=[Route("/mcp", Door(lambda: None))]), "secret")
    client = TestClient(app, base_url="http://127.0.0.1:8501", client=("127.0.0.1", 5000))
    assert client.post("/mcp", json={}).status_code == 401
    assert client.post("/mcp", json={}, headers={"Authorization": "Bearer secret"}).status_code == 503


def failing() -> Any:
    raise Unavailable("The data folder cannot be written.")


@pytest.mark.parametrize(("found", "sentence"), [(lambda: None, "still starting"), (failing, "data folder")])
def test_before_the_app_can_serve_it_says_so(found: Any, sentence: str, tmp_path: Path) -> None:
    client = TestClient(Starlette(routes=[Route("/mcp", Door(found))]))
    answer = client.post("/mcp", json={})
    assert answer.status_code == 503 and sentence in answer.json()["error"]["message"]
