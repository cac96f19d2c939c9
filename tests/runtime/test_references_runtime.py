"""The tools for what was shown, through the app: a model uses them in the next turn of a conversation."""

import json

import pytest

from tests.runtime.desk import ask, sam
from tests.runtime.script import direct, scripted

LIST = direct([("search_gmail_messages", {"query": "is:unread", "page_size": 3})])


@pytest.fixture(scope="module")
def app(tmp_path_factory):
    with scripted(tmp_path_factory.mktemp("references"), cache_entries=10) as built:
        yield built


def refer(app, conversation_id, name, **arguments):
    turn = ask(app, direct([(name, arguments)]), conversation_id)
    (step,) = app.conversations.exchange(sam(app).id, turn["turn_id"]).steps
    assert (turn["status"], step["tool"], step["status"]) == ("done", name, "ok")
    return json.loads(turn["response"])


def test_what_one_turn_shows_the_next_refers_to_and_no_other_conversation_knows(app):
    shown = ask(app, LIST)
    conversation = shown["conversation_id"]
    listed = refer(app, conversation, "get_context_list")
    assert listed["total"] == 3
    second = refer(app, conversation, "resolve_reference", reference="the second one")["item"]
    assert second["id"] == listed["items"][1]["id"]
    refer(app, conversation, "set_current_item", kind="mail", item_id=second["id"])
    assert refer(app, conversation, "get_context_state")["current"]["id"] == second["id"]
    assert refer(app, conversation, "list_active_domains")["domains"] == [
        {"domain": "gmail", "title": "Gmail", "items": 3}
    ]
    other = ask(app, direct([("look", {})]))["conversation_id"]
    elsewhere = ask(app, direct([("resolve_reference", {"reference": "the second one"})]), other)
    assert second["id"] not in elsewhere["response"]
