"""A plan whose turn has ended has no step at work."""

from core.runtime.events import EventType
from core.runtime.steps import closed, outline_of
from tests.runtime.test_planned import CHAIN, planning
from tests.runtime.toy import SAM


def test_nothing_of_a_plan_is_at_work_once_its_turn_has_ended_whatever_was_told_last(tmp_path):
    with planning(tmp_path) as app:
        turn = app.ask(CHAIN)
        told = app.runtime.turn(SAM, turn["turn_id"]).log.after(0)
        kept = app.conversations.exchange(SAM.id, turn["turn_id"]).plan
        assert outline_of(told) == kept == closed(kept)
        assert [step["state"] for step in kept] == ["done"] * 3
        at_work = next(n for n, event in enumerate(told) if event.type is EventType.STEP)
        cut = closed(outline_of(told[: at_work + 1]))  # a reader that missed the rest
        assert [step["state"] for step in cut] == ["skipped"] * 3
