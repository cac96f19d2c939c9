"""Which processes live is told by their locks, and what they run is left alone."""

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from sqlalchemy import text
from sqlalchemy.engine import make_url
from sqlmodel import select

from telemetry.presence import Presence
from telemetry.setup import Telemetry
from telemetry.store import Store
from telemetry.tables import Span, Turn
from tests.telemetry.reading import until

OTHER = """
import os, sys
from pathlib import Path
from telemetry.setup import Telemetry
telemetry = Telemetry(sys.argv[1], folder=Path(sys.argv[2]))
root = telemetry.tracer_provider.get_tracer("x").start_span(
    "turn", attributes={"glassdesk.user.id": "local", "gen_ai.conversation.id": "c1"})
telemetry.flush()
os.write(1, f"{telemetry.presence.id}\\n".encode())
os.read(0, 1)
root.end()
telemetry.shutdown()
os.write(1, b"ended\\n")
os.read(0, 1)
"""


@contextmanager
def process(url: str, folder: Path) -> Iterator["subprocess.Popen[bytes]"]:
    """Another process that runs a turn."""
    with subprocess.Popen(
        [sys.executable, "-c", OTHER, url, str(folder)], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as other:
        yield other
        other.kill()


def statuses(url: str) -> list[str]:
    store = Store(url)
    with store.reader() as session:
        found = [*session.exec(select(Turn.status)), *session.exec(select(Span.status))]
    store.close()
    return found


def test_who_lives_is_seen_until_they_end(telemetry_url: str) -> None:
    here, there = Presence(telemetry_url), Presence(telemetry_url)
    assert here.living([here.id, there.id, "0" * 32, ""]) == {here.id, there.id}
    there.close()
    assert here.living([here.id, there.id]) == {here.id}
    here.close()


def test_a_process_that_is_killed_lives_no_more_and_its_turn_is_interrupted(telemetry_url: str, tmp_path: Path) -> None:
    with process(telemetry_url, tmp_path) as other:
        assert other.stdin and other.stdout
        name = other.stdout.readline().decode().strip()
        here = Telemetry(telemetry_url, folder=tmp_path)
        assert here.presence.living([name]) == {name}
        assert statuses(telemetry_url) == ["running", "running"]
        os.kill(other.pid, signal.SIGKILL)
        other.wait()
        until(lambda: not here.presence.living([name]))
    later = Telemetry(telemetry_url, folder=tmp_path)
    assert statuses(telemetry_url) == ["interrupted", "interrupted"]
    for one in (here, later):
        one.shutdown()
    assert [path.name for path in tmp_path.iterdir() if "-spans-" in path.name] == []


def test_a_turn_of_a_living_process_goes_on_to_its_end_while_others_start(telemetry_url: str, tmp_path: Path) -> None:
    with process(telemetry_url, tmp_path) as other:
        assert other.stdin and other.stdout
        other.stdout.readline()
        Telemetry(telemetry_url, folder=tmp_path).shutdown()
        other.stdin.write(b"x")
        other.stdin.flush()
        assert other.stdout.readline() == b"ended\n"
    assert statuses(telemetry_url) == ["done", "ok"]


def test_spans_wait_in_the_folder_where_the_database_is_no_file(telemetry_url: str, tmp_path: Path) -> None:
    folder = tmp_path / "spool"
    folder.mkdir()
    killed = Telemetry(telemetry_url, folder=folder)
    with killed.store.write():  # nothing can be stored meanwhile
        killed.tracer_provider.get_tracer("x").start_span("work").end()
        place = folder if make_url(telemetry_url).get_backend_name() == "postgresql" else tmp_path
        [journal] = [path for path in place.iterdir() if "-spans-" in path.name]
        assert b'"work"' in journal.read_bytes()
    killed.shutdown()
    assert not journal.exists()


def test_a_session_that_the_server_ended_is_begun_again(cluster) -> None:
    url = cluster.url(cluster.create())
    here, there = Presence(url), Presence(url)
    store = Store(url)
    here.follow(store.engine)
    with store.engine.connect() as connection:
        connection.execute(text("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE pid <> pg_backend_pid()"))
    store.engine.dispose()
    with store.engine.connect():  # whoever needs a new connection is seen again
        assert there.living([here.id]) == {here.id}
    assert here.living([there.id]) == {there.id}
    for one in (here, there, store):
        one.close()


@pytest.mark.parametrize("several", [2, 5])
def test_processes_that_share_a_folder_take_each_others_journals_only_when_they_are_gone(
    telemetry_url: str, tmp_path: Path, several: int
) -> None:
    all_of_them = [Telemetry(telemetry_url, folder=tmp_path) for _ in range(several)]
    for number, one in enumerate(all_of_them):
        one.tracer_provider.get_tracer("x").start_span(f"work {number}").end()
    for one in all_of_them:
        one.shutdown()
    store = Store(telemetry_url)
    with store.reader() as session:
        assert sorted(session.exec(select(Span.name))) == [f"work {number}" for number in range(several)]
    store.close()
