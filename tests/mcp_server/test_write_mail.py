"""Mails that leave, through the server against the sandbox, read back past the tools."""

import hashlib
import os
from base64 import b64encode
from pathlib import Path
from typing import Any

import pytest

from core.mcp_server.meta import OUTCOME
from tests.mcp_server.conftest import said
from tests.mcp_server.writing import Desk

SEND = "/messages/send"
HELLO = {"to": "ana@lumenworks.example", "subject": "Hello", "body": "Good morning"}


def upload(desk: Desk, name: str, data: bytes = b"data") -> Path:
    path = desk.folder / "uploads" / "sam@lumenworks.example" / name
    path.write_bytes(data)
    return path


async def test_a_mail_goes_out_once_and_is_in_sent(desk: Desk) -> None:
    sent = await desk("send_gmail_message", **HELLO)
    mail = desk.mail(sent["message_id"])
    assert (mail["To"], mail["Subject"], mail.get_content().strip()) == (
        "ana@lumenworks.example", "Hello", "Good morning",
    )  # fmt: skip
    assert desk.message(sent["message_id"])["labelIds"] == ["SENT"]
    assert desk.changed() == ["POST /gmail/v1/users/me/messages/send?alt=json"]
    assert not sent["reply"] and sent["note"] is None
    assert sent["link"].endswith(f"authuser=sam%40lumenworks.example#all/{sent['thread_id']}")


@pytest.mark.parametrize("trouble", [("lost_reply", {}), ("status", {"status": 503})])
async def test_a_lost_answer_is_looked_for_and_never_sent_again(desk: Desk, trouble: tuple[str, Any]) -> None:
    kind, more = trouble
    desk.trouble(SEND, kind, **more)
    result = await desk.result("send_gmail_message", **HELLO)
    assert len(desk.changed()) == 1
    looks = [line for line in desk.seen if "rfc822msgid" in line]
    if kind == "lost_reply":
        assert not result.is_error and len(looks) == 1
        assert "it is there once" in result.structured_content["note"]
        assert len(desk.found("in:sent subject:Hello newer_than:1d")) == 1
    else:
        assert result.is_error and result.meta[OUTCOME] == "unknown" and len(looks) == 3
        assert "unknown whether it was made" in said(result)
        assert not desk.found("in:sent subject:Hello newer_than:1d")


async def test_a_lost_answer_stays_unknown_where_nothing_can_be_looked_up(desk: Desk) -> None:
    desk.trouble(SEND, "lost_reply")
    desk.trouble("GET /gmail/v1/users/me/messages$", "status", status=500)
    result = await desk.result("send_gmail_message", **HELLO)
    assert result.is_error and result.meta[OUTCOME] == "unknown"
    assert len(desk.changed()) == 1


async def test_a_refused_mail_is_known_not_to_be_sent(desk: Desk) -> None:
    desk.trouble(SEND, "status", status=429)
    result = await desk.result("send_gmail_message", **HELLO)
    assert result.is_error and OUTCOME not in (result.meta or {})
    assert "slow down" in said(result) and len(desk.changed()) == 1


async def test_the_same_call_has_the_same_message_id(desk: Desk) -> None:
    first, again = await desk.result("send_gmail_message", **HELLO), await desk.result("send_gmail_message", **HELLO)
    other = await desk("send_gmail_message", **HELLO)
    known = [one["rfc822_message_id"] for one in (first.structured_content, again.structured_content, other)]
    assert known[0] == known[1] != known[2]
    assert desk.mail(other["message_id"])["Message-ID"] == known[2]


async def test_the_threads_id_alone_makes_a_reply(desk: Desk) -> None:
    thread = (await desk("search_gmail_messages", query="invoice 2041 from:ana"))["messages"][0]["thread_id"]
    messages = desk.read("gmail.users.threads", userId="me", id=thread)["messages"]
    last = desk.mail(max(messages, key=lambda one: int(one["internalDate"]))["id"])
    first = await desk("send_gmail_message", to="ana@lumenworks.example", subject="", body="Paid.", thread_id=thread)
    reply = desk.mail(first["message_id"])
    assert first["thread_id"] == thread and first["reply"]
    assert reply["In-Reply-To"] == last["Message-ID"]
    assert reply["References"].split()[-1] == last["Message-ID"]
    bare = last["Subject"].removeprefix("Re: ")
    assert reply["Subject"] == f"Re: {bare}"
    subject = f"RE: re: {bare}"
    second = await desk("send_gmail_message", to="ana@lumenworks.example", subject=subject, body="!", thread_id=thread)
    again = desk.mail(second["message_id"])
    assert (again["Subject"], second["thread_id"]) == (f"Re: {bare}", thread)
    assert again["References"].split()[-2:] == [last["Message-ID"], first["rfc822_message_id"]]


async def test_a_reply_under_another_subject_says_that_it_begins_a_conversation(desk: Desk) -> None:
    thread = (await desk("search_gmail_messages", query="invoice 2041 from:ana"))["messages"][0]["thread_id"]
    sent = await desk("send_gmail_message", to="ana@lumenworks.example", subject="Lunch", body="!", thread_id=thread)
    assert sent["thread_id"] != thread and "new conversation" in sent["note"]


@pytest.mark.parametrize(
    ("to", "shown", "header"),
    [
        ('"Jan Novák" <jan@x.example>', ["Jan Novák <jan@x.example>"], b"=?utf-8?"),
        ("Doe, John <j@x.example>", ["Doe, John <j@x.example>"], b'To: "Doe, John" <j@x.example>'),
        ('"Doe, Jöhn" <j@x.example>, b@x.example', ["Doe, Jöhn <j@x.example>", "b@x.example"], b"=?utf-8?"),
        ("a@x.example; b@x.example, A@x.example", ["a@x.example", "b@x.example"], b"To: a@x.example, b@x.example"),
        ("<jan@müller.example>", ["jan@xn--mller-kva.example"], b"To: jan@xn--mller-kva.example"),
        ("東橫 <t@x.example>", ["東橫 <t@x.example>"], b"=?utf-8?"),
    ],
)
async def test_names_are_encoded_and_commas_quoted(desk: Desk, to: str, shown: list[str], header: bytes) -> None:
    sent = await desk("send_gmail_message", to=to, subject="東橫INN 😀", body="ü")
    raw, mail = desk.raw(sent["message_id"]), desk.mail(sent["message_id"])
    assert sent["to"] == shown and header in raw and raw.isascii()
    read = [
        f"{one.display_name} <{one.addr_spec}>" if one.display_name else one.addr_spec for one in mail["To"].addresses
    ]
    assert read == shown
    assert mail["Subject"] == "東橫INN 😀" and mail.get_content().strip() == "ü"


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        ({"to": "Ana"}, "to: 'Ana' is no mail address"),
        ({"to": ""}, "to: give at least one address"),
        ({"to": "ana@lumenworks.example, bo"}, "to: 'bo' is no mail address"),
        ({"to": "a@x.example\r\nBcc: evil@x.example"}, "to: it holds a line break"),
        ({"to": "Ana \u202e <a@x.example>"}, "to: it holds a line break or a control character"),
        ({"cc": "a b@x.example"}, "cc: 'a b@x.example' is no mail address"),
        ({"bcc": "<a@x.example"}, "bcc: '"),
        ({"subject": "Hi\r\nBcc: evil@x.example"}, "subject: it holds a line break"),
        ({"subject": "Hi\u2028there"}, "subject: it holds a line break"),
        ({"subject": " "}, "subject: it is empty"),
        ({"from_name": "Sam\nBcc: evil@x.example"}, "from_name: it holds a line break"),
        (
            {"from_email": "priya@lumenworks.example"},
            "from_email: this account cannot send as priya@lumenworks.example",
        ),
        ({"in_reply_to": "18f2ab"}, "in_reply_to: <18f2ab> is no Message-ID"),
        ({"references": "<a@x>\r\nX: y"}, "references: it holds a line break"),
        ({"thread_id": "18f2abcdef012345"}, "There is no such conversation"),
        ({"body_format": "markdown"}, "The arguments of send_gmail_message are wrong: body_format"),
    ],
)
async def test_what_cannot_go_into_a_mail_is_refused_and_nothing_is_sent(
    desk: Desk, change: dict[str, str], sentence: str
) -> None:
    assert (await desk.refusal("send_gmail_message", **{**HELLO, **change})).startswith(sentence)
    assert desk.changed() == []


async def test_long_message_ids_stay_whole(desk: Desk) -> None:
    ids = [f"<{'a' * 90}{number}@x.example>" for number in range(12)]
    sent = await desk("send_gmail_message", **HELLO, in_reply_to=ids[-1], references=" ".join(ids[:-1]))
    mail = desk.mail(sent["message_id"])
    assert mail["In-Reply-To"] == ids[-1] and mail["References"].split() == ids
    assert mail["Subject"] == "Re: Hello"
    assert max(map(len, desk.raw(sent["message_id"]).splitlines())) < 998


async def test_a_name_of_ones_own_goes_with_ones_own_address(desk: Desk) -> None:
    sent = await desk("send_gmail_message", **HELLO, from_name="Säm, Lumenworks", bcc="priya@lumenworks.example")
    (sender,) = desk.mail(sent["message_id"])["From"].addresses
    assert (sender.display_name, sender.addr_spec) == ("Säm, Lumenworks", "sam@lumenworks.example")
    assert sent["bcc"] == ["priya@lumenworks.example"]


async def test_html_gets_a_plain_alternative(desk: Desk) -> None:
    html = '<p>See <a href="https://x.example/a">the plan</a></p>'
    sent = await desk("send_gmail_message", **{**HELLO, "body": html}, body_format="html")
    mail = desk.mail(sent["message_id"])
    assert mail.get_body(("plain",)).get_content().strip() == "See the plan (https://x.example/a)"
    assert mail.get_body(("html",)).get_content().strip() == html


async def test_attachments_arrive_byte_for_byte_under_their_names(desk: Desk) -> None:
    data = os.urandom(300_000) + b"\r\n.\r\n"
    upload(desk, "Prüfbericht Q1.pdf", data)
    text = b64encode(b"a;b\n1;2\n").decode()
    files = [{"path": "Prüfbericht Q1.pdf"}, {"content": text, "filename": "../../x.csv", "mime_type": "text/csv"}]
    sent = await desk("send_gmail_message", **HELLO, attachments=files)
    found = {part.get_filename(): part for part in desk.mail(sent["message_id"]).iter_attachments()}
    assert sent["attachments"] == list(found) == ["Prüfbericht Q1.pdf", "x.csv"]
    pdf = found["Prüfbericht Q1.pdf"]
    assert pdf.get_content_type() == "application/pdf"
    assert hashlib.sha256(pdf.get_payload(decode=True)).digest() == hashlib.sha256(data).digest()
    assert found["x.csv"].get_payload(decode=True) == b"a;b\n1;2\n"


async def test_a_big_mail_goes_as_an_upload(desk: Desk) -> None:
    data = os.urandom(6_000_000)
    upload(desk, "film.bin", data)
    sent = await desk("send_gmail_message", **HELLO, attachments=[{"path": "film.bin"}])
    (part,) = desk.mail(sent["message_id"]).iter_attachments()
    assert part.get_payload(decode=True) == data
    assert desk.changed() == ["POST /upload/gmail/v1/users/me/messages/send?alt=json&uploadType=multipart"]


async def test_files_only_from_the_persons_own_folders(desk: Desk, tmp_path: Path) -> None:
    outside = tmp_path / "secret.txt"
    outside.write_text("secret")
    (tmp_path / "uploads" / "ana@lumenworks.example").mkdir()
    (tmp_path / "uploads" / "ana@lumenworks.example" / "hers.txt").write_text("hers")
    upload(desk, "ok.txt").with_name("link.txt").symlink_to(outside)
    (tmp_path / "uploads" / "sam@lumenworks.example" / "folder").mkdir()
    for path, sentence in {
        "~/.ssh/id_rsa": "there is no file",
        "/etc/passwd": "is not one of the files",
        "../ana@lumenworks.example/hers.txt": "is not one of the files",
        "../../secret.txt": "is not one of the files",
        "link.txt": "there is no file",
        "missing.pdf": "there is no file",
        "folder": "there is no file",
        "a\0b": "is not the name of a file",
    }.items():
        files = [{"path": "ok.txt"}, {"path": path}]
        said_ = await desk.refusal("send_gmail_message", **HELLO, attachments=files)
        assert said_.startswith("attachments[1].path: ") and sentence in said_ and "Nothing was sent" in said_, path
    assert desk.changed() == []


@pytest.mark.parametrize(
    ("file", "sentence"),
    [
        ({}, "give either a path or a content"),
        ({"path": "a", "content": "b"}, "give either a path or a content"),
        ({"content": "aGk="}, "a content needs one"),
        ({"content": "not base64!", "filename": "a.txt"}, "it is not base64"),
        ({"content": "aGk=", "filename": "a\r\nX: y.txt"}, "it holds a line break"),
        ({"url": "https://x.example"}, "extra inputs are not permitted"),
    ],
)
async def test_a_file_that_is_none_is_refused(desk: Desk, file: dict[str, str], sentence: str) -> None:
    assert sentence in (await desk.refusal("send_gmail_message", **HELLO, attachments=[file]))
    assert desk.changed() == []


async def test_more_than_gmail_takes_is_said_plainly(desk: Desk) -> None:
    with upload(desk, "huge.bin").open("wb") as file:
        file.truncate(26 * 1024 * 1024)
    said_ = await desk.refusal("send_gmail_message", **HELLO, attachments=[{"path": "huge.bin"}])
    assert "26.0 MB" in said_ and "25 MB" in said_ and desk.changed() == []


async def test_an_attachment_that_was_saved_from_a_mail_can_be_sent_on(desk: Desk) -> None:
    mail = (await desk("search_gmail_messages", query="has:attachment", page_size=1))["messages"][0]
    whole = await desk("get_gmail_message_content", message_id=mail["message_id"])
    name = whole["attachments"][0]["attachment_id"]
    saved = await desk("get_gmail_attachment_content", message_id=mail["message_id"], attachment_id=name)
    sent = await desk("send_gmail_message", **HELLO, attachments=[{"path": saved["path"]}])
    (part,) = desk.mail(sent["message_id"]).iter_attachments()
    assert hashlib.sha256(part.get_payload(decode=True)).hexdigest() == saved["sha256"]


async def test_a_draft_is_kept_and_not_sent(desk: Desk) -> None:
    thread = (await desk("search_gmail_messages", query="invoice 2041 from:ana"))["messages"][0]["thread_id"]
    draft = await desk("draft_gmail_message", subject="", body="Later.", thread_id=thread)
    kept = desk.read("gmail.users.drafts", userId="me", id=draft["draft_id"], format="full")["message"]
    assert (kept["id"], kept["threadId"], kept["labelIds"]) == (draft["message_id"], thread, ["DRAFT"])
    assert draft["reply"] and draft["subject"].startswith("Re: ") and draft["to"] == []
    again = await desk("draft_gmail_message", subject="", body="Later still.", thread_id=thread)
    assert desk.mail(again["message_id"])["In-Reply-To"] == desk.mail(draft["message_id"])["In-Reply-To"]


async def test_a_lost_draft_is_found_again(desk: Desk) -> None:
    desk.trouble("POST .*/drafts", "lost_reply")
    draft = await desk("draft_gmail_message", subject="Notes", body="x")
    assert "Drafts: it is there once" in draft["note"] and len(desk.changed()) == 1
    assert len(desk.found("in:drafts subject:Notes")) == 1
