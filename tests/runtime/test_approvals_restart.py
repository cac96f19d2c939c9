"""Approvals outlive the process: a restart, and a kill at any point of an approved write."""

import json
import subprocess
import sys
from pathlib import Path
from shutil import copyfile

import pytest

from core.sandbox.sandbox import Sandbox
from core.settings import ROOT
from core.store.approvals import Decided
from tests.runtime.desk import SECONDS, sam, start, tree
from tests.runtime.killed import POINTS
from tests.runtime.script import direct, mail, orchestrated, scripted, sent

pytestmark = pytest.mark.timeout(180)
QUESTIONS = {
    "direct": direct([mail("Zeppelin")]),
    "orchestrated": orchestrated([("gmail_task", {"query": orchestrated([mail("Zeppelin")])})]),
}
ENDED = {"done", "interrupted"}
FINAL = {"done", "failed", "unknown", "rejected"}


@pytest.fixture(scope="module")
def seeded(tmp_path_factory):
    path = tmp_path_factory.mktemp("seeded") / "sandbox.db"
    sandbox = Sandbox(path, "Europe/Berlin")
    sandbox.open()
    sandbox.close()
    return path


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
    """A folder a point, in which a process died there; and how each ended."""
    folder = tmp_path_factory.mktemp("killed")
    for point in POINTS:
        (folder / point.replace(" ", "-")).mkdir()
        copyfile(seeded, folder / point.replace(" ", "-") / "sandbox.db")
    command = [sys.executable, "-m", "tests.runtime.killed", str(folder), QUESTIONS["direct"]]
    ended = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=240, check=False)
    told = [json.loads(line) for line in ended.stdout.splitlines()]
    assert {one["point"]: one["exit"] for one in told} == dict.fromkeys(POINTS, -9), ended.stderr
    return folder


@pytest.mark.parametrize("point", POINTS)
def test_a_kill_at_any_point_never_sends_two_and_never_loses_the_record(killed, point):
    folder = killed / point.replace(" ", "-")
    noted = folder / "approval"
    with scripted(folder) as app:
        before, rows = len(sent(app, "Zeppelin")), app.approvals.audit(sam(app).id)
        assert not noted.exists() or [row.id for row in rows] == [noted.read_text()]
        for row in rows:
            if row.state == "pending":
                assert before == 0
                turn = app.runtime.turn(sam(app), row.turn_id)
                app.runtime.decide(sam(app), row.id, "approve")
                assert turn.wait(SECONDS)["status"] == "done"
        after, count = app.approvals.audit(sam(app).id), len(sent(app, "Zeppelin"))
        assert {row.state for row in after} <= FINAL and len(after) == len(rows)
        assert count <= 1
        assert count == 1 or all(row.state != "done" for row in after)
        assert count == 0 or all(row.state in ("done", "unknown") for row in after)
        assert app.runtime.running() == 0
        for turn in app.glass.turns(sam(app).id):
            assert app.conversations.exchange(sam(app).id, turn.turn_id).status in ENDED
