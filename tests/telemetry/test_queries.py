import pytest

from telemetry.queries import Choices, Glass, Selection
from telemetry.store import Store
from tests.telemetry.worlds import MAILS, MS, NOON, World, direct, failed, orchestrated, running

SECOND = 1000 * MS
HOUR = 3600 * SECOND


@pytest.fixture
def world(telemetry_url: str) -> World:
    return World(Store(telemetry_url))


@pytest.fixture
def glass(world: World) -> Glass:
    return Glass(world.store)


def test_turns_come_newest_first_and_page_without_a_gap_or_a_repeat(world: World, glass: Glass) -> None:
    ids = [world.add(direct(), NOON + (number // 2) * SECOND) for number in range(10)]
    pages: list[str] = []
    before = None
    while page := glass.turns("local", before=before, limit=3):
        pages += [turn.turn_id for turn in page]
        before = pages[-1]
    assert sorted(pages) == sorted(ids)
    starts = [turn.start_ns for turn in glass.turns("local")]
    assert starts == sorted(starts, reverse=True)


def test_turns_can_be_those_of_one_conversation(world: World, glass: Glass) -> None:
    world.add(direct(), conversation="c1")
    other = world.add(direct(), conversation="c2")
    assert [turn.turn_id for turn in glass.turns("local", conversation_id="c2")] == [other]


def test_no_read_shows_anything_of_another_user(world: World, glass: Glass) -> None:
    turn_id = world.add(direct(), user_id="lena")
    span = next(span for span in glass.spans("lena", turn_id) if span.type == "tool")
    key = "gen_ai.tool.call.result"
    assert glass.payload("lena", turn_id, span.span_id, key) is not None
    assert glass.payload("local", turn_id, span.span_id, key) is None
    assert glass.turn("local", turn_id) is None
    assert glass.turns("local") == glass.spans("local", turn_id) == []
    assert glass.turns("local", before=turn_id) == []
    assert glass.llm_calls("local", turn_id) == glass.tool_calls("local", turn_id) == []
    assert glass.turn_summaries("local", [turn_id]) == {}
    assert glass.choices("local", Selection(0, 2 * NOON)) == Choices((), (), ())


def test_a_turn_comes_with_its_spans_calls_and_payloads(world: World, glass: Glass) -> None:
    turn_id = world.add(direct())
    spans = glass.spans("local", turn_id)
    assert [span.type for span in spans][:4] == ["turn", "route", "agent", "chat"]
    assert [call.agent for call in glass.llm_calls("local", turn_id)] == ["Gmail", "Gmail"]
    assert [call.tool for call in glass.tool_calls("local", turn_id)] == ["search_gmail_messages"]
    tool = next(span for span in spans if span.type == "tool")
    payload = glass.payload("local", turn_id, tool.span_id, "gen_ai.tool.call.result")
    assert payload is not None
    assert payload.text == MAILS


def test_a_running_turn_is_there_with_its_open_spans(world: World, glass: Glass) -> None:
    turn_id = world.add(running())
    world.add(direct())
    assert [turn.turn_id for turn in glass.running("local")] == [turn_id]
    assert glass.running("lena") == []
    assert [span.type for span in glass.spans("local", turn_id) if span.end_ns is None] == [
        "turn",
        "agent",
        "tool",
        "google",
    ]


def test_the_quiet_line_gets_the_turns_that_are_there(world: World, glass: Glass) -> None:
    one, two = world.add(direct()), world.add(failed())
    found = glass.turn_summaries("local", [one, two, "nowhere"])
    assert {turn_id: turn.status for turn_id, turn in found.items()} == {one: "done", two: "failed"}


def test_filters_offer_what_occurs_in_the_period(world: World, glass: Glass) -> None:
    world.add(orchestrated(model="qwen3-8b"))
    world.add(direct())
    world.add(direct(model="older"), NOON - 2 * HOUR)
    selection = Selection(NOON - HOUR, NOON + HOUR, routes=("direct",))
    expected = Choices(
        ("Assistant", "Calendar", "Gmail"), ("direct", "orchestrated"), ("openai/gpt-4o-mini", "qwen3-8b")
    )
    assert glass.choices("local", selection) == expected


def test_the_previous_period_is_as_long_and_keeps_the_filters() -> None:
    assert Selection(100, 150, agents=("Gmail",)).previous() == Selection(50, 100, agents=("Gmail",))
