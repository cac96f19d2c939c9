"""What is recorded is stored: at once, completely, and in spite of a busy, full or refusing database."""

import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from opentelemetry import context, trace
from opentelemetry.trace import Tracer
from sqlalchemy import event, func, text
from sqlmodel import select

from telemetry.attributes import REOPEN
from telemetry.setup import Telemetry
from telemetry.tables import Span, Turn
from tests.telemetry.reading import scans, until

IDENTITY = {"glassdesk.user.id": "local", "gen_ai.conversation.id": "c1"}


@pytest.fixture
def url(telemetry_url: str) -> str:
    return telemetry_url


@pytest.fixture
def telemetry(url: str, tmp_path: Path) -> Iterator[Telemetry]:
    made = Telemetry(url, folder=tmp_path)
    yield made
    made.shutdown()


def tracer(telemetry: Telemetry) -> Tracer:
    return telemetry.tracer_provider.get_tracer("test")


def all_spans(telemetry: Telemetry) -> list[Span]:
    with telemetry.store.reader() as session:
        return list(session.exec(select(Span).order_by(Span.start_ns)))  # type: ignore[arg-type]


def count(telemetry: Telemetry) -> int:
    with telemetry.store.reader() as session:
        return session.exec(select(func.count()).select_from(Span)).one()


def test_a_turn_is_listed_while_its_tool_runs(telemetry: Telemetry) -> None:
    root = tracer(telemetry).start_span("turn", attributes={**IDENTITY, "glassdesk.question": "Any news?"})
    until(lambda: count(telemetry))
    with telemetry.store.reader() as session:
        turn = session.exec(select(Turn)).one()
    assert (turn.status, turn.question, turn.wall_ns, turn.conversation_id) == ("running", "Any news?", None, "c1")
    assert all_spans(telemetry)[0].end_ns is None
    root.end()
    assert telemetry.account(turn.turn_id).status == "done"


def test_a_start_row_shows_the_attributes_of_the_start(telemetry: Telemetry) -> None:
    span = tracer(telemetry).start_span("work", attributes={"step": 1})
    span.set_attribute("step", 2)
    assert telemetry.flush()
    assert [(row.status, row.attributes) for row in all_spans(telemetry)] == [("running", {"step": 1})]
    span.end()
    assert telemetry.flush()
    assert [(row.status, row.attributes) for row in all_spans(telemetry)] == [("ok", {"step": 2})]


def test_children_inherit_user_and_conversation_of_their_turn(telemetry: Telemetry) -> None:
    make = tracer(telemetry).start_as_current_span
    with make("turn", attributes=IDENTITY), make("route"):
        pass
    assert telemetry.flush()
    assert {(row.name, row.user_id, row.conversation_id) for row in all_spans(telemetry)} == {
        ("turn", "local", "c1"),
        ("route", "local", "c1"),
    }


def test_what_ends_below_a_request_from_elsewhere_has_its_user_at_once(telemetry: Telemetry) -> None:
    make = tracer(telemetry).start_as_current_span
    for number in range(1, 51):
        client = trace.NonRecordingSpan(trace.SpanContext(number, 1, is_remote=True))
        elsewhere = trace.set_span_in_context(client)
        with make("mcp.request", elsewhere, attributes=IDENTITY), make("work"):
            pass
    assert telemetry.flush()
    assert {row.user_id for row in all_spans(telemetry)} == {"local"}


def test_an_exception_is_an_error_with_its_words_and_its_event(telemetry: Telemetry) -> None:
    with pytest.raises(ValueError), tracer(telemetry).start_as_current_span("work"):
        raise ValueError("no such label")
    assert telemetry.flush()
    (row,) = all_spans(telemetry)
    assert row.status == "error"
    assert row.attributes == {"error.message": "ValueError: no such label"}
    assert row.events[0]["name"] == "exception"


BURST = """
import os, sys
from pathlib import Path
from telemetry.attributes import REOPEN
from telemetry.setup import Telemetry
telemetry = Telemetry(sys.argv[1], folder=Path(sys.argv[2]))
tracer = telemetry.tracer_provider.get_tracer("burst")
root = tracer.start_span("turn", attributes={"glassdesk.user.id": "local", "gen_ai.conversation.id": "c1"})
for number in range(10_000):
    tracer.start_span(f"work {number}").end()
    os.write(1, f"{number}\\n".encode())
os.read(0, 1)
"""


def test_a_kill_in_the_middle_of_a_burst_loses_no_span_that_ended(url: str, tmp_path: Path) -> None:
    with subprocess.Popen([sys.executable, "-c", BURST, url, str(tmp_path)], stdout=subprocess.PIPE) as child:
        assert child.stdout is not None
        said = b""
        while len(said) < 30_000:
            said += os.read(child.stdout.fileno(), 65_536)
        os.kill(child.pid, signal.SIGKILL)
        said += child.stdout.read()
    last = int(said.split()[-2])  # the last line may be half of one
    telemetry = Telemetry(url, folder=tmp_path)
    rows = all_spans(telemetry)
    ended = {int(row.name.removeprefix("work ")) for row in rows if row.status == "ok"}
    assert ended >= set(range(last + 1))
    assert ended == set(range(len(ended)))
    assert next(row for row in rows if row.name == "turn").status == "interrupted"
    with telemetry.store.reader() as session:
        turn = session.exec(select(Turn)).one()
        if session.get_bind().dialect.name == "sqlite":
            assert session.connection().exec_driver_sql("PRAGMA integrity_check").scalar() == "ok"
    assert turn.status == "interrupted"
    assert turn.wall_ns is not None and sum(turn.phases.values()) == turn.wall_ns
    telemetry.shutdown()
    assert [path.name for path in tmp_path.glob("*-spans-*")] == []


def test_a_helper_process_leaves_running_spans_alone(telemetry: Telemetry, url: str) -> None:
    root = tracer(telemetry).start_span("turn", attributes=IDENTITY)
    assert telemetry.flush()
    Telemetry(url, mark_interrupted=False).shutdown()
    assert [row.status for row in all_spans(telemetry)] == ["running"]
    root.end()


def test_spans_of_another_process_join_the_finished_turn(telemetry: Telemetry, url: str) -> None:
    helper = Telemetry(url, mark_interrupted=False)
    with tracer(telemetry).start_as_current_span("turn", attributes=IDENTITY) as root:
        late = tracer(helper).start_span("gmail.users.messages.list")
        late.end()
    turn_id = f"{root.get_span_context().trace_id:032x}"
    telemetry.account(turn_id)
    assert helper.flush()
    assert telemetry.account(turn_id).google_requests == 1
    assert {row.user_id for row in all_spans(telemetry)} == {"local"}
    helper.shutdown()


def test_four_writers_and_a_polling_page_never_find_the_database_locked(url: str) -> None:
    writers = [Telemetry(url, mark_interrupted=False) for _ in range(4)]
    stop = threading.Event()
    errors: list[object] = []

    def write(telemetry: Telemetry) -> None:
        while not stop.is_set():
            tracer(telemetry).start_span("work").end()
            telemetry.flush()
            errors.extend(filter(None, [telemetry.health.last_error]))

    def poll() -> None:
        while not stop.is_set():
            count(writers[0])

    threads = [threading.Thread(target=write, args=(one,)) for one in writers] + [threading.Thread(target=poll)]
    for thread in threads:
        thread.start()
    time.sleep(1)
    stop.set()
    for thread in threads:
        thread.join()
    assert errors == []
    assert count(writers[0]) == sum(one.health.stored for one in writers)
    for one in writers:
        one.shutdown()


class Disk:
    """A disk with so many pages."""

    def __init__(self, telemetry: Telemetry) -> None:
        self.pages = 1_000_000
        event.listen(telemetry.store.engine, "checkout", self.limit)

    def limit(self, connection: Any, _record: Any, _proxy: Any) -> None:
        connection.execute(f"PRAGMA max_page_count = {self.pages}")


@pytest.mark.usefixtures("only_sqlite")
def test_a_full_disk_keeps_the_spans_until_there_is_room(telemetry: Telemetry) -> None:
    disk = Disk(telemetry)
    disk.pages = 1
    for number in range(100):
        tracer(telemetry).start_span(f"work {number}", attributes={"text": "lorem " * 300}).end()
    until(lambda: telemetry.health.last_error)
    assert "full" in str(telemetry.health.last_error)
    assert not telemetry.flush(timeout=0.05)
    disk.pages = 1_000_000
    assert telemetry.flush()
    assert count(telemetry) == 100
    assert (telemetry.health.lost, telemetry.health.last_error) == (0, None)


@pytest.mark.usefixtures("only_sqlite")
def test_a_shutdown_on_a_full_disk_leaves_the_spans_to_the_next_start(
    url: str, caplog: pytest.LogCaptureFixture
) -> None:
    telemetry = Telemetry(url)
    Disk(telemetry).pages = 1
    for number in range(100):
        tracer(telemetry).start_span(f"work {number}", attributes={"text": "lorem " * 300}).end()
    telemetry.writer.shutdown(timeout=0.1)
    assert telemetry.health.lost == 0
    assert "wait in the journal for the next start: database or disk is full." in caplog.text
    with_room = Telemetry(url)
    assert {row.name for row in all_spans(with_room)} == {f"work {number}" for number in range(100)}
    with_room.shutdown()


def test_a_locked_database_is_waited_for(telemetry: Telemetry) -> None:
    with telemetry.store.write():
        tracer(telemetry).start_span("work").end()
        assert not telemetry.flush(timeout=0.05)
    assert telemetry.flush()
    assert count(telemetry) == 1


@pytest.mark.usefixtures("only_sqlite")
def test_a_full_disk_does_not_keep_the_app_from_starting(url: str, caplog: pytest.LogCaptureFixture) -> None:
    killed = Telemetry(url)
    tracer(killed).start_span("turn", attributes=IDENTITY)
    assert killed.flush()
    with killed.store.write() as connection:
        connection.exec_driver_sql(
            "CREATE TRIGGER full BEFORE UPDATE ON span BEGIN SELECT RAISE(ABORT, 'database or disk is full'); END"
        )
    killed.shutdown()

    restarted = Telemetry(url)
    assert "still show as running" in caplog.text
    restarted.shutdown()


def test_half_a_surrogate_and_a_nul_do_not_stop_the_line(telemetry: Telemetry) -> None:
    tracer(telemetry).start_span("bad", attributes={"text": "a\ud800b\x00c", "number": float("nan")}).end()
    tracer(telemetry).start_span("good").end()
    assert telemetry.flush()
    found = {row.name: row.attributes for row in all_spans(telemetry)}
    assert found == {"bad": {"text": "a?b�c", "number": "nan"}, "good": {}}


def test_a_span_that_cannot_be_read_costs_no_other(telemetry: Telemetry, caplog: pytest.LogCaptureFixture) -> None:
    bad = tracer(telemetry).start_span("bad")
    bad.update_name(5)  # type: ignore[arg-type]
    bad.end()
    tracer(telemetry).start_span("strange", attributes={"gen_ai.operation.name": {"a": ["b"]}}).end()
    assert telemetry.flush()
    assert {row.name: row.status for row in all_spans(telemetry)} == {"bad": "running", "strange": "ok"}
    assert telemetry.health.lost == 1
    assert "could not be read" in caplog.text


REFUSE = {
    "sqlite": "CREATE TRIGGER refuse BEFORE INSERT ON span WHEN NEW.attributes LIKE '%refused%' "
    "BEGIN SELECT RAISE(ABORT, 'refused'); END",
    "postgresql": "ALTER TABLE span ADD CONSTRAINT refuse CHECK (CAST(attributes AS text) NOT LIKE '%refused%')",
}


def test_a_span_that_the_database_refuses_is_stored_without_its_content(telemetry: Telemetry) -> None:
    tracer(telemetry).start_span("big", attributes={"number": 1}).end()
    with telemetry.store.write() as connection:
        connection.execute(text(REFUSE[connection.dialect.name]))
    for number, word in enumerate(("fine", "refused", "fine")):
        tracer(telemetry).start_span(f"work {number}", attributes={"word": word}).end()
    assert telemetry.flush()
    found = {row.name: row.attributes for row in all_spans(telemetry) if row.name != "big"}
    assert found == {"work 0": {"word": "fine"}, "work 1": {}, "work 2": {"word": "fine"}}
    assert telemetry.health.lost == 0
    if telemetry.store.engine.dialect.name == "postgresql":
        with telemetry.store.write() as connection:
            connection.execute(text("ALTER TABLE span DROP CONSTRAINT refuse"))


def test_nothing_is_recorded_after_the_shutdown(url: str) -> None:
    telemetry = Telemetry(url)
    telemetry.shutdown()
    tracer(telemetry).start_span("late").end()
    telemetry.shutdown()
    assert telemetry.health.queued == 0
    assert count(telemetry) == 0


def test_storing_looks_through_no_table_however_large_it_is(telemetry: Telemetry) -> None:
    make, ids = tracer(telemetry).start_as_current_span, (int("ab" * 16, 16), 7)
    with scans(telemetry.store.engine) as found:
        with make("turn", attributes=IDENTITY) as root:
            late = tracer(telemetry).start_span("work")
            with make("invoke_agent Gmail"):
                assert telemetry.flush()
        assert telemetry.flush()
        late.end()  # after its turn, which is rolled up again
        token = context.attach(context.set_value(REOPEN, ids))
        again = tracer(telemetry).start_span("turn", attributes=IDENTITY)
        context.detach(token)
        assert telemetry.flush()
        again.end()
        telemetry.account(f"{root.get_span_context().trace_id:032x}")
        telemetry.account("ab" * 16)
    assert found == []
