"""Comments on files of the sandbox's Drive, and their replies."""

from typing import Any

import pytest

from core.sandbox.drive.kinds import seed_id
from core.sandbox.sandbox import Sandbox
from tests.sandbox.drive_world import Drive, drive_of, refused

FILE = seed_id("scratch")


@pytest.fixture
def drive(sandbox: Sandbox) -> Drive:
    return drive_of(sandbox)


@pytest.fixture
def comment(drive: Drive) -> dict[str, Any]:
    return drive.api.comments().create(fileId=FILE, fields="*", body={"content": "Is <this> right?"}).execute()


def listed(drive: Drive, **more: Any) -> list[dict[str, Any]]:
    return drive.api.comments().list(fileId=FILE, fields="*", **more).execute()["comments"]


def test_fields_must_be_named(drive: Drive, comment: dict[str, Any]):
    said = (400, "required", "The 'fields' parameter is required for this method.")
    comments, replies = drive.api.comments(), drive.api.replies()
    body = {"content": "x"}
    assert refused(comments.list(fileId=FILE).execute) == said
    assert refused(comments.get(fileId=FILE, commentId=comment["id"]).execute) == said
    assert refused(comments.create(fileId=FILE, body=body).execute) == said
    assert refused(replies.create(fileId=FILE, commentId=comment["id"], body=body).execute) == said


def test_a_comment_names_who_wrote_it_but_not_their_address(drive: Drive, comment: dict[str, Any]):
    assert comment["author"] == {"kind": "drive#user", "displayName": "Sam Okafor", "me": True}
    assert (comment["content"], comment["htmlContent"]) == ("Is <this> right?", "Is &lt;this&gt; right?")
    assert (comment["resolved"], comment["replies"]) == (False, [])
    assert [one["id"] for one in listed(drive)] == [comment["id"]]


def test_a_reply_may_resolve_and_reopen(drive: Drive, comment: dict[str, Any]):
    def answer(**body: str) -> dict[str, Any]:
        return drive.api.replies().create(fileId=FILE, commentId=comment["id"], fields="*", body=body).execute()

    assert answer(content="Yes.")["content"] == "Yes."
    assert answer(action="resolve")["action"] == "resolve"
    found = listed(drive)[0]
    assert (found["resolved"], [one.get("content") for one in found["replies"]]) == (True, ["Yes.", None])
    answer(content="No, look again", action="reopen")
    assert not listed(drive)[0]["resolved"]
    assert refused(lambda: answer(action="burn"))[0] == 400
    assert refused(lambda: answer())[1] == "required"


def test_comments_can_be_changed_and_deleted_by_who_wrote_them(drive: Drive, comment: dict[str, Any]):
    comments = drive.api.comments()
    changed = comments.update(fileId=FILE, commentId=comment["id"], fields="content", body={"content": "Right!"})
    assert changed.execute() == {"content": "Right!"}
    comments.delete(fileId=FILE, commentId=comment["id"]).execute()
    assert listed(drive) == []
    assert [one["deleted"] for one in listed(drive, includeDeleted=True)] == [True]
    gone = comments.get(fileId=FILE, commentId=comment["id"], fields="*")
    assert refused(gone.execute)[2] == f"Comment not found: {comment['id']}."


def test_readers_cannot_comment(drive: Drive):
    comments = drive.api.comments()
    call = comments.create(fileId=seed_id("driver-datasheet"), fields="*", body={"content": "x"})
    assert refused(call.execute)[1] == "insufficientFilePermissions"


def test_pages_of_comments(drive: Drive):
    for number in range(5):
        drive.api.comments().create(fileId=FILE, fields="id", body={"content": str(number)}).execute()
    comments = drive.api.comments()
    first = comments.list(fileId=FILE, fields="*", pageSize=3).execute()
    rest = comments.list(fileId=FILE, fields="*", pageSize=3, pageToken=first["nextPageToken"]).execute()
    found = sorted(one["content"] for one in [*first["comments"], *rest["comments"]])
    assert (found, "nextPageToken" in rest) == (["0", "1", "2", "3", "4"], False)
