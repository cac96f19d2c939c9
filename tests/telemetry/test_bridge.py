"""The Agents SDK's runs become span trees with the conventions' names."""

import asyncio
from collections.abc import Iterator
from functools import partial
from typing import Any

import agents
import pytest
from agents import Agent, Runner, SpanError, Usage, function_tool, generation_span
from agents import trace as sdk_trace
from agents.testing import ModelStep, ScriptedModel, assistant_message, function_call
from agents.tracing import agent_span, function_span, get_current_span, handoff_span, response_span
from openai.types.responses import Response
from opentelemetry import trace

from telemetry.bridge import AgentsBridge
from telemetry.setup import Telemetry
from tests.telemetry.reading import spans_of, tree, until


@pytest.fixture
def telemetry(telemetry_url: str) -> Iterator[Telemetry]:
    made = Telemetry(telemetry_url)
    agents.set_trace_processors([made.bridge])
    yield made
    agents.set_trace_processors([])
    made.shutdown()


@function_tool
async def look_up(name: str) -> str:
    """Look something up."""
    await asyncio.sleep(0)
    return f"{name} is here"


def scripted(*steps: Any) -> ScriptedModel:
    return ScriptedModel(steps, emit_traces=True)


def assistant() -> Agent[Any]:
    calls = [function_call("look_up", {"name": f"n{number}"}, call_id=f"c{number}") for number in range(5)]
    gmail = Agent(name="Gmail", model=scripted(calls, [assistant_message("five")]), tools=[look_up])
    delegate = function_call("gmail_task", {"input": "look"}, call_id="d")
    tool = gmail.as_tool("gmail_task", "Mail.")
    return Agent(name="Assistant", model=scripted([delegate], [assistant_message("done")]), tools=[tool])


async def turn(telemetry: Telemetry, conversation: str, agent: Agent[Any]) -> str:
    tracer = telemetry.tracer_provider.get_tracer("test")
    identity = {"glassdesk.user.id": "local", "gen_ai.conversation.id": conversation}
    with tracer.start_as_current_span("turn", attributes=identity) as root:
        await Runner.run(agent, "look")
    return f"{root.get_span_context().trace_id:032x}"


FIVE_TOOLS = (
    "turn",
    [
        (
            "invoke_agent Assistant",
            [
                ("chat", []),
                (
                    "execute_tool gmail_task",
                    [
                        (
                            "invoke_agent Gmail",
                            [("chat", []), *[("execute_tool look_up", [])] * 5, ("chat", [])],
                        )
                    ],
                ),
                ("chat", []),
            ],
        )
    ],
)


async def test_parallel_tools_are_siblings_and_a_sub_agent_nests_under_its_tool(telemetry: Telemetry) -> None:
    turn_id = await turn(telemetry, "c1", assistant())
    assert telemetry.flush()
    assert tree(telemetry, turn_id) == FIVE_TOOLS


async def test_24_concurrent_turns_have_equal_trees_and_each_its_own_conversation(telemetry: Telemetry) -> None:
    turn_ids = await asyncio.gather(*(turn(telemetry, f"c{number}", assistant()) for number in range(24)))
    assert telemetry.flush()
    for number, turn_id in enumerate(turn_ids):
        assert tree(telemetry, turn_id) == FIVE_TOOLS
        assert {span.conversation_id for span in spans_of(telemetry, turn_id)} == {f"c{number}"}


async def test_a_handoff_names_both_agents(telemetry: Telemetry) -> None:
    calendar = Agent(name="Calendar", model=scripted([assistant_message("free")]))
    call = function_call("transfer_to_calendar", {}, call_id="h")
    turn_id = await turn(telemetry, "c1", Agent(name="Gmail", model=scripted([call]), handoffs=[calendar]))
    assert telemetry.flush()
    found = next(span for span in spans_of(telemetry, turn_id) if span.name.startswith("handoff"))
    assert found.name == "handoff Gmail → Calendar"
    assert found.attributes == {"glassdesk.handoff.from": "Gmail", "glassdesk.handoff.to": "Calendar"}


async def test_the_current_span_is_that_of_the_running_tool(telemetry: Telemetry) -> None:
    names: list[str] = []

    @function_tool
    def peek() -> str:
        """Peek."""
        names.append(getattr(telemetry.current_span(), "name", "none"))
        return "seen"

    call = function_call("peek", {}, call_id="p")
    await turn(telemetry, "c1", Agent(name="Gmail", model=scripted([call], [assistant_message("ok")]), tools=[peek]))
    assert names == ["execute_tool peek"]
    assert telemetry.current_span() is trace.INVALID_SPAN


async def test_a_failing_model_is_an_error_with_its_words(telemetry: Telemetry) -> None:
    failing = scripted(ModelStep.raise_error(ValueError("no credit left")))
    with pytest.raises(ValueError, match="no credit"):
        await turn(telemetry, "c1", Agent(name="Gmail", model=failing))
    assert telemetry.flush()
    with telemetry.store.reader() as session:
        statuses = [tuple(row) for row in session.connection().exec_driver_sql("SELECT type, status FROM span")]
    assert ("chat", "error") in statuses
    assert all(status != "running" for _, status in statuses)


def one_span(telemetry: Telemetry) -> Any:
    assert telemetry.flush()
    with telemetry.store.reader() as session:
        from sqlmodel import select

        from telemetry.tables import Span

        return session.exec(select(Span)).one()


USAGE = {
    "requests": 1,
    "input_tokens": 1200,
    "output_tokens": 80,
    "input_tokens_details": {"cached_tokens": 1000, "cache_write_tokens": 0},
    "output_tokens_details": {"reasoning_tokens": 64},
}


def test_a_generation_carries_model_provider_and_usage(telemetry: Telemetry) -> None:
    config = {"base_url": "https://user:pass@openrouter.ai/api/v1?key=x", "temperature": 0.2}
    with sdk_trace("t"), generation_span(model="openai/gpt-4o-mini", model_config=config) as span:
        span.span_data.input = [{"role": "user", "content": "製品ロードマップ 🙂"}]
        span.span_data.output = [
            {"id": "__fake_id__", "model": "gpt-4o-mini-2024-07-18", "output": [{"text": "Grüße"}]}
        ]
        span.span_data.usage = USAGE
    found = one_span(telemetry)
    assert (found.name, found.type, found.kind) == ("chat openai/gpt-4o-mini", "chat", "client")
    assert found.attributes == {
        "gen_ai.operation.name": "chat",
        "gen_ai.provider.name": "openrouter",
        "gen_ai.request.model": "openai/gpt-4o-mini",
        "server.address": "openrouter.ai",
        "gen_ai.request.temperature": 0.2,
        "gen_ai.usage.input_tokens": 1200,
        "gen_ai.usage.output_tokens": 80,
        "gen_ai.usage.cache_read.input_tokens": 1000,
        "gen_ai.usage.reasoning.output_tokens": 64,
        "gen_ai.input.messages": '[{"role":"user","content":"製品ロードマップ 🙂"}]',
        "gen_ai.output.messages": '[{"text":"Grüße"}]',
    }


def test_a_model_of_our_own_says_what_it_is_and_that_its_counts_are_estimates(telemetry: Telemetry) -> None:
    config = {"provider": "glassdesk", "glassdesk.usage.estimated": True}
    with sdk_trace("t"), generation_span(model="built-in", model_config=config) as span:
        span.span_data.usage = {"input_tokens": 5, "output_tokens": 0}
    found = one_span(telemetry).attributes
    assert found["gen_ai.provider.name"] == "glassdesk"
    assert found["glassdesk.usage.estimated"] is True
    assert (found["gen_ai.usage.input_tokens"], found["gen_ai.usage.output_tokens"]) == (5, 0)


def test_usage_that_was_not_reported_is_absent_not_zero(telemetry: Telemetry) -> None:
    from agents.usage import model_usage_to_span_usage

    with sdk_trace("t"), generation_span(model="m") as span:
        span.span_data.usage = model_usage_to_span_usage(Usage(requests=1))
    assert not [name for name in one_span(telemetry).attributes if "usage" in name]


def test_an_answer_of_the_provider_has_its_own_model_and_id(telemetry: Telemetry) -> None:
    with sdk_trace("t"), generation_span(model="gpt-4o-mini") as span:
        span.span_data.output = [{"id": "chatcmpl-1", "model": "gpt-4o-mini-2024-07-18", "output": []}]
    found = one_span(telemetry).attributes
    assert (found["gen_ai.request.model"], found["gen_ai.response.model"]) == ("gpt-4o-mini", "gpt-4o-mini-2024-07-18")
    assert found["gen_ai.response.id"] == "chatcmpl-1"


def all_ended(telemetry: Telemetry, turn_id: str) -> bool:
    return {span.status for span in spans_of(telemetry, turn_id)} == {"ok"}


async def test_a_stream_that_is_left_half_way_ends_its_spans(telemetry: Telemetry) -> None:
    call = function_call("look_up", {"name": "n"}, call_id="c")
    agent = Agent(name="Gmail", model=scripted([call], [assistant_message("done")]), tools=[look_up])
    tracer = telemetry.tracer_provider.get_tracer("test")
    for leave in (False, True):
        with tracer.start_as_current_span("turn") as root:
            result = Runner.run_streamed(agent, "look")
            async for _ in result.stream_events():
                if leave:
                    result.cancel()
                    break
        turn_id = f"{root.get_span_context().trace_id:032x}"
        await asyncio.to_thread(telemetry.account, turn_id)
        await asyncio.to_thread(until, partial(all_ended, telemetry, turn_id))
        agent = agent.clone(model=scripted([call], [assistant_message("done")]))


def test_a_response_span_is_named_when_its_model_is_known(telemetry: Telemetry) -> None:
    answer = Response.model_construct(id="resp_1", model="gpt-5.2", output=[])
    with sdk_trace("t"), response_span(response=answer) as span:
        span.span_data.usage = USAGE
    found = one_span(telemetry)
    assert found.name == "chat gpt-5.2"
    assert found.attributes["gen_ai.provider.name"] == "openai"
    assert found.attributes["gen_ai.response.id"] == "resp_1"


def test_an_error_of_the_sdk_sets_type_status_and_words(telemetry: Telemetry) -> None:
    with sdk_trace("t"), function_span("send") as span:
        span.set_error(SpanError(message="Error running tool", data={"error": "quota is used up"}))
    found = one_span(telemetry)
    assert found.status == "error"
    assert found.attributes["error.message"] == "Error running tool: quota is used up"
    assert found.attributes["error.type"] == "Error running tool"


def test_spans_that_the_sdk_leaves_open_end_with_its_trace(telemetry: Telemetry) -> None:
    with sdk_trace("t"):
        agent_span("Gmail").start()
    assert one_span(telemetry).status == "ok"


def test_without_sdk_spans_there_is_no_current_span(telemetry: Telemetry) -> None:
    assert get_current_span() is None
    assert telemetry.current_span() is trace.INVALID_SPAN


def test_a_handoff_that_did_not_happen_has_only_its_origin(telemetry: Telemetry) -> None:
    with sdk_trace("t"), handoff_span(from_agent="Gmail"):
        pass
    assert one_span(telemetry).attributes == {"glassdesk.handoff.from": "Gmail"}


def test_the_tokens_of_what_a_tool_gave_the_model_are_on_its_span(telemetry: Telemetry) -> None:
    agents.set_trace_processors([AgentsBridge(telemetry.tracer_provider.get_tracer("t"), count_tokens=len)])
    with sdk_trace("t"), function_span("t", "{}") as span:
        span.span_data.output = {"type": "text", "text": "four"}
    assert one_span(telemetry).attributes["glassdesk.tool.result_tokens"] == 4
