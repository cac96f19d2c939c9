"""A question asked again, changed, or retried: what was said is replaced, what was done is not repeated."""

import pytest

from core.agents.offline.acts import Call, Say
from core.errors import BadInput, Busy, NotFound, StorageError
from core.runtime.remains import DONE_BEFORE, DROPPED
from core.store.approvals import CHECK
from core.store.conversations import Conversations
from tests.runtime.toy import EVE, SAM, toy, words


@pytest.fixture
def app(tmp_path):
    with toy(tmp_path) as made:
        yield made


def shown(app, turn):
    return [(kept.question, kept.answer) for kept in app.conversations.exchanges(SAM.id, turn["conversation_id"])]


def again(app, turn):
    return app.runtime.regenerate(SAM, turn["turn_id"]).pause(10)


def test_a_question_asked_again_replaces_its_answer_in_the_conversation(app):
    first = app.ask("hello")
    app.brain.script = lambda question, done: [Say("Another answer")]
    second = again(app, first)
    assert (second["status"], second["conversation_id"]) == ("done", first["conversation_id"])
    assert shown(app, first) == [("hello", "Another answer")]
    old = app.conversations.exchange(SAM.id, first["turn_id"])
    assert (old.answer, old.superseded_by) == ("You said hello", second["turn_id"])
    assert app.brain.seen[-1] == [{"role": "user", "content": "hello"}]


def test_a_changed_question_replaces_the_last_one(app):
    before = app.ask("hello")
    last = app.ask("how are yuo", before["conversation_id"])
    app.runtime.edit(SAM, last["turn_id"], "how are you").wait(10)
    assert [question for question, _ in shown(app, last)] == ["hello", "how are you"]
    assert [item["content"] for item in app.brain.seen[-1]] == ["hello", "You said hello", "how are you"]


def test_only_the_last_question_and_only_ones_own(app):
    first = app.ask("hello")
    app.ask("and more", first["conversation_id"])
    with pytest.raises(BadInput, match="Only the last question"):
        app.runtime.regenerate(SAM, first["turn_id"])
    with pytest.raises(NotFound):
        app.runtime.regenerate(EVE, first["turn_id"])
    with pytest.raises(NotFound):
        app.runtime.edit(EVE, first["turn_id"], "mine")
    assert len(shown(app, first)) == 2
    assert app.runtime.running() == 0


def test_while_it_waits_for_a_person_it_is_not_asked_again(app):
    turn = app.ask("send one")
    with pytest.raises(Busy, match="Your decision is needed"):
        app.runtime.regenerate(SAM, turn["turn_id"])


def test_a_write_that_was_done_is_known_and_not_repeated(app):
    first = app.approve(app.ask("send one; look_mail x"))
    second = again(app, first)
    assert second["status"] == "done"
    assert second["approvals"] == []
    assert [call for call in app.tools.calls if call[0] == "send"] == [("send", {"text": "one"})]
    assert second["response"].startswith(DONE_BEFORE)
    heard = app.brain.seen[-1]
    assert [words(item.get("output") or item.get("name") or item["content"]) for item in heard[:5]] == [
        "send one; look_mail x",
        "send",
        "send did one",
        DROPPED,
        "send one; look_mail x",
    ]


def test_a_failed_turn_is_retried_without_its_writes_however_often(app):
    def breaks(question, done):
        if not done:
            return [Call("send", {"text": "one"})]
        raise RuntimeError("the model is away")

    app.brain.script = breaks
    turn = app.approve(app.ask("send one"))
    assert turn["status"] == "failed"
    turn = again(app, turn)
    assert turn["status"] == "failed"
    app.brain.script = lambda question, done: [Say("It was sent before.")] if done else [Call("send", {"text": "one"})]
    turn = again(app, turn)
    assert (turn["status"], turn["response"]) == ("done", "It was sent before.")
    assert app.tools.calls == [("send", {"text": "one"})]


def test_another_write_is_asked_about_beside_one_that_was_done(app):
    first = app.approve(app.ask("send one"))
    app.brain.script = lambda question, done: (
        [Say(" / ".join(done))] if done else [Call("send", {"text": "one"}), Call("send", {"text": "two"})]
    )
    turn = again(app, first)
    assert [approval["arguments"] for approval in turn["approvals"]] == [{"text": "two"}]
    ended = app.approve(turn)
    assert ended["response"] == f"{DONE_BEFORE} / send did two"
    assert app.tools.calls == [("send", {"text": "one"}), ("send", {"text": "two"})]


def test_what_a_person_changed_counts_as_done_too(app):
    waiting = app.ask("send one")
    turn = app.runtime.turn(SAM, waiting["turn_id"])
    app.runtime.decide(SAM, waiting["approvals"][0]["approval_id"], "approve", {"text": "two"})
    ended = again(app, turn.wait(10))
    assert ended["status"] == "done"
    assert app.tools.calls == [("send", {"text": "two"})]


def test_a_new_question_may_do_the_same_once_more(app):
    first = app.approve(app.ask("send one"))
    app.approve(app.ask("send one", first["conversation_id"]))
    assert app.tools.calls == [("send", {"text": "one"})] * 2


def test_a_write_that_needs_no_asking_is_audited_and_not_repeated_either(app):
    app.approvals.set_policy(SAM.id, "send", "none")
    first = app.ask("send one")
    assert first["response"] == "send did one"
    (row,) = app.approvals.audit(SAM.id)
    assert (row.state, row.decided_by, row.result, row.account) == ("done", "policy", "send did one", SAM.account)
    assert again(app, first)["response"] == DONE_BEFORE
    assert app.tools.calls == [("send", {"text": "one"})]


def test_what_may_have_been_done_is_repeated_only_by_a_person(app):
    app.approvals.set_policy(SAM.id, "send", "none")
    app.tools.lost.add("send")
    first = app.ask("send one; send one")
    assert first["response"].endswith(CHECK)
    assert again(app, first)["response"].startswith(CHECK)
    assert app.tools.calls == [("send", {"text": "one"})]
    app.approvals.set_policy(SAM.id, "send", "ask")
    app.tools.lost.clear()
    turn = app.ask("send one", first["conversation_id"])
    assert app.approve(turn)["response"] == "send did one"


def test_what_is_approved_together_with_a_new_policy_is_done_once(app):
    waiting = app.ask("send one")
    app.approvals.set_policy(SAM.id, "send", "none")
    assert app.approve(waiting)["response"] == "send did one"
    assert app.tools.calls == [("send", {"text": "one"})]


def test_a_failed_write_is_no_write_and_may_be_tried_again(app):
    app.tools.fails.add("send")
    first = app.approve(app.ask("send one"))
    app.tools.fails.clear()
    assert app.approve(again(app, first))["response"] == "send did one"


def test_deleting_a_conversation_stops_what_waits_in_it(app):
    waiting = app.ask("send one")
    turn = app.runtime.turn(SAM, waiting["turn_id"])
    with pytest.raises(NotFound):
        app.runtime.delete(EVE, waiting["conversation_id"])
    app.runtime.delete(SAM, waiting["conversation_id"])
    assert turn.wait(10)["status"] == "stopped"
    assert app.approvals.audit(SAM.id)[0].state == "rejected"
    with pytest.raises(NotFound):
        app.ask("more", waiting["conversation_id"])


def test_a_turn_that_cannot_read_what_it_builds_on_fails_and_leaves_nothing_running(app, monkeypatch):
    def away(*_):
        raise StorageError("PostgreSQL does not answer. See that it runs.")

    conversation = app.ask("hello")["conversation_id"]
    with monkeypatch.context() as patch:
        patch.setattr(Conversations, "exchanges", away)
        failed = app.ask("look_mail x", conversation)
    assert (failed["status"], failed["error"]) == ("failed", "PostgreSQL does not answer. See that it runs.")
    assert app.conversations.exchange(SAM.id, failed["turn_id"]).status == "failed"
    assert app.ask("look_mail x", conversation)["status"] == "done"
