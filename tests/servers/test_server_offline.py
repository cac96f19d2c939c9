"""Questions find an added server by what it says it does, and the built-in assistant uses it without being taught."""

import pytest

from core.agents.offline.acts import Offer
from core.agents.offline.stranger import arguments
from tests.runtime.desk import ask, sam, services
from tests.servers.depot import ALLOWED, added, calls


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("station")


@pytest.fixture(scope="module")
def built(tmp_path_factory, folder):
    with services(tmp_path_factory.mktemp("app"), **ALLOWED) as one:
        row = added(one, folder)
        one.servers.mark(sam(one), row.id, "departures", reads=True)
        yield one


def routed(built, text, last=None):
    return built.added.routed(sam(built).id, text, last, built.router.route(text, last))


@pytest.mark.parametrize(
    "question",
    [
        "When do trains leave from Bern?",
        'List when trains leave the station "Bern"',
        "Ask Trains what goes to Ulm",
        "Frag Trains, wann es nach Ulm geht",
    ],
)
def test_it_is_found_by_what_it_does_and_by_its_name(built, question):
    decision = routed(built, question)
    assert (decision.route, decision.domains) == ("direct", ("trains",)), decision


@pytest.mark.parametrize(
    ("question", "domain"),
    [
        ("Show my unread emails", "gmail"),
        ("What is on my calendar tomorrow?", "calendar"),
        ("Find the file Budget in Drive", "drive"),
        ("Reply to the newest mail that I agree", "gmail"),
    ],
)
def test_it_takes_no_question_that_is_for_another(built, question, domain):
    assert routed(built, question).domains == (domain,)


@pytest.mark.parametrize("question", ["Hello!", "Who wrote Faust?", "What is the capital of Peru?"])
def test_it_takes_no_question_that_is_for_nobody(built, question):
    assert "trains" not in routed(built, question).domains


def test_named_beside_another_both_take_part(built):
    decision = routed(built, "Show my unread emails and ask Trains when I can go to Bern")
    assert decision.route == "orchestrated" and {"trains", "gmail"} <= {*decision.domains}


def test_what_refers_back_to_it_stays_with_it(built):
    assert routed(built, "And the second one?", "trains").domains == ("trains",)


def test_who_has_added_nothing_is_routed_as_before(built):
    known = built.router.route("Show my unread emails")
    assert built.added.routed("eve", "Show my unread emails", None, known) is known


def test_the_built_in_assistant_answers_with_it(built, folder):
    turn = ask(built, 'When do trains leave the station "Bern"?')
    assert calls(folder)[-1] == "departures Bern"
    assert (turn["route"], turn["agents"]) == ("direct", ["Trains"])
    assert turn["response"] == "Departures:\n\n> From Bern: 10:04 to Ulm, 10:31 to Bern."


def test_its_answers_are_not_remembered(built, folder):
    ask(built, 'When do trains leave the station "Ulm"?')
    ask(built, 'When do trains leave the station "Ulm"?')
    assert calls(folder).count("departures Ulm") == 2


def test_its_writes_wait_also_there(built, folder):
    turn = built.runtime.start(sam(built), 'Trains: book a seat on the train "10:04"').pause(30)
    assert turn["status"] == "waiting_approval"
    assert [(one["tool"], one["arguments"]) for one in turn["approvals"]] == [("trains__book_seat", {"train": "10:04"})]
    built.runtime.decide(sam(built), turn["approvals"][0]["approval_id"], "reject")


def test_what_the_question_does_not_say_is_asked_for(built):
    assert "what this tool needs: size" in ask(built, "Trains: tell the whole timetable")["response"]


SCHEMA = {
    "city": {"type": "string"},
    "kind": {"type": "string", "enum": ["fast", "slow"]},
    "count": {"type": "integer"},
    "more": {"type": "object"},
}


def test_quoted_words_numbers_and_choices_fill_what_is_needed():
    offer = Offer("t__find", frozenset(SCHEMA), frozenset({"city", "kind", "count"}), schema=SCHEMA)
    assert dict(arguments(offer, 'find 3 slow ones in "Bern"')) == {"city": "Bern", "kind": "slow", "count": 3}
