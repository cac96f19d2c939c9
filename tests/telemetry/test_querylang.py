import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from telemetry.querylang.errors import QueryError
from telemetry.querylang.fields import FIELDS, Kind
from telemetry.querylang.line import Between, Line, Term, Words
from telemetry.querylang.parser import MOST_STARS, parse, searchable
from telemetry.querylang.suggestions import finished_part, suggest

MS, SECOND, MINUTE, PICO = 10**6, 10**9, 60 * 10**9, 10**12


def only(text: str) -> Term:
    [term] = parse(text).terms
    return term


def test_a_whole_line_is_understood() -> None:
    line = parse('level:error latency:>2s cost:>0.01 tool:send_*,get_* -model:gpt* -"free text" invoice')
    assert line.terms == (
        Term("level", (Words(("error",)),)),
        Term("latency", (Between(2 * SECOND + 1, None),)),
        Term("cost", (Between(PICO // 100 + 1, None),)),
        Term("tool", (Words(("send_", "")), Words(("get_", "")))),
        Term("model", (Words(("gpt", "")),), negated=True),
        Term("text", (Words(("free text",), exact=True),), negated=True),
        Term("text", (Words(("invoice",)),)),
    )


def test_nothing_asks_for_nothing() -> None:
    assert parse("") == parse("  \t ") == Line()


@pytest.mark.parametrize(
    ("text", "low", "high", "canonical"),
    [
        ("latency:>2s", 2 * SECOND + 1, None, "latency:>2s"),
        ("latency:>=2000ms", 2 * SECOND, None, "latency:>=2s"),
        ("latency:<0.5", None, SECOND // 2 - 1, "latency:<0.5s"),
        ("latency:<=90s", None, 90 * SECOND, "latency:<=90s"),
        ("latency:1min..1h", MINUTE, 60 * MINUTE, "latency:60s..60min"),
        ("latency:100..500ms", 100 * MS, 500 * MS, "latency:0.1s..0.5s"),
        ("first:.5s..", SECOND // 2, None, "first:>=0.5s"),
        ("first:250µs", 250_000, 250_000, "first:250us"),
        ("cost:>$0.01", PICO // 100 + 1, None, "cost:>0.01"),
        ("cost:..1usd", None, PICO, "cost:<=1"),
        ("cost:0", 0, 0, "cost:0"),
        ("tokens:1000..5000", 1000, 5000, "tokens:1000..5000"),
        ("tokens:>1.5k", 1501, None, "tokens:>1500"),
        ("calls:<3", None, 2, "calls:<3"),
        ("calls:>=1", 1, None, "calls:>0"),
        ("calls:<0", None, -1, "calls:<0"),
    ],
)
def test_numbers_have_units_and_bounds(text: str, low: int | None, high: int | None, canonical: str) -> None:
    assert only(text).values == (Between(low, high),)
    assert str(parse(text)) == canonical
    assert parse(canonical) == parse(text)


@pytest.mark.parametrize(
    ("text", "start", "end", "says"),
    [
        ("level:bad", 6, 9, "level: takes one of error, warning, ok, not bad."),
        ("a level:", 8, 8, "A value is missing here. level: takes one of error, warning, ok."),
        ("status:done,", 12, 12, "A value is missing here."),
        ("status:,done", 7, 8, "A value is missing here."),
        ("latancy:>2s", 0, 7, "There is no field latancy. Did you mean latency?"),
        ("re: offsite", 0, 2, 'Words with a colon go in quotation marks: "re: …".'),
        ("latency:>2x", 10, 11, "There is no unit x here; ns, us, µs, ms, s, sec, m, min, h may be used."),
        ("latency:fast", 8, 12, "fast is no number. latency: takes a duration such as >2s"),
        ("latency:>", 9, 9, "A number is missing."),
        ("latency:5s..1s", 8, 14, "Nothing lies in 5s..1s: put the smaller number first."),
        ("latency:>1s..2s", 8, 15, "A range needs no >: write 1s..2s."),
        ("latency:..", 8, 10, "A range needs a number on one side"),
        ("latency:>$2", 9, 11, "$2 is no number."),
        ("tokens:1.5", 7, 10, "1.5 is finer than what is measured."),
        ("tokens:99999999999999999999", 7, 27, "is too large"),
        ('say "hello', 4, 10, "This quotation mark is not closed."),
        ("a\\", 1, 2, "A backslash needs a sign after it"),
        ('tool:""', 5, 7, "Nothing stands in the quotation marks."),
        ("text:a*b", 5, 8, "In a text * may only stand at the end of a word."),
        ("tool:*a*b*c*d*", 5, 14, f"at most {MOST_STARS} stars"),
        ("...", 0, 3, "There is no word in it that could be looked for."),
        ("x" * 1001, 1000, 1001, "A line has at most 1,000 characters"),
    ],
)
def test_an_error_points_at_the_character(text: str, start: int, end: int, says: str) -> None:
    with pytest.raises(QueryError, match=re.escape(says)) as caught:
        parse(text)
    assert (caught.value.start, caught.value.end) == (start, end)
    assert str(caught.value).startswith(f"Character {start + 1}: ")


@pytest.mark.parametrize(
    ("text", "pieces"),
    [
        ("tool:send_*", ("send_", "")),
        ("tool:*mail*", ("", "mail", "")),
        ("tool:a**b", ("a", "b")),
        (r"tool:a\*b", ("a*b",)),
        (r"tool:a\,b", ("a,b",)),
        ("agent:Google\\ Calendar", ("Google Calendar",)),
        ('agent:"Google Calendar"', ("Google Calendar",)),
        ('agent:"a*b \\" c"', ('a*b " c',)),
        ("model:openai/gpt-oss:free", ("openai/gpt-oss:free",)),
        ("TOOL:x", ("x",)),
        ("tool: x", ("x",)),
    ],
)
def test_names_have_stars_quotation_marks_and_escapes(text: str, pieces: tuple[str, ...]) -> None:
    assert only(text).values == (Words(pieces),)
    assert parse(str(parse(text))) == parse(text)


@pytest.mark.parametrize(
    "word", ["http://x", "-x", "a:b", 'say"', "a,b", "back\\slash", "12:30", "製品", "🎉", "x_y:z"]
)
def test_any_word_can_be_looked_for(word: str) -> None:
    line = Line((Term("text", (Words((word,)),)),))
    assert parse(str(line)) == line


def texts(exact: bool = False) -> st.SearchStrategy[Words]:
    letters = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), min_size=1, max_size=12)
    return letters.filter(lambda text: any(map(searchable, text))).map(lambda text: Words((text,), exact))


def names() -> st.SearchStrategy[Words]:
    letters = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), max_size=8)
    pieces = st.lists(letters, min_size=1, max_size=MOST_STARS + 1)
    kept = pieces.filter(lambda found: all(found[1:-1]) and (len(found) > 1 or found[0].strip() != ""))
    return kept.map(lambda found: Words(tuple(found)))


def bounds() -> st.SearchStrategy[Between]:
    numbers = st.integers(0, 10**17)
    pairs = st.tuples(numbers, numbers).map(lambda pair: Between(min(pair), max(pair)))
    return st.one_of(pairs, numbers.map(lambda low: Between(low, None)), numbers.map(lambda high: Between(None, high)))


@st.composite
def terms(draw: st.DrawFn) -> Term:
    field = draw(st.sampled_from(sorted(FIELDS.values(), key=lambda field: field.name)))
    match field.kind:
        case Kind.TEXT:
            values = texts() | texts(exact=True)
        case Kind.NAME:
            values = names()
        case Kind.CHOICE:
            values = st.sampled_from(sorted(field.choices or ())).map(lambda word: Words((word,)))
        case _:
            values = bounds()
    found = draw(st.lists(values, min_size=1, max_size=3, unique=True))
    return Term(field.name, tuple(found), draw(st.booleans()))


@settings(max_examples=80, deadline=None)
@given(st.lists(terms(), max_size=4))
def test_the_canonical_text_of_a_line_is_the_same_line(found: list[Term]) -> None:
    line = Line(tuple(found))
    if len(str(line)) <= 1_000:
        assert parse(str(line)) == line
        assert str(parse(str(line))) == str(line)


PIECES = st.sampled_from(
    [
        *(f"{name}:" for name in FIELDS),
        '"',
        "\\",
        "-",
        ",",
        "*",
        "..",
        ">",
        "<=",
        "2s",
        "1k",
        "$",
        " ",
        "error",
        "x",
        "製",
    ]
)


@settings(max_examples=200, deadline=None)
@given(st.one_of(st.text(max_size=40), st.lists(PIECES, max_size=8).map("".join)))
def test_any_text_is_a_line_or_an_error_at_a_place_in_it(text: str) -> None:
    try:
        line = parse(text)
    except QueryError as error:
        assert 0 <= error.start <= error.end <= len(text)
        assert error.sentence[-1] in '.…"' and len(error.sentence) > 20
    else:
        assert parse(str(line)) == line
        for term in line.terms:
            assert 0 <= term.start < term.end <= len(text)


NAMES = {"tool": ["send_gmail_message", "search_gmail_messages"], "agent": ["Gmail", "Google Calendar"]}


@pytest.mark.parametrize(
    ("text", "lines"),
    [
        ("lat", ["latency:"]),
        ("level:error -la", ["level:error -latency:"]),
        ("status:f", ["status:failed "]),
        ("status:failed,st", ["status:failed,stopped "]),
        ("tool:gmail", ["tool:send_gmail_message ", "tool:search_gmail_messages "]),
        ("tool:se", ["tool:send_gmail_message ", "tool:search_gmail_messages "]),
        ("agent:cal", ['agent:"Google Calendar" ']),
        ('agent:"goo', ['agent:"Google Calendar" ']),
        ("x send", ["x tool:send_gmail_message "]),
        ("cost:", ["cost:>0.01 "]),
        ("level:error", []),
        ("nofield:x", []),
        ('"some te', []),
    ],
)
def test_the_word_that_is_being_typed_is_completed(text: str, lines: list[str]) -> None:
    assert [one.line for one in suggest(text, NAMES)] == lines
    for line in lines:
        if not line.endswith(":"):
            assert parse(line)


def test_a_new_word_may_be_any_field(text: str = "level:error ") -> None:
    fields = [one.label for one in suggest(text, NAMES)]
    assert fields == [f"{name}:" for name in FIELDS if name != "user"]
    assert suggest(text, NAMES, administers=True)[-1].line == "level:error user:"


def test_what_stands_before_the_word_that_is_being_typed_holds_already() -> None:
    assert finished_part("level:error laten") == parse("level:error")
    assert finished_part("level:error agent:") == parse("level:error")
    assert finished_part("level:bad x") == Line()


@given(st.text(max_size=30))
def test_suggestions_come_for_any_text(text: str) -> None:
    for one in suggest(text, NAMES):
        assert one.line
