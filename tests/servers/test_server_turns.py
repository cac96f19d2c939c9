"""Turns that use a tool server that a person has added: a real one, over stdio, with a model that follows a script."""

import asyncio
from datetime import UTC, datetime

import pytest

from core.errors import NotFound
from core.store.switches import Off
from tests.runtime.desk import sam, tree
from tests.runtime.script import direct, orchestrated, scripted
from tests.runtime.toy import EVE
from tests.servers.depot import ALLOWED, added, calls, restarted

DEPARTURES = ("trains__departures", {"station": "Bern"})
BOOK = ("trains__book_seat", {"train": "10:04", "seats": 2})
ANSWER = "From Bern: 10:04 to Ulm, 10:31 to Bern."


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("station")


@pytest.fixture(scope="module")
def built(tmp_path_factory):
    with scripted(tmp_path_factory.mktemp("app"), **ALLOWED) as one:
        yield one


@pytest.fixture(scope="module")
def trains(built, folder):
    row = added(built, folder)
    built.servers.mark(sam(built), row.id, "departures", reads=True)
    return row


@pytest.fixture(autouse=True)
def clean(folder):
    yield
    for name in ("calls", "die", "hang", "version"):
        (folder / name).unlink(missing_ok=True)


def run(built, question, user=None):
    return built.runtime.start(user or sam(built), question).pause(30)


def approved(built, waiting, user=None):
    user = user or sam(built)
    for call in waiting["approvals"]:
        built.runtime.decide(user, call["approval_id"], "approve")
    return built.runtime.turn(user, waiting["turn_id"]).wait(30)


def test_what_the_person_says_only_reads_runs_at_once(built, trains, folder):
    turn = run(built, direct([DEPARTURES], domain="trains"))
    assert (turn["status"], turn["agents"], turn["response"]) == ("done", ["Trains"], ANSWER)
    assert calls(folder) == ["departures Bern"]


def test_anything_else_waits_for_a_yes_with_its_exact_arguments(built, trains, folder):
    waiting = run(built, direct([BOOK], domain="trains"))
    (card,) = waiting["approvals"]
    assert (card["tool"], card["arguments"]) == ("trains__book_seat", BOOK[1])
    assert card["summary"] == "Trains: Book a seat: train = 10:04, seats = 2"
    assert calls(folder) == []
    turn = approved(built, waiting)
    assert (turn["response"], calls(folder)) == ("Booked 2 on 10:04.", ["bookSeat 10:04 2"])
    assert [call["state"] for call in turn["approvals"]] == ["done"]


def test_a_claim_to_only_read_is_not_believed(built, trains):
    assert run(built, direct([("trains__timetable", {"size": 3})], domain="trains"))["status"] == "waiting_approval"


def test_the_orchestrator_delegates_to_it_and_its_spans_are_like_any_tools(built, trains):
    turn = run(built, orchestrated([("trains_task", {"query": direct([DEPARTURES])})]))
    assert turn["response"] == ANSWER
    names = str(tree(built, turn["turn_id"]))
    assert "('execute_tool trains__departures', ['tools/call trains__departures'])" in names
    assert [call["tool"] for call in turn["tool_calls"]] == ["trains__departures"]


def test_a_server_that_dies_is_started_again_within_a_read(built, trains, folder):
    (folder / "die").touch()
    assert run(built, direct([DEPARTURES], domain="trains"))["response"] == ANSWER
    assert calls(folder) == ["departures Bern"] * 2


def test_a_write_in_which_it_dies_is_not_repeated_and_its_outcome_is_unknown(built, trains, folder):
    waiting = run(built, direct([BOOK], domain="trains"))
    (folder / "die").touch()
    turn = approved(built, waiting)
    assert calls(folder) == ["bookSeat 10:04 2"]
    assert [call["state"] for call in turn["approvals"]] == ["unknown"]
    assert "Whether the call was carried out is unknown" in turn["response"]
    assert built.servers.list(sam(built))[0].problem.startswith("Trains: It ended in the middle.")


def test_a_mark_holds_only_for_the_tool_as_it_was(built, trains, folder):
    (folder / "version").write_text(" And orders lunch.")
    restarted(built, trains)
    turn = run(built, direct([DEPARTURES], domain="trains"))
    assert "Trains has changed what this tool is" in turn["response"] and calls(folder) == []
    (row,) = built.servers.list(sam(built))
    assert (list(row.changed), row.reading) == (["departures"], {})
    assert run(built, direct([DEPARTURES], domain="trains"))["status"] == "waiting_approval"
    (folder / "version").unlink()
    built.servers.test(sam(built), row.id)
    built.servers.mark(sam(built), row.id, "departures", reads=True)


def test_in_read_only_mode_nothing_of_it_runs_whatever_was_marked(built, trains, folder):
    built.people.set_read_only(built.people.local(), sam(built).id, True)
    try:
        turn = run(built, direct([DEPARTURES], domain="trains"))
    finally:
        built.people.set_read_only(built.people.local(), sam(built).id, False)
    assert "read-only mode" in turn["response"] and calls(folder) == []


def test_it_and_its_tools_are_switched_like_any_others(built, trains, folder):
    built.switchboard.switch(sam(built), "tool", "trains__departures", on=False)
    turn = run(built, direct([DEPARTURES], domain="trains"))
    assert calls(folder) == [] and turn["status"] == "done"
    built.switchboard.switch(sam(built), "tool", "trains__departures", on=True)
    built.switchboard.switch(sam(built), "agent", "trains", on=False)
    assert {"trains__departures", "trains__book_seat"} <= built.switchboard.off(sam(built).id).tools
    built.switchboard.switch(sam(built), "agent", "trains", on=True)
    assert built.switchboard.off(sam(built).id) == Off()


def test_another_user_has_nothing_of_it(built, trains, folder):
    assert built.servers.list(EVE) == [] and not built.servers.of(EVE.id).servers
    with pytest.raises(NotFound):
        built.servers.mark(EVE, trains.id, "departures", reads=True)
    team, now = built.runtime._performer.conductor.team, datetime.now(UTC)
    with pytest.raises(NotFound):
        team.specialist("trains", EVE, now)
    assert "trains_task" in team.delegations(sam(built)) and "trains_task" not in team.delegations(EVE)
    result = asyncio.run(built.servers.call(EVE.id, trains.id, *DEPARTURES))
    assert result.is_error and calls(folder) == []
    assert "trains" not in [state.domain for state in built.agents.list_agents(EVE.id)]
    assert "trains" in [state.domain for state in built.agents.list_agents(sam(built).id)]


def test_a_server_that_is_away_costs_only_the_calls_that_need_it(built, tmp_path):
    row = added(built, tmp_path / "gone", title="Ferries")
    restarted(built, row)
    (tmp_path / "gone" / "slow").touch()
    turn = run(built, direct([("list_gmail_labels", {})]))
    assert turn["status"] == "done" and "INBOX" in turn["response"]
    built.servers.remove(sam(built), row.id)


def test_what_is_removed_takes_all_of_it_along(built, tmp_path):
    row = added(built, tmp_path / "ships", title="Ships")
    waiting = run(built, direct([("ships__book_seat", {"train": "x"})], domain="ships"))
    built.switchboard.switch(sam(built), "tool", "ships__departures", on=False)
    built.servers.remove(sam(built), row.id)
    assert built.switchboard.off(sam(built).id) == Off()
    assert "ships" not in [state.domain for state in built.agents.list_agents(sam(built).id)]
    turn = approved(built, waiting)
    assert (turn["status"], turn["error"]) == (
        "failed",
        "This was for a tool server that is no longer there. Ask again without it.",
    )
    assert calls(tmp_path / "ships") == []
