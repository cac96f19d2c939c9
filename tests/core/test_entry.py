"""Asking from Python, in a process of its own as people do it."""

import json
import os
import sqlite3
import subprocess
import sys
from pathlib import Path

import pytest

import core

ROOT = Path(__file__).resolve().parent.parent.parent
SCRIPT = """
import json, sys
import core
light = not {"agents", "core.entry", "core.settings"} & sys.modules.keys()
from core import service, service_streaming
from core import service as again
turn = service("Show my unread emails")
events = list(service_streaming("Read the second one", turn["conversation_id"]))
left = service_streaming("Find Ana's mail about the offsite and check whether I'm free that day")
said = {"light": light, "same": again is service, "turn": turn, "events": events, "left": next(left)}
print(json.dumps(said))
"""


def test_a_question_is_answered_streamed_and_kept_however_python_ends(tmp_path):
    environment = {**os.environ, "GLASSDESK_DATA_DIR": str(tmp_path), "GLASSDESK_ZONE": "Europe/Berlin"}
    ran = subprocess.run(
        [sys.executable, "-c", SCRIPT], cwd=ROOT, env=environment, capture_output=True, text=True, timeout=55
    )
    assert ran.returncode == 0, ran.stderr
    assert "Traceback" not in ran.stderr
    said = json.loads(ran.stdout)
    turn, events = said["turn"], said["events"]
    assert (said["light"], said["same"], turn["status"], turn["route"]) == (True, True, "done", "direct")
    assert sum(phase["ns"] for phase in turn["phases"]) == turn["wall_ns"]
    assert [event["id"] for event in events] == list(range(len(events)))
    assert (events[0]["event"], events[-1]["event"], events[-1]["status"]) == ("started", "finished", "done")
    assert "製品ロードマップ" in "".join(event.get("text", "") for event in events)
    assert said["left"]["event"] == "started"
    with sqlite3.connect(tmp_path / "app.db") as kept, sqlite3.connect(tmp_path / "telemetry.db") as traced:
        asked = [status for (status,) in kept.execute("SELECT status FROM exchange ORDER BY started_at")]
        seen = [status for (status,) in traced.execute("SELECT status FROM turn ORDER BY start_ns")]
    assert asked[:2] == ["done", "done"] and asked[2] in ("stopped", "done")
    assert seen == asked


def test_there_is_nothing_else_to_import():
    with pytest.raises(AttributeError, match="no attribute 'services'"):
        _ = core.services
