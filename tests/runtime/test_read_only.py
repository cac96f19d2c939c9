"""Read-only mode: no write runs, whatever was allowed or approved before, and no card asks for one."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from core.bootstrap import Services
from core.errors import NotAllowed
from core.users import LOCAL_USER_ID
from tests.runtime.desk import ask, sam, services

SEND = 'Send a mail to ana@lumenworks.example with the subject "Lamp" saying "It is here"'
ALLOWED = "modify_gmail_message_labels"


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Services]:
    with services(tmp_path_factory.mktemp("app")) as one:
        yield one


@pytest.fixture
def read_only(built: Services) -> Iterator[None]:
    switch(built, True)
    yield
    switch(built, False)


def switch(built: Services, on: bool) -> None:
    built.people.set_read_only(built.people.local(), LOCAL_USER_ID, on)


def test_no_card_is_shown_and_the_answer_says_why(built: Services, read_only: None) -> None:
    turn = built.runtime.start(built.people.local(), SEND).pause(30)
    assert turn["status"] == "done" and turn["approvals"] == []
    assert "read-only mode" in turn["response"]
    assert built.approvals.of_turn(LOCAL_USER_ID, turn["turn_id"]) == []


def test_what_is_allowed_without_asking_is_not_done_either(built: Services, read_only: None) -> None:
    built.approvals.set_policy(LOCAL_USER_ID, ALLOWED, "none")
    turn = built.runtime.start(built.people.local(), "Archive the latest mail from Ana").pause(30)
    assert turn["status"] == "done" and "read-only mode" in turn["response"]
    assert built.approvals.of_turn(LOCAL_USER_ID, turn["turn_id"]) == []


def test_reads_go_on(built: Services, read_only: None) -> None:
    assert ask(built, "Show my unread emails")["tool_calls"][0]["status"] == "ok"


def test_a_card_from_before_cannot_be_approved_but_rejected(built: Services) -> None:
    turn = built.runtime.start(sam(built), SEND).pause(30)
    (card,) = turn["approvals"]
    switch(built, True)
    try:
        with pytest.raises(NotAllowed, match="read-only mode"):
            built.runtime.decide(built.people.local(), card["approval_id"], "approve")
        assert built.approvals.get(LOCAL_USER_ID, card["approval_id"]).state == "pending"
        built.runtime.decide(built.people.local(), card["approval_id"], "reject")
    finally:
        switch(built, False)
    assert built.approvals.get(LOCAL_USER_ID, card["approval_id"]).state == "rejected"


def test_what_was_approved_just_before_is_not_done(built: Services) -> None:
    turn = built.runtime.start(sam(built), SEND).pause(30)
    (card,) = turn["approvals"]
    running = built.runtime.turn(sam(built), turn["turn_id"])
    switch(built, True)
    try:
        built.runtime.decide(sam(built), card["approval_id"], "approve")  # by a page that was opened before
        answer = running.wait(30)
    finally:
        switch(built, False)
    row = built.approvals.get(LOCAL_USER_ID, card["approval_id"])
    assert (row.state, "read-only mode" in str(row.result)) == ("failed", True)
    assert "read-only mode" in answer["response"]


def test_the_setting_holds_for_everybody(tmp_path: Path) -> None:
    with services(tmp_path, read_only=True) as built:
        turn = built.runtime.start(built.people.local(), SEND).pause(30)
    assert turn["approvals"] == [] and "read-only mode" in turn["response"]
