"""Text of others is shown as it is meant, and nothing in it acts."""

import re

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from pages.components.markdown import JOINER, code, literal, safe

WORDS = st.text(alphabet="ab $!:[](){}<>|`~\\\n-#&_*1/.?\"'", max_size=120)
CODE = st.text(alphabet="ab $!:[](){}<>~\\-#&_*1/.?\"'", min_size=1).filter(str.strip)


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("from $114.22 to $115.40", "from \\$114.22 to \\$115.40"),
        ("already \\$5", "already \\$5"),
        ("![x](https://evil.example/?q=1)", "[x](https://evil.example/?q=1) (evil\\.example)"),
        ("![](https://evil.example/i.png)", "[image](https://evil.example/i.png) (evil\\.example)"),
        ("![x][y] and wow![1]", "[x][y] and wow\\![1]"),
        ("<img src=x> & <script>", "\\<img src=x> & \\<script>"),
        ("<https://ok.example/a>", "<https://ok.example/a>"),
        ("[a](javascript:alert(1))", "[a]\\(javascript\\:alert(1))"),
        ("[a](data:text/html,x)", "[a]\\(data\\:text/html,x)"),
        ("[a](//evil.example)", "[a]\\(//evil.example)"),
        ("[a](https://ok.example/A_(b))", "[a](https://ok.example/A_(b)) (ok\\.example)"),
        ("[turn](/latency?turn=1) [mail](mailto:ana@lumenworks.example)",) * 2,
        ("[r]: javascript:x", "[r]\\: javascript\\:x"),
        (":red[hot] :material/check: at 10:30", f"\\:red[hot] \\:{JOINER}material/check: at 10:30"),
        (":tada: std::map", f"\\:{JOINER}tada: std\\:\\:map"),
        (":::note\n::leaf", "\\:\\:\\:note\n\\:\\:leaf"),
        ("`$a$ :red[x] ![y](z)` $b", "`$a$ :red[x] ![y](z)` \\$b"),
        ("``a ` $b`` $c", "``a ` $b`` \\$c"),
        ("a ` b $c", "a \\` b \\$c"),
        ("```python\n$x ![y](z)\n```\n$y", "```python\n$x ![y](z)\n```\n\\$y"),
        ("```\n$x", "```\n$x"),
        ("```mermaid\ngraph\n```", "```text\ngraph\n```"),
        ("~~~ MATH\nx\n~~~", "~~~text\nx\n~~~"),
        ("1. a\n   ```\n   $x\n   ```\n$y", "1. a\n   ```\n   $x\n   ```\n\\$y"),
        ("https://a.example/?q=$1:x", "https://a.example/?q=$1:x"),
        ("製品ロードマップ：レビュー",) * 2,
        *(
            (link, f"{link} ({to})")
            for link, to in [
                ("[https://ok.example](https://evil.example/a)", "evil\\.example"),
                ("[ok.example/pay](https://evil.example)", "evil\\.example"),
                ("[Approve](https://evil.example/yes)", "evil\\.example"),
                ("[Budget.xlsx](https://docs.google.com.evil.example)", "docs\\.google\\.com\\.evil\\.example"),
                ("[Budget.xlsx](https://evilgoogle.com)", "evilgoogle\\.com"),
                ("[www.ok.example](https://ok.example.evil.example)", "ok\\.example\\.evil\\.example"),
                ("[https://ok.example](https://docs.google.com/x)", "docs\\.google\\.com"),
                ("[ana@ok.example](mailto:eve@evil.example)", "eve\\@evil\\.example"),
                ("[pay](https://lumenw\u043erks.example)", "xn\\-\\-lumenwrks\\-52h\\.example"),
                ("<https://lumenw\u043erks.example/x>", "xn\\-\\-lumenwrks\\-52h\\.example"),
                ("https://lumenw\u043erks.example/x", "xn\\-\\-lumenwrks\\-52h\\.example"),
                ("www.lumenw\u043erks.example", "www\\.xn\\-\\-lumenwrks\\-52h\\.example"),
                ("https://ok.example\n](https://evil.example)", "evil\\.example"),
            ]
        ),
        *(
            (link, link)
            for link in [
                "[https://ok.example/a](https://ok.example/b)",
                "[www.ok.example](https://ok.example)",
                "[Budget.xlsx](https://docs.google.com/x) [b.pdf](https://drive.google.com/y)",
                "from ana@ok.example: [open](https://mail.google.com/x)",
                "[ana@ok.example](mailto:ana@ok.example)",
                "https://ok.example/日本",
            ]
        ),
    ],
)
def test_text_is_shown_as_it_is_meant(text, shown):
    assert safe(text) == shown


HOSTILE = [
    "| a |\n|---|\n| ` | ![x](https://evil.example) ` |",
    "see https://a.example/x`y ![x](https://evil.example) `z",
    "[t](http://a`b) ![x](https://evil.example) `c",
    "- a\n\n   ```\n  x\n  ```\n  ![x](https://evil.example)\n",
    "- a\n  ```\n![x](https://evil.example)\n  ```",
    "> ```\n![x](https://evil.example)\n> ```",
    "foo\n      ```\n      ![x](https://evil.example)",
    "![x]: https://evil.example\n\n![x]",
    "x\n\n\t```\n![x](https://evil.example)\n\t```",
]
"""A parser sees an image in each, though a part of it looks like code."""
TRUE_CODE = [
    "`a\nb` ![x](https://evil.example) `c`",
    "- ```\n  code\n  ```\n  ![x](https://evil.example)\n  ```",
    '<a title="`"> ![x](https://evil.example) `',
]
"""A parser would see an image here as well; made safe, it is in a code span or block for every parser."""


@pytest.mark.parametrize("text", HOSTILE)
def test_nothing_hides_in_what_only_looks_like_code(text):
    assert "![x](" not in safe(text)


@given(before=WORDS, inside=CODE, after=WORDS)
@example(before="", inside="$x$ :red[y]", after="$z$")
def test_fenced_code_is_untouched(before, inside, after):
    before = before.replace("`", "").replace("~", "")
    after = after.replace("`", "").replace("~", "")
    assert f"\n```python\n{inside}\n```\n" in safe(f"x{before}\n\n```python\n{inside}\n```\n\n{after}x")


@given(inside=CODE.filter(lambda text: "|" not in text), words=st.text(alphabet="ab $!:[(<", max_size=30))
def test_code_spans_are_untouched(inside, words):
    assert f"`{inside}`" in safe(f"{words} `{inside}` {words} x")


@given(WORDS)
def test_outside_code_no_sign_acts(text):
    rest = outside_code(safe(text))
    assert not re.search(r"(?<!\\)\$", without_addresses(rest))
    assert not re.search(r"(?<!\\)!\[", rest)
    assert not re.search(r"(?<!\\)<(?!https?:|mailto:)", rest)
    assert not re.search(r"(?<!\\)\]\((?! *(https?://|mailto:|/|#|\?))", rest)


@given(WORDS)
def test_making_safe_twice_is_as_good_as_once(text):
    once = safe(text)
    assert outside_code(safe(once)).replace("\\", "") == outside_code(once).replace("\\", "")


@given(st.text(max_size=60))
def test_a_literal_is_one_line_in_which_every_sign_is_escaped(text):
    shown = literal(text)
    assert "\n" not in shown
    assert re.sub(r"\\(.)", r"\1", shown).replace(JOINER, "") == " ".join(text.split()).replace(JOINER, "")


@pytest.mark.parametrize(
    ("text", "shown"),
    [("is:unread", "`is:unread`"), ("a`b", "``a`b``"), ("`a", "`` `a ``"), ("a\nb", "`a b`"), ("", "")],
)
def test_a_code_span_holds_any_text(text, shown):
    assert code(text) == shown


def test_a_long_hostile_text_takes_no_time():
    for piece in ("`", "![", "](", "http://[", "` ``", "| ` ", ":a"):
        assert safe(piece * 8000)


def outside_code(text: str) -> str:
    """What is left without code blocks and spans, as the made-safe text has them: all other backticks are escaped."""
    text = re.sub(r"(?ms)^ {0,3}(`{3,}|~{3,})[^\n]*(\n.*?(^ {0,3}\1|\Z)|\Z)", "", text)
    text = re.sub(r"\\.", lambda pair: "·" if pair[0] == "\\`" else pair[0], text)
    return re.sub(r"(`+)(?!`).*?(?<!`)\1(?!`)", "·", text)


def without_addresses(text: str) -> str:
    text = re.sub(r"\]\([^)\s]*(\"[^\"]*\")?[^)]*\)", "", text)
    return re.sub(r"(?i)(https?://|www\.)\S*", "", text)
