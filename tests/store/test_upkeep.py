from datetime import UTC, datetime, timedelta

import pytest
from sqlmodel import Session, select

from core.errors import BadInput, NotFound
from core.store.approvals import Approvals, Asked
from core.store.conversations import UNDO, Conversations, Outcome
from core.store.feedback import Feedbacks
from core.store.parked import ParkedTurns
from core.store.purge import kept_files, purge
from core.store.tables import Approval, Conversation, Exchange, Feedback, Parked


@pytest.fixture
def conversations(engine):
    return Conversations(engine)


def keep_all_kinds(engine, conversation_id, turn_id, files=()):
    conversations = Conversations(engine)
    conversations.begin("sam", conversation_id, turn_id, "Send the invoice to Ana", files=files)
    conversations.finish("sam", turn_id, Outcome("done", "Sent."))
    Feedbacks(engine).give(conversations.exchange("sam", turn_id), "up", "quick")
    asked = Asked(turn_id, conversation_id, "sam", "sam@lumenworks.example", "call", "Gmail", "send", {}, "Sends.")
    Approvals(engine).ask(asked)
    parked = Parked(
        turn_id=turn_id, user_id="sam", state={}, told={}, root_span_id="1", wait_span_id="2", start_ns=1, parked_ns=2
    )
    ParkedTurns(engine).keep(parked)


def rows(engine):
    with Session(engine) as session:
        tables = (Conversation, Exchange, Approval, Feedback, Parked)
        return [len(session.exec(select(table)).all()) for table in tables]


def test_a_conversation_takes_another_title(conversations):
    conversations.begin("sam", "c1", "t1", "Show my unread emails")
    assert conversations.rename("sam", "c1", "  請求書\n2041 ").title == "請求書 2041"
    assert len(conversations.rename("sam", "c1", "word " * 50).title) <= 60
    with pytest.raises(BadInput, match="needs a title"):
        conversations.rename("sam", "c1", " \n ")
    with pytest.raises(NotFound):
        conversations.rename("eve", "c1", "mine now")


def test_what_is_deleted_is_nowhere_until_it_is_had_back(conversations):
    conversations.begin("sam", "c1", "t1", "Show my unread emails")
    conversations.delete("sam", "c1")
    assert conversations.list("sam") == []
    assert conversations.exchanges("sam", "c1") == []
    for refused in (conversations.get, conversations.delete):
        with pytest.raises(NotFound):
            refused("sam", "c1")
    with pytest.raises(NotFound):
        conversations.begin("sam", "c1", "t2", "Still there?")
    assert conversations.restore("sam", "c1").title == "Show my unread emails"
    assert [exchange.turn_id for exchange in conversations.exchanges("sam", "c1")] == ["t1"]


def test_nobody_deletes_or_brings_back_what_is_another_users(conversations):
    conversations.begin("sam", "c1", "t1", "mine")
    with pytest.raises(NotFound):
        conversations.delete("eve", "c1")
    conversations.delete("sam", "c1")
    with pytest.raises(NotFound):
        conversations.restore("eve", "c1")
    assert conversations.list("sam") == []


def test_a_purge_takes_all_that_belongs_to_what_was_deleted_long_ago_and_nothing_else(engine, conversations):
    keep_all_kinds(engine, "c1", "t1", [{"path": "a"}, {"path": "b"}])
    keep_all_kinds(engine, "c2", "t2", [{"path": "b"}])
    conversations.delete("sam", "c1")
    now = datetime.now(UTC)
    assert (purge(engine, now), kept_files(engine)) == (0, {"a", "b"})
    assert rows(engine) == [2, 2, 2, 2, 2]
    later = now + UNDO + timedelta(minutes=1)
    told = []
    assert (purge(engine, later, told.extend), kept_files(engine)) == (1, {"b"})
    assert told == [("sam", "c1")]
    assert rows(engine) == [1, 1, 1, 1, 1]
    with pytest.raises(NotFound):
        conversations.restore("sam", "c1")


def test_a_question_that_is_asked_again_takes_the_place_of_the_last_one(conversations):
    conversations.begin("sam", "c1", "t1", "first")
    conversations.begin("sam", "c1", "t2", "second")
    conversations.begin("sam", "c1", "t3", "second, better", replaces="t2")
    conversations.begin("sam", "c1", "t4", "second, best", replaces="t3")
    assert [exchange.turn_id for exchange in conversations.exchanges("sam", "c1")] == ["t1", "t4"]
    every = conversations.exchanges("sam", "c1", superseded=True)
    assert [(exchange.turn_id, exchange.superseded_by) for exchange in every] == [
        ("t1", None), ("t2", "t3"), ("t3", "t4"), ("t4", None),
    ]  # fmt: skip
    assert [exchange.turn_id for exchange in conversations.superseded("sam", "t4")] == ["t2", "t3"]
    assert conversations.superseded("eve", "t4") == []


def test_a_title_follows_its_question_until_a_person_names_it(conversations):
    conversations.begin("sam", "c1", "t1", "Show my unraed mail")
    conversations.begin("sam", "c1", "t2", "Show my unread mail", replaces="t1")
    assert conversations.get("sam", "c1").title == "Show my unread mail"
    conversations.rename("sam", "c1", "Monday")
    conversations.begin("sam", "c1", "t3", "Show my mail", replaces="t2")
    assert conversations.get("sam", "c1").title == "Monday"


def test_only_the_last_question_of_the_same_conversation_can_be_replaced(conversations):
    conversations.begin("sam", "c1", "t1", "first")
    conversations.begin("sam", "c1", "t2", "second")
    conversations.begin("sam", "c2", "t3", "elsewhere")
    for old in ("t1", "t3", "no such turn"):
        with pytest.raises(BadInput, match="Only the last question"):
            conversations.begin("sam", "c1", "t4", "again", replaces=old)
    assert len(conversations.exchanges("sam", "c1", superseded=True)) == 2


def test_feedback_is_kept_changed_and_taken_back_by_its_user_only(engine, conversations):
    conversations.begin("sam", "c1", "t1", "question")
    feedbacks, exchange = Feedbacks(engine), conversations.exchange("sam", "t1")
    feedbacks.give(exchange, "up")
    feedbacks.give(exchange, "down", " 違います ")
    kept = feedbacks.of_conversation("sam", "c1")["t1"]
    assert (kept.thumb, kept.note, kept.given_at.tzinfo) == ("down", "違います", UTC)
    assert feedbacks.of_conversation("eve", "c1") == {}
    feedbacks.take_back("eve", "t1")
    assert "t1" in feedbacks.of_conversation("sam", "c1")
    feedbacks.take_back("sam", "t1")
    assert feedbacks.of_conversation("sam", "c1") == {}
    with pytest.raises(BadInput, match="it may have 2,000"):
        feedbacks.give(exchange, "up", "x" * 2001)
