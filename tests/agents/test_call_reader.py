"""Calls that small models write as text are found however the text arrives, and ordinary text is left alone."""

import json
from html import escape
from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core.agents.call_json import PATIENCE, CutCall
from core.agents.call_reader import CallReader
from core.agents.call_values import TextCall

NAMES = frozenset({"search_gmail_messages", "list_labels", "search"})
CALL = '{"name": "search_gmail_messages", "arguments": {"query": "is:unread", "max": 5}}'
MEANT = TextCall("search_gmail_messages", '{"query": "is:unread", "max": 5}')


def read(*parts: str) -> tuple[str, list[TextCall]]:
    """What is shown, and the calls, of a text that arrives in parts."""
    reader = CallReader(NAMES)
    shown = "".join([reader.feed(part) for part in parts] + [reader.finish()])
    return shown, reader.calls


@pytest.mark.parametrize(
    "text",
    [
        CALL,
        f"  {CALL}\n",
        f"```json\n{CALL}\n```",
        f"```\n{CALL}\n```\n",
        f"```json {CALL} ```",
        f"```json\n{CALL}",
        f"<tool_call>\n{CALL}\n</tool_call>",
        f"<tool_call>{CALL}",
        f"<tools>\n{CALL}\n</tools>",
        f"```xml\n<tool_call>\n{CALL}\n</tool_call>\n```",
        f"<|python_tag|>{CALL}",
        f"[TOOL_CALLS] [{CALL}]",
        f"[TOOL_CALLS]{CALL}",
        f"[{CALL}]",
        f'{{"tool_calls": [{CALL}]}}',
        f'{{"type": "function", "function": {CALL}}}',
        CALL.replace("name", "tool").replace("arguments", "args"),
        CALL.replace("name", "function").replace("arguments", "parameters"),
        '{"arguments": {"query": "is:unread", "max": 5}, "name": "search_gmail_messages"}',
        '{"name": "search_gmail_messages", "arguments": "{\\"query\\": \\"is:unread\\", \\"max\\": 5}"}',
        '<function=search_gmail_messages>{"query": "is:unread", "max": 5}</function>',
        f"<tools>\n  <function name='search_gmail_messages' arguments='{MEANT.arguments}'/>\n</tools>",
        f'<function name="search_gmail_messages" arguments="{escape(MEANT.arguments)}">',
        '<function name="search_gmail_messages">{"query": "is:unread", "max": 5}</function>',
        CALL + "}",
        CALL[:-1],
        f"```json\n{CALL[:-1]}\n```",
        f"<tool_call>{CALL[:-1]}</tool_call>",
        CALL.replace('"', "'"),
        CALL.replace("5}", "5,}"),
    ],
)
def test_every_way_of_writing_a_call_is_understood_and_never_shown(text: str) -> None:
    shown, calls = read(text)
    assert calls == [MEANT] and not shown.strip()
    assert read(*text) == (shown, calls)


def test_prose_around_a_call_is_shown() -> None:
    assert read(f"Let me look.\n\n```json\n{CALL}\n```\nOne moment.") == (
        "Let me look.\n\n\nOne moment.",
        [MEANT],
    )


def test_several_calls_in_a_row_are_all_understood() -> None:
    labels = '{"name": "list_labels"}'
    for text in (f"{CALL}\n{labels}", f"[{CALL}, {labels}]", f"```json\n{CALL}\n{labels}\n```", f"{CALL}; {labels}"):
        assert read(text) == ("", [MEANT, TextCall("list_labels", "{}")])
    tagged = f"<tool_call>{CALL}</tool_call>\n<tool_call>{labels}</tool_call>"
    assert read(tagged) == ("", [MEANT, TextCall("list_labels", "{}")])


def test_arguments_may_be_given_as_parameter_tags() -> None:
    text = "<tool_call>\n<function=search>\n<parameter=query>\nis:unread\n</parameter>\n</function>\n</tool_call>"
    assert read(text) == ("", [TextCall("search", '{"query": "is:unread"}')])


def test_line_breaks_and_braces_within_arguments_are_kept() -> None:
    text = '{"name": "search", "arguments": {"query": "a } b ``` \\" {\nc"}}'
    assert json.loads(read(f"```json\n{text}\n```")[1][0].arguments) == {"query": 'a } b ``` " {\nc'}


@pytest.mark.parametrize(
    "text",
    [
        "Plain text, with [a link](https://example.org), `code`, 1 < 2 and {braces}.",
        '{"name": "Ana Ruiz", "arguments": {"x": 1}}',
        '{"name": "delete_everything", "arguments": {}}',
        '<tool_call>{"name": "delete_everything", "arguments": {}}</tool_call>',
        '{"invoice": 2041, "from": {"name": "search", "arguments": {}}}',
        '```json\n{"invoice": 2041}\n```\nDone.',
        '```python\ncall = {"name": "search", "arguments": {}}\n```',
        '{"name": "search", "description": "Finds mail"}',
        '[{"name": "search", "arguments": {}}, {"invoice": 1}]',
        '{"name": "search", "arguments": [1, 2]}',
        "<function=delete>{}</function>",
        '<function name="delete" arguments="{}"/>',
        '<function name="search" class="x">',
        "<b>bold</b> <tool",
        '{"name": "sea',
        "``",
        "{",
        "[",
    ],
)
def test_what_names_no_tool_stays_text(text: str) -> None:
    assert read(text) == (text, [])
    assert read(*text) == (text, [])


def test_tags_with_nothing_in_them_are_nothing() -> None:
    assert read("<tools></tools>") == read(*"<tools>\n</tools>") == ("", [])


def test_ordinary_text_flows_at_once() -> None:
    reader = CallReader(NAMES)
    for text in ("Hello ", "**Sam**, ", '{"invo', 'ice": 1} ', "a [li", "nk] "):
        assert reader.feed(text) == text


def test_nothing_is_held_for_ever() -> None:
    text = '{"arguments": {"note": "' + "x" * PATIENCE
    assert CallReader(NAMES).feed(text) == text


@pytest.mark.parametrize("cut", ['{"name": "search", "arguments": {"query": "is:un', "<function=search>{", CALL[:-2]])
def test_a_call_that_is_cut_off_is_neither_made_nor_shown(cut: str) -> None:
    with pytest.raises(CutCall):
        read(cut)


def test_what_is_only_quoted_is_no_call() -> None:
    reader = CallReader(NAMES, quoted=lambda text: text == CALL)
    assert reader.feed(f"The mail says: {CALL} Odd.") + reader.finish() == f"The mail says: {CALL} Odd."
    assert reader.calls == []


PROSE = st.text(alphabet="abc é日 .,\n'\"<>[]`{}:/", max_size=30)
WORD = st.text(alphabet='ab"\\{}[]`<> \n日', max_size=12)
ARGUMENTS = st.dictionaries(st.sampled_from(["query", "max"]), st.one_of(WORD, st.integers(), st.lists(WORD)))
BODY = st.builds(
    lambda name, args: json.dumps({"name": name, "arguments": args}), st.sampled_from(sorted(NAMES)), ARGUMENTS
)
OTHER = st.builds(lambda key, args: json.dumps({key: args}), st.sampled_from(["mail", "note"]), ARGUMENTS)
WRITTEN = st.builds(
    str.format,
    st.sampled_from(
        [
            "{}",
            "```json\n{}\n```",
            "<tool_call>{}</tool_call>",
            "[TOOL_CALLS] [{}]",
            "<function name=\"search\" args='{}'/>",
        ]
    ),
    BODY | OTHER,
)
TEXT = st.lists(PROSE | WRITTEN | BODY, max_size=4).map("".join)


def outcome(*parts: str) -> object:
    try:
        return read(*parts)
    except CutCall:
        return "cut"


@settings(max_examples=150, deadline=None)
@given(TEXT, st.lists(st.integers(0, 300), max_size=8))
def test_the_outcome_does_not_depend_on_how_the_text_is_cut(text: str, cuts: list[int]) -> None:
    places = [0, *sorted(min(cut, len(text)) for cut in cuts), len(text)]
    parts = [text[start:end] for start, end in pairwise(places)]
    assert outcome(*parts) == outcome(text) == outcome(*text)


@settings(max_examples=150, deadline=None)
@given(
    st.text(alphabet="abc é日 .,\n", max_size=40),
    BODY,
    st.sampled_from(["{}", "```json\n{}\n```", "<tools>{}</tools>"]),
)
def test_a_call_after_prose_is_made_and_no_character_of_it_is_shown(prose: str, body: str, form: str) -> None:
    shown, calls = read(prose + form.format(body))
    assert shown == prose
    assert [(call.name, json.loads(call.arguments)) for call in calls] == [
        (json.loads(body)["name"], json.loads(body)["arguments"])
    ]


@settings(max_examples=150, deadline=None)
@given(st.lists(PROSE | OTHER, max_size=5).map("".join))
def test_a_text_that_names_no_tool_is_never_changed(text: str) -> None:
    assert read(text) == (text, []) == read(*text)
