"""From Google's JSON to readable text, safe names and times."""

from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.mcp_server.shaping.events import free
from core.mcp_server.shaping.files import safe_name, save
from core.mcp_server.shaping.mail import addresses, has_attachments, headers_of, sender
from core.mcp_server.shaping.text import better_body, cut, decode, html_to_text, one_line


@pytest.mark.parametrize(
    ("html", "text"),
    [
        ('<a href="https://x.example/verify?t=1">Download</a>', "Download (https://x.example/verify?t=1)"),
        ('<a href="https://x.example/">https://x.example</a>', "https://x.example"),
        ('<a href="mailto:a@x.example">a@x.example</a>', "a@x.example"),
        ('<a href="https://x.example"><img src="https://x.example/p.png" alt="Shop"></a>', "(https://x.example)"),
        ('<a href="#top">Up</a> <a href="javascript:x()">Run</a>', "Up Run"),
        ("one<br>two<p>three</p>four", "one  \ntwo\n\nthree\n\nfour".replace("  \n", "\n")),
        ("<head><title>T</title><style>p{}</style></head>Hi<script>alert(1)</script>", "Hi"),
        ('<div style="display:none">Preview &zwnj;&nbsp;</div>Hello', "Hello"),
        ('<p style="display: none">never closed <div>Hello</div>', "never closed\n\nHello"),
        ("1. a_b *c* [d] - <b>e</b> \\ #f", "1. a_b *c* [d] - e \\ #f"),
        ("<table><tr><td>Total</td><td>5&nbsp;€</td></tr></table>", "Total | 5 €"),
        ("<ul><li>a</li><li>b</li></ul>", "* a\n  * b"),
        ("&lt;b&gt; &amp; &#8212;", "<b> & —"),
        ("👩\u200d🔧 می\u200cخواهم\u200c &zwnj;\u200bx&shy;y", "👩\u200d🔧 می\u200cخواهم xy"),
        ("", ""),
    ],
)
def test_html_becomes_what_a_reader_sees(html: str, text: str) -> None:
    assert html_to_text(html) == text


@given(st.text(alphabet=st.sampled_from("<>/ab=\"' &;-!ptdivsyle:none\n"), max_size=80))
def test_any_html_can_be_read(html: str) -> None:
    html_to_text(html)


@pytest.mark.parametrize(
    ("plain", "html", "body"),
    [
        ("View online", "A long letter about lamps and light.", "A long letter about lamps and light."),
        ("A long letter about lamps.", "A long letter about lamps and light.", "A long letter about lamps."),
        ("", "Only this", "Only this"),
        ("Only this", "", "Only this"),
        ("https://x.example/a/very/long/address/in/the/plain/part", "The letter itself", "The letter itself"),
        (" \n ", "", ""),
    ],
)
def test_the_part_that_says_more_is_the_body(plain: str, html: str, body: str) -> None:
    assert better_body(plain, html) == body


def test_a_cut_says_what_is_shown_and_how_to_go_on() -> None:
    assert cut("abc", 3) == "abc"
    assert cut("abcdef", 3, rest="Go on at {offset}.") == "abc\n[cut: characters 0 to 3 of 6 are shown. Go on at 3.]"
    assert cut("abcdef", 3, 2) == "cde\n[cut: characters 2 to 5 of 6 are shown.]"
    assert cut("abcdef", 3, 3) == "[characters 3 to 6 of 6, the end]\ndef"
    assert cut("abcdef", 3, 9) == "[nothing is left: the text has 6 characters]"


@pytest.mark.parametrize(
    ("data", "charset", "text"),
    [
        ("Grüße".encode(), "iso-8859-1", "Grüße"),
        ("Grüße".encode("latin-1"), "iso-8859-1", "Grüße"),
        ("ロードマップ".encode("iso-2022-jp"), "ISO-2022-JP", "ロードマップ"),
        ("“quoted”".encode("windows-1252"), "no-such-charset", "“quoted”"),
        ("é".encode("utf-16"), "utf-16", "é"),
        (b"plain", None, "plain"),
    ],
)
def test_bytes_are_read_whatever_the_header_says(data: bytes, charset: str | None, text: str) -> None:
    assert decode(data, charset) == text


def test_a_snippet_is_one_line_without_entities() -> None:
    assert one_line("It&#39;s &lt;here&gt;\u200c \u00ad\n now") == "It's <here> now"


@pytest.mark.parametrize(
    ("value", "found"),
    [
        ("Ana Ruiz <ana@x.example>", ("Ana Ruiz", "ana@x.example")),
        ("ana@x.example", ("", "ana@x.example")),
        ('"Novák, Jan" <jan@x.example>', ("Novák, Jan", "jan@x.example")),
        ("Dr. Pohl, dentist <praxis@x.example>", ("Dr. Pohl, dentist", "praxis@x.example")),
        ("", ("", "")),
    ],
)
def test_a_sender_is_a_name_and_an_address(value: str, found: tuple[str, str]) -> None:
    assert sender(value) == found


def test_addresses_with_commas_in_quotes_stay_whole() -> None:
    assert addresses('"Doe, John" <j@x.example>, k@x.example') == ["Doe, John <j@x.example>", "k@x.example"]


def test_encoded_and_folded_headers_are_read() -> None:
    headers = [{"name": "Subject", "value": "=?utf-8?B?w5xiZXI=?=\r\n long"}, {"name": "SUBJECT", "value": "second"}]
    assert headers_of({"payload": {"headers": headers}}) == {"subject": "Über long"}


@pytest.mark.parametrize(
    ("kind", "has"),
    [
        ("multipart/mixed; boundary=x", True),
        ("application/pdf", True),
        ("text/plain", False),
        ("multipart/alternative", False),
    ],
)
def test_a_mails_kind_tells_of_attachments_where_its_parts_are_not_known(kind: str, has: bool) -> None:
    assert has_attachments({"payload": {}}, {"content-type": kind}) is has


@pytest.mark.parametrize(
    ("name", "safe"),
    [
        ("Prüfbericht Q1.pdf", "Prüfbericht Q1.pdf"),
        ("RE: Foo.eml", "RE_ Foo.eml"),
        ("../../x", "x"),
        ("..\\..\\x.exe", "x.exe"),
        ("/etc/passwd", "etc_passwd"),
        ("CON", "_CON"),
        ("nul.txt", "_nul.txt"),
        ("", "attachment"),
        (" . ", "attachment"),
        ("evil\u202egpj.exe", "evilgpj.exe"),
        ("a\x00b\n.txt", "ab.txt"),
        (".bashrc", "bashrc"),
        ("👩\u200d🔧.png", "👩\u200d🔧.png"),
        ("ü" * 200 + ".pdf", "ü" * 73 + ".pdf"),
    ],
)
def test_a_file_name_can_mean_nothing_but_a_file(name: str, safe: str) -> None:
    assert safe_name(name) == safe


@given(st.text(max_size=60))
def test_any_name_is_made_safe(name: str) -> None:
    safe = safe_name(name)
    assert safe not in ("", ".", "..") and not set(safe) & set('/\\:<>"|?*\0\n') and len(safe.encode()) <= 160
    assert Path(safe).name == safe


def test_another_file_of_the_same_name_keeps_its_own(tmp_path: Path) -> None:
    names = [save(tmp_path, "a.txt", data).name for data in (b"1", b"2", b"1", b"2")]
    assert names == ["a.txt", "a (2).txt", "a.txt", "a (2).txt"]
    assert sorted(path.name for path in tmp_path.iterdir()) == ["a (2).txt", "a.txt"]


MONDAY = datetime(2026, 12, 7, tzinfo=UTC)
minute = st.integers(-60, 700)


@given(st.lists(st.tuples(minute, minute).map(sorted), max_size=8))
def test_free_gaps_are_exactly_the_minutes_in_which_nobody_is_busy(spans: list[list[int]]) -> None:
    def at(number: int) -> datetime:
        return MONDAY + timedelta(minutes=number)

    def covered(gap: Any) -> set[int]:
        begin = int((datetime.fromisoformat(gap.start) - MONDAY).total_seconds() // 60)
        return set(range(begin, begin + gap.minutes))

    gaps = free([(at(begin), at(end)) for begin, end in spans], at(0), at(600), ZoneInfo("Asia/Tokyo"))
    busy = {number for begin, end in spans for number in range(begin, end)}
    assert set().union(*map(covered, gaps)) == set(range(600)) - busy
