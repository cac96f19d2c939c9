"""The Gmail tools over the seeded world."""

import hashlib
import random
from base64 import urlsafe_b64encode
from email.message import EmailMessage
from email.policy import SMTP
from pathlib import Path
from typing import Any

import pytest

from core.google.clients import GoogleClients
from core.sandbox.faults import Fault
from core.sandbox.sandbox import Sandbox
from core.users import SANDBOX_ACCOUNT
from tests.mcp_server.conftest import Caller, build, now


async def find(call: Caller, query: str) -> dict[str, Any]:
    """The one mail that a search finds."""
    (message,) = (await call("search_gmail_messages", query=query))["messages"]
    return message


def stored(saved: dict[str, Any], folder: Path) -> bytes:
    """The bytes of a stored attachment, which must be what the result says and lie in the folder."""
    path = Path(saved["path"]).resolve()
    data = path.read_bytes()
    assert path.is_relative_to(folder.resolve()) and path.name == saved["filename"]
    assert (len(data), hashlib.sha256(data).hexdigest()) == (saved["size"], saved["sha256"])
    return data


def hostile_mail(archive: bytes) -> EmailMessage:
    """A useless plain part beside a rich HTML part, and files with names that mean harm."""
    mail = EmailMessage()
    mail["From"], mail["To"], mail["Subject"] = "John <john@x.example>", SANDBOX_ACCOUNT, "東橫INN"
    mail.set_content("View in browser")
    mail.add_alternative("<style>b{}</style><p>Twelve rooms<br>for <b>two</b> nights, breakfast included.</p>", "html")
    mail.add_attachment(archive, "application", "zip", filename="../../archive.zip")
    mail.add_attachment(b"x", "application", "octet-stream", filename="CON")
    mail.add_attachment(b"%PDF", "application", "pdf", filename="Prüfbericht Q1.pdf")
    inner = EmailMessage()
    inner["Subject"] = "inner"
    inner.set_content("What was said before.")
    mail.add_attachment(inner, filename="RE: Foo.eml")
    return mail


async def test_hostile_names_and_large_files_are_stored_safely_and_exactly(tmp_path: Path) -> None:
    sandbox = Sandbox(tmp_path / "sandbox.db", "Europe/Berlin", now)
    sandbox.open()
    archive = random.Random(7).randbytes(940_000)
    google = GoogleClients(sandbox.http).for_account(SANDBOX_ACCOUNT)
    raw = urlsafe_b64encode(hostile_mail(archive).as_bytes(policy=SMTP)).decode().rstrip("=")
    message = google.execute(google.resource("gmail.users.messages").send(userId="me", body={"raw": raw}))
    call = Caller(build(sandbox, tmp_path / "downloads"))
    mail = await call("get_gmail_message_content", message_id=message["id"])
    assert (mail["subject"], mail["body"]) == ("東橫INN", "Twelve rooms\nfor two nights, breakfast included.")
    saved = [
        await call("get_gmail_attachment_content", message_id=message["id"], attachment_id=one["attachment_id"])
        for one in mail["attachments"]
    ]
    files = {one["filename"]: stored(one, tmp_path / "downloads") for one in saved}
    assert list(files) == ["archive.zip", "_CON", "Prüfbericht Q1.pdf", "RE_ Foo.eml"]
    assert files["archive.zip"] == archive
    assert b"What was said before." in files["RE_ Foo.eml"]
    sandbox.close()


async def test_unread_mail_is_listed_newest_first_with_who_what_when(call: Caller) -> None:
    page = await call("search_gmail_messages", query="is:unread in:inbox")
    assert {"Ana Ruiz", "Kenji Mori", "Build bot", "Lena Vogt"} <= {one["sender"] for one in page["messages"]}
    assert all(one["unread"] for one in page["messages"])
    dates = [one["date"] for one in page["messages"]]
    assert dates == sorted(dates, reverse=True)
    assert page["failed"] == [] and page["total_estimate"] >= len(dates)


async def test_a_summary_has_its_labels_by_name(call: Caller) -> None:
    invoice = await find(call, "is:unread from:ana subject:2041")
    assert (invoice["sender"], invoice["sender_email"]) == ("Ana Ruiz", "ana@lumenworks.example")
    assert {"INBOX", "UNREAD", "Invoices"} <= set(invoice["labels"])
    assert invoice["has_attachments"] and invoice["date"].endswith("+01:00")
    assert invoice["snippet"].startswith("Hi Sam, Invoice 2041")


async def test_a_search_that_finds_nothing_says_so(call: Caller) -> None:
    page = await call("search_gmail_messages", query="zeppelin")
    assert (page["messages"], page["total_estimate"], page["next_page_token"]) == ([], 0, None)


async def test_pages_follow_one_another_without_gap_or_repetition(call: Caller) -> None:
    seen: list[str] = []
    token = None
    for _ in range(20):
        page = await call("search_gmail_messages", query="in:inbox", page_size=7, page_token=token)
        seen += [one["message_id"] for one in page["messages"]]
        token = page["next_page_token"]
        if token is None:
            break
    whole = await call("search_gmail_messages", query="in:inbox", page_size=100)
    assert seen == [one["message_id"] for one in whole["messages"]]
    assert len(seen) > 7


async def test_a_mail_is_read_whole(call: Caller) -> None:
    head = await find(call, "is:unread from:ana subject:2041")
    mail = await call("get_gmail_message_content", message_id=head["message_id"])
    assert mail["to"] == ["Sam Okafor <sam@lumenworks.example>"]
    assert "is due this\nFriday" in mail["body"]
    assert [one["filename"] for one in mail["attachments"]] == ["invoice-2041.pdf"]
    assert mail["rfc822_message_id"].startswith("<")
    assert {key: mail[key] for key in head} == head


@pytest.mark.parametrize(
    ("query", "text"),
    [
        ("from:kenji roadmap is:unread", "おはようございます"),
        ("from:sunbeam-fonts.example", "Download (https://sunbeam-fonts.example/verify?t=1)"),
        ("from:kornblum Winterröstungen", "Äthiopien"),
        ("from:yusra", "شكرًا جزيلًا"),
    ],
)
async def test_bodies_are_readable_whatever_their_form_and_charset(call: Caller, query: str, text: str) -> None:
    head = await find(call, query)
    mail = await call("get_gmail_message_content", message_id=head["message_id"])
    assert text in mail["body"]
    assert "<" not in mail["body"] and "\ufffd" not in mail["body"]


async def test_several_mails_come_in_order_and_what_failed_is_said(call: Caller) -> None:
    page = await call("search_gmail_messages", query="in:inbox", page_size=3)
    ids = [one["message_id"] for one in page["messages"]]
    asked = [ids[2], "ffffffffffffffff", ids[0], ids[2]]
    for form in ("full", "metadata"):
        batch = await call("get_gmail_messages_content_batch", message_ids=asked, format=form)
        assert [one["message_id"] for one in batch["messages"]] == [ids[2], ids[0]]
        assert [one["id"] for one in batch["failed"]] == ["ffffffffffffffff"]
        assert ("body" in batch["messages"][0]) == (form == "full")
    assert batch["failed"][0]["reason"].startswith("There is no such mail")


async def test_a_conversation_is_oldest_first(call: Caller) -> None:
    head = (await call("search_gmail_messages", query='subject:"Halo 2 launch plan"'))["messages"][0]
    thread = await call("get_gmail_thread_content", thread_id=head["thread_id"])
    dates = [one["date"] for one in thread["messages"]]
    assert thread["subject"] == "Halo 2 launch plan"
    assert len(dates) > 2 and dates == sorted(dates)
    batch = await call("get_gmail_threads_content_batch", thread_ids=[head["thread_id"], "ffffffffffffffff"])
    assert batch["threads"] == [thread]
    assert [one["id"] for one in batch["failed"]] == ["ffffffffffffffff"]


async def test_an_attachment_is_stored_byte_for_byte_inside_the_folder(call: Caller, tmp_path: Path) -> None:
    head = await find(call, "filename:pdf from:jonas")
    mail = await call("get_gmail_message_content", message_id=head["message_id"])
    (attachment,) = mail["attachments"]
    saved = await call(
        "get_gmail_attachment_content", message_id=head["message_id"], attachment_id=attachment["attachment_id"]
    )
    data = stored(saved, tmp_path / "downloads" / "sam@lumenworks.example")
    assert saved["filename"] == "Prüfbericht Saal Ufer.pdf"
    assert data.startswith(b"%PDF") and saved["size"] == attachment["size"]
    assert saved["text"] is None
    again = await call("get_gmail_attachment_content", message_id=head["message_id"], attachment_id=saved["filename"])
    assert again == saved


async def test_text_of_an_attachment_comes_along(call: Caller) -> None:
    head = await find(call, "filename:cycles.txt")
    saved = await call("get_gmail_attachment_content", message_id=head["message_id"], attachment_id="cycles.txt")
    assert saved["text"].startswith("cycles;A;B;C\n0;100;100;100")


async def test_a_wrong_attachment_is_answered_with_the_right_ones(call: Caller) -> None:
    head = await find(call, "filename:cycles.txt")
    sentence = await call.refusal("get_gmail_attachment_content", message_id=head["message_id"], attachment_id="9")
    assert sentence.startswith("attachment_id: this mail has no attachment '9'; it has: ")
    assert "cycles.txt" in sentence


async def test_labels_have_counts(call: Caller) -> None:
    labels = {one["name"]: one for one in (await call("list_gmail_labels"))["labels"]}
    assert labels["INBOX"]["kind"] == "system" and labels["INBOX"]["total"] > labels["INBOX"]["unread"] > 0
    assert labels["Invoices"]["kind"] == "user" and labels["Invoices"]["total"] > 0


async def test_filters_are_googles_own(call: Caller) -> None:
    filters = (await call("list_gmail_filters"))["filters"]
    assert {"from": "builds@lumenworks.example", "subject": "passed"} in [one["criteria"] for one in filters]


async def test_a_long_body_is_cut_in_words_and_can_be_read_on(sandbox: Sandbox, tmp_path: Path) -> None:
    call = Caller(build(sandbox, tmp_path, body_limit=100))
    head = await find(call, "is:unread from:ana subject:2041")
    one = {"message_id": head["message_id"]}
    first = (await call("get_gmail_message_content", **one))["body"]
    assert "[cut: characters 0 to 100 of " in first
    assert f'call get_gmail_message_content with message_id "{head["message_id"]}" and body_offset 100.]' in first
    rest = (await call("get_gmail_message_content", **one, body_offset=300))["body"]
    assert rest.endswith("Ana") and ", the end]" in rest


async def test_troubles_of_single_mails_do_not_lose_the_others(call: Caller, sandbox: Sandbox) -> None:
    page = await call("search_gmail_messages", query="in:inbox", page_size=3)
    broken = page["messages"][1]["message_id"]
    sandbox.faults.add(Fault(f"messages/{broken}$", status=503))
    again = await call("search_gmail_messages", query="in:inbox", page_size=3)
    assert again["messages"] == [page["messages"][0], page["messages"][2]]
    assert again["failed"] == [
        {"id": broken, "reason": "Google has a problem of its own (503). Try again in a minute."}
    ]
