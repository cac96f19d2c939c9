"""A real OpenAI-compatible server behind the agents, over real HTTP."""

import json
from collections.abc import Iterator
from typing import Any

import pytest
from agents import Agent, RunConfig, Runner, function_tool
from agents.exceptions import ModelRefusalError
from agents.tracing import TracingProcessor, get_current_span, set_trace_processors
from opentelemetry.sdk.trace import ReadableSpan, TracerProvider
from opentelemetry.trace import INVALID_SPAN, Span

from core.agents import models
from core.agents.model_errors import EMPTY, explain
from core.agents.models import build_model, model_settings
from core.errors import ModelError
from core.settings import Settings
from tests.agents.chat_server import Broken, ChatServer, Fail, Raw, Slow, Step
from tests.agents.chat_wire import Answer, Call

SEARCH = Answer("Let me look.", (Call("search_mail", {"query": "is:unread"}),))
FOUND = Answer("You have one unread mail: invoice 2041 from Ana.")
HTML = Raw("<html><body>Welcome to nginx!</body></html>", "text/html")


@function_tool
def search_mail(query: str) -> str:
    """Find mail."""
    return f"invoice 2041 from Ana ({query})"


class ChatSpans(TracingProcessor):
    """Gives each generation of the SDK an OpenTelemetry span, as the app's bridge does."""

    def __init__(self) -> None:
        self._tracer = TracerProvider().get_tracer("test")
        self._live: dict[str, Span] = {}
        self.ended: list[dict[str, Any]] = []

    def on_span_start(self, span: Any) -> None:
        self._live[span.span_id] = self._tracer.start_span("chat")

    def on_span_end(self, span: Any) -> None:
        ended = self._live.pop(span.span_id)
        assert isinstance(ended, ReadableSpan)
        if span.span_data.type in ("generation", "response"):
            self.ended.append(dict(ended.attributes or {}))

    def current(self) -> Span:
        span = get_current_span()
        return self._live.get(span.span_id, INVALID_SPAN) if span else INVALID_SPAN

    def on_trace_start(self, trace: Any) -> None: ...
    def on_trace_end(self, trace: Any) -> None: ...
    def shutdown(self) -> None: ...
    def force_flush(self) -> None: ...


@pytest.fixture
def spans() -> Iterator[ChatSpans]:
    processor = ChatSpans()
    set_trace_processors([processor])
    yield processor
    set_trace_processors([])


@pytest.fixture(autouse=True)
def at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("openai._base_client.INITIAL_RETRY_DELAY", 0.001)


def settings_for(url: str, **changes: Any) -> Settings:
    return Settings(**({"model": "scripted-1", "model_base_url": url, "_env_file": None} | changes))


async def ask(settings: Settings, spans: ChatSpans, text: str = "Show my unread emails") -> tuple[str, Any]:
    """The streamed text and the result of one run of a small agent."""
    model = build_model(settings, current_span=spans.current)
    agent = Agent(name="Gmail", model=model, model_settings=model_settings(settings), tools=[search_mail])
    result = Runner.run_streamed(agent, text, run_config=RunConfig(trace_include_sensitive_data=False))
    shown = ""
    async for event in result.stream_events():
        if event.type == "raw_response_event" and event.data.type == "response.output_text.delta":
            shown += event.data.delta
    return shown, result


async def fails(steps: list[Step], spans: ChatSpans, **changes: Any) -> tuple[str, ChatServer]:
    with ChatServer(steps) as server:
        with pytest.raises(ModelError) as caught:
            await ask(settings_for(server.url, **changes), spans)
        return caught.value.sentence, server


async def test_an_answer_with_a_tool_call_streams_and_is_counted(spans: ChatSpans) -> None:
    with ChatServer([SEARCH, FOUND]) as server:
        shown, result = await ask(settings_for(server.url), spans)
    assert shown == SEARCH.text + FOUND.text
    assert result.final_output == FOUND.text
    assert result.context_wrapper.usage.input_tokens == 240
    assert result.context_wrapper.usage.output_tokens == 60
    assert server.requests[1]["messages"][-1]["content"] == "invoice 2041 from Ana (is:unread)"


async def test_an_answer_that_is_not_streamed_works_too(spans: ChatSpans) -> None:
    with ChatServer([SEARCH, FOUND]) as server:
        settings = settings_for(server.url)
        model = build_model(settings, current_span=spans.current)
        agent = Agent(name="Gmail", model=model, model_settings=model_settings(settings), tools=[search_mail])
        result = await Runner.run(agent, "Show my unread emails")
    assert result.final_output == FOUND.text


async def test_each_call_says_who_answered_and_when_the_first_chunk_came(spans: ChatSpans) -> None:
    with ChatServer([SEARCH, FOUND]) as server:
        await ask(settings_for(server.url), spans)
    assert len(spans.ended) == 2
    for chat in spans.ended:
        assert chat.pop("gen_ai.response.time_to_first_chunk") > 0
        assert chat == {
            "gen_ai.request.model": "scripted-1",
            "server.address": "127.0.0.1",
        }


async def test_the_providers_own_cost_is_kept_exactly(spans: ChatSpans) -> None:
    usage = {"prompt_tokens": 9, "completion_tokens": 1, "total_tokens": 10, "cost": 0.0000123}
    with ChatServer([Answer("Hello.", usage=usage)]) as server:
        await ask(settings_for(server.url), spans)
    assert spans.ended[0]["glassdesk.usage.cost_usd"] == "0.0000123"


async def test_openai_is_asked_through_its_responses_api(spans: ChatSpans, monkeypatch: pytest.MonkeyPatch) -> None:
    with ChatServer([SEARCH, FOUND]) as server:
        monkeypatch.setattr(models, "OPENAI", server.url)
        shown, result = await ask(settings_for(server.url, model="gpt-5"), spans)
    assert shown == SEARCH.text + FOUND.text
    assert result.context_wrapper.usage.output_tokens == 60
    assert [request["input"][-1]["type"] for request in server.requests[1:]] == ["function_call_output"]
    assert "parallel_tool_calls" not in server.requests[0]
    assert spans.ended[0]["gen_ai.response.model"] == "scripted-1"


def test_openai_is_meant_when_no_base_url_is_given() -> None:
    assert models.base_url(Settings(_env_file=None)) == models.OPENAI
    assert models.is_openai(Settings(_env_file=None))
    assert not models.is_openai(settings_for("https://openrouter.ai/api/v1"))


async def test_a_local_server_needs_no_key(spans: ChatSpans) -> None:
    with ChatServer([FOUND]) as server:
        await ask(settings_for(server.url), spans)
    assert server.headers[0]["authorization"] == f"Bearer {models.NO_KEY}"


@pytest.mark.parametrize("trouble", [Fail(429, headers={"retry-after-ms": "1"}), Fail(503), Fail(500)])
async def test_a_passing_trouble_is_tried_again(trouble: Fail, spans: ChatSpans) -> None:
    with ChatServer([trouble, trouble, FOUND]) as server:
        shown, _ = await ask(settings_for(server.url), spans)
    assert shown == FOUND.text
    assert len(server.requests) == 3


async def test_a_wrong_key_is_tried_once_and_never_shown(spans: ChatSpans) -> None:
    key = "sk-verysecret0123456789"
    sentence, server = await fails([Fail(401, f"Incorrect API key: {key}")], spans, model_api_key=key)
    assert sentence.startswith("127.0.0.1 does not accept the key. Put a valid one in GLASSDESK_MODEL_API_KEY")
    assert key not in sentence and len(server.requests) == 1


async def test_an_unknown_model_is_said(spans: ChatSpans) -> None:
    sentence, _ = await fails([Fail(404, "The model does not exist", "model_not_found")], spans)
    assert "has no model of this name" in sentence


async def test_a_server_that_is_not_there_is_said(spans: ChatSpans) -> None:
    with ChatServer([]) as server:
        url = server.url
    with pytest.raises(ModelError, match="cannot be reached"):
        await ask(settings_for(url), spans)


async def test_a_server_that_does_not_answer_in_time_is_said(spans: ChatSpans) -> None:
    sentence, _ = await fails([Slow(FOUND, before=0.5)] * 3, spans, model_timeout=0.05)
    assert "did not answer in time" in sentence


async def test_a_web_page_instead_of_a_model_is_said(spans: ChatSpans) -> None:
    sentence, server = await fails([HTML, HTML], spans)
    assert "did not answer like a model server" in sentence and len(server.requests) == 2


async def test_broken_json_in_the_stream_is_said(spans: ChatSpans) -> None:
    sentence, server = await fails([Raw("data: {broken\n\n")] * 2, spans)
    assert "did not answer like a model server" in sentence and len(server.requests) == 2


async def test_a_stream_of_nothing_is_said(spans: ChatSpans) -> None:
    assert "did not answer like a model server" in (await fails([Raw("data: [DONE]\n\n")] * 2, spans))[0]


@pytest.mark.parametrize("nothing", [Answer(""), Answer("  \n")])
async def test_an_empty_answer_is_asked_for_again(nothing: Step, spans: ChatSpans) -> None:
    with ChatServer([nothing, FOUND]) as server:
        shown, result = await ask(settings_for(server.url), spans)
    assert result.final_output == FOUND.text and shown.endswith(FOUND.text)
    assert (await fails([nothing, nothing], spans))[0] == EMPTY


async def test_an_answer_that_breaks_off_is_not_begun_again(spans: ChatSpans) -> None:
    sentence, server = await fails([Broken(FOUND, after=4), FOUND], spans)
    assert "broke in the middle" in sentence and len(server.requests) == 1


async def test_a_fault_that_comes_within_the_stream_is_said(spans: ChatSpans) -> None:
    error = json.dumps({"error": {"code": 429, "message": "Rate limited upstream"}})
    sentence, _ = await fails([Raw(f"data: {error}\n\n")], spans)
    assert "asked too often" in sentence


async def test_content_that_the_provider_withholds_is_said(spans: ChatSpans) -> None:
    with ChatServer([Answer("", finish="content_filter")]) as server, pytest.raises(ModelRefusalError) as caught:
        await ask(settings_for(server.url), spans)
    assert "refused this content" in explain(caught.value).sentence
