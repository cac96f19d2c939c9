"""Turns with a language model behind real HTTP: a loopback server follows a script."""

import json

import pytest

from core.registry.display import MORE
from tests.agents.chat_server import Broken, ChatServer, Fail, Raw, Slow
from tests.agents.chat_wire import Answer, Call
from tests.runtime.desk import ask, sam, services, start, tree

KEY = "sk-planted-secret-key-0123456789"
UNREAD = Answer(calls=(Call("search_gmail_messages", {"query": "is:unread"}),))
SAID = Answer("You have **six** unread mails.")


class Model:
    """The server and what it will do next."""

    def __init__(self):
        self.steps = []
        self.server = ChatServer(lambda body: self.steps.pop(0) if self.steps else Fail(400, "The script is over."))

    def next(self, *steps):
        self.steps[:] = steps
        self.server.requests.clear()


@pytest.fixture(scope="module")
def model():
    found = Model()
    with found.server:
        yield found


@pytest.fixture(scope="module")
def desk(model, tmp_path_factory):
    access = {"model": "gpt-4o-mini", "model_base_url": model.server.url, "model_api_key": KEY}
    settings = {**access, "model_timeout": 2, "read_ahead": False}
    with services(tmp_path_factory.mktemp("models"), **settings) as built:
        yield built


def test_a_tool_is_called_and_the_answer_streams(desk, model):
    model.next(UNREAD, SAID)
    turn = ask(desk, "Show my unread emails")
    assert (turn["status"], turn["response"], turn["agents"]) == ("done", SAID.text, ["Gmail"])
    assert turn["usage"] == {
        "requests": 2,
        "input_tokens": 240,
        "cached_input_tokens": 0,
        "output_tokens": 60,
        "reasoning_tokens": 0,
        "estimated": False,
    }
    result = json.loads(model.server.requests[1]["messages"][-1]["content"])
    assert result["query"] == "is:unread"
    assert len(result["messages"]) == 6


def names_of(request):
    return {tool["function"]["name"] for tool in request["tools"]}


def test_it_sees_only_its_own_tools_and_the_persons_date(desk, model):
    model.next(SAID)
    ask(desk, "Show my unread emails")
    request = model.server.requests[0]
    own = {tool.name for tool in desk.catalogue.domains["gmail"].tools}
    [more] = [tool["function"] for tool in request["tools"] if tool["function"]["name"] == MORE]
    hidden = {name for name in own if name in more["description"]}
    assert names_of(request) >= own - hidden and not names_of(request) & hidden
    assert "search_gmail_messages" not in hidden and "list_gmail_filters" in hidden
    assert "Europe/Berlin" in request["messages"][0]["content"]
    assert request["stream_options"] == {"include_usage": True}


def test_it_is_given_all_its_tools_once_it_asks_for_more(desk, model):
    model.next(Answer(calls=(Call(MORE, {}),)), SAID)
    turn = ask(desk, "Show my unread emails")
    assert (turn["status"], turn["response"], turn["tool_calls"]) == ("done", SAID.text, [])
    own = {tool.name for tool in desk.catalogue.domains["gmail"].tools}
    assert names_of(model.server.requests[1]) >= own and MORE not in names_of(model.server.requests[1])


def test_the_orchestrator_asks_both_specialists_in_parallel(desk, model):
    mail = Call("gmail_task", {"query": "What did Lena write about the offsite?"})
    day = Call("google_calendar_task", {"query": "Am I free on 17 December?"})

    def step(body):
        text = json.dumps(body["messages"], ensure_ascii=False)
        names = {tool["function"]["name"] for tool in body["tools"]}
        done = body["messages"][-1]["role"] == "tool"
        if "gmail_task" in names:
            return Answer("Lena offers two dates; you are free.") if done else Answer(calls=(mail, day))
        if "search_gmail_messages" in names:
            return (
                Answer("Two dates.") if done else Answer(calls=(Call("search_gmail_messages", {"query": "offsite"}),))
            )
        assert "get_events" in names, text
        return Answer("Free.")

    model.server._script = step
    turn = ask(desk, "Find Ana's mail about the offsite and check whether I'm free that day")
    model.server._script = lambda body: model.steps.pop(0) if model.steps else Fail(400, "The script is over.")
    assert (turn["status"], turn["route"]) == ("done", "orchestrated")
    assert turn["agents"] == ["Assistant", "Gmail", "Calendar"]
    (root,) = tree(desk, turn["turn_id"])
    assistant = next(child for child in root[1] if child[0] == "invoke_agent Assistant")
    assert sorted(child[0] for child in assistant[1] if isinstance(child, tuple)) == [
        "execute_tool gmail_task",
        "execute_tool google_calendar_task",
    ]
    assert sum(phase["ns"] for phase in turn["phases"]) == turn["wall_ns"]


def test_a_call_written_as_text_is_a_call(desk, model):
    written = '```json\n{"name": "search_gmail_messages", "arguments": {"query": "is:unread"}}\n```'
    model.next(Answer(written), SAID)
    turn = start(desk, "Show my unread emails")
    ended = turn.wait(30)
    assert (ended["response"], [call["tool"] for call in ended["tool_calls"]]) == (SAID.text, ["search_gmail_messages"])
    said = "".join(event.data["text"] for event in turn.log.after() if event.type == "delta")
    assert "search_gmail_messages" not in said


def test_words_before_a_tool_are_no_answer(desk, model):
    model.next(Answer("Let me look. ", calls=UNREAD.calls), SAID)
    turn = start(desk, "Show my unread emails")
    assert turn.wait(30)["response"] == SAID.text
    kinds = [event.type.value for event in turn.log.after()]
    assert kinds.index("restart") > kinds.index("delta")


@pytest.mark.parametrize(
    ("steps", "said"),
    [
        ([Fail(401, "Incorrect API key provided", "invalid_api_key")], "key"),
        ([Fail(404, "The model does not exist", "model_not_found")], "model"),
        ([Fail(402, "Insufficient credits")], "credit"),
        ([Raw("<html>It works!</html>", "text/html")] * 6, ""),
        ([Raw("data: {broken\n\n")] * 6, ""),
        ([Answer(""), Answer(""), Answer("")], ""),
        ([Slow(SAID, before=5)] * 6, "time"),
        ([Answer(calls=(Call("no_such_tool", {}),))] * 12, ""),
        ([Answer(calls=(Call("search_gmail_messages", "{not json"),))] * 12, ""),
    ],
    ids=["key", "model", "credit", "html", "json", "empty", "slow", "unknown tool", "broken arguments"],
)
def test_what_a_model_does_wrong_is_a_sentence_with_a_next_step(desk, model, steps, said):
    model.next(*steps)
    turn = ask(desk, "Show my unread emails")
    assert turn["status"] == "failed"
    assert said in turn["error"].lower()
    assert turn["error"].endswith((".", "!")) and len(turn["error"]) > 30
    assert "Traceback" not in turn["error"]
    assert desk.conversations.exchange(sam(desk).id, turn["turn_id"]).error == turn["error"]
    assert sum(phase["ns"] for phase in turn["phases"]) == turn["wall_ns"]


def test_a_stream_that_breaks_keeps_what_was_said(desk, model):
    model.next(Broken(SAID, after=5))
    turn = ask(desk, "Show my unread emails")
    assert turn["status"] == "failed"
    assert SAID.text.startswith(turn["response"]) and turn["response"]


def test_usage_that_is_missing_is_unknown_not_zero(desk, model):
    model.next(Answer("Hello.", usage=None))
    turn = ask(desk, "Show my unread emails")
    assert turn["usage"]["input_tokens"] is None
    assert turn["cost_usd"] is None


def test_stopping_cancels_the_models_stream(desk, model):
    model.next(Slow(Answer("word " * 200), between=0.02))
    turn = start(desk, "Show my unread emails")
    next(event for event in turn.log.read() if event and event.type == "delta")
    turn.cancel()
    ended = turn.wait(30)
    assert ended["status"] == "stopped"
    assert ended["response"].startswith("word")
    assert ended["usage"]["input_tokens"] is None


def test_the_key_is_nowhere(desk, model, tmp_path_factory):
    model.next(Fail(401, f"Incorrect API key provided: {KEY}", "invalid_api_key"))
    turn = ask(desk, f"Show my unread emails, my key is {KEY}")
    assert KEY not in (turn["error"] or "")
    desk.telemetry.flush()
    for file in desk.settings.data_dir.glob("telemetry.db*"):
        assert KEY.encode() not in file.read_bytes()
