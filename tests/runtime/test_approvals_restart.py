"""Approvals outlive the process: a restart, and a kill at any point of an approved write."""

from pathlib import Path
from shutil import copyfile

import pytest

from core.store.approvals import Decided
from tests.runtime.aftermath import QUESTIONS, aftermath
from tests.runtime.desk import SECONDS, sam, start, tree
from tests.runtime.killed import POINTS, folder_of
from tests.runtime.random_kills import KILLED, kill_at_random, new_world, run
from tests.runtime.script import direct, mail, scripted, sent

pytestmark = pytest.mark.timeout(180)


@pytest.fixture(scope="module")
def seeded(tmp_path_factory):
    return new_world(tmp_path_factory.mktemp("seeded") / "sandbox.db")


@pytest.fixture
def folder(seeded, tmp_path):
    copyfile(seeded, tmp_path / "sandbox.db")
    return tmp_path


def left_waiting(folder: Path, question: str) -> tuple[str, str]:
    """A turn that waits when its process ends; its id and its approval's."""
    with scripted(folder) as app:
        turn = start(app, question)
        (approval,) = turn.pause(SECONDS)["approvals"]
        return turn.id, approval["approval_id"]


@pytest.mark.parametrize("route", QUESTIONS)
def test_after_a_restart_it_still_waits_and_a_yes_sends_one_mail(folder, route):
    turn_id, approval_id = left_waiting(folder, QUESTIONS[route])
    with scripted(folder) as app:
        turn = app.runtime.turn(sam(app), turn_id)
        waiting = turn.pause(SECONDS)
        assert [one["approval_id"] for one in waiting["approvals"]] == [approval_id]
        assert sent(app, "Zeppelin") == []
        app.runtime.decide(sam(app), approval_id, "approve")
        done = turn.wait(SECONDS)
        assert (done["status"], done["turn_id"], done["route"]) == ("done", turn_id, route)
        assert [one["state"] for one in done["approvals"]] == ["done"]
        assert len(sent(app, "Zeppelin")) == 1
        phases = {phase["phase"]: phase["ns"] for phase in done["phases"]}
        assert sum(phases.values()) == done["wall_ns"] and phases["approval_wait"] > 0
        ((name, children),) = tree(app, turn_id)
        assert name == "turn" and "approval.wait" in children
        with pytest.raises(Decided):
            app.runtime.decide(sam(app), approval_id, "approve")


def test_it_waits_through_two_restarts_and_can_be_rejected_or_edited(folder):
    turn_id, approval_id = left_waiting(folder, QUESTIONS["direct"])
    with scripted(folder) as app:
        assert app.runtime.turn(sam(app), turn_id).pause(SECONDS)["status"] == "waiting_approval"
    with scripted(folder) as app:
        turn = app.runtime.turn(sam(app), turn_id)
        arguments = {**turn.pause(SECONDS)["approvals"][0]["arguments"], "subject": "Balloon"}
        app.runtime.decide(sam(app), approval_id, "approve", arguments=arguments)
        assert turn.wait(SECONDS)["status"] == "done"
        assert (len(sent(app, "Balloon")), sent(app, "Zeppelin")) == (1, [])
    with scripted(folder) as app:
        assert app.runtime.running() == 0
        assert [row.state for row in app.approvals.audit(sam(app).id)] == ["done"]


def test_a_decision_of_two_is_kept_over_a_restart(folder):
    with scripted(folder) as app:
        turn = start(app, direct([mail("Zeppelin"), mail("Balloon")]))
        first, second = turn.pause(SECONDS)["approvals"]
        app.runtime.decide(sam(app), first["approval_id"], "reject", reason="No.")
    with scripted(folder) as app:
        turn = app.runtime.turn(sam(app), turn.id)
        assert [one["state"] for one in turn.pause(SECONDS)["approvals"]] == ["rejected", "pending"]
        app.runtime.decide(sam(app), second["approval_id"], "approve")
        assert turn.wait(SECONDS)["status"] == "done"
        assert (sent(app, "Zeppelin"), len(sent(app, "Balloon"))) == ([], 1)


@pytest.fixture(scope="module")
def killed(seeded, tmp_path_factory):
    """Folders in which a process died, one a point."""
    folder = tmp_path_factory.mktemp("killed")
    assert run(folder, seeded, QUESTIONS["direct"], POINTS) == dict.fromkeys(POINTS, KILLED)
    return folder


@pytest.mark.sqlite
@pytest.mark.parametrize("point", POINTS)
def test_a_kill_at_any_point_never_sends_two_and_never_loses_the_record(killed, point):
    assert aftermath(folder_of(killed, point))


@pytest.mark.sqlite
@pytest.mark.parametrize("route", QUESTIONS)
def test_kills_at_random_points_never_send_two_and_never_lose_the_record(seeded, tmp_path, route):
    outcomes = kill_at_random(tmp_path, seeded, route, kills=1, seed=int(seeded.stat().st_mtime))
    assert outcomes.total() == 1, outcomes
