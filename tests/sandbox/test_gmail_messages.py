"""users.messages, as googleapiclient sees it."""

from pathlib import Path

import pytest

from tests.sandbox.gmail_world import Mailbox


@pytest.fixture
def box(tmp_path: Path) -> Mailbox:
    return Mailbox(tmp_path, seeded=True)


def test_the_unread_mails_of_the_seed_world_begin_with_the_four_story_lines(box: Mailbox) -> None:
    assert box.subjects("is:unread in:inbox")[:4] == [
        "Invoice 2041 from BrightParts is due on Friday",
        "製品ロードマップのレビュー / Product roadmap review",
        "[lumen-firmware] Release 4.2 failed on main",
        "Offsite: two dates to choose from",
    ]


def test_a_search_without_hits_has_no_messages_key(box: Mailbox) -> None:
    assert box.messages.list(userId="me", q="xylophone").execute() == {"resultSizeEstimate": 0}
