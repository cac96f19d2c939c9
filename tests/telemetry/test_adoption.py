"""The spans of another agent become a turn like ours."""

import json
from typing import Any

import pytest

from telemetry.adoption import question_in
from telemetry.turns import roll_up

SERVICE = {"service.name": "travel-agent"}


def span(span_id: str, parent: str | None, type_: str, start: int, end: int, **attributes: Any) -> dict[str, Any]:
    return {
        "span_id": span_id,
        "trace_id": "t1",
        "parent_id": parent,
        "name": type_,
        "type": type_,
        "kind": "internal",
        "start_ns": start,
        "end_ns": end,
        "status": "ok",
        "user_id": "local",
        "conversation_id": attributes.pop("conversation", None),
        "attributes": {**SERVICE, **{name.replace("__", "."): value for name, value in attributes.items()}},
        "events": [],
    }


TRACE = [
    span("a", None, "agent", 0, 100, gen_ai__agent__name="Planner"),
    span(
        "b",
        "a",
        "chat",
        5,
        40,
        conversation="s1",
        glassdesk__question="Where is it warm?",
        gen_ai__request__model="gpt-4o-mini",
        gen_ai__usage__input_tokens=1200,
        gen_ai__usage__output_tokens=80,
    ),
    span("c", "a", "tool", 40, 60, gen_ai__tool__name="weather", gen_ai__tool__call__result="22 degrees"),
    span("d", "a", "tool", 60, 99, gen_ai__tool__name="ask_writer"),
    span("e", "d", "agent", 61, 98, gen_ai__agent__name="Writer"),
]


def test_the_first_span_of_a_foreign_trace_is_a_turn_that_says_what_those_below_know() -> None:
    turn = roll_up(TRACE)
    assert turn is not None
    found = {name: turn.turn[name] for name in ("question", "agents", "conversation_id", "model", "service", "wall_ns")}
    assert found == {
        "question": "Where is it warm?",
        "agents": ["Planner", "Writer"],
        "conversation_id": "s1",
        "model": "gpt-4o-mini",
        "service": "travel-agent",
        "wall_ns": 100,
    }
    assert sum(turn.turn["phases"].values()) == 100
    assert (turn.turn["input_tokens"], turn.turn["output_tokens"], turn.turn["unpriced"]) == (1200, 80, 0)


def test_a_foreign_tool_is_a_call_and_a_delegation_is_none() -> None:
    turn = roll_up(TRACE)
    assert turn is not None
    assert [(call["tool"], call["agent"], call["result_bytes"]) for call in turn.tool_calls] == [
        ("weather", "Planner", 10)
    ]


def test_a_trace_of_ours_without_a_turn_stays_none() -> None:
    assert roll_up([{**row, "attributes": {}} for row in TRACE]) is None


def test_of_several_roots_our_own_turn_comes_first_then_the_earliest() -> None:
    early, late = span("x", None, "agent", 5, 10), span("y", None, "agent", 1, 3)
    ours = {**span("z", None, "turn", 9, 10), "attributes": {}}
    assert roll_up([early, late]).turn["start_ns"] == 1  # type: ignore[union-attr]
    assert roll_up([early, late, ours]).turn["start_ns"] == 9  # type: ignore[union-attr]


@pytest.mark.parametrize(
    ("recorded", "question"),
    [
        ([{"role": "system", "content": "Be kind"}, {"role": "user", "content": "Hi"}], "Hi"),
        (
            [{"role": "user", "parts": [{"type": "text", "content": "One"}, {"type": "text", "content": "two"}]}],
            "One\ntwo",
        ),
        ([{"role": "user", "content": "First"}, {"role": "user", "content": [{"type": "image"}]}], "First"),
        ([[{"role": "user", "content": [{"type": "text", "text": "Nested"}]}]], "Nested"),
        ({"messages": [{"type": "human", "content": "Ask"}]}, "Ask"),
        ({"query": "Paris?"}, "Paris?"),
        ({"rows": 3}, None),
        ([], None),
        (7, None),
    ],
)
def test_a_question_is_found_in_the_usual_shapes(recorded: Any, question: str | None) -> None:
    assert question_in(json.dumps(recorded)) == question


@pytest.mark.parametrize(
    ("recorded", "question"), [("東京は?", "東京は?"), ("", None), (None, None), ("x" * 9_000, "x" * 2_000)]
)
def test_a_plain_text_is_a_question_and_nothing_is_none(recorded: Any, question: str | None) -> None:
    assert question_in(recorded) == question
