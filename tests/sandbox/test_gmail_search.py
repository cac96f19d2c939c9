"""Gmail's search language: what finds what, and that any text is a search."""

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from googleapiclient.errors import HttpError
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from core.sandbox.gmail.query import AllOf, AnyOf, Near, Not, Term, parse
from core.sandbox.gmail.words import needles, row, variants
from tests.sandbox.gmail_world import NOW, Mailbox

SEEDED = [
    ("is:unread in:inbox from:ana", ["Invoice 2041 from BrightParts is due on Friday"]),
    ("from:ana invoice", ["Invoice 2041 from BrightParts is due on Friday"]),
    ("from:ana invoices", ["Invoice 2041 from BrightParts is due on Friday"]),
    ('from:ana "invoices"', []),
    ("from:ana subject:(budget numbers) -subject:re", ["Budget 2027: your product numbers"]),
    ("ロードマップ in:inbox -has:attachment", ["製品ロードマップのレビュー / Product roadmap review"]),
    ("subject:ロードマップ", ["製品ロードマップのレビュー / Product roadmap review"]),
    ("subject:製品 from:kenji", ["製品ロードマップのレビュー / Product roadmap review"]),
    (
        "is:unread in:inbox older_than:1d",
        ["Colaboración para la feria de Madrid", "Light & Matter 88: why streets turn amber again"],
    ),
    (
        "is:unread from:{ana lena}",
        ["Invoice 2041 from BrightParts is due on Friday", "Offsite: two dates to choose from"],
    ),
    ("is:unread from:ana OR is:unread from:lena", ["Offsite: two dates to choose from"]),
    (
        "is:unread (from:ana OR from:lena)",
        ["Invoice 2041 from BrightParts is due on Friday", "Offsite: two dates to choose from"],
    ),
    ("colaboracion MADRID -in:draft", ["Colaboración para la feria de Madrid"]),
    ("schliessanlage", ["Neue Schließanlage ab Montag"]),
    ("filename:prüfbericht", ["Angebot für Ihre Tagung am See"]),
    ("filename:xlsx from:ana", ["Budget 2027: your product numbers"]),
    ("in:spam 90%", ["Luxury watches 90% off"]),
    ("label:spam prize", ["YOU WON!!! 1,000,000 lamps"]),
    ("webinar", []),
    ("in:anywhere webinar", ["Last chance: webinar in 10 minutes"]),
    ("in:trash", ["Last chance: webinar in 10 minutes"]),
    ("in:drafts subject:offsite", ["Ideas for the offsite"]),
    ("label:customers-northgrid is:important", ["Lamps flicker in the reading room"]),
    ("in:travel is:starred", ["Your booking NW7K2Q to Lisbon"]),
    ("list:openlight from:ingrid", ["[open-lighting] Colour temperature over DALI: whose steps?"]),
    ("bcc:chloe", ["Photos of Halo 2"]),
    ("cc:priya from:me night", ["Thank you for the night shift"]),
    ("to:desk@st-brigid.example", ["Two sample lamps for St. Brigid"]),
    ("category:social network", ["Mei Tanaka would like to connect", "9 people looked at your profile"]),
    ("has:link from:town-library.example", ["Two books are due"]),
    ("rfc822msgid:<nothing@here>", []),
    ("شكرا", ["شكرًا على الزيارة"]),
    ("🍰", ["🍰 Kuchen in der Küche"]),
    ("label:unknown", []),
    ("amber AROUND 3 streets subject:88", ["Light & Matter 88: why streets turn amber again"]),
    ("amber AROUND 0 streets subject:88", []),
    ("hum has:userlabels", []),
]


@pytest.fixture(scope="module")
def seeded(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Mailbox]:
    box = Mailbox(tmp_path_factory.mktemp("mail"), seeded=True)
    yield box
    box.world.close()


@pytest.fixture
def box(tmp_path: Path) -> Mailbox:
    return Mailbox(tmp_path)


@pytest.mark.parametrize(("query", "subjects"), SEEDED, ids=[query for query, _ in SEEDED])
def test_a_search_finds_exactly(seeded: Mailbox, query: str, subjects: list[str]) -> None:
    assert seeded.subjects(query) == subjects


def test_or_binds_closer_than_standing_side_by_side() -> None:
    assert parse("a b OR c -d") == AllOf((Term("", "a"), AnyOf((Term("", "b"), Term("", "c"))), Not(Term("", "d"))))


def test_a_field_reaches_into_its_group() -> None:
    assert parse("from:(a OR -b)") == AllOf((AllOf((AnyOf((Term("from", "a"), Not(Term("from", "b")))),)),))


def test_words_near_each_other_carry_their_distance() -> None:
    assert parse("a AROUND 12 b") == AllOf((Near(Term("", "a"), Term("", "b"), 12),))


@pytest.mark.parametrize("broken", ["a OR", "(a", "a)", "from:", '-("a', "{{{", "OR OR", "a" * 400 + "(" * 90])
def test_what_does_not_parse_is_taken_as_words(broken: str) -> None:
    assert isinstance(parse(broken), AllOf)


@pytest.mark.parametrize("broken", ["(is:unread from:lena", "is:unread from:lena OR", "is:unread) from:lena from:"])
def test_operators_work_in_a_text_that_does_not_parse_as_a_whole(seeded: Mailbox, broken: str) -> None:
    assert seeded.subjects(broken) == ["Offsite: two dates to choose from"]


@given(st.text(max_size=120) | st.text('ab:-(){}"| ORfromis+', max_size=60))
@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_any_text_is_a_search(seeded: Mailbox, text: str) -> None:
    seeded.found(text)


def test_a_query_beyond_all_measure_is_refused(box: Mailbox) -> None:
    with pytest.raises(HttpError, match="Query too long"):
        box.found("a " * 1000)


def test_many_words_are_no_trouble(box: Mailbox) -> None:
    assert box.found("a " * 700) == []


def test_days_begin_at_midnight_in_the_zone_of_the_account(box: Mailbox) -> None:
    late = box.arrive("late", at=datetime(2026, 11, 27, 22, 59, tzinfo=UTC))
    early = box.arrive("early", at=datetime(2026, 11, 27, 23, 0, tzinfo=UTC))
    assert box.found("after:2026/11/28") == [early]
    assert box.found("before:2026-11-28") == [late]
    assert box.found("after:11/27/2026 before:2026/11/28") == [late]
    assert box.found(f"after:{int(datetime(2026, 11, 27, 23, 0, tzinfo=UTC).timestamp())}") == [early]


def test_ages_count_back_from_now(box: Mailbox) -> None:
    hour = box.arrive("an hour", at=NOW - timedelta(minutes=50))
    week = box.arrive("a week", at=NOW - timedelta(days=6))
    month = box.arrive("a month", at=NOW - timedelta(days=40))
    assert box.found("newer_than:1h") == [hour]
    assert box.found("newer_than:7d") == [hour, week]
    assert box.found("older_than:1m") == [month]
    assert box.found("older_than:9999y") == []


def test_sizes_are_in_bytes_k_or_m(box: Mailbox) -> None:
    big, small = box.arrive("big", "x" * 70 + ("\n" + "y" * 70) * 200), box.arrive("small")
    assert box.found("larger:10K") == [big]
    assert box.found("smaller:10K") == [small]
    assert box.found("larger:1M") == []


def test_a_message_id_finds_its_mail(box: Mailbox) -> None:
    own = box.arrive("one", Message_ID="<a.b-1@else.example>")
    assert box.found("rfc822msgid:a.b-1@else.example") == [own]
    assert box.found("rfc822msgid:<a.b-1@else.example>") == [own]


def test_no_phrase_reaches_from_one_field_into_the_next() -> None:
    assert needles("b c")[0] not in row(["a b", "c d"])


def test_unspaced_scripts_are_found_anywhere_and_spaced_ones_by_word() -> None:
    assert needles("Q3 ロードマップ review") == [" q3 ", "ロードマップ", " review "]


def test_singular_and_plural_find_each_other() -> None:
    assert variants(" invoices ") == [" invoices ", " invoice "]
    assert variants(" invoice ") == [" invoice ", " invoices "]
    assert variants(" glass ") == [" glass ", " glasss "]
