"""Turns over the warm subprocess of tools: approvals, kills in the middle of a call, and the folders of files."""

import base64
import json
import os
import signal
import subprocess
import time
from collections.abc import Iterator
from typing import Any

import pytest
from sqlmodel import select

from core.bootstrap import Services
from core.google.clients import GoogleClients
from core.runtime.turn import Turn
from core.sandbox.faults import Fault, FaultRow
from core.store.uploads import Upload
from tests.runtime.desk import SECONDS, sam, start, tree
from tests.runtime.script import direct, mail, scripted, sent

CSV = Upload("figures.csv", "text/csv", "month,売上\nMay,12\n".encode())


@pytest.fixture(scope="module")
def app(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Services]:
    with scripted(tmp_path_factory.mktemp("warm"), mcp="stdio") as built:
        yield built


def approve(app: Services, turn: Turn) -> None:
    """Say yes to the one thing that waits."""
    (approval,) = turn.pause(SECONDS)["approvals"]
    app.runtime.decide(sam(app), approval["approval_id"], "approve")


def subprocesses() -> list[int]:
    """The tool servers that this process has started."""
    found = subprocess.run(
        ["pgrep", "-P", str(os.getpid()), "-f", "core.mcp_server"], capture_output=True, text=True, check=False
    )
    return [int(line) for line in found.stdout.split()]


def killed_in_its_request(app: Services, match: str) -> None:
    """Kill the subprocess as soon as its request has met the trouble that was laid for it."""
    for _ in range(400):
        with app.sandbox.world.session() as session:
            if session.exec(select(FaultRow).where(FaultRow.match == match)).first() is None:
                break
        time.sleep(0.02)
    (child,) = subprocesses()
    os.kill(child, signal.SIGKILL)


def stuck(app: Services, match: str) -> str:
    """The next request of this kind waits longer than anybody does."""
    app.sandbox.faults.add(Fault(match, kind="latency", seconds=15, remaining=1))
    return match


def names(spans: list[Any]) -> Iterator[str]:
    """The names in a tree of spans."""
    for one in spans:
        name, children = one if isinstance(one, tuple) else (one, [])
        yield name
        yield from names(children)


@pytest.mark.sqlite
def test_an_approved_mail_goes_out_once_and_its_request_to_google_is_in_the_turns_tree(app: Services) -> None:
    turn = start(app, direct([mail("Warm")]))
    assert turn.pause(SECONDS)["status"] == "waiting_approval"
    assert sent(app, "Warm") == []
    approve(app, turn)
    done = turn.wait(SECONDS)
    assert (done["status"], [one["state"] for one in done["approvals"]]) == ("done", ["done"])
    assert len(sent(app, "Warm")) == 1
    assert "gmail.users.messages.send" in set(names(tree(app, turn.id)))


def test_a_read_that_is_killed_in_the_middle_is_answered_within_its_call(app: Services) -> None:
    before = subprocesses()
    match = stuck(app, "GET .*/messages$")
    turn = start(app, direct([("search_gmail_messages", {"query": "from:ana 2041"})]))
    killed_in_its_request(app, match)
    done = turn.wait(SECONDS)
    assert done["status"] == "done" and "2041" in done["response"]
    assert len(subprocesses()) == 1 and subprocesses() != before


def test_a_write_that_is_killed_in_the_middle_is_not_repeated_and_kept_as_unknown(app: Services) -> None:
    match = stuck(app, "/messages/send")
    turn = start(app, direct([mail("Killed")]))
    approve(app, turn)
    killed_in_its_request(app, match)
    done = turn.wait(SECONDS)
    assert [one["state"] for one in done["approvals"]] == ["unknown"]
    assert "Whether the change was made is unknown: check first." in done["response"]
    assert sent(app, "Killed") == []


def test_after_a_kill_the_next_write_works(app: Services) -> None:
    turn = start(app, direct([mail("After")]))
    approve(app, turn)
    assert turn.wait(SECONDS)["status"] == "done"
    assert len(sent(app, "After")) == 1


def test_a_file_that_came_with_a_question_goes_out_with_a_mail(app: Services) -> None:
    asked = app.runtime.start(sam(app), direct(), None, files=[CSV])
    asked.wait(SECONDS)
    (file,) = app.conversations.exchange(sam(app).id, asked.id).files
    path = file["path"].partition("/")[2]
    name, arguments = mail("With a file")
    turn = start(app, direct([(name, {**arguments, "attachments": [{"path": path}]})]))
    approve(app, turn)
    turn.wait(SECONDS)
    (found,) = sent(app, "With a file")
    part = next(one for one in found["payload"]["parts"] if one.get("filename") == CSV.name)
    google = GoogleClients(app.sandbox.http).for_account(sam(app).account)
    attachments = google.resource("gmail.users.messages.attachments")
    data = google.execute(attachments.get(userId="me", messageId=found["id"], id=part["body"]["attachmentId"]))
    assert base64.urlsafe_b64decode(data["data"]) == CSV.content


def test_an_attachment_that_is_saved_lies_in_the_apps_own_folder(app: Services) -> None:
    (found,) = sent(app, "With a file")
    turn = start(app, direct([("get_gmail_message_content", {"message_id": found["id"]})]))
    shown = json.loads(turn.wait(SECONDS)["response"])
    (attachment,) = shown["attachments"]
    wanted = {"message_id": found["id"], "attachment_id": attachment["attachment_id"]}
    saved = json.loads(start(app, direct([("get_gmail_attachment_content", wanted)])).wait(SECONDS)["response"])
    kept = app.settings.downloads / sam(app).account
    assert [path.name for path in kept.rglob(CSV.name)] == [CSV.name], saved
