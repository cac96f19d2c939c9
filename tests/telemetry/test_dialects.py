"""OpenInference, OpenLLMetry, Vercel's AI SDK and older GenAI spellings say the same thing."""

import json
from typing import Any

import pytest

from telemetry.dialects import translated

USER = [{"role": "user", "parts": [{"type": "text", "content": "Where is it warm?"}]}]
ANSWER = [{"role": "assistant", "parts": [{"type": "text", "content": "Lisbon"}]}]
OPENINFERENCE = {
    "openinference.span.kind": "LLM",
    "llm.model_name": "gpt-4o-mini",
    "llm.provider": "openai",
    "llm.token_count.prompt": 1200,
    "llm.token_count.completion": 80,
    "llm.token_count.prompt_details.cache_read": 1000,
    "llm.token_count.completion_details.reasoning": 20,
    "llm.input_messages.0.message.role": "user",
    "llm.input_messages.0.message.content": "Where is it warm?",
    "llm.output_messages.0.message.role": "assistant",
    "llm.output_messages.0.message.content": "Lisbon",
    "input.value": '{"messages": []}',
    "session.id": "s1",
}
TRACELOOP = {
    "llm.request.type": "chat",
    "gen_ai.request.model": "gpt-4o-mini",
    "gen_ai.system": "OpenAI",
    "llm.usage.prompt_tokens": 1200,
    "llm.usage.completion_tokens": 80,
    "llm.usage.cache_read_input_tokens": 1000,
    "llm.usage.reasoning_tokens": 20,
    "gen_ai.prompt.0.role": "user",
    "gen_ai.prompt.0.content": "Where is it warm?",
    "gen_ai.completion.0.role": "assistant",
    "gen_ai.completion.0.content": "Lisbon",
    "traceloop.association.properties.session_id": "s1",
}
VERCEL = {
    "ai.operationId": "ai.generateText.doGenerate",
    "ai.model.id": "gpt-4o-mini",
    "ai.model.provider": "openai",
    "ai.usage.promptTokens": 1200,
    "ai.usage.completionTokens": 80,
    "ai.prompt.messages": json.dumps([{"role": "user", "content": [{"type": "text", "text": "Where is it warm?"}]}]),
    "ai.response.text": "Lisbon",
    "ai.telemetry.metadata.sessionId": "s1",
}
SAME = ("gen_ai.operation.name", "gen_ai.request.model", "gen_ai.usage.input_tokens", "gen_ai.usage.output_tokens")


@pytest.mark.parametrize("said", [OPENINFERENCE, TRACELOOP, VERCEL], ids=["OpenInference", "OpenLLMetry", "Vercel"])
def test_a_model_call_is_the_same_in_every_dialect(said: dict[str, Any]) -> None:
    found = translated("call", said)
    assert [found[name] for name in SAME] == ["chat", "gpt-4o-mini", 1200, 80]
    assert found["glassdesk.question"] == "Where is it warm?"
    assert "s1" in (found.get("gen_ai.conversation.id"), found.get("session.id"))


@pytest.mark.parametrize("said", [OPENINFERENCE, TRACELOOP], ids=["OpenInference", "OpenLLMetry"])
def test_messages_field_by_field_become_messages_and_their_fields_go(said: dict[str, Any]) -> None:
    found = translated("call", said)
    assert json.loads(found["gen_ai.input.messages"]) == USER
    assert json.loads(found["gen_ai.output.messages"]) == ANSWER
    assert not [name for name in found if name.startswith(("llm.", "gen_ai.prompt", "gen_ai.completion", "input."))
                and name != "llm.request.type"]  # fmt: skip
    assert (found["gen_ai.usage.cache_read.input_tokens"], found["gen_ai.usage.reasoning.output_tokens"]) == (1000, 20)


def test_messages_that_were_events_become_messages() -> None:
    events = [
        {"name": "gen_ai.system.message", "time_ns": 1, "attributes": {"content": "Be kind"}},
        {"name": "gen_ai.user.message", "time_ns": 2, "attributes": {"content": "Where is it warm?"}},
        {"name": "gen_ai.choice", "time_ns": 3, "attributes": {"message": "Lisbon"}},
    ]
    found = translated("chat", {"gen_ai.operation.name": "chat"}, events)
    assert json.loads(found["gen_ai.input.messages"])[1:] == USER
    assert json.loads(found["gen_ai.output.messages"]) == ANSWER


def test_calls_and_results_of_tools_are_parts_of_messages() -> None:
    call = "llm.output_messages.0.message.tool_calls.0.tool_call"
    found = translated(
        "call",
        {
            f"{call}.id": "c1",
            f"{call}.function.name": "weather",
            f"{call}.function.arguments": '{"city": "Lisbon"}',
            "llm.output_messages.0.message.role": "assistant",
            "llm.input_messages.1.message.role": "tool",
            "llm.input_messages.1.message.tool_call_id": "c1",
            "llm.input_messages.1.message.content": "22 degrees",
            "llm.input_messages.0.message.role": "user",
            "llm.input_messages.0.message.contents.0.message_content.type": "text",
            "llm.input_messages.0.message.contents.0.message_content.text": "Look",
            "llm.input_messages.0.message.contents.1.message_content.type": "image",
            "llm.input_messages.0.message.contents.1.message_content.image.image.url": "https://example.org/x.png",
        },
    )
    assert json.loads(found["gen_ai.output.messages"])[0]["parts"] == [
        {"type": "tool_call", "id": "c1", "name": "weather", "arguments": '{"city": "Lisbon"}'}
    ]
    assert [message["parts"] for message in json.loads(found["gen_ai.input.messages"])] == [
        [{"type": "text", "content": "Look"}, {"type": "image", "content": "[image]"}],
        [{"type": "tool_call_response", "id": "c1", "response": "22 degrees"}],
    ]


@pytest.mark.parametrize(
    "said",
    [
        {"openinference.span.kind": "TOOL", "tool.name": "weather", "input.value": "{}", "output.value": "22"},
        {"traceloop.span.kind": "tool", "traceloop.entity.name": "weather", "traceloop.entity.input": "{}",
         "traceloop.entity.output": "22"},
        {"ai.operationId": "ai.toolCall", "ai.toolCall.name": "weather", "ai.toolCall.args": "{}",
         "ai.toolCall.result": "22"},
        {"gen_ai.operation.name": "execute_tool", "gen_ai.tool.call.arguments": {}, "gen_ai.tool.call.result": 22},
    ],
    ids=["OpenInference", "OpenLLMetry", "Vercel", "GenAI"],
)  # fmt: skip
def test_a_tool_call_is_the_same_in_every_dialect(said: dict[str, Any]) -> None:
    found = translated("execute_tool weather", said)
    names = ("gen_ai.operation.name", "gen_ai.tool.name", "gen_ai.tool.call.arguments", "gen_ai.tool.call.result")
    assert [found[name] for name in names] == ["execute_tool", "weather", "{}", "22"]
    assert "glassdesk.question" not in found


@pytest.mark.parametrize("said", [{"openinference.span.kind": "AGENT"}, {"traceloop.span.kind": "agent"}])
def test_an_agent_without_a_name_has_that_of_its_span(said: dict[str, Any]) -> None:
    found = translated("invoke_agent Planner", said)
    assert (found["gen_ai.operation.name"], found["gen_ai.agent.name"]) == ("invoke_agent", "Planner")


def test_what_is_said_in_our_words_stays_and_translating_twice_changes_nothing() -> None:
    once = translated("call", {**OPENINFERENCE, "gen_ai.request.model": "gpt-4o", "mine": [1, 2]})
    assert (once["gen_ai.request.model"], once["mine"]) == ("gpt-4o", [1, 2])
    assert translated("call", once) == once


@pytest.mark.parametrize(
    ("said", "name", "value"),
    [
        ({"gen_ai.usage.input_tokens": "12"}, "gen_ai.usage.input_tokens", 12),
        ({"gen_ai.usage.input_tokens": "many"}, "gen_ai.usage.input_tokens", "many"),
        ({"openinference.span.kind": 7}, "gen_ai.operation.name", None),
        ({"llm.input_messages.x.message": 1, "llm.input_messages.0": "Hi"}, "glassdesk.question", None),
        ({"gen_ai.prompt.0": "a", "gen_ai.prompt.0.content": "b", "gen_ai.prompt.0.role": "user"},
         "glassdesk.question", "b"),
        ({"input.value": {"query": "Paris?"}}, "glassdesk.question", "Paris?"),
    ],
)  # fmt: skip
def test_odd_values_are_no_harm(said: dict[str, Any], name: str, value: Any) -> None:
    assert translated("call", said).get(name) == value
