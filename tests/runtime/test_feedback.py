"""Thumbs and notes: kept with the turn, shown in its trace, and changing none of its numbers."""

import pytest

from core.errors import BadInput, NotFound
from core.store.export import as_json
from tests.runtime.toy import EVE, SAM, toy


@pytest.fixture
def app(tmp_path):
    with toy(tmp_path) as made:
        yield made


def test_feedback_is_kept_and_shown_in_the_trace(app):
    turn = app.ask("hello")
    app.runtime.rate(SAM, turn["turn_id"], "down", " 違います ")
    app.telemetry.flush()
    (span,) = [span for span in app.glass.spans(SAM.id, turn["turn_id"]) if span.name == "feedback"]
    assert (span.type, span.end_ns - span.start_ns, span.parent_id) == ("other", 0, None)
    assert span.attributes["glassdesk.feedback"] == "down"
    assert span.attributes["glassdesk.feedback.note"] == "違います"
    kept = app.stores.feedbacks.of_conversation(SAM.id, turn["conversation_id"])
    assert kept[turn["turn_id"]].thumb == "down"
    assert "違います" in as_json(app.stores.record(SAM.id, turn["conversation_id"], {}))


def test_it_changes_none_of_the_turns_numbers(app):
    turn = app.ask("look_mail x")
    before = app.glass.turn(SAM.id, turn["turn_id"]).model_dump()
    app.runtime.rate(SAM, turn["turn_id"], "up")
    app.runtime.rate(SAM, turn["turn_id"], None)
    app.telemetry.flush()
    assert app.glass.turn(SAM.id, turn["turn_id"]).model_dump() == before
    assert app.stores.feedbacks.of_conversation(SAM.id, turn["conversation_id"]) == {}


def test_nobody_rates_what_is_another_users(app):
    turn = app.ask("hello")
    with pytest.raises(NotFound):
        app.runtime.rate(EVE, turn["turn_id"], "up")
    with pytest.raises(BadInput, match="Shorten it"):
        app.runtime.rate(SAM, turn["turn_id"], "up", "x" * 3000)
    app.telemetry.flush()
    assert [span.name for span in app.glass.spans(SAM.id, turn["turn_id"])].count("feedback") == 0
