import pytest

from telemetry.queries import Glass
from telemetry.store import Store
from telemetry.waterfall import Waterfall, now_in, waterfall, what_took_the_time
from tests.telemetry.worlds import MS, NOON, Sketch, World, approved, direct, failed, orchestrated, running


@pytest.fixture
def world(telemetry_url: str) -> World:
    return World(Store(telemetry_url))


def drawn(world: World, sketch: Sketch, until_ns: int | None = None) -> Waterfall:
    turn_id = world.add(sketch)
    return waterfall(Glass(world.store).spans("local", turn_id), until_ns)


def test_the_rows_are_the_tree_from_the_top_down(world: World) -> None:
    rows = drawn(world, direct()).rows
    assert [(row.depth, row.name, row.phase) for row in rows] == [
        (0, "turn", "framework"),
        (1, "route", "routing"),
        (1, "Gmail", "framework"),
        (2, "chat gpt-4o-mini", "specialist_llm"),
        (2, "search_gmail_messages", "tool"),
        (3, "MCP", "tool"),
        (4, "server", "tool"),
        (5, "messages.list", "google_api"),
        (2, "chat gpt-4o-mini", "specialist_llm"),
        (1, "persist", "persist"),
    ]
    assert [row.container for row in rows] == [True, False, True, *[False] * 7]


def test_own_times_sum_to_the_turn_and_parallel_work_is_marked(world: World) -> None:
    found = drawn(world, orchestrated())
    assert sum(row.own_ns for row in found.rows) == found.account.wall_ns
    aside = [row.name for row in found.rows if not row.critical]
    assert aside[:2] == ["google_calendar_task", "Calendar"]
    assert {row.phase for row in found.rows if row.name.startswith("chat")} == {"orchestrator_llm", "specialist_llm"}


def test_one_sentence_says_what_took_the_time(world: World) -> None:
    assert what_took_the_time(drawn(world, orchestrated())) == (
        "The orchestrator model took 3.80 s of 6.08 s (62 %) in 2 calls, most of it the second (2.43 s). "
        "Calendar ran at the same time and added no time. On average 1.3 things ran at once, at most 2."
    )
    assert "it waited for you, which is not counted as latency" in what_took_the_time(drawn(world, approved()))


def test_a_running_turn_grows_with_the_clock_and_says_where_it_is(world: World) -> None:
    sketch = running()
    early, late = (drawn(world, sketch, NOON + seconds * 1000 * MS) for seconds in (1, 60))
    assert (early.account.wall_ns, late.account.wall_ns) == (1000 * MS, 60_000 * MS)
    assert now_in(late) == "messages.list"
    assert late.account.phases["google_api"] == 60_000 * MS - 710 * MS
    assert [row.name for row in late.rows if row.open][-1] == "messages.list"


def test_a_turn_that_was_interrupted_ends_where_its_last_trace_is(world: World) -> None:
    sketch = running()
    sketch.status = "interrupted"
    found = drawn(world, sketch)
    assert found.account.wall_ns == 710 * MS
    assert found.rows[0].failed


def test_a_failed_turn_is_drawn_like_any_other(world: World) -> None:
    assert what_took_the_time(drawn(world, failed())).startswith("The specialist model took 54 ms of 61 ms (89 %).")
