"""Labels and filters: made, changed, deleted, refused."""

from pathlib import Path
from typing import Any

import pytest
from googleapiclient.errors import HttpError

from tests.sandbox.gmail_world import Mailbox

RULE: dict[str, Any] = {"criteria": {"from": "a@else.example"}, "action": {"addLabelIds": ["STARRED"]}}


@pytest.fixture
def box(tmp_path: Path) -> Mailbox:
    return Mailbox(tmp_path)


def refused(request: Any) -> tuple[int, str]:
    with pytest.raises(HttpError) as caught:
        request.execute()
    return caught.value.resp.status, caught.value.reason


def test_labels_are_made_renamed_and_deleted_and_the_mails_stay(box: Mailbox) -> None:
    labels = box.users.labels()
    made = labels.create(userId="me", body={"name": "To read", "labelListVisibility": "labelHide"}).execute()
    own = box.arrive("one")
    box.messages.modify(userId="me", id=own, body={"addLabelIds": [made["id"]]}).execute()
    assert box.found("label:to-read") == [own]
    renamed = labels.patch(userId="me", id=made["id"], body={"name": "Read later"}).execute()
    assert (renamed["name"], renamed["labelListVisibility"], renamed["type"]) == ("Read later", "labelHide", "user")
    assert box.found('label:"read later"') == [own]
    labels.delete(userId="me", id=made["id"]).execute()
    assert box.messages.get(userId="me", id=own).execute()["labelIds"] == ["INBOX", "UNREAD"]


def test_a_label_counts_mails_and_threads(box: Mailbox) -> None:
    box.arrive("Tea", Message_ID="<tea@else.example>")
    two = box.arrive("Re: Tea", In_Reply_To="<tea@else.example>")
    box.messages.modify(userId="me", id=two, body={"removeLabelIds": ["UNREAD"]}).execute()
    inbox = box.users.labels().get(userId="me", id="INBOX").execute()
    assert {k: v for k, v in inbox.items() if k.endswith(("Total", "Unread"))} == {
        "messagesTotal": 2,
        "messagesUnread": 1,
        "threadsTotal": 1,
        "threadsUnread": 1,
    }
    assert "messagesTotal" not in box.users.labels().list(userId="me").execute()["labels"][0]


def test_what_a_label_may_not_be(box: Mailbox) -> None:
    labels = box.users.labels()
    labels.create(userId="me", body={"name": "Bills"}).execute()
    assert refused(labels.create(userId="me", body={"name": "bills"})) == (409, "Label name exists or conflicts")
    assert refused(labels.create(userId="me", body={"name": " "})) == (400, "Invalid label name")
    assert refused(labels.create(userId="me", body={"name": "inbox"})) == (400, "Invalid label name")
    assert refused(labels.delete(userId="me", id="INBOX")) == (400, "Invalid delete request")
    assert refused(labels.update(userId="me", id="INBOX", body={"name": "x"})) == (400, "Invalid update request")
    assert refused(labels.get(userId="me", id="Label_9")) == (404, "Requested entity was not found.")
    assert refused(labels.create(userId="me", body={"name": "x", "labelListVisibility": "no"}))[0] == 400


def test_filters_are_made_listed_under_filter_and_deleted(box: Mailbox) -> None:
    filters = box.users.settings().filters()
    assert filters.list(userId="me").execute() == {}
    made = filters.create(userId="me", body=RULE).execute()
    assert filters.list(userId="me").execute() == {"filter": [RULE | {"id": made["id"]}]}
    assert filters.get(userId="me", id=made["id"]).execute() == RULE | {"id": made["id"]}
    assert refused(filters.create(userId="me", body=RULE)) == (400, "Filter already exists")
    filters.delete(userId="me", id=made["id"]).execute()
    assert refused(filters.get(userId="me", id=made["id"]))[0] == 404


@pytest.mark.parametrize(
    "body",
    [
        {},
        {"criteria": {}, "action": RULE["action"]},
        {"criteria": {"nonsense": "x"}, "action": RULE["action"]},
        {"criteria": {"size": "big"}, "action": RULE["action"]},
        {"criteria": RULE["criteria"], "action": {}},
        {"criteria": RULE["criteria"], "action": {"addLabelIds": ["Label_77"]}},
        {"criteria": RULE["criteria"], "action": {"addLabelIds": ["SENT"]}},
        {"criteria": RULE["criteria"], "action": {"forward": "x@else.example"}},
    ],
)
def test_what_a_filter_may_not_be(box: Mailbox, body: dict[str, Any]) -> None:
    assert refused(box.users.settings().filters().create(userId="me", body=body))[0] == 400


def test_a_filter_goes_by_size_and_attachment(box: Mailbox) -> None:
    rule = {"criteria": {"size": 5000, "sizeComparison": "larger"}, "action": {"addLabelIds": ["STARRED"]}}
    box.users.settings().filters().create(userId="me", body=rule).execute()
    big = box.arrive("big", "line\n" * 2000)
    box.arrive("small")
    assert box.found("is:starred") == [big]
