import json
from pathlib import Path
from typing import Any

import pytest

from pages.components.span_tree import data_of, ticks
from telemetry.formats import SECOND
from telemetry.palette import PALETTES
from telemetry.queries import Glass
from telemetry.store import Store
from telemetry.tables import Span
from telemetry.waterfall import waterfall
from tests.telemetry.worlds import MS, NOON, Sketch, World, orchestrated, running

ID, NAME, DEPTH, START, LENGTH, COLOR, FLAGS, TOOK, SAID, FROM, TO = range(11)


@pytest.fixture
def world(tmp_path: Path) -> World:
    return World(Store(f"sqlite:///{tmp_path / 'telemetry.db'}"))


def spans_of(world: World, sketch: Sketch) -> list[Span]:
    return list(Glass(world.store).spans("local", world.add(sketch)))


def rows(data: dict[str, Any]) -> dict[str, list[Any]]:
    """The last row of each name."""
    return {row[NAME]: row for row in data["rows"]}


def test_the_tree_marks_the_critical_path_what_holds_other_work_and_what_failed(world: World) -> None:
    spans = spans_of(world, orchestrated())
    next(span for span in spans if span.name.endswith("freebusy.query")).status = "error"
    data = data_of(waterfall(spans), "light", "Steps")
    found = rows(data)
    assert [found[name][FLAGS] for name in ("turn", "google_calendar_task", "freebusy.query", "messages.list")] == [
        "on holds",
        "holds",
        "failed",
        "on",
    ]
    assert data["colors"][found["messages.list"][COLOR]] == PALETTES["light"].phases["google_api"]
    assert data["colors"][found["turn"][COLOR]] == PALETTES["light"].container
    assert found["freebusy.query"][SAID] == (
        "freebusy.query: took 283 ms, 283 ms of it itself; failed; off the critical path"
    )


def test_a_bar_stands_to_scale_with_the_stretch_that_the_turn_waited_for(world: World) -> None:
    data = data_of(waterfall(spans_of(world, orchestrated())), "dark", "Steps", width_ns=12_162 * MS)
    found = rows(data)
    assert (found["turn"][START], found["turn"][LENGTH]) == (0, pytest.approx(50, abs=0.1))
    listed = found["messages.list"]
    assert (listed[FROM], listed[TO]) == (listed[START], pytest.approx(listed[START] + listed[LENGTH], abs=0.001))
    assert found["freebusy.query"][FROM] == found["freebusy.query"][TO]
    assert [row[DEPTH] for row in data["rows"]][:4] == [0, 1, 1, 2]


def test_no_bar_leaves_the_width_though_a_span_outlives_its_turn(world: World) -> None:
    spans = spans_of(world, orchestrated())
    assert spans[-1].end_ns is not None
    spans[-1].end_ns += 60 * SECOND
    for row in data_of(waterfall(spans), "light", "Steps")["rows"]:
        assert 0 <= row[START] <= row[START] + row[LENGTH] <= 100.001


def test_what_runs_says_that_it_is_not_over(world: World) -> None:
    data = data_of(waterfall(spans_of(world, running()), NOON + 5000 * MS), "dark", "Steps")
    assert rows(data)["turn"][TOOK] == "5.00 s …"
    assert rows(data)["messages.list"][FLAGS] == "on open"


def test_the_axis_has_round_times() -> None:
    assert ticks(6 * SECOND + 80) == [0, 2 * SECOND, 4 * SECOND]
    assert ticks(100) == [0, 20, 40, 60, 80]
    assert ticks(1) == [0]


def test_what_the_browser_gets_for_five_thousand_steps_is_small(world: World) -> None:
    tree = [(f"execute_tool step_{at}", "tool", at, at + 3, ()) for at in range(5_000)]
    data = data_of(waterfall(spans_of(world, Sketch("Much", tree))), "light", "Steps")
    assert len(data["rows"]) == 5_001
    assert len(json.dumps(data)) < 1_000_000
