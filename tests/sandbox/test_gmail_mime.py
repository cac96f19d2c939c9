"""Raw mails as Gmail shows them: whatever the bytes are."""

from hypothesis import given, settings
from hypothesis import strategies as st

from core.sandbox.gmail import mime
from core.sandbox.gmail.index import bare_subject, columns, snippet

BROKEN = (
    b"Content-Type: text/plain; charset=nonsense\n\n\xff\xfe",
    b"Content-Type: multipart/mixed; boundary=x\n\nno parts",
    b"Content-Type: multipart/mixed\n\n--x\n\ntext\n--x--",
    b"Content-Transfer-Encoding: base64\n\n%%%",
    b"Content-Type: message/rfc822\n\n",
    b"Content-Disposition: attachment; filename*=bad''%ff%fe.txt\n\ntext",
    b"Subject: =?nonsense?q?x?= =?utf-8?b?%%%?=\n\n",
    b"Subject: \xc3\xbcber\nFrom: \xff\n\n",
    b"",
)


def shown(raw: bytes) -> None:
    """Do all that is done with a stored mail."""
    columns(raw)
    mail = mime.parse(raw)
    mime.payload(mail, "1")
    for _, part in mime.leaves(mail):
        mime.content(part)


def test_broken_mails_are_shown_as_far_as_they_go() -> None:
    for raw in BROKEN:
        shown(raw)
    assert columns(BROKEN[7])["subject"] == "über"


@given(st.binary(max_size=300), st.sampled_from(BROKEN))
@settings(max_examples=60, deadline=None)
def test_any_bytes_can_be_shown(noise: bytes, head: bytes) -> None:
    shown(noise)
    shown(head + noise)
    shown(b"Content-Type: " + noise + b"\n\ntext")


@given(st.binary(max_size=200))
def test_base64url_keeps_every_byte_with_and_without_padding(data: bytes) -> None:
    text = mime.encode(data)
    assert mime.decode(text) == mime.decode(text.rstrip("=")) == data
    assert not set(text) & {"+", "/"}


def test_a_snippet_is_short_flat_and_escaped() -> None:
    assert snippet(" a\n\n b  <c> & 'd' \u200c") == "a b &lt;c&gt; &amp; &#39;d&#39;"
    assert len(snippet("word " * 100)) <= 200


def test_the_text_of_html_has_no_styles_and_keeps_its_words_apart() -> None:
    html = "<style>p{}</style><script>x()</script><p>one</p><p>t<b>w</b>o &amp; &uuml;</p>"
    assert mime.visible(html).split() == ["one", "two", "&", "ü"]


def test_reply_marks_do_not_make_another_subject() -> None:
    assert {bare_subject(s) for s in ("Tea", "Re: Tea", "AW: RE[2]: tea", "Fwd: Re: Tea", "答复：Tea")} == {"tea"}
    assert bare_subject("Release 4") == "release 4"
