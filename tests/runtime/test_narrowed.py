"""An agent gets at what it is not shown, and the gate at what was switched off meanwhile."""

import pytest

from core.agents.context import Offers
from core.registry.display import MORE
from core.registry.router import Decision
from tests.runtime.desk import ask, sam, services
from tests.runtime.toy import toy


def test_a_write_that_was_approved_is_not_made_once_its_tool_is_off(tmp_path):
    with toy(tmp_path) as app:
        waiting = app.ask("send hello")
        assert waiting["status"] == "waiting_approval"
        app.switch_off("tool", "send")
        turn = app.approve(waiting)
        assert app.tools.calls == []
        assert "The person has switched off this tool" in turn["response"]
        assert [call["state"] for call in turn["approvals"]] == ["failed"]


@pytest.fixture(scope="module")
def built(tmp_path_factory):
    with services(tmp_path_factory.mktemp("narrowed"), tools_shown=1, planner="off") as desk:
        yield desk


def test_what_is_hidden_is_one_call_away(built, monkeypatch):
    """With a single tool shown for its score, nothing is lost: the assistant asks for the others first."""
    hidden = built.display.hidden("gmail", {"list_gmail_filters": 0.9})
    assert "list_gmail_labels" in hidden
    monkeypatch.setattr(built.router, "route", lambda text, last=None: unsure())  # as if it had thought of another tool
    turn = ask(built, "which labels do I have")
    assert [call["tool"] for call in turn["tool_calls"]] == ["list_gmail_labels"]
    names = [span.name for span in built.glass.spans(sam(built).id, turn["turn_id"])]
    assert f"execute_tool {MORE}" in names


def test_a_specialist_that_is_asked_by_the_orchestrator_is_shown_what_its_part_needs(built):
    turn = ask(built, "List my spreadsheets, and which labels do I have in my mail?")
    assert turn["route"] == "orchestrated"
    assert {call["tool"] for call in turn["tool_calls"]} == {"list_spreadsheets", "list_gmail_labels"}
    for specialist in ("Gmail", "Sheets"):
        spared = noted(built, turn, specialist)
        assert spared["glassdesk.tools.hidden"] >= 4 and spared["glassdesk.tools.tokens_saved"] > 500


def noted(built, turn, agent):
    spans = built.glass.spans(sam(built).id, turn["turn_id"])
    return next(span.attributes for span in spans if span.name == f"invoke_agent {agent}")


def test_what_a_specialist_has_seen_in_a_turn_stays_shown_to_it():
    offers, own = Offers(), frozenset("abcd")
    offers.narrow(own, frozenset("bcd"))
    assert offers.later(own) == frozenset("bcd")
    offers.narrow(own, frozenset("acd"))  # another task of the same turn, perhaps at the same time
    assert offers.later(own) == frozenset("cd")
    offers.show(frozenset("c"))
    offers.narrow(own, own)
    assert offers.later(own) == frozenset("d")
    offers.narrow(frozenset("xy"), frozenset("y"))  # another specialist's
    assert offers.later(own | frozenset("xy")) == frozenset("dy")
    resumed = Offers()
    resumed.waiting(frozenset("b"))  # a call that waits for a person, in another process
    resumed.narrow(own, own)
    assert resumed.later(own) == frozenset()


def unsure():
    return Decision("direct", ("gmail",), {"gmail": 0.5}, {"list_gmail_filters": 0.9}, "It is a test.")
