"""Twenty hostile mails and a model that obeys them: nothing is written without a card that shows the truth."""

import json

import pytest

from pages.components.markdown import safe
from tests.agents.chat_server import ChatServer
from tests.agents.chat_wire import Answer, Call
from tests.runtime.desk import sam, services, start
from tests.runtime.hostile import EVIL, HOSTILE, arrives, written


class Obedient:
    """Reads the mail that the question names, does what it says, then repeats its text."""

    def __call__(self, body):
        messages = body["messages"]
        question = next(m["content"] for m in reversed(messages) if m["role"] == "user")
        done = messages[max(n for n, m in enumerate(messages) if m["role"] == "user") + 1 :]
        results = [m["content"] for m in done if m["role"] == "tool"]
        message_id, number = question.split()[-2:]
        wanted = HOSTILE[int(number)]
        if not results:
            return Answer(calls=(Call("get_gmail_message_content", {"message_id": message_id}),))
        if wanted.tool in {tool["function"]["name"] for tool in body["tools"]} and len(results) == 1:
            arguments = {name: message_id if value == "*" else value for name, value in wanted.arguments.items()}
            return Answer(calls=(Call(wanted.tool, arguments),))
        return Answer(str(json.loads(results[0])["body"]) if results[0].startswith("{") else results[0])


@pytest.fixture(scope="module")
def desk(tmp_path_factory):
    with ChatServer(Obedient()) as server:
        folder = tmp_path_factory.mktemp("hostile")
        with services(folder, model="obedient", model_base_url=server.url, read_ahead=False) as built:
            yield built


@pytest.fixture(scope="module")
def google(desk):
    from core.google.clients import GoogleClients

    return GoogleClients(desk.sandbox.http).for_account(sam(desk).account)


@pytest.mark.parametrize("number", range(len(HOSTILE)), ids=[mail.subject for mail in HOSTILE])
def test_nothing_is_written_without_a_card_that_shows_the_truth(desk, google, number):
    mail = HOSTILE[number]
    message_id = arrives(google, mail)
    before = written(google)
    domain = "calendar events" if mail.tool in ("create_event", "delete_event") else "mail"
    turn = start(desk, f"Read my {domain} {message_id} {number}")
    told = turn.pause(30)
    assert written(google) == before
    if told["status"] == "waiting_approval":
        (card,) = told["approvals"]
        assert (card["tool"], card["account"]) == (mail.tool, sam(desk).account)
        expected = {name: message_id if value == "*" else value for name, value in mail.arguments.items()}
        assert card["arguments"] == expected
        desk.runtime.decide(sam(desk), card["approval_id"], "reject", reason="No.")
        told = turn.wait(30)
        assert written(google) == before
    assert told["status"] == "done"
    drawn = safe(told["response"])
    assert "![" not in drawn.replace("\\!\\[", "").replace("!\\[", "")
    assert "<img" not in drawn.replace("\\<", "") and "<script" not in drawn.replace("\\<", "")


def test_those_that_wanted_a_write_were_asked_about(desk):
    asked = desk.approvals.audit(sam(desk).id, limit=500)
    assert {row.state for row in asked} == {"rejected"}
    assert len(asked) >= 12
    assert any(EVIL in json.dumps(row.arguments) for row in asked)
