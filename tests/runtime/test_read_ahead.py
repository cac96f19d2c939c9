"""A plain read begins before the model is asked; anything else is the model's."""

import json

import pytest

from core.runtime.events import EventType
from core.sandbox.faults import Fault
from tests.agents.chat_server import ChatServer, Fail
from tests.agents.chat_wire import Answer, Call
from tests.runtime.desk import SECONDS, ask, sam, services, start, tree

SAID = Answer("You have **six** unread mails.")
MAIL = Call("send_gmail_message", {"to": "ana@lumenworks.example", "subject": "Read", "body": "Six are unread."})
FRIDAY = Call("search_gmail_messages", {"query": "invoice friday"})


@pytest.fixture(scope="module")
def model():
    steps = []
    with ChatServer(lambda _: steps.pop(0) if steps else Fail(400, "The script is over.")) as server:
        server.steps = steps
        yield server


@pytest.fixture(scope="module")
def desk(model, tmp_path_factory):
    with services(tmp_path_factory.mktemp("ahead"), model="m", model_base_url=model.url) as built:
        yield built


@pytest.fixture(autouse=True)
def fresh(model):
    model.steps.clear()
    model.requests.clear()


def test_a_plain_question_costs_one_model_call(desk, model):
    model.steps[:] = [SAID]
    turn = ask(desk, "Show my unread emails")
    assert (turn["status"], turn["response"], turn["usage"]["requests"]) == ("done", SAID.text, 1)
    assert [call["tool"] for call in turn["tool_calls"]] == ["search_gmail_messages"]
    call, result = model.requests[0]["messages"][-2:]
    assert json.loads(call["tool_calls"][0]["function"]["arguments"]) == {"query": "is:unread"}
    assert len(json.loads(result["content"])["messages"]) == 6


def test_it_is_in_the_trace(desk, model):
    model.steps[:] = [SAID]
    (root,) = tree(desk, ask(desk, "Show my unread emails")["turn_id"])
    agent = next(child for child in root[1] if child[0] == "invoke_agent Gmail")
    names = [child if isinstance(child, str) else child[0] for child in agent[1]]
    assert names == ["read.ahead", "execute_tool search_gmail_messages", "chat m"]


def test_the_model_may_look_again(desk, model):
    model.steps[:] = [Answer(calls=(FRIDAY,)), SAID]
    turn = ask(desk, "Show my unread emails")
    assert [call["status"] for call in turn["tool_calls"]] == ["ok", "ok"]
    assert turn["usage"]["requests"] == 2


@pytest.mark.parametrize(
    "question",
    [
        "Which of my mails about the offsite needs an answer first, and why do you think so?",
        "Write a limerick about my inbox",
        "Send Ana a mail that I agree",
        "Delete all newsletters in my inbox",
    ],
)
def test_what_is_no_plain_read_is_the_models(desk, model, question):
    model.steps[:] = [Answer("Hm."), Answer("Hm.")]
    turn = ask(desk, question)
    assert turn["response"] == "Hm."
    assert turn["tool_calls"] == []


def test_a_read_that_fails_is_told_to_the_model(desk, model):
    desk.sandbox.faults.add(Fault("messages", kind="status", status=403, reason="accessNotConfigured", remaining=5))
    model.steps[:] = [Answer("Gmail is not enabled.")]
    turn = ask(desk, "Show my unread emails")
    desk.sandbox.faults.clear()
    assert turn["response"] == "Gmail is not enabled."
    assert "Enable" in model.requests[0]["messages"][-1]["content"]


def test_a_write_that_follows_waits_and_goes_on_with_what_was_read(desk, model):
    model.steps[:] = [Answer(calls=(MAIL,)), SAID]
    turn = start(desk, "Show my unread emails")
    (approval,) = turn.pause(SECONDS)["approvals"]
    desk.runtime.decide(sam(desk), approval["approval_id"], "approve")
    done = turn.wait(SECONDS)
    assert (done["status"], done["response"]) == ("done", SAID.text)
    assert [call["tool"] for call in done["tool_calls"]] == ["search_gmail_messages", "send_gmail_message"]
    heard = [message["role"] for message in model.requests[1]["messages"] if message["role"] != "system"]
    assert heard == ["user", "assistant", "tool", "assistant", "tool"]


def test_what_was_read_can_be_referred_to_in_the_next_question(desk, model):
    model.steps[:] = [SAID, Answer("It is about the lamps.")]
    first = ask(desk, "Show my unread emails")
    second = ask(desk, "Why does the second one matter to me, do you think?", first["conversation_id"])
    assert second["response"] == "It is about the lamps."
    assert [message["role"] for message in model.requests[1]["messages"]][1:5] == [
        "user",
        "assistant",
        "tool",
        "assistant",
    ]
    kept = desk.conversations.exchange(sam(desk).id, first["turn_id"])
    assert [step["tool"] for step in kept.steps] == ["search_gmail_messages"]


def test_a_turn_that_is_stopped_while_it_reads_ahead_says_so(desk, model):
    desk.sandbox.faults.add(Fault("GET /gmail/v1/users/[^/]+/messages$", "latency", seconds=5, remaining=1))
    turn = start(desk, "Show my unread emails")
    for event in turn.log.read():
        if event is not None and event.type is EventType.TOOL_STARTED:
            turn.cancel()
    desk.sandbox.faults.clear()
    assert turn.wait(SECONDS)["status"] == "stopped"
    assert model.requests == []


def test_a_specialist_that_is_delegated_to_reads_ahead(desk, model):
    def step(body):
        names = {tool["function"]["name"] for tool in body["tools"]}
        if "gmail_task" in names and body["messages"][-1]["role"] != "tool":
            return Answer(calls=(Call("gmail_task", {"query": "Show my unread emails"}),))
        return SAID

    model._script, script = step, model._script
    turn = ask(desk, "Hm, which of the two shall it be?")
    model._script = script
    assert (turn["status"], turn["route"], turn["usage"]["requests"]) == ("done", "orchestrated", 3)
    assert [(call["tool"], call["status"]) for call in turn["tool_calls"]] == [("search_gmail_messages", "ok")]
    (root,) = tree(desk, turn["turn_id"])
    assistant = next(child for child in root[1] if child[0] == "invoke_agent Assistant")
    (task,) = [child for child in assistant[1] if child[0] == "execute_tool gmail_task"]
    names = [child if isinstance(child, str) else child[0] for child in task[1]]
    assert names == ["read.ahead", "execute_tool search_gmail_messages", "invoke_agent Gmail"]


def test_a_specialist_that_is_delegated_to_goes_on_with_what_it_had_read(desk, model):
    def step(body):
        names = {tool["function"]["name"] for tool in body["tools"]}
        if "gmail_task" in names:
            task = Answer(calls=(Call("gmail_task", {"query": "Show my unread emails"}),))
            return SAID if body["messages"][-1]["role"] == "tool" else task
        called = [call["function"]["name"] for one in body["messages"] for call in one.get("tool_calls") or ()]
        return SAID if MAIL.name in called else Answer(calls=(MAIL,))

    model._script, script = step, model._script
    turn = start(desk, "Hm, which of the two shall it be?")
    (approval,) = turn.pause(SECONDS)["approvals"]
    desk.runtime.decide(sam(desk), approval["approval_id"], "approve")
    done = turn.wait(SECONDS)
    model._script = script
    assert (done["status"], done["response"]) == ("done", SAID.text)
    assert [call["tool"] for call in done["tool_calls"]] == ["search_gmail_messages", "send_gmail_message"]
    last = [body for body in model.requests if "search_gmail_messages" in str(body["tools"])][-1]
    assert [one["role"] for one in last["messages"]][1:] == ["user", "assistant", "tool", "assistant", "tool"]
