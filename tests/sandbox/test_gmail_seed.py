"""The seed world's mail: whole, dated by today, never in the future, and gentle with what the user did."""

import io
import zipfile
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest
from PIL import Image

from core.sandbox.gmail import mime, seed
from core.sandbox.gmail.files import pdf, png
from core.sandbox.gmail.seed_box import read, schedule, seed_texts
from tests.sandbox.gmail_world import NOW, ZONE, Mailbox, leaf, letter, parts

STORY = [
    "Invoice 2041 from BrightParts is due on Friday",
    "製品ロードマップのレビュー / Product roadmap review",
    "[lumen-firmware] Release 4.2 failed on main",
    "Offsite: two dates to choose from",
]


@pytest.fixture
def box(tmp_path: Path) -> Mailbox:
    return Mailbox(tmp_path, seeded=True)


def every(box: Mailbox) -> dict[str, datetime]:
    """When each mail came, on the persona's clock."""
    return {own: local(box, own) for own in box.found("in:anywhere")}


def local(box: Mailbox, own: str) -> datetime:
    """When a mail came, on the persona's clock."""
    ms = int(box.messages.get(userId="me", id=own, format="minimal").execute()["internalDate"])
    return datetime.fromtimestamp(ms / 1000, ZoneInfo(ZONE)).replace(tzinfo=None)


def test_the_unread_mails_begin_with_the_four_story_lines(box: Mailbox) -> None:
    assert box.subjects("is:unread in:inbox")[:4] == STORY
    assert len(box.found("is:unread in:inbox")) == 6


def test_there_is_enough_of_everything(box: Mailbox) -> None:
    assert len(every(box)) >= 80
    for query, least in [
        ("in:sent", 8),
        ("in:drafts", 3),
        ("in:spam", 2),
        ("is:starred", 4),
        ("has:attachment", 15),
        ("label:invoices", 4),
        ("label:offsite", 4),
        ("label:travel", 4),
        ("category:promotions", 6),
        ("category:updates", 10),
        ("-in:inbox -in:sent -in:drafts", 25),
        ("newer_than:1d in:inbox", 4),
        ("older_than:2m", 2),
    ]:
        assert len(box.found(query)) >= least, query


def test_every_mail_can_be_read_and_every_file_opened(box: Mailbox) -> None:
    kinds = set()
    for own in box.found("in:anywhere"):
        mail = box.messages.get(userId="me", id=own).execute()
        assert mail["snippet"]
        for part in parts(mail["payload"]):
            if "attachmentId" in part["body"]:
                got = box.messages.attachments().get(userId="me", messageId=own, id=part["body"]["attachmentId"])
                kinds.add(opened(part["filename"], mime.decode(got.execute()["data"])))
    assert kinds == {"pdf", "png", "xlsx", "txt", "zip", "eml", "ics"}


def opened(name: str, data: bytes) -> str:
    """A file's ending, once its content is what the ending says."""
    kind = name.rpartition(".")[2]
    if kind in ("xlsx", "zip"):
        assert zipfile.ZipFile(io.BytesIO(data)).testzip() is None
    begins = {"pdf": b"%PDF-", "png": b"\x89PNG\r\n", "ics": b"BEGIN:VCALENDAR", "eml": b"From:"}
    assert data.startswith(begins.get(kind, b""))
    return kind


def test_a_picture_and_a_page_are_what_they_say() -> None:
    _, picture = png({"size": [30, 20], "from": "#ff0000", "to": "#0000ff"})
    _, page = pdf(["A (page)", "5 €"])
    assert isinstance(picture, bytes) and isinstance(page, bytes)
    image = Image.open(io.BytesIO(picture))
    assert (image.size, image.getpixel((0, 0)), image.getpixel((29, 19))) == ((30, 20), (255, 0, 0), (0, 0, 255))
    table = int(page.rpartition(b"startxref\n")[2].split()[0])
    assert page[table:].startswith(b"xref\n0 6")
    assert rb"A \(page\)" in page


def test_an_invitation_is_an_alternative_and_a_file(box: Mailbox) -> None:
    own = box.found("filename:invite.ics from:kenji")[0]
    payload = box.messages.get(userId="me", id=own).execute()["payload"]
    text = mime.decode(leaf(payload, lambda part: part["mimeType"] == "text/calendar")["body"]["data"])
    assert b"DTSTART:20261203T130000Z" in text
    assert {part["mimeType"] for part in parts(payload)} >= {"text/plain", "text/html", "application/ics"}


@pytest.mark.parametrize("hour", [0, 7, 12, 23])
def test_no_mail_lies_in_the_future_and_the_order_stays(hour: int) -> None:
    box = read(seed_texts())
    zone, today = ZoneInfo("Asia/Tokyo"), date(2026, 11, 30)
    now = datetime(2026, 11, 30, hour, 1, tzinfo=zone)
    times = schedule(box.mails.values(), today, zone, now)
    planned = schedule(box.mails.values(), today, zone, now + timedelta(days=2))
    assert max(times.values()) < now
    assert sorted(times, key=lambda key: (times[key], key)) == sorted(planned, key=lambda key: (planned[key], key))


def test_answers_come_after_what_they_answer_and_keys_exist() -> None:
    box = read(seed_texts())
    for mail in box.mails.values():
        if mail.reply_to:
            parent = box.mails[mail.reply_to]
            assert (mail.when.days_ago, parent.when.time) < (parent.when.days_ago, mail.when.time) or (
                mail.when.days_ago < parent.when.days_ago
            ), mail.key


@pytest.mark.parametrize("today", [date(2027, 1, 1), date(2027, 5, 29), date(2028, 2, 29)])
def test_the_texts_fit_any_day(tmp_path: Path, today: date) -> None:
    box = Mailbox(tmp_path, seeded=True, now=datetime(today.year, today.month, today.day, 14, tzinfo=UTC))
    assert box.subjects("is:unread in:inbox")[:4] == STORY
    for own in box.found("in:anywhere"):
        raw = box.messages.get(userId="me", id=own, format="raw").execute()["raw"]
        assert b"{{" not in mime.decode(raw)


def test_two_that_seed_at_once_leave_one_world(tmp_path: Path) -> None:
    worlds = [Mailbox(tmp_path) for _ in range(2)]
    with ThreadPoolExecutor() as pool:
        list(pool.map(lambda box: seed(box.world, NOW.date(), box.clock), worlds))
    assert len(worlds[0].found("in:anywhere")) == len(read(seed_texts()).mails)


def test_seeding_twice_changes_nothing(box: Mailbox) -> None:
    before = every(box)
    seed(box.world, NOW.date(), box.clock)
    seed(box.world, NOW.date(), lambda: NOW + timedelta(hours=1))
    assert every(box) == before


def test_on_a_later_day_everything_moves_along(box: Mailbox) -> None:
    before = every(box)
    box.now = NOW + timedelta(days=3)
    seed(box.world, box.now.date(), box.clock)
    assert every(box) == {own: when + timedelta(days=3) for own, when in before.items()}
    assert box.subjects("is:unread in:inbox")[:4] == STORY
    own = box.found("from:ana invoice")[0]
    assert box.header(own, "Date") == "Thu, 03 Dec 2026 09:12:00 +0100"


def test_what_the_user_did_stays_on_a_later_day(box: Mailbox) -> None:
    before = every(box)
    read_mail, gone = box.found("from:ana invoice")[0], box.found("subject:lunch from:tom")[0]
    answered = box.found('subject:"Quote for the city library"')[0]
    box.messages.modify(userId="me", id=read_mail, body={"removeLabelIds": ["UNREAD"]}).execute()
    box.messages.delete(userId="me", id=gone).execute()
    raw = letter("Re: Quote for the city library", From="sam@lumenworks.example", To="tom@lumenworks.example")
    sent = box.messages.send(userId="me", body={"raw": mime.encode(raw), "threadId": answered}).execute()["id"]
    label = box.users.labels().list(userId="me").execute()["labels"][-1]["id"]
    box.users.labels().delete(userId="me", id=label).execute()
    box.now = NOW + timedelta(days=1)
    seed(box.world, box.now.date(), box.clock)
    after = every(box)
    assert gone not in after
    assert (after[read_mail], after[answered]) == (before[read_mail], before[answered])
    assert after[sent] == NOW.astimezone(ZoneInfo(ZONE)).replace(tzinfo=None)
    assert label not in [entry["id"] for entry in box.users.labels().list(userId="me").execute()["labels"]]
    untouched = box.found("subject:offsite from:lena")[0]
    assert after[untouched] == before[untouched] + timedelta(days=1)


def test_a_world_in_another_zone_has_its_mornings_there(tmp_path: Path) -> None:
    box = Mailbox(tmp_path, seeded=True, zone="America/New_York", now=datetime(2026, 11, 30, 20, 0, tzinfo=UTC))
    assert box.header(box.found("from:ana invoice")[0], "Date") == "Mon, 30 Nov 2026 09:12:00 -0500"
