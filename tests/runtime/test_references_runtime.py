"""The tools for what was shown, through the app: a model uses them in the next turn of a conversation."""

import json
import time

import pytest

from telemetry.queries import Selection
from telemetry.toolstats import ToolStats
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
    assert [(call["tool"], call["agent"], call["status"]) for call in turn["tool_calls"]] == [(name, "Gmail", "ok")]
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


def test_a_call_of_a_utility_counts_like_any_tools_and_one_that_failed_as_failed(tmp_path):
    with scripted(tmp_path) as app:
        conversation = ask(app, LIST)["conversation_id"]
        asked = [("get_context_state", {}), ("get_context_list", {"limit": 0})]
        turn = ask(app, direct(asked), conversation)
        assert [(call["tool"], call["status"]) for call in turn["tool_calls"]] == [
            ("get_context_state", "ok"),
            ("get_context_list", "error"),
        ]
        now = time.time_ns()
        rows = ToolStats(app.telemetry.store).table(sam(app).id, Selection(now - 10**12, now))
        kept = {row.tool: (row.calls, row.ok, row.failed, bool(row.result_bytes)) for row in rows}
        assert kept["get_context_state"] == (1, 1, 0, True)
        assert kept["get_context_list"] == (1, 0, 1, True)
        errors = ToolStats(app.telemetry.store).errors(sam(app).id, Selection(now - 10**12, now))
        assert errors == {"get_context_list": {"tool_error": 1}}
        app.switchboard.switch(sam(app), "agent", "context", on=False)
        off = ask(app, direct([("get_context_state", {})]), conversation)
        assert off["tool_calls"] == [] and "get_context_state" in off["response"]
