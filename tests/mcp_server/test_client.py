"""The agents' side: the session in the process, and what a specialist sees."""

import asyncio
import json
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from typing import Any

import mcp.shared._otel
import pytest
from agents import Agent, RunConfig, Runner
from agents.testing import ScriptedModel, assistant_message, function_call
from agents.tracing import function_span
from agents.tracing import trace as sdk_trace
from opentelemetry import trace
from opentelemetry.sdk.trace import ReadableSpan, TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter

from core.agents.context import TurnContext
from core.mcp_server.client import InProcessTools, ToolView
from core.mcp_server.meta import ACCOUNT, ZONE
from core.mcp_server.server import ToolServer
from core.registry.manifests import load_catalogue
from core.runtime.gate import Gate
from core.runtime.remains import Remains
from core.sandbox.faults import Fault
from core.sandbox.sandbox import Sandbox
from core.store.approvals import Approvals
from core.store.conversations import Conversations
from core.store.engine import open_database
from core.users import SANDBOX_ACCOUNT
from tests.mcp_server.conftest import said

SAM = {ACCOUNT: SANDBOX_ACCOUNT, ZONE: "Europe/Berlin"}


def who() -> TurnContext:
    return TurnContext("local", SANDBOX_ACCOUNT, "Asia/Tokyo", "turn", "conversation")


def gate() -> Gate:
    database = open_database("sqlite://")
    approvals = Approvals(database)
    return Gate(load_catalogue(), approvals, Remains(Conversations(database), approvals), lambda *_: None)


@asynccontextmanager
async def connected(server: ToolServer, span: trace.Span = trace.INVALID_SPAN) -> AsyncIterator[InProcessTools]:
    tools = InProcessTools(server, lambda: span)
    await asyncio.create_task(tools.connect())
    yield tools
    await asyncio.create_task(tools.cleanup())


async def test_parallel_calls_keep_their_account_and_zone(server: ToolServer) -> None:
    zones = ["Europe/Berlin", "Asia/Tokyo", "America/Los_Angeles", "UTC"] * 6

    async def ask(tools: InProcessTools, number: int, zone: str) -> tuple[str, str]:
        account = SANDBOX_ACCOUNT if number % 3 else "nobody@elsewhere.example"
        meta = {ACCOUNT: account, ZONE: zone}
        result = await tools.call_tool("get_events", {"max_results": 1}, meta)
        return account, said(result) if result.is_error else result.structured_content["zone"]

    async with connected(server) as tools:
        answers = await asyncio.gather(*(ask(tools, number, zone) for number, zone in enumerate(zones)))
    for (account, answer), zone in zip(answers, zones, strict=True):
        assert answer == zone if account == SANDBOX_ACCOUNT else "Connect the account again" in answer


async def test_a_stalled_request_holds_up_no_other_and_can_be_given_up(server: ToolServer, sandbox: Sandbox) -> None:
    sandbox.faults.add(Fault("calendarList", kind="latency", seconds=6, remaining=1))
    async with connected(server) as tools:
        stalled = asyncio.create_task(tools.call_tool("list_calendars", {}, SAM))
        await asyncio.gather(*(tools.call_tool("get_events", {"max_results": 1}, SAM) for _ in range(4)))
        assert not stalled.done()
        stalled.cancel()
        with pytest.raises(asyncio.CancelledError):
            await stalled


async def test_a_closed_session_opens_again(server: ToolServer) -> None:
    tools = InProcessTools(server, lambda: trace.INVALID_SPAN)
    for _ in range(2):
        await tools.connect()
        assert not (await tools.call_tool("list_calendars", {}, SAM)).is_error
        await tools.cleanup()
    with pytest.raises(RuntimeError):
        await tools.call_tool("list_calendars", {}, SAM)


async def test_a_specialist_sees_exactly_its_own_tools(server: ToolServer) -> None:
    catalogue = load_catalogue()
    async with connected(server) as tools:
        for name in ("gmail", "calendar"):
            domain = catalogue.domains[name]
            view = ToolView(tools, domain, gate())
            assert view.name == name
            assert [tool.name for tool in await view.list_tools()] == [tool.name for tool in domain.tools]
        foreign = await ToolView(tools, catalogue.domains["gmail"], gate()).call_tool("get_events", {}, SAM)
    assert foreign.is_error and said(foreign) == "get_events is not one of the gmail tools."


def agent(tools: InProcessTools, domain: str, *calls: Any) -> Agent[TurnContext]:
    model = ScriptedModel([[call] for call in calls] + [[assistant_message("Done.")]])
    view = ToolView(tools, load_catalogue().domains[domain], gate())
    return Agent[TurnContext]("Specialist", mcp_servers=[view], model=model)


async def outputs(server: ToolServer, domain: str, *calls: Any, context: TurnContext | None = None) -> list[str]:
    """What the model reads after each of its calls."""
    async with connected(server) as tools:
        one = agent(tools, domain, *calls)
        result = await Runner.run(
            one, "Question", context=context or who(), run_config=RunConfig(tracing_disabled=True)
        )
    items = [item for item in result.to_input_list() if item.get("type") == "function_call_output"]
    return [part["text"] for item in items for part in item["output"]]


async def test_the_model_reads_compact_json_once_in_the_persons_zone(server: ToolServer) -> None:
    call = function_call("search_gmail_messages", {"query": "is:unread from:kenji"}, call_id="1")
    (text,) = await outputs(server, "gmail", call)
    page = json.loads(text)
    assert page["messages"][0]["date"].endswith("+09:00")
    assert "製品ロードマップのレビュー" in text and "\\u" not in text and "\n" not in text


async def test_the_model_reads_failures_as_sentences(server: ToolServer, sandbox: Sandbox) -> None:
    sandbox.faults.add(Fault("calendarList", status=403, reason="accessNotConfigured"))
    context = who()
    wrong, broken, right = await outputs(
        server,
        "calendar",
        function_call("get_events", {"time_min": "soon"}, call_id="1"),
        function_call("list_calendars", {}, call_id="2"),
        function_call("get_events", {}, call_id="3"),
        context=context,
    )
    assert right.startswith("{") and context.succeeded == {"3"}
    assert wrong.startswith("time_min: 'soon' is not a time; give a time such as")
    assert broken.startswith("The Google Calendar API is not enabled for this app. Enable it at https://console.")


async def test_a_failure_marks_the_agents_span(server: ToolServer) -> None:
    async with connected(server) as tools:
        with sdk_trace("test"), function_span("get_events") as span:
            await tools.call_tool("get_events", {"max_results": 0}, SAM)
    assert span.error is not None and span.error["message"].startswith("The arguments of get_events are wrong")


@pytest.fixture
def spans(monkeypatch: pytest.MonkeyPatch) -> Iterator[InMemorySpanExporter]:
    """What is recorded, without touching the process's own provider."""
    provider, exporter = TracerProvider(), InMemorySpanExporter()
    provider.add_span_processor(SimpleSpanProcessor(exporter))
    monkeypatch.setattr(trace, "get_tracer", provider.get_tracer)
    monkeypatch.setattr(mcp.shared._otel, "_tracer", provider.get_tracer("mcp"))
    yield exporter


def tree(spans: list[ReadableSpan], parent: int | None) -> list[Any]:
    """Names of spans, nested."""
    inner = [span for span in spans if (span.parent.span_id if span.parent else None) == parent]
    return [(span.name, tree(spans, span.context.span_id)) for span in sorted(inner, key=lambda one: one.start_time)]


async def test_the_servers_and_googles_spans_go_below_the_agents(
    server: ToolServer, spans: InMemorySpanExporter
) -> None:
    root = trace.get_tracer("test").start_span("execute_tool search_gmail_messages")
    async with connected(server, root) as tools:
        await tools.call_tool("search_gmail_messages", {"query": "is:unread"}, SAM)
    root.end()
    call = "tools/call search_gmail_messages"
    google = [("gmail.users.messages.list", []), ("gmail.batch", [])]
    assert tree(list(spans.get_finished_spans()), None) == [
        ("execute_tool search_gmail_messages", [(call, [(call, google)])]),
        ("mcp.connect", [("server/discover", []), ("tools/list", [])]),
    ]
