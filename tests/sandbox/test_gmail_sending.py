"""Sending: what is stored, which thread it joins, who is refused, what filters do, and all ways of upload."""

import io
from pathlib import Path
from typing import Any

import pytest
from googleapiclient.errors import HttpError
from googleapiclient.http import MediaIoBaseUpload

from core.sandbox.gmail import mime
from core.users import SANDBOX_ACCOUNT
from tests.sandbox.gmail_world import Mailbox, letter

OTHERS = {"From": f"Sam <{SANDBOX_ACCOUNT}>", "To": "ana@lumenworks.example"}


@pytest.fixture
def box(tmp_path: Path) -> Mailbox:
    return Mailbox(tmp_path)


def send(box: Mailbox, raw: bytes, **more: str) -> dict[str, Any]:
    """Send a mail as JSON."""
    return dict(box.messages.send(userId="me", body={"raw": mime.encode(raw), **more}).execute())


def stored(box: Mailbox, message_id: str) -> bytes:
    """A mail's bytes as they are kept."""
    return mime.decode(box.messages.get(userId="me", id=message_id, format="raw").execute()["raw"])


def test_a_sent_mail_is_in_sent_with_its_own_message_id_and_unchanged(box: Mailbox) -> None:
    raw = letter("Hi", Message_ID="<mine-1@lumenworks.example>", Date="Mon, 30 Nov 2026 15:00:00 +0100", **OTHERS)
    sent = send(box, raw)
    assert sent["labelIds"] == ["SENT"]
    assert stored(box, sent["id"]) == raw
    assert box.found("in:sent rfc822msgid:mine-1@lumenworks.example") == [sent["id"]]


def test_what_a_mail_lacks_is_added(box: Mailbox) -> None:
    sent = send(box, b"To: ana@lumenworks.example\r\nSubject: Hi\r\n\r\ntext")
    assert box.header(sent["id"], "From") == SANDBOX_ACCOUNT
    assert box.header(sent["id"], "Date") == "Mon, 30 Nov 2026 14:00:00 +0000"
    assert box.header(sent["id"], "Message-ID").endswith("@mail.gmail.com>")


def test_nobody_sends_under_another_address(box: Mailbox) -> None:
    sent = send(box, letter("Hi", From="The Boss <priya@lumenworks.example>", To="ana@lumenworks.example"))
    assert box.header(sent["id"], "From") == f"The Boss <{SANDBOX_ACCOUNT}>"


def test_a_mail_to_oneself_arrives_too(box: Mailbox) -> None:
    assert send(box, letter("Note"))["labelIds"] == ["INBOX", "SENT", "UNREAD"]


@pytest.mark.parametrize(
    ("headers", "answer"),
    [
        ({"To": "nobody"}, "Invalid To header"),
        ({"To": "ana@lumenworks.example", "Cc": "a b@c"}, "Invalid Cc header"),
        ({"To": ""}, "Recipient address required"),
    ],
)
def test_wrong_recipients_are_refused_and_nothing_is_sent(box: Mailbox, headers: dict[str, str], answer: str) -> None:
    with pytest.raises(HttpError) as caught:
        send(box, "".join(f"{k}: {v}\r\n" for k, v in headers.items()).encode() + b"Subject: x\r\n\r\ntext")
    assert (caught.value.resp.status, caught.value.reason) == (400, answer)
    assert box.found("in:anywhere") == []


@pytest.mark.parametrize(
    "to",
    [
        "=?utf-8?q?Doe=2C_J=C3=B6hn?= <j@x.example>",
        '"Doe, John" <j@x.example>',
        "Jan Novák <jan@x.example>, ana@x.example",
    ],
)
def test_names_with_commas_and_accents_are_no_trouble(box: Mailbox, to: str) -> None:
    assert send(box, f"To: {to}\r\nSubject: x\r\n\r\ntext".encode())["labelIds"] == ["SENT"]


@pytest.mark.parametrize("body", [{}, {"raw": ""}, {"raw": "§§§"}])
def test_a_request_without_a_mail_is_refused(box: Mailbox, body: dict[str, str]) -> None:
    with pytest.raises(HttpError) as caught:
        box.messages.send(userId="me", body=body).execute()
    assert caught.value.resp.status == 400


def test_an_answer_joins_its_thread_by_reference_and_subject(box: Mailbox) -> None:
    first = box.arrive("Tea", Message_ID="<tea@else.example>")
    refer = {"In-Reply-To": "<tea@else.example>", "References": "<tea@else.example>"}
    assert send(box, letter("AW: Re: tea", **OTHERS, **refer))["threadId"] == first
    assert send(box, letter("Coffee", **OTHERS, **refer))["threadId"] != first
    assert send(box, letter("Tea", **OTHERS))["threadId"] != first


def test_a_named_thread_is_joined_when_the_subject_fits(box: Mailbox) -> None:
    first = box.arrive("Tea")
    assert send(box, letter("Re: Tea", **OTHERS), threadId=first)["threadId"] == first
    assert send(box, letter("Coffee", **OTHERS), threadId=first)["threadId"] != first
    with pytest.raises(HttpError, match="Requested entity was not found"):
        send(box, letter("Re: Tea", **OTHERS), threadId="19aaaaaaaaaaaaaa")


def test_filters_sort_what_arrives(box: Mailbox) -> None:
    label = box.users.labels().create(userId="me", body={"name": "Bills"}).execute()["id"]
    rule = {
        "criteria": {"from": "billing@else.example", "negatedQuery": "reminder", "subject": "bill"},
        "action": {"addLabelIds": [label], "removeLabelIds": ["INBOX"]},
    }
    box.users.settings().filters().create(userId="me", body=rule).execute()
    own = box.arrive("Your bill", From="Billing <billing@else.example>")
    box.arrive("Your bill", "a reminder", From="Billing <billing@else.example>")
    box.arrive("Your bill")
    assert box.found("label:bills -in:inbox") == [own]
    assert len(box.found("in:inbox")) == 2


DATE = "Mon, 30 Nov 2026 15:00:00 +0100"
RAW = letter("Upload", "as it is: -- --=_", Message_ID="<up@lumenworks.example>", Date=DATE, **OTHERS).replace(
    b"\n", b"\r\n"
)


@pytest.mark.parametrize("resumable", [False, True])
@pytest.mark.parametrize("body", [None, {}, {"threadId": "?"}])
def test_every_way_of_upload_keeps_the_bytes(box: Mailbox, resumable: bool, body: dict[str, str] | None) -> None:
    first = box.arrive("Upload")
    body = {"threadId": first} if body else body
    media = MediaIoBaseUpload(io.BytesIO(RAW), "message/rfc822", resumable=resumable)
    sent = box.messages.send(userId="me", body=body, media_body=media).execute()
    assert stored(box, sent["id"]) == RAW
    assert (sent["threadId"] == first) is bool(body)


def test_a_draft_is_written_rewritten_found_and_sent(box: Mailbox) -> None:
    drafts = box.users.drafts()
    made = drafts.create(userId="me", body={"message": {"raw": mime.encode(letter("Idea", "one", To=""))}}).execute()
    body = {"message": {"raw": mime.encode(letter("Idea", "two", **OTHERS))}}
    new = drafts.update(userId="me", id=made["id"], body=body).execute()
    assert (new["id"], new["message"]["id"] != made["message"]["id"]) == (made["id"], True)
    assert drafts.list(userId="me", q="two").execute()["drafts"][0]["id"] == made["id"]
    assert drafts.get(userId="me", id=made["id"]).execute()["message"]["labelIds"] == ["DRAFT"]
    sent = drafts.send(userId="me", body={"id": made["id"]}).execute()
    assert (sent["labelIds"], box.found("in:anywhere")) == (["SENT"], [sent["id"]])
    assert drafts.list(userId="me").execute() == {"resultSizeEstimate": 0}


def test_a_draft_without_recipients_stays_when_it_cannot_be_sent(box: Mailbox) -> None:
    drafts = box.users.drafts()
    made = drafts.create(userId="me", body={"message": {"raw": mime.encode(letter("Idea", "one", To=""))}}).execute()
    with pytest.raises(HttpError, match="Recipient address required"):
        drafts.send(userId="me", body={"id": made["id"]}).execute()
    assert box.found("in:draft") == [made["message"]["id"]]
    drafts.delete(userId="me", id=made["id"]).execute()
    assert box.found("in:anywhere") == []


def test_a_draft_joins_the_thread_it_names_and_comes_by_upload(box: Mailbox) -> None:
    first = box.arrive("Tea")
    media = MediaIoBaseUpload(io.BytesIO(letter("Re: Tea", **OTHERS)), "message/rfc822")
    made = box.users.drafts().create(userId="me", body={"message": {"threadId": first}}, media_body=media).execute()
    assert made["message"]["threadId"] == first
