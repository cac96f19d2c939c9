"""What a person sees before a yes: what the tools would really send, with names in the place of ids."""

import pytest

from core.google.clients import GoogleClients
from core.users import SANDBOX_ACCOUNT
from tests.runtime.desk import SECONDS, sam, start
from tests.runtime.script import PRIYA, direct, mail, scripted, sent


@pytest.fixture(scope="module")
def app(tmp_path_factory):
    with scripted(tmp_path_factory.mktemp("previews")) as built:
        yield built


def google(app):
    return GoogleClients(app.sandbox.http).for_account(SANDBOX_ACCOUNT)


def seen(app, tool, arguments, domain="gmail"):
    """The preview of a call that waits, and the approval; the turn is stopped then."""
    turn = start(app, direct([(tool, arguments)], domain=domain))
    (approval,) = turn.pause(SECONDS)["approvals"]
    row = app.approvals.get(sam(app).id, approval["approval_id"])
    preview = app.previews.of(sam(app), row)
    turn.cancel()
    turn.wait(SECONDS)
    return preview


def found(app, query):
    messages = google(app).resource("gmail.users.messages")
    return google(app).execute(messages.list(userId="me", q=query, maxResults=2))["messages"]


def made(app, **event):
    events = google(app).resource("calendar.events")
    return google(app).execute(events.insert(calendarId="primary", body=event))


AT_TEN = {
    "start": {"dateTime": "2026-12-01T10:00:00+01:00", "timeZone": "Europe/Berlin"},
    "end": {"dateTime": "2026-12-01T11:00:00+01:00", "timeZone": "Europe/Berlin"},
}


def test_a_reply_is_shown_with_the_subject_that_it_will_have(app):
    thread = found(app, "subject:Invoice")[0]["threadId"]
    to = "Ana <ana@lumenworks.example>"
    preview = seen(app, "send_gmail_message", {"to": to, "subject": "", "body": "I pay it.", "thread_id": thread})
    assert preview.mail is not None and preview.mail.reply
    assert preview.mail.subject.startswith("Re: ")
    assert preview.mail.to == ("Ana <ana@lumenworks.example>",)
    assert preview.mail.body == "I pay it."
    assert preview.mail.subject in preview.summary


def test_a_mail_that_cannot_be_sent_says_why(app):
    preview = seen(app, "send_gmail_message", {"to": "nobody", "subject": "Hi", "body": "x"})
    assert preview.mail is None and "nobody" in (preview.problem or "")
    preview = seen(
        app, "send_gmail_message", {"to": PRIYA, "subject": "Hi", "body": "x", "attachments": [{"path": "/etc/passwd"}]}
    )
    assert "not one of the files" in (preview.problem or "")


def test_a_file_is_shown_with_its_size(app):
    files = [{"content": "aGVsbG8=", "filename": "hello.txt"}]
    preview = seen(app, "send_gmail_message", {"to": PRIYA, "subject": "Hi", "body": "x", "attachments": files})
    assert preview.mail is not None and preview.mail.files == (("hello.txt", 5),)


def test_a_moved_event_is_shown_before_and_after_by_its_title_and_is_not_moved(app):
    event = made(app, summary="Lamp review", **AT_TEN)
    preview = seen(app, "modify_event", {"event_id": event["id"], "start_time": "2026-12-04T09:00"}, "calendar")
    assert "“Lamp review”" in preview.summary and event["id"] not in preview.summary
    rows = {change.name: (change.before, change.after) for change in preview.changes}
    assert rows["title"] == ("Lamp review", "Lamp review")
    assert rows["start"] == ("Tue 1 Dec 2026, 10:00", "Fri 4 Dec 2026, 09:00")
    assert rows["end"][1] == "Fri 4 Dec 2026, 10:00"
    assert "it begins Fri 4 Dec 2026, 09:00" in preview.summary
    events = google(app).resource("calendar.events")
    kept = google(app).execute(events.get(calendarId="primary", eventId=event["id"]))
    assert kept["start"] == event["start"] and kept["etag"] == event["etag"]


def test_a_new_event_is_shown_in_the_zone_of_the_person(app):
    times = {"start_time": "2026-12-01T09:00+09:00", "end_time": "2026-12-01T10:00+09:00"}
    preview = seen(app, "create_event", {"summary": "Call Kenji", **times}, "calendar")
    rows = {change.name: change.after for change in preview.changes}
    assert rows["title"] == "Call Kenji" and rows["start"] == "Tue 1 Dec 2026, 01:00"
    assert "Tue 1 Dec 2026, 01:00" in preview.summary
    assert not preview.compares


def test_an_event_that_is_not_there_says_so(app):
    preview = seen(app, "delete_event", {"event_id": "nothing"}, "calendar")
    assert preview.problem and preview.changes == ()


def test_a_deleted_event_is_shown_by_its_title(app):
    event = made(app, summary="Old review", **AT_TEN)
    preview = seen(app, "delete_event", {"event_id": event["id"]}, "calendar")
    assert "“Old review”" in preview.summary
    assert "Old review" in [change.after for change in preview.changes]


def test_labels_are_shown_by_name_with_the_mails(app):
    ids = [one["id"] for one in found(app, "in:inbox")]
    preview = seen(app, "batch_modify_gmail_message_labels", {"message_ids": ids, "remove_label_ids": ["inbox"]})
    assert preview.labels is not None
    assert preview.labels.removed == ("INBOX",) and len(preview.labels.mails) == 2
    assert "@" in preview.labels.mails[0]


def test_arguments_that_no_tool_takes_are_no_fault(app):
    preview = seen(app, "create_event", {"summary": "x", "start_time": 7, "guests": "all"}, "calendar")
    assert preview.problem


def test_a_revised_call_says_what_it_does_now_and_runs_as_revised(app):
    turn = start(app, direct([mail("Before")]))
    (approval,) = turn.pause(SECONDS)["approvals"]
    revised = app.runtime.revise(sam(app), approval["approval_id"], {**approval["arguments"], "subject": "After"})
    assert "“After”" in revised.summary and revised.state == "pending"
    app.runtime.decide(sam(app), approval["approval_id"], "approve")
    assert turn.wait(SECONDS)["status"] == "done"
    assert len(sent(app, "After")) == 1 and not sent(app, "Before")


def test_a_decision_with_other_arguments_says_what_was_done(app):
    turn = start(app, direct([mail("First words")]))
    (approval,) = turn.pause(SECONDS)["approvals"]
    changed = {**approval["arguments"], "subject": "Second words"}
    row = app.runtime.decide(sam(app), approval["approval_id"], "approve", changed)
    assert "“Second words”" in row.summary
    turn.wait(SECONDS)


@pytest.fixture(scope="module")
def ids(app):
    """The id of each file, event and label of the world by its name."""
    own = google(app)
    files = own.execute(own.resource("drive.files").list(pageSize=100, fields="files(id,name)"))["files"]
    labels = own.execute(own.resource("gmail.users.labels").list(userId="me"))["labels"]
    return {one["name"]: one["id"] for one in [*files, *labels]} | {"Retro": made(app, summary="Retro", **AT_TEN)["id"]}


def person(app, file_id, address):
    """The id of somebody's access to a file."""
    permissions = google(app).resource("drive.permissions")
    found = google(app).execute(permissions.list(fileId=file_id, fields="permissions(id,emailAddress)"))["permissions"]
    return next(one["id"] for one in found if one["emailAddress"] == address)


@pytest.mark.parametrize(
    ("tool", "key", "name", "more", "sentence"),
    [
        ("update_drive_file", "file_id", "scratch.txt", {"trashed": True}, "Move the file “scratch.txt” to the trash."),
        (
            "find_and_replace_doc",
            "document_id",
            "Product roadmap",
            {"find_text": "Acme", "replace_text": "Globex"},
            "Replace every “Acme” by “Globex” in the document “Product roadmap”.",
        ),
        (
            "create_sheet",
            "spreadsheet_id",
            "Budget 2026",
            {"sheet_name": "Trips"},
            "Add the sheet “Trips” to the spreadsheet “Budget 2026”",
        ),
        (
            "create_presentation_comment",
            "presentation_id",
            "Board deck Q3",
            {"comment_content": "Why?"},
            "Comment on the presentation “Board deck Q3”: “Why?”.",
        ),
        ("delete_event", "event_id", "Retro", {}, "Delete the event “Retro”. Guests are told by mail"),
    ],
)
def test_a_person_over_http_is_told_names_too(app, ids, tool, key, name, more, sentence):
    turn = start(app, direct([(tool, {key: ids[name], **more})], domain=domain_of(app, tool)))
    (approval,) = turn.pause(SECONDS)["approvals"]
    assert approval["summary"] == sentence
    assert approval["arguments"][key] == ids[name]
    turn.cancel()
    assert [one["summary"] for one in turn.wait(SECONDS)["approvals"]] == [sentence]


def domain_of(app, tool):
    return next(domain for domain, known in app.catalogue.tools() if known.name == tool)


def test_several_ids_in_one_call_are_all_told_by_name(app, ids):
    move = {"file_id": ids["scratch.txt"], "add_parents": f"{ids['Finance']}, {ids['Sales']}"}
    preview = seen(app, "update_drive_file", move, "drive")
    assert preview.summary == "Move the file “scratch.txt” to the folder “Finance”, “Sales”."
    one = {"file_id": ids["Budget 2026"], "permission_id": person(app, ids["Budget 2026"], PRIYA)}
    preview = seen(app, "remove_drive_permission", one, "drive")
    assert preview.summary == f"Take away the access of {PRIYA} to the file “Budget 2026”."
    mine = seen(app, "update_drive_file", {"file_id": ids["scratch.txt"], "add_parents": "root"}, "drive")
    assert mine.summary == "Move the file “scratch.txt” to the folder My Drive."


def test_what_cannot_be_found_keeps_its_id_and_says_why(app):
    preview = seen(app, "update_drive_file", {"file_id": "1none", "trashed": True}, "drive")
    assert preview.summary == "Move the file 1none to the trash."
    assert preview.problem
