"""The assistant as a model of the Agents SDK, with the real tools over the sandbox."""

from zoneinfo import ZoneInfo

import pytest
from agents import Agent, ModelSettings, Runner, function_tool, set_trace_processors
from agents.models.interface import ModelTracing
from agents.tracing import TracingProcessor
from opentelemetry import trace

from core.agents.offline.model import OfflineModel
from core.google.clients import GoogleClients
from core.mcp_server.client import InProcessTools
from core.mcp_server.server import build_server
from core.registry.manifests import load_catalogue
from core.sandbox.sandbox import Sandbox
from core.users import SANDBOX_ACCOUNT
from tests.agents.offline_desk import brain

ZONE = ZoneInfo("Europe/Berlin")


class Spans(TracingProcessor):
    """Keeps the generation spans."""

    def __init__(self):
        self.generations = []

    def on_span_end(self, span):
        if span.span_data.type == "generation":
            self.generations.append(span.span_data)

    def on_trace_start(self, trace): ...
    def on_trace_end(self, trace): ...
    def on_span_start(self, span): ...
    def shutdown(self): ...
    def force_flush(self): ...


@pytest.fixture(scope="module")
def mind():
    return brain()


@pytest.fixture
def spans():
    kept = Spans()
    set_trace_processors([kept])
    yield kept
    set_trace_processors([])


@pytest.fixture(scope="module")
def sandbox(tmp_path_factory):
    world = Sandbox(tmp_path_factory.mktemp("world") / "sandbox.db", ZONE.key)
    world.open()
    yield world
    world.close()


async def converse(mind, sandbox, folder, domain, questions):
    """The answers, and all items of the conversation."""
    clients = GoogleClients(sandbox.http)
    server = build_server(
        load_catalogue(), [domain], clients, account=SANDBOX_ACCOUNT, zone=ZONE, downloads=folder / "files"
    )
    tools = InProcessTools(server, trace.get_current_span)
    await tools.connect()
    agent = Agent("Specialist", mcp_servers=[tools], model=OfflineModel(mind, ZONE))
    items, answers = [], []
    try:
        for question in questions:
            result = Runner.run_streamed(agent, [*items, {"role": "user", "content": question}])
            async for _ in result.stream_events():
                pass
            answers.append(result.final_output)
            items = result.to_input_list()
    finally:
        await tools.cleanup()
    return answers, items


async def test_a_conversation_about_mail_over_the_real_tools(mind, sandbox, tmp_path):
    answers, items = await converse(
        mind,
        sandbox,
        tmp_path,
        "gmail",
        [
            "Show my unread emails",
            "Find the mail from Ana about the invoice",
            "open it",
            "how many files are attached?",
        ],
    )
    assert "Invoice 2041" in answers[0]
    assert "製品ロードマップのレビュー" in answers[0]
    assert answers[1].startswith("1 mail from Ana about “invoice”:")
    assert "\n> Hi Sam" in answers[2]
    calls = [item["name"] for item in items if item.get("type") == "function_call"]
    assert calls[:3] == ["search_gmail_messages", "search_gmail_messages", "get_gmail_message_content"]


async def test_a_conversation_about_the_calendar_over_the_real_tools(mind, sandbox, tmp_path):
    answers, items = await converse(
        mind,
        sandbox,
        tmp_path,
        "calendar",
        ["What's on my calendar tomorrow?", "next free slot", "is Kenji free tomorrow?"],
    )
    assert "**Tomorrow, " in answers[0] or answers[0] == "Nothing is on your calendar tomorrow."
    assert answers[1].startswith("Your next free time of at least 30 minutes")
    assert "Kenji" in answers[2]
    calls = [item["name"] for item in items if item.get("type") == "function_call"]
    assert calls == ["get_events", "query_freebusy", "list_calendars", "query_freebusy"]


async def test_it_streams_the_answer_in_small_pieces_that_make_it_up(mind):
    agent = Agent("Assistant", model=OfflineModel(mind, ZONE), tools=[task()])
    result = Runner.run_streamed(agent, "what can you do?")
    raw = [event.data async for event in result.stream_events() if event.type == "raw_response_event"]
    deltas = [event.delta for event in raw if event.type == "response.output_text.delta"]
    assert "".join(deltas) == result.final_output
    assert len(deltas) > 10
    assert [event.sequence_number for event in raw] == list(range(len(raw)))


async def test_its_span_names_it_and_marks_usage_as_estimated(mind, spans):
    agent = Agent("Assistant", model=OfflineModel(mind, ZONE), tools=[task()])
    streamed = Runner.run_streamed(agent, "hello")
    async for _ in streamed.stream_events():
        pass
    plain = await Runner.run(agent, "hello")
    assert streamed.final_output == plain.final_output
    for data in spans.generations:
        assert data.model == "glassdesk-offline"
        assert data.model_config == {"provider": "glassdesk", "glassdesk.usage.estimated": True}
        assert data.usage["input_tokens"] > 0
        assert data.usage["output_tokens"] > 0
    assert len(spans.generations) == 2
    assert plain.context_wrapper.usage.total_tokens == streamed.context_wrapper.usage.total_tokens


async def test_content_stays_out_of_the_span_where_that_is_asked(mind, spans):
    model = OfflineModel(mind, ZONE)
    await model.get_response(
        None,
        "hello",
        ModelSettings(),
        [],
        None,
        [],
        ModelTracing.ENABLED_WITHOUT_DATA,
        previous_response_id=None,
        conversation_id=None,
        prompt=None,
    )
    assert [data.input for data in spans.generations] in ([], [None])


def task():
    @function_tool(name_override="gmail_task")
    def gmail_task(query: str) -> str:
        """Mail."""
        return "Done."

    return gmail_task
