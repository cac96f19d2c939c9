import json
from zoneinfo import ZoneInfo

import pytest

from core.store.approvals import Approvals, Asked
from core.store.conversations import Conversations, Outcome
from core.store.export import Record, as_json, as_markdown
from core.store.feedback import Feedbacks

STEP = {"tool": "search_gmail_messages", "agent": "Gmail", "status": "ok", "ns": 12_000_000, "summary": "2 messages"}


@pytest.fixture
def record(engine):
    conversations, approvals, feedbacks = Conversations(engine), Approvals(engine), Feedbacks(engine)
    conversations.begin("sam", "c1", "t1", "Show unread mail", files=[{"name": "a.csv", "size": 1200}])
    conversations.finish("sam", "t1", Outcome("failed", "", "The model is away.", steps=[STEP]))
    conversations.begin("sam", "c1", "t2", "未読メールを\n見せて", replaces="t1")
    approvals.ask(Asked("t2", "c1", "sam", "sam@lumenworks.example", "k", "Gmail", "send", {"to": "x"}, "Sends 🎉"))
    conversations.finish("sam", "t2", Outcome("done", "- 製品ロードマップのレビュー", items=[{"role": "user"}]))
    feedbacks.give(conversations.exchange("sam", "t2"), "up", "fast")
    yield Record(
        conversations.get("sam", "c1"),
        conversations.exchanges("sam", "c1", superseded=True),
        approvals.of_turn("sam", "t2"),
        feedbacks.of_conversation("sam", "c1"),
        {"t2": {"wall_ns": 7, "cost_usd": "0.000153"}},
    )


def test_json_holds_everything_in_readable_scripts(record):
    text = as_json(record)
    assert "未読メール" in text and "🎉" in text
    made = json.loads(text)
    first, second = made["turns"]
    assert (made["format"], made["title"]) == ("glassdesk.conversation", "未読メールを 見せて")
    assert (first["superseded_by"], first["error"], first["steps"]) == ("t2", "The model is away.", [STEP])
    assert first["files"] == [{"name": "a.csv", "size": 1200}]
    assert (second["items"], second["numbers"]) == ([{"role": "user"}], {"wall_ns": 7, "cost_usd": "0.000153"})
    assert (second["feedback"]["thumb"], second["feedback"]["note"]) == ("up", "fast")
    (approval,) = second["approvals"]
    assert (approval["tool"], approval["arguments"], approval["state"]) == ("send", {"to": "x"}, "pending")
    assert second["started_at"].endswith("+00:00")


def test_markdown_tells_questions_answers_steps_approvals_and_feedback(record):
    tokyo = ZoneInfo("Asia/Tokyo")
    first, second = (exchange.started_at.astimezone(tokyo) for exchange in record.exchanges)
    created = record.conversation.created_at.astimezone(tokyo)
    assert as_markdown(record, tokyo) == (
        "# 未読メールを 見せて\n\n"
        f"{created:%Y-%m-%d %H:%M} (Asia/Tokyo)\n\n"
        f"## {first:%Y-%m-%d %H:%M} (Asia/Tokyo) (asked again later)\n\n"
        "> Show unread mail\n\n"
        "- Attached: a.csv (1,200 bytes)\n"
        "- Gmail: `search_gmail_messages` (ok, 12 ms, 2 messages)\n\n"
        "*No answer: failed.*\n\n"
        "*The model is away.*\n\n"
        f"## {second:%Y-%m-%d %H:%M} (Asia/Tokyo)\n\n"
        "> 未読メールを\n> 見せて\n\n"
        "- Approval of `send`: Sends 🎉 → pending\n\n"
        "- 製品ロードマップのレビュー\n\n"
        "Feedback: thumb up. fast\n"
    )
