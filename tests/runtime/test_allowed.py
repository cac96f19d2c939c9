"""What a person allowed for the future runs without a question, but never deletes."""

import pytest

from core.registry.manifests import Approval, load_catalogue
from tests.runtime.desk import sam, start
from tests.runtime.script import direct, scripted


@pytest.fixture(scope="module")
def desk(tmp_path_factory):
    with scripted(tmp_path_factory.mktemp("allowed")) as built:
        built.approvals.set_policy(sam(built).id, "modify_gmail_message_labels", "none")
        yield built


def message(desk):
    from core.google.clients import GoogleClients

    google = GoogleClients(desk.sandbox.http).for_account(sam(desk).account)
    messages = google.resource("gmail.users.messages")
    found = google.execute(messages.list(userId="me", q="in:inbox from:ana", maxResults=1))["messages"][0]["id"]
    return found, lambda: google.execute(messages.get(userId="me", id=found, format="minimal"))["labelIds"]


def test_what_is_allowed_is_not_asked_about(desk):
    found, labels = message(desk)
    call = ("modify_gmail_message_labels", {"message_id": found, "add_label_ids": ["STARRED"]})
    assert start(desk, direct([call])).wait(30)["status"] == "done"
    assert "STARRED" in labels()


@pytest.mark.parametrize("label", ["TRASH", "trash", "SPAM"])
def test_but_it_never_deletes(desk, label):
    found, labels = message(desk)
    call = ("modify_gmail_message_labels", {"message_id": found, "add_label_ids": ["STARRED", label]})
    turn = start(desk, direct([call])).wait(30)
    assert "never done without asking" in turn["response"]
    assert not {"TRASH", "SPAM"} & set(labels())


def test_every_destructive_tool_that_may_be_allowed_says_what_that_does_not_cover():
    allowable = [tool for _, tool in load_catalogue().tools() if tool.approval is Approval.ASK and tool.destructive]
    undoable = {tool.name for tool in allowable if not tool.beyond_allowing}
    assert not {name for name in undoable if "delete" in name or "manage" in name} - UNDOABLE


UNDOABLE = {"delete_conditional_formatting"}
"""A rule of colours: nothing of the person's own is lost with it."""
