"""users.messages and users.threads, as googleapiclient sees them: formats, pages, labels, errors."""

import hashlib
from datetime import timedelta
from email import message_from_bytes
from email.message import EmailMessage
from email.policy import SMTP
from pathlib import Path
from typing import Any

import pytest
from googleapiclient.errors import HttpError

from core.sandbox.gmail import mime
from tests.sandbox.gmail_world import NOW, Mailbox, leaf, letter, parts


@pytest.fixture
def box(tmp_path: Path) -> Mailbox:
    return Mailbox(tmp_path)


def refused(request: Any) -> tuple[int, str, str]:
    """The status, reason and sentence of a request that fails."""
    with pytest.raises(HttpError) as caught:
        request.execute()
    return caught.value.resp.status, caught.value.error_details[0]["reason"], caught.value.reason


def test_a_search_without_hits_has_no_messages_key(box: Mailbox) -> None:
    assert box.messages.list(userId="me", q="xylophone").execute() == {"resultSizeEstimate": 0}


def test_pages_are_newest_first_and_hold_everything_once_even_when_mail_arrives(box: Mailbox) -> None:
    ids = [box.arrive(f"mail {n}", at=NOW - timedelta(minutes=n)) for n in range(7)]
    first = box.messages.list(userId="me", maxResults=3).execute()
    box.arrive("newer", at=NOW + timedelta(minutes=1))
    request, seen = box.messages.list_next(box.messages.list(userId="me", maxResults=3), first), first["messages"]
    while request is not None:
        page = request.execute()
        seen += page["messages"]
        request = box.messages.list_next(request, page)
    assert [message["id"] for message in seen] == ids
    assert first["resultSizeEstimate"] == 7


def test_a_page_token_that_no_list_gave_out_is_refused(box: Mailbox) -> None:
    assert refused(box.messages.list(userId="me", pageToken="x1"))[::2] == (400, "Invalid pageToken")


def test_several_label_ids_must_all_be_there(box: Mailbox) -> None:
    box.arrive("read")
    starred = box.arrive("starred")
    box.messages.modify(userId="me", id=starred, body={"addLabelIds": ["STARRED"]}).execute()
    assert box.found("", labelIds=["INBOX", "STARRED"]) == [starred]


def test_the_four_formats_show_what_gmail_shows(box: Mailbox) -> None:
    own = box.arrive("Hello", "Good & <fine>", X_Other="1")
    shown = {
        form: box.messages.get(userId="me", id=own, format=form).execute()
        for form in ("minimal", "metadata", "full", "raw")
    }
    common = {"id", "threadId", "labelIds", "snippet", "sizeEstimate", "historyId", "internalDate"}
    assert set(shown["minimal"]) == common
    assert set(shown["metadata"]["payload"]) == {"mimeType", "headers"}
    assert shown["full"]["payload"]["body"]["data"] == mime.encode(b"Good & <fine>\n")
    assert b"Good & <fine>" in mime.decode(shown["raw"]["raw"])
    assert shown["full"]["snippet"] == "Good &amp; &lt;fine&gt;"
    assert shown["full"]["internalDate"] == str(int(NOW.timestamp() * 1000))


def test_metadata_headers_are_chosen_in_any_case(box: Mailbox) -> None:
    own = box.arrive("Hello")
    got = box.messages.get(userId="me", id=own, format="metadata", metadataHeaders=["subject", "FROM"]).execute()
    assert {h["name"]: h["value"] for h in got["payload"]["headers"]} == {
        "From": "Zoe <zoe@else.example>",
        "Subject": "Hello",
    }


@pytest.mark.parametrize(
    ("charset", "encoding", "text"),
    [
        ("iso-2022-jp", "7bit", "製品ロードマップ"),
        ("windows-1252", "quoted-printable", "„Grüße“ – 5 €"),
        ("iso-8859-1", "8bit", "schöne Grüße"),
        ("utf-8", "base64", "شكرًا 🏮"),
    ],
)
def test_text_comes_in_utf_8_whatever_it_was_written_in(box: Mailbox, charset: str, encoding: str, text: str) -> None:
    message = EmailMessage(policy=SMTP)
    message["From"], message["To"], message["Subject"] = "z@else.example", "sam@lumenworks.example", text
    message.set_content(text, charset=charset, cte=encoding)
    own = box.messages.insert(userId="me", body={"raw": mime.encode(message.as_bytes())}).execute()["id"]
    got = box.messages.get(userId="me", id=own).execute()
    assert mime.decode(got["payload"]["body"]["data"]).decode().strip() == text
    assert box.header(own, "Subject") == text
    assert got["snippet"] == text


def test_an_attachment_comes_back_byte_for_byte_under_its_own_name(box: Mailbox) -> None:
    data = bytes(range(256)) * 300
    message = EmailMessage(policy=SMTP)
    message["From"], message["To"] = "z@else.example", "sam@lumenworks.example"
    message.set_content("see the file")
    message.add_attachment(data, maintype="application", subtype="zip", filename="Prüfbericht Q1.zip")
    message.add_attachment(message_from_bytes(letter("inner"), policy=SMTP), filename="RE: Foo.eml")
    own = box.messages.insert(userId="me", body={"raw": mime.encode(message.as_bytes())}).execute()["id"]
    payload = box.messages.get(userId="me", id=own).execute()["payload"]
    part = leaf(payload, lambda part: part["mimeType"] == "application/zip")
    got = box.messages.attachments().get(userId="me", messageId=own, id=part["body"]["attachmentId"]).execute()
    assert (part["filename"], part["body"]["size"], "data" in part["body"]) == ("Prüfbericht Q1.zip", len(data), False)
    assert hashlib.sha256(mime.decode(got["data"])).digest() == hashlib.sha256(data).digest()
    assert [part["partId"] for part in parts(payload)] == ["", "0", "1", "2", "2.0"]
    assert refused(box.messages.attachments().get(userId="me", messageId=own, id="x"))[0] == 400


def test_labels_change_one_by_one_and_in_batches(box: Mailbox) -> None:
    one, two = box.arrive("one"), box.arrive("two")
    got = box.messages.modify(
        userId="me", id=one, body={"removeLabelIds": ["UNREAD"], "addLabelIds": ["STARRED"]}
    ).execute()
    assert got["labelIds"] == ["INBOX", "STARRED"]
    body = {"ids": [one, two], "removeLabelIds": ["INBOX"]}
    assert box.messages.batchModify(userId="me", body=body).execute() == ""
    assert box.found("in:inbox") == []


def test_trash_hides_a_mail_and_untrash_brings_it_back(box: Mailbox) -> None:
    own = box.arrive("one")
    assert box.messages.trash(userId="me", id=own).execute()["labelIds"] == ["TRASH", "UNREAD"]
    assert (box.found(""), box.found("", includeSpamTrash=True), box.found("", labelIds=["TRASH"])) == (
        [],
        [own],
        [own],
    )
    box.messages.untrash(userId="me", id=own).execute()
    assert box.found("") == [own]
    box.messages.delete(userId="me", id=own).execute()
    assert refused(box.messages.get(userId="me", id=own))[0] == 404


@pytest.mark.parametrize(
    ("call", "answer"),
    [
        (lambda m: m.get(userId="me", id="not an id"), (400, "invalidArgument", "Invalid id value")),
        (lambda m: m.get(userId="me", id="19aaaaaaaaaaaaaa"), (404, "notFound", "Requested entity was not found.")),
        (
            lambda m: m.get(userId="ana@lumenworks.example", id="1"),
            (403, "forbidden", "Delegation denied for sam@lumenworks.example"),
        ),
        (lambda m: m.modify(userId="me", id="1", body={}), (404, "notFound", "Requested entity was not found.")),
        (
            lambda m: m.batchModify(userId="me", body={"ids": ["1"]}),
            (400, "invalidArgument", "No label add or removes specified"),
        ),
        (
            lambda m: m.batchModify(userId="me", body={"ids": ["1"], "addLabelIds": ["Nope"]}),
            (400, "invalidArgument", "Invalid label: Nope"),
        ),
        (
            lambda m: m.batchModify(userId="me", body={"ids": ["1"], "removeLabelIds": ["SENT"]}),
            (400, "invalidArgument", "Invalid label: SENT"),
        ),
    ],
)
def test_errors_are_googles(box: Mailbox, call: Any, answer: tuple[int, str, str]) -> None:
    assert refused(call(box.messages)) == answer


def test_the_accounts_own_address_stands_for_me(box: Mailbox) -> None:
    own = box.arrive("one")
    assert box.messages.get(userId="sam@lumenworks.example", id=own).execute()["id"] == own


def test_threads_list_by_their_newest_mail_and_change_as_a_whole(box: Mailbox) -> None:
    first = box.arrive("Tea", at=NOW - timedelta(hours=3), Message_ID="<tea@else.example>")
    other = box.arrive("Other", at=NOW - timedelta(hours=2))
    answer = box.arrive("Re: Tea", "with milk", at=NOW - timedelta(hours=1), In_Reply_To="<tea@else.example>")
    threads = box.users.threads()
    page = threads.list(userId="me", maxResults=1).execute()
    assert ([t["id"] for t in page["threads"]], page["threads"][0]["snippet"]) == ([first], "with milk")
    assert [t["id"] for t in threads.list_next(threads.list(userId="me", maxResults=1), page).execute()["threads"]] == [
        other
    ]
    assert [m["id"] for m in threads.get(userId="me", id=first, format="minimal").execute()["messages"]] == [
        first,
        answer,
    ]
    threads.modify(userId="me", id=first, body={"removeLabelIds": ["UNREAD"]}).execute()
    assert box.found("is:unread") == [other]
    threads.trash(userId="me", id=first).execute()
    assert box.found("") == [other]
    assert refused(threads.get(userId="me", id="19aaaaaaaaaaaaaa"))[0] == 404


def test_history_tells_what_changed_since(box: Mailbox) -> None:
    before = box.users.getProfile(userId="me").execute()["historyId"]
    own = box.arrive("one")
    box.messages.modify(userId="me", id=own, body={"addLabelIds": ["STARRED"]}).execute()
    got = box.users.history().list(userId="me", startHistoryId=before).execute()
    assert [next(k for k in entry if k.endswith(("Added", "Removed"))) for entry in got["history"]][-1] == "labelsAdded"
    assert got["history"][-1]["labelsAdded"][0]["labelIds"] == ["STARRED"]
    assert int(got["historyId"]) > int(before)
    assert refused(box.users.history().list(userId="me", startHistoryId="999999"))[0] == 404


def test_the_profile_counts_mails_and_threads(box: Mailbox) -> None:
    box.arrive("one")
    profile = box.users.getProfile(userId="me").execute()
    assert (profile["emailAddress"], profile["messagesTotal"], profile["threadsTotal"]) == (
        "sam@lumenworks.example",
        1,
        1,
    )
    assert box.users.settings().sendAs().list(userId="me").execute()["sendAs"][0]["isPrimary"]
