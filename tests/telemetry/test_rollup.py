"""A turn's roll-up is the sum of its leaves; what is not known stays unknown; it can be rebuilt."""

import asyncio
import os
import sys
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from mcp import Client, StdioServerParameters
from opentelemetry import trace
from opentelemetry.trace import Span as OtelSpan
from opentelemetry.trace import StatusCode, set_span_in_context
from pydantic import ValidationError
from sqlmodel import select

from telemetry import phases, pricing, rollup
from telemetry.repricing import Progress, Repricing
from telemetry.setup import Telemetry, install
from telemetry.tables import LlmCall, Span, ToolCall, Turn
from tests.telemetry.reading import tree

ROOT = Path(__file__).resolve().parent.parent.parent
SECOND = 1_000_000_000
START = 1_790_000_000 * SECOND
IDENTITY = {"glassdesk.user.id": "local", "gen_ai.conversation.id": "c1"}


@pytest.fixture
def telemetry(telemetry_url: str) -> Iterator[Telemetry]:
    made = Telemetry(telemetry_url)
    yield made
    made.shutdown()


class Recorder:
    """Records spans at given seconds."""

    def __init__(self, telemetry: Telemetry) -> None:
        self.tracer = telemetry.tracer_provider.get_tracer("test")

    def open(self, name: str, at: float, parent: OtelSpan | None = None, **attributes: Any) -> OtelSpan:
        context = set_span_in_context(parent or trace.INVALID_SPAN)
        named = {key.replace("__", "."): value for key, value in attributes.items()}
        return self.tracer.start_span(name, context, start_time=START + round(at * SECOND), attributes=named)

    def span(self, name: str, at: float, until: float, parent: OtelSpan, **attributes: Any) -> OtelSpan:
        made = self.open(name, at, parent, **attributes)
        made.end(START + round(until * SECOND))
        return made


def turn_id_of(root: OtelSpan) -> str:
    return f"{root.get_span_context().trace_id:032x}"


def chat(model: str = "gpt-4o-mini", provider: str = "openai", **usage: int) -> dict[str, Any]:
    tokens = {f"gen_ai__usage__{name}": value for name, value in usage.items()}
    operation = {"gen_ai__operation__name": "chat", "gen_ai__provider__name": provider}
    return {**operation, "gen_ai__request__model": model, **tokens}


def agent(name: str) -> dict[str, Any]:
    return {"gen_ai__operation__name": "invoke_agent", "gen_ai__agent__name": name}


def tool_call(name: str) -> dict[str, Any]:
    return {"mcp__method__name": "tools/call", "gen_ai__tool__name": name}


def record(telemetry: Telemetry) -> str:
    """A turn of ten seconds in which the assistant asks Gmail, which searches once and fails once."""
    made = Recorder(telemetry)
    cached = {"input_tokens": 1200, "cache_read__input_tokens": 1000, "output_tokens": 80}
    root = made.open("turn", 0, **{key.replace(".", "__"): value for key, value in IDENTITY.items()})
    root.set_attributes(
        {"glassdesk.question": "Unread?", "glassdesk.status": "done", "glassdesk.route": "orchestrated"}
    )
    root.set_attributes({"glassdesk.agents": ["Gmail"], "glassdesk.model": "gpt-4o-mini"})
    root.set_attribute("glassdesk.first_token_ns", 7 * SECOND)
    made.span("route", 0, 1, root)
    assistant = made.open("invoke_agent Assistant", 1, root, **agent("Assistant"))
    made.span("chat gpt-4o-mini", 1, 3, assistant, **chat(**cached), gen_ai__response__time_to_first_chunk=0.25)
    delegate = made.open("execute_tool gmail_task", 3, assistant, gen_ai__operation__name="execute_tool")
    gmail = made.open("invoke_agent Gmail", 3, delegate, **agent("Gmail"))
    made.span("chat nobody/knows", 3, 4, gmail, **chat("nobody/knows", input_tokens=10, output_tokens=1))
    search = made.open("tools/call search_gmail_messages", 4, gmail, **tool_call("search_gmail_messages"))
    made.span("gmail.users.messages.list", 4, 5, search)
    search.end(START + 5 * SECOND)
    failing = made.open("tools/call read_gmail_message", 5, gmail, **tool_call("read_gmail_message"))
    failing.set_status(StatusCode.ERROR, "There is no such message.")
    failing.end(START + 6 * SECOND)
    gmail.end(START + 6 * SECOND)
    delegate.end(START + 6 * SECOND)
    made.span("chat gpt-4o-mini", 6, 9, assistant, **chat())
    assistant.end(START + 9 * SECOND)
    root.end(START + 10 * SECOND)
    return turn_id_of(root)


def calls(telemetry: Telemetry, model: Any) -> list[Any]:
    with telemetry.store.reader() as session:
        return list(session.exec(select(model).order_by(model.start_ns)))


def test_a_turn_is_the_sum_of_its_leaves(telemetry: Telemetry) -> None:
    turn_id = record(telemetry)
    turn = telemetry.account(turn_id)
    assert turn.model_dump() == {
        "turn_id": turn_id,
        "user_id": "local",
        "conversation_id": "c1",
        "question": "Unread?",
        "status": "done",
        "route": "orchestrated",
        "agents": ["Gmail"],
        "model": "gpt-4o-mini",
        "error": None,
        "service": None,
        "process": None,
        "start_ns": START,
        "wall_ns": 10 * SECOND,
        "latency_ns": 10 * SECOND,
        "first_token_ns": 7 * SECOND,
        "phases": {
            "routing": 1 * SECOND,
            "orchestrator_llm": 5 * SECOND,
            "specialist_llm": 1 * SECOND,
            "tool": 1 * SECOND,
            "google_api": 1 * SECOND,
            "framework": 1 * SECOND,
        },
        "requests": 3,
        "tools": 2,
        "input_tokens": 1210,
        "cached_input_tokens": 1000,
        "output_tokens": 81,
        "reasoning_tokens": None,
        "estimated": False,
        "cost_pico_usd": 153_000_000,
        "unpriced": 2,
        "google_requests": 1,
        "cached": False,
        "saved_pico_usd": None,
    }


@pytest.mark.parametrize(
    ("waits", "word", "first"),
    [([], 7, 7), ([(2, 6)], 7, 3), ([(2, 4), (5, 6)], 7, 4), ([(2, 6)], 1, 1), ([(2, 9)], 7, 2), ([(2, None)], 7, 2)],
)
def test_the_first_word_does_not_count_the_time_in_which_a_person_decided(
    telemetry: Telemetry, waits: list[tuple[int, int | None]], word: int, first: int
) -> None:
    made = Recorder(telemetry)
    root = made.open("turn", 0, **{key.replace(".", "__"): value for key, value in IDENTITY.items()})
    root.set_attribute("glassdesk.first_token_ns", word * SECOND)
    for start, end in waits:
        wait = made.open("approval.wait", start, root)
        if end is not None:
            wait.end(START + end * SECOND)
    root.end(START + 10 * SECOND)
    assert telemetry.account(turn_id_of(root)).first_token_ns == first * SECOND


def test_model_calls_have_their_agent_their_price_or_the_reason(telemetry: Telemetry) -> None:
    telemetry.account(record(telemetry))
    first, second, third = calls(telemetry, LlmCall)
    assert (first.agent, first.input_tokens, first.cost_pico_usd) == ("Assistant", 1200, 153_000_000)
    assert (first.first_chunk_ns, first.duration_ns) == (SECOND // 4, 2 * SECOND)
    assert (second.agent, second.cost_pico_usd) == ("Gmail", None)
    assert "nobody/knows" in second.unpriced_reason
    assert (third.input_tokens, third.cost_pico_usd) == (None, None)
    assert third.unpriced_reason == "The provider reported no usage."


def test_tool_calls_have_their_agent_and_their_error(telemetry: Telemetry) -> None:
    telemetry.account(record(telemetry))
    assert [(one.tool, one.agent, one.status, one.error) for one in calls(telemetry, ToolCall)] == [
        ("search_gmail_messages", "Gmail", "ok", None),
        ("read_gmail_message", "Gmail", "error", "There is no such message."),
    ]


def test_a_tool_call_knows_the_size_of_its_result_and_the_kind_of_its_error(telemetry: Telemetry) -> None:
    made = Recorder(telemetry)
    root = made.open("turn", 0, **{key.replace(".", "__"): value for key, value in IDENTITY.items()})
    for number, result in enumerate(("日本", "x" * 9_000, None)):
        outer = made.open("execute_tool t", 1 + number, root, gen_ai__operation__name="execute_tool")
        call = made.open("tools/call t", 1 + number, outer, **tool_call(f"tool_{number}"))
        if result is None:
            request = made.open("gmail.users.messages.get", 3, call, http__response__status_code=404)
            request.set_status(StatusCode.ERROR)
            request.end(START + 4 * SECOND)
            call.set_status(StatusCode.ERROR, "There is no such message.")
        else:
            outer.set_attribute("gen_ai.tool.call.result", result)
            if number:
                outer.set_attribute("glassdesk.tool.result_tokens", 1_125)
        call.end(START + (2 + number) * SECOND)
        outer.end(START + (2 + number) * SECOND)
    root.end(START + 9 * SECOND)
    telemetry.account(turn_id_of(root))
    assert [(one.result_bytes, one.result_tokens, one.error_kind) for one in calls(telemetry, ToolCall)] == [
        (6, None, None),
        (9_000, 1_125, None),
        (None, None, "404"),
    ]


def test_a_turn_without_model_calls_costs_nothing_and_is_not_unknown(telemetry: Telemetry) -> None:
    root = Recorder(telemetry).open("turn", 0)
    root.end()
    turn = telemetry.account(turn_id_of(root))
    assert (turn.requests, turn.input_tokens, turn.cost_pico_usd, turn.unpriced) == (0, 0, 0, 0)


def test_a_failed_turn_keeps_the_cost_of_its_calls(telemetry: Telemetry) -> None:
    made = Recorder(telemetry)
    root = made.open("turn", 0)
    made.span("chat gpt-4o-mini", 0, 1, root, **chat(input_tokens=1000, output_tokens=0))
    root.set_status(StatusCode.ERROR, "The model could not answer.")
    root.end()
    turn = telemetry.account(turn_id_of(root))
    assert (turn.status, turn.error, turn.cost_pico_usd) == ("failed", "The model could not answer.", 150_000_000)


def test_estimates_are_marked(telemetry: Telemetry) -> None:
    made = Recorder(telemetry)
    root = made.open("turn", 0)
    guess = chat("built-in", "glassdesk", input_tokens=5, output_tokens=2)
    made.span("chat built-in", 0, 1, root, **guess, glassdesk__usage__estimated=True)
    root.end()
    turn = telemetry.account(turn_id_of(root))
    assert (turn.estimated, turn.input_tokens, turn.cost_pico_usd) == (True, 5, 0)
    assert turn.model == "built-in"


def test_the_providers_own_cost_counts(telemetry: Telemetry) -> None:
    made = Recorder(telemetry)
    root = made.open("turn", 0)
    found = chat("openai/gpt-4o-mini", "openrouter", input_tokens=5, output_tokens=2)
    made.span("chat", 0, 1, root, **found, glassdesk__usage__cost_usd="0.0000123")
    root.end()
    assert telemetry.account(turn_id_of(root)).cost_pico_usd == 12_300_000


def test_a_span_that_comes_late_changes_the_finished_turn(telemetry: Telemetry) -> None:
    made = Recorder(telemetry)
    root = made.open("turn", 0)
    late = made.open("gmail.users.messages.get", 1, root)
    root.end(START + 2 * SECOND)
    assert telemetry.account(turn_id_of(root)).phases == {"google_api": SECOND, "framework": SECOND}
    late.end(START + round(1.5 * SECOND))
    assert telemetry.flush()
    assert telemetry.account(turn_id_of(root)).phases == {"google_api": SECOND // 2, "framework": 3 * SECOND // 2}


def test_what_a_killed_process_left_is_interrupted_up_to_its_last_sign_of_life(telemetry_url: str) -> None:
    url = telemetry_url
    killed = Telemetry(url)
    made = Recorder(killed)
    root = made.open("turn", 0)
    made.span("route", 0, 1, root)
    made.open("chat gpt-4o-mini", 3, root, **chat())
    assert killed.flush()
    killed.presence.close()  # a kill ends its lock, too
    restarted = Telemetry(url)
    turn = restarted.account(turn_id_of(root))
    assert (turn.status, turn.wall_ns) == ("interrupted", 3 * SECOND)
    assert turn.phases == {"routing": SECOND, "framework": 2 * SECOND}
    assert [(one.status, one.duration_ns) for one in calls(restarted, LlmCall)] == [("interrupted", None)]
    assert {row.status for row in calls(restarted, Span)} == {"ok", "interrupted"}
    killed.shutdown()
    restarted.shutdown()


def test_the_command_rebuilds_all_roll_ups_from_the_spans(telemetry: Telemetry) -> None:
    telemetry.account(record(telemetry))
    models: list[Any] = [Turn, LlmCall, ToolCall]
    before = [[row.model_dump() for row in calls(telemetry, model)] for model in models]
    with telemetry.store.write() as connection:
        for table in ("turn", "llm_call", "tool_call"):
            connection.exec_driver_sql(f"DELETE FROM {table}")
    assert rollup.main([telemetry.store.url]) == 0
    assert [[row.model_dump() for row in calls(telemetry, model)] for model in models] == before
    assert rollup.main([]) == 2


def test_the_past_is_priced_again_for_one_user_with_progress(
    telemetry: Telemetry, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    turn_id = record(telemetry)
    assert telemetry.account(turn_id).unpriced == 2
    prices = tmp_path / "prices.yaml"
    prices.write_text("prices: [{model: nobody/knows, input: 1, output: 2}]")
    load = pricing.load_overrides.__wrapped__
    monkeypatch.setattr(pricing, "load_overrides", cache(lambda: load(prices)))
    repricing = Repricing(telemetry.store)
    assert repricing.progress("local") is None
    for user in ("lena", "local"):
        thread = repricing.start(user)
        assert thread is not None
        thread.join()
    assert repricing.progress("lena") == Progress(0, 0, 0, 0, 0)
    assert repricing.progress("local") == Progress(1, 1, 153_000_000, 165_000_000, 1)
    assert telemetry.account(turn_id).unpriced == 1


def test_a_wrong_price_file_is_said_before_anything_is_computed(
    telemetry: Telemetry, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    prices = tmp_path / "prices.yaml"
    prices.write_text("prices: [{model: m}]")
    load = pricing.load_overrides.__wrapped__
    monkeypatch.setattr(pricing, "load_overrides", cache(lambda: load(prices)))
    repricing = Repricing(telemetry.store)
    with pytest.raises(ValidationError):
        repricing.start("local")
    assert repricing.progress("local") is None


def test_strange_attributes_count_as_unknown(telemetry: Telemetry) -> None:
    made = Recorder(telemetry)
    root = made.open("turn", 0, glassdesk__agents=5, glassdesk__first_token_ns="soon")
    strange = {**chat(), "gen_ai__usage__input_tokens": "many"}
    made.span("chat", 0, 1, root, **strange, gen_ai__response__time_to_first_chunk="soon")
    root.end()
    turn = telemetry.account(turn_id_of(root))
    assert (turn.agents, turn.first_token_ns, turn.input_tokens, turn.unpriced) == ([], None, None, 1)


def test_a_turn_that_cannot_be_computed_is_finished_all_the_same(
    telemetry: Telemetry, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def fail(*_: object) -> None:
        raise ArithmeticError

    monkeypatch.setattr(phases, "account", fail)
    turn = telemetry.account(record(telemetry))
    assert (turn.status, turn.wall_ns, turn.phases) == ("done", 10 * SECOND, {"framework": 10 * SECOND})
    assert len(calls(telemetry, Span)) == 11
    assert "could not be computed" in caplog.text


SERVER = """
import sys
from mcp.server.mcpserver import MCPServer
from opentelemetry import trace
from telemetry.setup import install

telemetry = install(sys.argv[1], mark_interrupted=False, sdk=False)
server = MCPServer("workspace")

@server.tool()
def search(query: str) -> str:
    "Search."
    with trace.get_tracer("glassdesk").start_as_current_span("gmail.users.messages.list"):
        return f"3 for {query}"

server.run("stdio")
"""


async def test_a_tool_server_over_stdio_is_in_the_turns_trace(telemetry_url: str) -> None:
    url = telemetry_url
    telemetry = install(url, sdk=False)
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    command = StdioServerParameters(command=sys.executable, args=["-c", SERVER, url], env=environment)
    async with Client(command) as client:
        with trace.get_tracer("glassdesk").start_as_current_span("turn", attributes=IDENTITY) as root:
            await client.list_tools()
            await client.call_tool("search", {"query": "is:unread"})
    turn = await asyncio.to_thread(telemetry.account, turn_id_of(root))
    server = ("tools/call search", [("gmail.users.messages.list", [])])
    assert tree(telemetry, turn_id_of(root)) == ("turn", [("tools/call search", [server])])
    assert (turn.tools, turn.google_requests) == (1, 1)
    assert [(row.type, row.user_id) for row in calls(telemetry, Span)] == [
        ("turn", "local"),
        ("mcp_client", "local"),
        ("mcp_server", "local"),
        ("google", "local"),
    ]
    telemetry.shutdown()
