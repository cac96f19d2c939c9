"""Several processes of the app on one database: each runs its own turns, and what waits is gone on with once."""

import threading
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pytest

from core.errors import Busy, StorageError
from core.store.approvals import Decided
from core.store.conversations import Conversations
from core.store.stores import open_stores
from telemetry.presence import Presence
from tests.runtime.toy import SAM, Toy, toy, utc_now


@pytest.fixture
def two(app_url: str, telemetry_url: str, tmp_path: Path) -> Iterator[tuple[Toy, Toy]]:
    """Two apps that know nothing of each other but the database."""
    urls = app_url, telemetry_url
    with toy(tmp_path, urls=urls) as one, toy(tmp_path, urls=urls) as other:
        yield one, other


def test_a_yes_in_one_process_goes_on_with_what_another_one_asked(two: tuple[Toy, Toy]) -> None:
    one, other = two
    asked = one.ask("send Zeppelin")
    other.runtime.decide(SAM, asked["approvals"][0]["approval_id"], "approve")
    done = other.runtime.turn(SAM, asked["turn_id"]).wait(30)
    assert (done["status"], done["response"]) == ("done", "send did Zeppelin")
    assert (one.tools.calls, other.tools.calls) == ([], [("send", {"text": "Zeppelin"})])
    assert one.runtime.live(SAM, asked["conversation_id"]) is None
    assert one.ask("look_mail x", asked["conversation_id"])["status"] == "done"


def test_what_waits_is_shown_and_decided_where_the_person_is(two: tuple[Toy, Toy]) -> None:
    one, other = two
    asked = one.ask("send Zeppelin")
    shown = other.runtime.attend(SAM, asked["conversation_id"])
    assert shown is not None and shown.pause(30)["approvals"] == asked["approvals"]
    assert one.runtime.live(SAM, asked["conversation_id"]) is None
    back = one.runtime.attend(SAM, asked["conversation_id"])
    assert back is not None
    one.approve(back.pause(30))
    assert (len(one.tools.calls), len(other.tools.calls)) == (1, 0)
    with pytest.raises(Decided):
        other.runtime.decide(SAM, asked["approvals"][0]["approval_id"], "approve")


def test_two_yeses_at_once_write_once(two: tuple[Toy, Toy]) -> None:
    for number in range(5):
        asked = two[0].ask(f"send {number}")
        two[1].runtime.attend(SAM, asked["conversation_id"])
        together = threading.Barrier(2)

        def approve(app: Toy, approval: str, together: threading.Barrier) -> None:
            together.wait()
            with suppress(Decided):
                app.runtime.decide(SAM, approval, "approve")

        threads = [
            threading.Thread(target=approve, args=(app, asked["approvals"][0]["approval_id"], together)) for app in two
        ]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        for app in two:
            live = app.runtime.live(SAM, asked["conversation_id"])
            if live is not None:
                live.wait(30)
    assert sorted(call[1]["text"] for app in two for call in app.tools.calls) == ["0", "1", "2", "3", "4"]


def test_a_question_waits_for_the_answer_that_another_process_is_giving(two: tuple[Toy, Toy]) -> None:
    one, other = two
    going, told = threading.Event(), threading.Event()

    def hold(_: str) -> None:
        told.set()
        assert going.wait(30)

    one.tools.during = hold
    turn = one.runtime.start(SAM, "look_mail x")
    assert told.wait(30)
    with pytest.raises(Busy, match="in another window"):
        other.runtime.start(SAM, "look_mail y", turn.conversation_id)
    going.set()
    assert turn.wait(30)["status"] == "done"
    assert other.ask("look_mail y", turn.conversation_id)["status"] == "done"


def test_a_process_that_starts_leaves_alone_what_others_run_or_ask(
    app_url: str, telemetry_url: str, tmp_path: Path
) -> None:
    with toy(tmp_path, urls=(app_url, telemetry_url)) as app:
        begun, going = threading.Event(), threading.Event()
        app.tools.during = lambda _: begun.set() or going.wait(30)
        asked = app.ask("send Zeppelin")
        app.runtime.decide(SAM, asked["approvals"][0]["approval_id"], "approve")
        assert begun.wait(30)
        running = app.stores.conversations
        running.begin(SAM.id, "c9", "t9", "still running")
        later = open_stores(app_url, tmp_path / "uploads", utc_now(), processes=Presence)
        assert later.conversations.mark_interrupted() == 0
        [row] = later.approvals.of_conversation(SAM.id, asked["conversation_id"])
        assert row.state == "running"
        going.set()
        assert app.runtime.turn(SAM, asked["turn_id"]).wait(30)["response"] == "send did Zeppelin"
        assert running.exchange(SAM.id, "t9").status == "running"
        later.processes.close()
    later = open_stores(app_url, tmp_path / "uploads", utc_now(), processes=Presence)
    assert later.conversations.mark_interrupted() == 1
    later.processes.close()


def test_what_cannot_be_kept_is_a_sentence_and_not_a_turn(two: tuple[Toy, Toy], monkeypatch) -> None:
    def refused(*_: object, **__: object) -> None:
        raise StorageError("No room.")

    monkeypatch.setattr(Conversations, "begin", refused)
    with pytest.raises(StorageError):
        two[0].runtime.start(SAM, "look_mail x")
    assert two[0].runtime.running() == 0
