"""Turns end to end, offline: answers, their traces, their accounts, and what goes wrong."""

import threading
import time

import pytest

from core.errors import BadInput, Busy, NotFound, Unavailable
from core.runtime.events import EventType
from tests.runtime.desk import ask, sam, services, start, tree

SEARCH = [
    (
        "execute_tool search_gmail_messages",
        [
            (
                "tools/call search_gmail_messages",
                [("tools/call search_gmail_messages", ["gmail.users.messages.list", "gmail.batch"])],
            )
        ],
    )
]
FIRST_QUESTION = [
    (
        "turn",
        [
            "persist",
            "route",
            ("invoke_agent Gmail", ["chat glassdesk-offline", *SEARCH, "chat glassdesk-offline"]),
            "persist",
        ],
    )
]


@pytest.fixture(scope="module")
def desk(tmp_path_factory):
    with services(tmp_path_factory.mktemp("turns")) as built:
        yield built


def test_the_first_question_lists_the_unread_mails(desk):
    turn = ask(desk, "Show my unread emails")
    assert (turn["status"], turn["route"], turn["agents"]) == ("done", "direct", ["Gmail"])
    for subject in ("Invoice 2041", "製品ロードマップのレビュー", "Offsite"):
        assert subject in turn["response"]
    assert [(call["tool"], call["status"]) for call in turn["tool_calls"]] == [("search_gmail_messages", "ok")]


def test_its_span_tree_is_exactly_this(desk):
    assert tree(desk, ask(desk, "Show my unread emails")["turn_id"]) == FIRST_QUESTION


def test_its_phases_sum_to_its_wall_time(desk):
    turn = ask(desk, "Show my unread emails")
    phases = {phase["phase"]: phase["ns"] for phase in turn["phases"]}
    assert sum(phases.values()) == turn["wall_ns"]
    assert min(phases.values()) > 0
    assert phases.keys() >= {"routing", "specialist_llm", "tool", "google_api", "persist", "framework"}
    assert 0 < turn["first_token_ns"] < turn["wall_ns"]


def test_its_tokens_are_estimates_and_it_costs_nothing(desk):
    turn = ask(desk, "Show my unread emails")
    assert turn["usage"]["requests"] == 2
    assert turn["usage"]["estimated"] is True
    assert turn["usage"]["input_tokens"] > turn["usage"]["output_tokens"] > 0
    assert turn["cost_usd"] == "0"


@pytest.mark.parametrize(
    ("question", "agent", "said"),
    [
        ("What's on my calendar tomorrow?", "Calendar", "omorrow"),
        ("Find the mail from Ana about the invoice", "Gmail", "Invoice 2041"),
    ],
)
def test_everyday_questions_go_straight_to_their_specialist(desk, question, agent, said):
    turn = ask(desk, question)
    assert (turn["route"], turn["agents"], turn["status"]) == ("direct", [agent], "done")
    assert said in turn["response"]


def test_a_follow_up_knows_what_was_shown(desk):
    first = ask(desk, "Show my unread emails")
    newest = ask(desk, "Which of those is the newest?", first["conversation_id"])
    assert newest["agents"] == ["Gmail"]
    assert "2041" in newest["response"]
    assert "製品" not in newest["response"]


def test_what_it_cannot_do_is_said(desk):
    turn = ask(desk, "Order me a pizza")
    assert (turn["status"], turn["tool_calls"]) == ("done", [])
    assert "not a language model" in turn["response"]


def test_a_turn_tells_what_happens_in_order(desk):
    turn = start(desk, "Show my unread emails")
    turn.wait(30)
    kinds = [event.type for event in turn.log.after()]
    head = [EventType.STARTED, EventType.ROUTED, EventType.AGENT, EventType.TOOL_STARTED, EventType.TOOL_FINISHED]
    assert kinds[:5] == head
    assert set(kinds[5:-1]) == {EventType.DELTA}
    assert kinds[-1] is EventType.FINISHED
    said = "".join(event.data["text"] for event in turn.log.after() if event.type is EventType.DELTA)
    assert said.strip() == turn.wait(0)["response"]
    finished = turn.log.after(4)[0].data
    assert (finished["status"], finished["summary"]) == ("ok", "6 messages")


def test_the_conversation_keeps_what_was_said(desk):
    turn = ask(desk, "Show my unread emails")
    (kept,) = desk.conversations.exchanges(sam(desk).id, turn["conversation_id"])
    assert (kept.turn_id, kept.status, kept.answer) == (turn["turn_id"], "done", turn["response"])
    assert [step["tool"] for step in kept.steps] == ["search_gmail_messages"]


def test_twenty_four_turns_at_once_have_equal_trees_of_their_own(desk):
    turns = [start(desk, "Show my unread emails") for _ in range(24)]
    ended = [turn.wait(60) for turn in turns]
    assert {turn["status"] for turn in ended} == {"done"}
    for turn in ended:
        assert tree(desk, turn["turn_id"]) == FIRST_QUESTION
        assert sum(phase["ns"] for phase in turn["phases"]) == turn["wall_ns"]
        spans = desk.glass.spans(sam(desk).id, turn["turn_id"])
        assert {span.conversation_id for span in spans} == {turn["conversation_id"]}


@pytest.mark.parametrize(("message", "said"), [("", "Type a question"), (" \n\t", "Type a question")])
def test_an_empty_message_is_a_sentence(desk, message, said):
    with pytest.raises(BadInput, match=said):
        start(desk, message)


def test_too_long_a_message_says_how_long_it_may_be(desk):
    with pytest.raises(BadInput, match=r"100,000 characters; a question may have 32,000"):
        start(desk, "x" * 100_000)


def test_the_longest_message_is_answered(desk):
    assert ask(desk, "Show my unread emails " + "x" * 31_000)["status"] == "done"


def test_a_conversation_of_nobody_is_not_found(desk):
    with pytest.raises(NotFound):
        start(desk, "Show my unread emails", "no-such-conversation")


def test_one_question_at_a_time_in_a_conversation(desk):
    desk.sandbox.faults.add(latency(seconds=0.5))
    first = start(desk, "Show my unread emails")
    with pytest.raises(Busy, match="still being answered"):
        start(desk, "And tomorrow?", first.conversation_id)
    assert first.wait(30)["status"] == "done"
    assert ask(desk, "What's on my calendar tomorrow?", first.conversation_id)["status"] == "done"


def test_stopping_ends_the_turn_at_once_and_keeps_its_account(desk):
    desk.sandbox.faults.add(latency(seconds=8))
    turn = start(desk, "Show my unread emails")
    while EventType.TOOL_STARTED not in [event.type for event in turn.log.after()]:
        time.sleep(0.005)
    asked = time.monotonic()
    turn.cancel()
    ended = turn.wait(30)
    assert time.monotonic() - asked < 7  # it does not wait for Google
    assert (ended["status"], ended["usage"]["requests"]) == ("stopped", 1)
    assert sum(phase["ns"] for phase in ended["phases"]) == ended["wall_ns"]
    assert desk.conversations.exchange(sam(desk).id, turn.id).status == "stopped"
    desk.sandbox.faults.clear()


def test_stopping_what_has_ended_changes_nothing(desk):
    turn = start(desk, "Show my unread emails")
    ended = turn.wait(30)
    turn.cancel()
    assert turn.wait(0) == ended


def test_a_tool_that_fails_is_told_in_a_sentence(desk):
    desk.sandbox.faults.add(status(403, reason="accessNotConfigured"))
    turn = ask(desk, "Show my unread emails")
    desk.sandbox.faults.clear()
    assert turn["tool_calls"][0]["status"] == "error"
    assert "Gmail API" in turn["response"]


def test_readers_in_many_threads_see_the_same(desk):
    turn = start(desk, "What's on my calendar tomorrow?")
    seen = []

    def read():
        seen.append([event.offset for event in turn.log.read() if event])

    readers = [threading.Thread(target=read) for _ in range(8)]
    for reader in readers:
        reader.start()
    for reader in readers:
        reader.join()
    assert seen == [list(range(len(turn.log.after())))] * 8


def test_after_closing_nothing_is_taken(tmp_path):
    with services(tmp_path) as built:
        built.runtime.close()
        with pytest.raises(Unavailable):
            start(built, "Show my unread emails")


def latency(seconds):
    from core.sandbox.faults import Fault

    return Fault("messages", kind="latency", seconds=seconds, remaining=1)


def status(code, reason):
    from core.sandbox.faults import Fault

    return Fault("messages", kind="status", status=code, reason=reason, remaining=9)
