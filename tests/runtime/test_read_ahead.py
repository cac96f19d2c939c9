"""A plain read begins before the model is asked; anything else is the model's."""

import json

import pytest

from tests.agents.chat_server import ChatServer, Fail
from tests.agents.chat_wire import Answer, Call
from tests.runtime.desk import ask, services, tree

SAID = Answer("You have **six** unread mails.")
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
    from core.sandbox.faults import Fault

    desk.sandbox.faults.add(Fault("messages", kind="status", status=403, reason="accessNotConfigured", remaining=5))
    model.steps[:] = [Answer("Gmail is not enabled.")]
    turn = ask(desk, "Show my unread emails")
    desk.sandbox.faults.clear()
    assert turn["response"] == "Gmail is not enabled."
    assert "Enable" in model.requests[0]["messages"][-1]["content"]
