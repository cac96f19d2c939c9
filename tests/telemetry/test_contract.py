import json

from telemetry.contract import finished_turn, span_tree, timestamp, turn_summary
from telemetry.queries import Glass
from telemetry.store import Store
from tests.telemetry.worlds import MS, NOON, World, direct, running


def glass_with(telemetry_url: str) -> tuple[Glass, World]:
    world = World(Store(telemetry_url))
    return Glass(world.store), world


def test_a_finished_turn_is_json_whose_phases_sum_to_its_wall_time(telemetry_url: str) -> None:
    glass, world = glass_with(telemetry_url)
    turn_id = world.add(direct())
    turn = glass.turn("local", turn_id)
    assert turn is not None
    found = json.loads(
        json.dumps(finished_turn(turn, glass.llm_calls("local", turn_id), glass.tool_calls("local", turn_id)))
    )
    assert sum(phase["ns"] for phase in found["phases"]) == found["wall_ns"]
    assert found["started_at"] == "2026-11-30T12:00:00Z"
    assert (found["cost_usd"], found["cached"], found["saved_usd"]) == ("0.000306", False, None)
    assert found["usage"] == {
        "requests": 2,
        "input_tokens": 2400,
        "cached_input_tokens": 2000,
        "output_tokens": 160,
        "reasoning_tokens": None,
        "estimated": False,
    }
    assert [(call["tool"], call["status"]) for call in found["tool_calls"]] == [("search_gmail_messages", "ok")]
    assert {"turn_id", "conversation_id", "status", "route", "agents", "model", "first_token_ns"} <= found.keys()


def test_what_is_unknown_is_null_and_never_zero(telemetry_url: str) -> None:
    glass, world = glass_with(telemetry_url)
    turn = glass.turn("local", world.add(running()))
    assert turn is not None
    turn.cost_pico_usd, turn.input_tokens = None, None
    found = turn_summary(turn)
    assert (found["cost_usd"], found["usage"]["input_tokens"], found["wall_ns"], found["first_token_ns"]) == (None,) * 4


def test_spans_nest_and_an_orphan_stands_at_the_top(telemetry_url: str) -> None:
    glass, world = glass_with(telemetry_url)
    spans = glass.spans("local", world.add(running()))
    [turn] = span_tree(spans)
    [agent] = turn["children"]
    assert [child["name"] for child in agent["children"]] == [
        "chat openai/gpt-4o-mini",
        "execute_tool search_gmail_messages",
    ]
    assert (turn["ns"], agent["children"][0]["ns"]) == (None, 696 * MS)
    assert [node["name"] for node in span_tree(spans[1:])] == ["invoke_agent Gmail"]


def test_timestamps_keep_their_microseconds() -> None:
    assert timestamp(NOON + 1_234_567) == "2026-11-30T12:00:00.001234Z"
