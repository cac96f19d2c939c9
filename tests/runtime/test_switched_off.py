"""What a user has switched off is not used for them, and for nobody else is anything different."""

from dataclasses import replace

import pytest

from core.agents.context import Offers
from core.errors import NotFound
from core.registry.switched import expanded
from core.store.switches import Off
from tests.runtime.desk import ask, sam, services
from tests.runtime.toy import EVE

UNREAD = "Show my unread emails"


@pytest.fixture(scope="module")
def desk(tmp_path_factory):
    with services(tmp_path_factory.mktemp("switched_off")) as built:
        yield built


@pytest.fixture
def switch(desk):
    """Switches something off until the test ends."""
    done = []

    def off(kind, name):
        desk.switchboard.switch(sam(desk), kind, name, on=False)
        done.append((kind, name))

    yield off
    for kind, name in done:
        desk.switchboard.switch(sam(desk), kind, name, on=True)


def test_an_agent_that_is_off_answers_nothing_and_the_answer_says_so(desk, switch):
    switch("agent", "gmail")
    turn = ask(desk, UNREAD)
    assert (turn["status"], turn["route"], turn["tool_calls"]) == ("done", "orchestrated", [])
    assert turn["response"].startswith("You have switched off: Gmail. Switch it on again on the page **Agents**")
    assert ask(desk, "What's on my calendar tomorrow?")["agents"] == ["Calendar"]


def test_with_all_agents_off_it_says_so_too(desk, switch):
    for domain in desk.agents.domains.names():
        switch("agent", domain)
    assert "You have switched off: Gmail" in ask(desk, UNREAD)["response"]


def test_a_part_of_a_question_for_an_agent_that_is_off_is_left_out(desk, switch):
    switch("agent", "gmail")
    turn = ask(desk, "Show my unread mail and what is on my calendar tomorrow")
    assert {call["tool"] for call in turn["tool_calls"]} == {"get_events"}


def test_a_tool_that_is_off_is_not_called(desk, switch):
    switch("tool", "search_gmail_messages")
    turn = ask(desk, UNREAD)
    assert "search_gmail_messages" not in [call["tool"] for call in turn["tool_calls"]]


def test_what_is_switched_on_again_is_used_again(desk, switch):
    switches = desk.stores.switches
    switches.set(sam(desk).id, "agent", "gmail", on=False)
    switches.set(sam(desk).id, "agent", "gmail", on=True)
    assert not switches.off(sam(desk).id)
    assert [call["tool"] for call in ask(desk, UNREAD)["tool_calls"]] == ["search_gmail_messages"]


def test_a_switch_is_its_users_alone(desk, switch):
    switch("agent", "gmail")
    assert desk.stores.switches.off(sam(desk).id) == Off(frozenset({"gmail"}))
    assert desk.stores.switches.off(EVE.id) == Off()


@pytest.mark.parametrize("kind", ["agent", "tool"])
def test_what_does_not_exist_cannot_be_switched(desk, kind):
    with pytest.raises(NotFound, match=f"There is no {kind} teleport"):
        desk.switchboard.switch(sam(desk), kind, "teleport", on=False)


def test_an_answer_that_is_remembered_is_forgotten_with_its_agent(desk):
    dropped = []
    board = replace(desk.switchboard, forget=dropped.append)
    board.switch(sam(desk), "tool", "get_events", on=True)
    assert dropped == [sam(desk).id]


def test_an_agent_that_is_off_takes_its_tools_with_it(desk):
    off = expanded(Off(frozenset({"slides"}), frozenset({"get_events"})), desk.agents.domains)
    assert off.tools == desk.agents.domains.own_tools("slides") | {"get_events"}
    assert expanded(Off(frozenset({"gone"})), desk.agents.domains).tools == frozenset()


def test_offers_show_what_is_neither_off_nor_hidden():
    offers = Offers(Off(tools=frozenset({"b"})), frozenset({"b", "c"}))
    assert [tool for tool in "abc" if offers.shows(tool)] == ["a"]
    assert offers.later(frozenset("abc")) == {"c"}
    offers.show(frozenset("abc"))
    assert [tool for tool in "abc" if offers.shows(tool)] == ["a", "c"]


def route_of(desk, turn):
    [span] = [span for span in desk.glass.spans(sam(desk).id, turn["turn_id"]) if span.name == "route"]
    return span.attributes


def test_a_specialist_is_shown_the_tools_that_its_question_needs_and_the_trace_says_what_that_saves(desk):
    route = route_of(desk, ask(desk, UNREAD))
    assert route["glassdesk.tools.hidden"] >= 4
    assert route["glassdesk.tools.tokens_saved"] > 500


def test_the_versions_of_the_prompts_are_in_the_trace(desk):
    for question, prompts in ((UNREAD, ["gmail/v2"]), ("play some music", ["assistant/v3"])):
        spans = desk.glass.spans(sam(desk).id, ask(desk, question)["turn_id"])
        assert [span.attributes["glassdesk.prompts"] for span in spans if span.name == "turn"] == [prompts]


def test_nothing_is_hidden_where_the_setting_says_so_or_nothing_is_known(desk):
    assert replace(desk.display, most=0).hidden("gmail", {"list_gmail_filters": 0.9}) == frozenset()
    assert desk.display.hidden("gmail", {}) == frozenset()
    assert desk.display.hidden("gmail", {"get_events": 0.9}) == frozenset()
