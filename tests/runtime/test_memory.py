"""A conversation that grows too long says once a turn that its earlier parts were shortened."""

from core.runtime.events import EventType
from tests.runtime.desk import SECONDS, sam, services, start
from tests.runtime.script import direct, mail, scripted


def compacted(turn):
    return [event.data for event in turn.log.after() if event.type is EventType.COMPACTED]


def test_a_long_conversation_says_that_it_was_shortened(tmp_path):
    with services(tmp_path) as app:
        first = start(app, "Show my unread mail. " + "Please. " * 150)
        first.wait(SECONDS)
        short = start(app, "which labels do I have", first.conversation_id)
        short.wait(SECONDS)
        assert compacted(short) == []
        for _ in range(8):
            last = start(app, "what is in my inbox", first.conversation_id)
            last.wait(SECONDS)
        (told,) = compacted(last)
        assert told["turns"] == 9
        assert 0 < told["kept"] < 9
        kept = app.conversations.exchanges(sam(app).id, first.conversation_id)
        assert [one.shortened for one in kept if one.shortened][-1] == told == kept[-1].shortened
        assert kept[0].shortened == {}


def test_a_turn_that_waits_keeps_over_a_restart_that_it_was_shortened(tmp_path):
    with scripted(tmp_path) as app:
        first = start(app, direct([("search_gmail_messages", {"query": "x" * 6000})]))
        first.wait(SECONDS)
        for _ in range(5):
            start(app, direct([("search_gmail_messages", {"query": "y" * 6000})]), first.conversation_id).wait(SECONDS)
        turn = start(app, direct([mail("Zeppelin")]), first.conversation_id)
        (approval,) = turn.pause(SECONDS)["approvals"]
        (told,) = compacted(turn)
    with scripted(tmp_path) as app:
        again = app.runtime.turn(sam(app), turn.id)
        app.runtime.decide(sam(app), approval["approval_id"], "approve")
        assert again.wait(SECONDS)["status"] == "done"
        assert app.conversations.exchange(sam(app).id, turn.id).shortened == told
