"""The app as a process: the API over real HTTP, a polite end, a kill."""

import json
import os
import signal
import socket
import sqlite3
import subprocess
import sys
import time
from contextlib import closing, contextmanager
from pathlib import Path

import httpx2
import pytest

from tests.agents.chat_server import ChatServer, Slow
from tests.agents.chat_wire import Answer, Call

ROOT = Path(__file__).resolve().parents[2]
SLOW = Slow(Answer("word " * 400), between=0.02)
UNREAD = Answer(calls=(Call("search_gmail_messages", {"query": "is:unread"}),))


@contextmanager
def app(folder, until="ready", **settings):
    """The app on a free port, once it is ready or has failed to start; (base URL, process)."""
    with closing(socket.socket()) as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    own = {"DATA_DIR": str(folder), "PORT": str(port), "ZONE": "Europe/Berlin", **settings}
    clean = {name: value for name, value in os.environ.items() if not name.startswith("GLASSDESK_")}
    environment = clean | {f"GLASSDESK_{name}": value for name, value in own.items()}
    with (folder / "log.txt").open("ab") as log:
        process = subprocess.Popen([sys.executable, "app.py"], cwd=ROOT, env=environment, stdout=log, stderr=log)
    try:
        wait_for(f"http://127.0.0.1:{port}/readyz", until, folder / "log.txt")
        yield f"http://127.0.0.1:{port}", process
    finally:
        process.kill()
        process.wait()


def wait_for(url, status, log):
    deadline = time.monotonic() + 50
    while time.monotonic() < deadline:
        try:
            found = httpx2.get(url).json()["status"]
            if found in (status, "failed"):
                assert found == status, log.read_text()
                return
        except httpx2.TransportError:
            pass
        time.sleep(0.1)
    raise AssertionError(log.read_text())


def stream(url, message):
    """The events of a new turn, as they come."""
    body = {"message": message, "stream": True}
    with httpx2.stream("POST", f"{url}/api/chat", json=body, timeout=30) as answer:
        kind = ""
        for line in answer.iter_lines():
            if line.startswith("event: "):
                kind = line.removeprefix("event: ")
            elif line.startswith("data: "):
                yield kind, json.loads(line.removeprefix("data: "))


def until_it_speaks(url):
    """Start a turn whose answer has begun; its id."""
    turn_id = ""
    for kind, data in stream(url, "Show my unread emails"):
        turn_id = turn_id or data["turn_id"]
        if kind == "delta":
            return turn_id
    raise AssertionError("it never spoke")


def rows(folder, query, *values):
    with closing(sqlite3.connect(folder / "telemetry.db")) as database:
        return database.execute(query, values).fetchall()


@pytest.mark.timeout(120)
def test_the_api_over_http(tmp_path):
    with app(tmp_path) as (url, _):
        assert httpx2.get(f"{url}/healthz").json() == {"status": "ok"}
        ready = httpx2.get(f"{url}/readyz").json()
        assert (ready["status"], ready["workspace"], ready["model"]) == ("ready", "sandbox", "glassdesk-offline")

        turn = httpx2.post(f"{url}/api/chat", json={"message": "Show my unread emails"}, timeout=30).json()
        assert turn["status"] == "done" and "Invoice 2041" in turn["response"]
        assert sum(phase["ns"] for phase in turn["phases"]) == turn["wall_ns"]
        contract = "turn_id conversation_id status response route agents model cached started_at wall_ns first_token_ns"
        assert {*contract.split(), "phases", "usage", "cost_usd", "tool_calls", "approvals"} <= turn.keys()

        kinds = [kind for kind, _ in stream(url, "What's on my calendar tomorrow?")]
        assert kinds[0] == "started" and kinds[-1] == "finished" and "delta" in kinds

        listed = httpx2.get(f"{url}/api/turns", params={"limit": 1}).json()["turns"]
        assert [one["question"] for one in listed] == ["What's on my calendar tomorrow?"]
        older = httpx2.get(f"{url}/api/turns", params={"before": listed[0]["turn_id"]}).json()["turns"]
        assert [one["turn_id"] for one in older] == [turn["turn_id"]]

        whole = httpx2.get(f"{url}/api/turns/{turn['turn_id']}").json()
        assert whole["phases"] == turn["phases"] and whole["response"] == turn["response"]
        assert [span["name"] for span in whole["spans"]] == ["turn"]
        events = httpx2.get(f"{url}/api/turns/{turn['turn_id']}/events", params={"after": 0}).text
        assert events.startswith("id: 1\nevent: routed\n") and "event: finished" in events

        for answer, status, said in [
            (httpx2.post(f"{url}/api/chat", json={"message": " "}), 400, "Type a question"),
            (httpx2.post(f"{url}/api/chat", json={"message": "x" * 100_000}), 400, "100,000 characters"),
            (httpx2.post(f"{url}/api/chat", json={"text": "hi"}), 400, "message: "),
            (httpx2.post(f"{url}/api/chat", json={"message": 5}), 400, "message: "),
            (httpx2.post(f"{url}/api/chat", content=b"{broken"), 400, "body: "),
            (httpx2.post(f"{url}/api/chat", content=b" " * 1_100_000), 413, "larger than"),
            (httpx2.get(f"{url}/api/turns", params={"limit": "many"}), 400, "limit: "),
            (httpx2.get(f"{url}/api/turns/0000"), 404, "no such turn"),
            (httpx2.post(f"{url}/api/turns/0000/cancel"), 404, "no such"),
            (httpx2.post(f"{url}/api/approvals/0000", json={"decision": "approve"}), 404, "no such approval"),
            (httpx2.post(f"{url}/api/approvals/0000", json={"decision": "maybe"}), 400, "decision: "),
            (httpx2.get(f"{url}/api/turns", headers={"Host": "evil.example"}), 403, "another machine"),
        ]:
            assert (answer.status_code, said in answer.json()["error"]["message"]) == (status, True), answer.text


@pytest.mark.timeout(120)
def test_a_polite_end_stops_what_runs_and_keeps_it(tmp_path):
    with ChatServer([UNREAD, SLOW]) as model:
        with app(tmp_path, MODEL="gpt-4o-mini", MODEL_BASE_URL=model.url) as (url, process):
            turn_id = until_it_speaks(url)
            process.send_signal(signal.SIGTERM)
            process.wait(30)
        assert rows(tmp_path, "select status from turn where turn_id = ?", turn_id) == [("stopped",)]
        assert rows(tmp_path, "select count(*) from span where end_ns is null") == [(0,)]
        with app(tmp_path) as (url, _):
            kept = httpx2.get(f"{url}/api/turns/{turn_id}").json()
            assert kept["status"] == "stopped" and kept["response"].startswith("word")


@pytest.mark.timeout(120)
def test_a_kill_loses_no_ended_span_and_shows_the_turn_as_interrupted(tmp_path):
    with ChatServer([UNREAD, SLOW]) as model:
        with app(tmp_path, MODEL="gpt-4o-mini", MODEL_BASE_URL=model.url) as (url, process):
            turn_id = until_it_speaks(url)
            time.sleep(0.2)
            process.kill()
            process.wait()
        ended = rows(tmp_path, "select name from span where trace_id = ? and end_ns is not null", turn_id)
        assert {"route", "execute_tool search_gmail_messages", "gmail.users.messages.list"} <= {
            name for (name,) in ended
        }
        with app(tmp_path) as (url, _):
            turn = httpx2.get(f"{url}/api/turns/{turn_id}").json()
            assert turn["status"] == "interrupted"
            assert sum(phase["ns"] for phase in turn["phases"]) == turn["wall_ns"] > 0
            assert len(turn["spans"][0]["children"]) >= 3


@pytest.mark.timeout(120)
def test_over_stdio_google_is_in_the_same_trace(tmp_path):
    with app(tmp_path, MCP="stdio") as (url, _):
        turn = httpx2.post(f"{url}/api/chat", json={"message": "Show my unread emails"}, timeout=90).json()
        assert turn["status"] == "done"
        assert "google_api" in {phase["phase"] for phase in turn["phases"]}
        assert sum(phase["ns"] for phase in turn["phases"]) == turn["wall_ns"]


def test_a_wrong_setting_is_a_sentence(tmp_path):
    environment = {**os.environ, "GLASSDESK_MCP": "pigeon", "GLASSDESK_DATA_DIR": str(tmp_path)}
    ended = subprocess.run([sys.executable, "app.py"], cwd=ROOT, env=environment, capture_output=True, text=True)
    assert ended.returncode == 1
    assert ended.stderr.strip() == (
        "The setting GLASSDESK_MCP is wrong: Input should be 'in-process' or 'stdio'. "
        "Correct it in the environment or in .env, then start again."
    )


@pytest.mark.timeout(120)
def test_a_start_that_fails_says_why(tmp_path):
    (tmp_path / "app.db").write_bytes(b"this is no database" * 400)
    with app(tmp_path, until="failed") as (url, _):
        answers = [httpx2.get(f"{url}/readyz"), httpx2.post(f"{url}/api/chat", json={"message": "hello"})]
        assert httpx2.get(f"{url}/healthz").status_code == 200
    for answer, code in zip(answers, (503, 507), strict=True):
        assert answer.status_code == code
        assert "app database" in answer.json()["error"]["message"]
