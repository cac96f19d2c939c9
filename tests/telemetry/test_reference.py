import pytest

from telemetry.queries import EVERYBODY, Selection
from telemetry.reference import compare
from telemetry.store import Store
from tests.telemetry.worlds import MODEL, MS, NOON, World, approved, direct, failed, orchestrated

ALL = Selection(NOON - 1, NOON + 10**12)


@pytest.fixture
def world(telemetry_url: str) -> World:
    return World(Store(telemetry_url))


def test_without_a_turn_that_used_a_tool_there_is_nothing_to_compare(world: World) -> None:
    world.add(failed())
    assert compare(world.store, "local", ALL) is None


def test_model_calls_stand_at_their_position_in_their_loop(world: World) -> None:
    world.add(orchestrated())
    found = compare(world.store, "local", ALL)
    assert found is not None
    assert {row.name: row.measured_ns // MS for row in found.rows} == {
        "Outer turn 1": 1370,
        "Inner set-up": 28,
        "Inner turn 1": 850,
        "Tool over MCP": 441,
        "Inner turn 2": 940,
        "Outer turn 2": 2430,
        "Everything else": 22,
    }
    assert (found.reference_ns, found.turns, found.models, found.built_in) == (21_500 * MS, 1, (MODEL,), False)


def test_a_direct_turn_needs_no_outer_loop_and_what_it_took_is_all_there(world: World) -> None:
    world.add(direct())
    found = compare(world.store, "local", ALL)
    assert found is not None
    assert sum(row.measured_ns for row in found.rows) == found.measured_ns
    assert [row.measured_ns for row in found.rows if row.name.startswith("Outer")] == [0, 0]
    assert found.factor == pytest.approx(21_500 * MS / found.measured_ns)


def test_waiting_for_a_person_is_left_out(world: World) -> None:
    world.add(approved())
    found = compare(world.store, "local", ALL)
    assert found is not None
    assert found.measured_ns < 3_000 * MS


def test_turns_of_all_users_are_compared_with_all_their_calls(world: World) -> None:
    world.add(direct())
    assert compare(world.store, EVERYBODY, ALL) == compare(world.store, "local", ALL)
    assert compare(world.store, "lena", ALL) is None
