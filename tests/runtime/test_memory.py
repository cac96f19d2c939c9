"""A conversation that grows too long says once a turn that its earlier parts were shortened."""

from core.runtime.events import EventType
from tests.runtime.desk import SECONDS, services, start


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
