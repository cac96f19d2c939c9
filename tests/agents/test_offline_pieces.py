"""The small parts: arguments from templates, foreign text in Markdown, moments in words, items as a conversation."""

import json
from datetime import datetime, timedelta
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.agents.offline.acts import Offer
from core.agents.offline.conversation import read
from core.agents.offline.days import Range
from core.agents.offline.fill import fill
from core.agents.offline.markdown import cut, escape, inline, quote
from core.agents.offline.moments import Moments
from core.agents.offline.replies import pieces
from core.agents.offline.tongue import load_tongues

NOW = datetime(2026, 11, 30, 15, 30, tzinfo=ZoneInfo("Europe/Berlin"))
DATES = load_tongues()["en"].dates
MOMENTS = Moments(NOW, DATES)


@pytest.mark.parametrize(
    ("template", "slots", "value"),
    [
        ("is:unread from:{person} {topic}", {"person": "Ana"}, "is:unread from:Ana"),
        ("from:{person} {topic}", {"person": "Ana Ruiz", "topic": "the invoice"}, "from:Ana from:Ruiz the invoice"),
        ('{flags} "{quoted}"', {"quoted": "purchase order"}, '"purchase order"'),
        ("{flags} {topic}", {}, ""),
        ("{count}", {"count": 5}, 5),
        ("{mail.attachments.0.id}", {"mail": {"attachments": [{"id": "a"}]}}, "a"),
        ("{mails.id}", {"mails": [{"id": "a"}, {"id": "b"}]}, ["a", "b"]),
        (["{mail.id}"], {"mail": {"id": "a"}}, ["a"]),
        (True, {}, True),
    ],
)
def test_a_template_is_filled(template, slots, value):
    assert fill({"x": template}, slots) == {"x": value}


@pytest.mark.parametrize("template", ["{count}", "{mail.attachments.0.id}", "{mails.id}"])
def test_an_argument_whose_slot_is_empty_is_left_out(template):
    assert fill({"x": template}, {"mail": {"attachments": []}, "mails": [{}]}) == {}


def test_a_tool_gets_only_what_it_takes_within_its_limits():
    offer = Offer("search", frozenset({"query", "size", "note"}), frozenset({"query"}), {"size": 100})
    assert offer.taken({"query": "", "size": 500, "note": "", "other": 1}) == {"query": "", "size": 100}


@pytest.mark.parametrize(
    ("text", "markdown"),
    [
        ("a *b* _c_ `d`", "a \\*b\\* \\_c\\_ \\`d\\`"),
        ("![x](http://e.example/p.png)", "!\\[x\\](http://e.example/p.png)"),
        ("<script>", "\\<script\\>"),
        ("a | b", "a \\| b"),
        ("$5 :red[x] 12:30 :smile:", "\\$5 \\:red\\[x\\] 12:30 \\:smile:"),
        ("# h\n- i\n1. j", "\\# h\n\\- i\n1\\. j"),
        ("see https://a.example/x_y_z now_ok", "see https://a.example/x_y_z now\\_ok"),
    ],
)
def test_foreign_text_is_shown_as_it_is(text, markdown):
    assert escape(text) == markdown


@given(st.text())
def test_no_foreign_text_can_open_a_tag_a_link_or_a_directive(text):
    safe = escape(text).replace("\\\\", "")
    for mark in ("<", "[", "|", "`", "$"):
        assert safe.count(mark) == safe.count(f"\\{mark}")


@given(st.text())
def test_a_quote_is_a_quote_in_every_line(text):
    assert all(line.startswith(">") for line in quote(text).splitlines())


def test_one_line_stays_one_line():
    assert inline("a\n\n# b \t c") == "a \\# b c"
    assert inline("- a") == "\\- a"


def test_a_cut_is_marked_and_between_words():
    assert cut("one two three", 9) == "one two …"
    assert cut("short", 9) == "short"


@given(st.text())
def test_pieces_make_up_the_text(text):
    assert "".join(pieces(text)) == text


@pytest.mark.parametrize(
    ("moment", "words"),
    [
        ("2026-11-30T09:12:00+01:00", "Today 09:12"),
        ("2026-11-29T23:30:00Z", "Today 00:30"),
        ("2026-11-29T16:25:00+01:00", "Yesterday 16:25"),
        ("2026-12-02T08:00:00+01:00", "Wed 2 Dec 08:00"),
        ("2025-01-02T08:00:00+01:00", "Thu 2 Jan 2025 08:00"),
        ("2026-12-01", "Tomorrow"),
    ],
)
def test_a_moment_is_said_in_the_users_zone(moment, words):
    assert MOMENTS.when(moment) == words


@pytest.mark.parametrize(
    ("begin", "finish", "exact", "words"),
    [
        (0, 24, False, "today"),
        (24, 48, False, "tomorrow"),
        (48, 72, False, "on Wed 2 Dec"),
        (0, 168, False, "from today to Sun 6 Dec"),
        (36, 42, True, "tomorrow 12:00–18:00"),
        (None, 24, False, "before tomorrow"),
        (-24, None, False, "since yesterday"),
        (None, None, False, "at any time"),
    ],
)
def test_a_range_is_said_within_a_sentence(begin, finish, exact, words):
    midnight = NOW.replace(hour=0, minute=0)
    ends = [None if hours is None else midnight + timedelta(hours=hours) for hours in (begin, finish)]
    assert MOMENTS.span(Range(*ends, exact)) == words


def test_hours_of_events():
    event = {"start": "2026-12-01T09:00:00+01:00", "end": "2026-12-01T09:30:00+01:00"}
    assert MOMENTS.hours(event) == "09:00–09:30"
    assert MOMENTS.hours({**event, "end": "2026-12-02T00:00:00+01:00"}) == "09:00–24:00"
    assert MOMENTS.hours({**event, "end": "2026-12-02T01:00:00+01:00"}) == "09:00–Wed 2 Dec 01:00"
    assert MOMENTS.hours({"all_day": True}) == "All day"
    assert (
        MOMENTS.event_when({"start": "2026-12-24", "end": "2026-12-26", "all_day": True}) == "Thu 24 Dec to Fri 25 Dec"
    )


def test_free_time_is_within_working_hours_from_now_on():
    day = {"start": "2026-11-30T00:00:00+01:00", "end": "2026-12-02T00:00:00+01:00"}
    slots = MOMENTS.open_slots([day], 30, days=[0, 1, 2, 3, 4], hours=[9, 18])
    assert [MOMENTS.hours(slot) for slot in slots] == ["15:30–18:00", "09:00–18:00"]


def test_free_time_begins_at_a_quarter():
    moments = Moments(NOW.replace(minute=52, second=7), DATES)
    slots = moments.open_slots(
        [{"start": "2026-11-30T00:00:00+01:00", "end": "2026-12-01T00:00:00+01:00"}], 30, [0], [9, 18]
    )
    assert moments.hours(slots[0]) == "16:00–18:00"


def call(number, name="search_gmail_messages"):
    return {"type": "function_call", "call_id": number, "name": name, "arguments": '{"query": "x"}'}


@pytest.mark.parametrize(
    "output",
    [
        '{"messages": []}',
        {"type": "text", "text": '{"messages": []}'},
        [{"type": "input_text", "text": '{"messages": []}'}],
        json.dumps({"type": "text", "text": '{"messages": []}'}),
    ],
)
def test_a_tools_output_is_understood_however_it_is_wrapped(output):
    items = [
        {"role": "user", "content": [{"type": "input_text", "text": "mail?"}]},
        call("c1"),
        {"type": "function_call_output", "call_id": "c1", "output": output},
        {"role": "assistant", "content": "None."},
        {"role": "user", "content": "more"},
    ]
    first, last = read(items)
    assert (first.question, first.answer, last.question) == ("mail?", "None.", "more")
    assert first.calls[0].args == {"query": "x"}
    assert first.calls[0].output.value == {"messages": []}


def test_outputs_find_their_calls_in_any_order():
    items = [
        {"role": "user", "content": "both"},
        call("c1", "one"),
        call("c2", "two"),
        {"type": "function_call_output", "call_id": "c2", "output": "second"},
        {"type": "function_call_output", "call_id": "c1", "output": "first"},
    ]
    assert [(done.name, done.output.text, done.output.value) for done in read(items)[0].calls] == [
        ("one", "first", None),
        ("two", "second", None),
    ]


@pytest.mark.parametrize("items", ["hello", [], [{"type": "function_call_output", "call_id": "x", "output": "lost"}]])
def test_there_is_always_a_turn(items):
    assert read(items)[-1].calls == []
