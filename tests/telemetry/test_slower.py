import random

import pytest

from telemetry import hours
from telemetry.accounts import Part, grouped, parts_of
from telemetry.hourly import recount
from telemetry.queries import EVERYBODY, Selection
from telemetry.sample import Shared
from telemetry.slower import Change, changes, sentence
from telemetry.store import Store
from telemetry.tool_hours import ToolRow
from tests.telemetry.worlds import MS, NOON, World, approved, direct, failed, orchestrated

HOUR = 3_600_000 * MS
DAY = Selection(NOON - 12 * HOUR, NOON + 12 * HOUR)


@pytest.fixture
def world(telemetry_url: str) -> World:
    return World(Store(telemetry_url))


def part(
    turns: int, route: str = "direct", agents: tuple[str, ...] = ("Gmail",), model: str | None = "m", **ms: int
) -> Part:
    return Part(Shared("done", route, model, agents), turns, {phase: each * turns * MS for phase, each in ms.items()})


def tool(name: str, calls: int, p50: int | None) -> ToolRow:
    return ToolRow(name, calls, calls, 0, None if p50 is None else p50 * MS, None, None, None)


def named(found: list[Change]) -> list[tuple[str, str, int]]:
    return [(one.kind, one.name, round(one.adds_ns / MS)) for one in found]


def test_what_adds_most_to_a_turn_comes_first() -> None:
    before = [part(10, google_api=100, specialist_llm=900), part(10, "orchestrated", orchestrator_llm=3_000)]
    now = [part(10, google_api=700, specialist_llm=900), part(30, "orchestrated", orchestrator_llm=3_300)]
    found = named(changes(before, now))
    assert ("route", "direct", 150) in found  # 600 ms more in a quarter of the turns
    assert ("route", "orchestrated", 225) in found
    assert ("phase", "google_api", 125) in found
    assert [adds for *_, adds in found] == sorted((adds for *_, adds in found), reverse=True)


def test_what_is_quicker_adds_less_than_nothing() -> None:
    found = changes([part(5, tool=400)], [part(5, tool=100)])
    assert {(one.kind, one.adds_ns) for one in found} >= {("phase", -300 * MS), ("agent", -300 * MS)}


@pytest.mark.parametrize(
    ("before", "now"),
    [
        ([], [part(9, tool=5)]),
        ([part(9, tool=5)], []),
        ([part(2, tool=5)], [part(9, tool=500)]),
        ([part(9, tool=1_000)], [part(9, tool=1_020)]),
        ([part(9, approval_wait=10)], [part(9, approval_wait=90_000)]),
    ],
)
def test_too_few_turns_small_changes_and_a_persons_time_are_no_news(before: list[Part], now: list[Part]) -> None:
    assert changes(before, now) == []


def test_a_route_or_model_that_only_one_period_has_is_not_compared() -> None:
    found = changes([part(9, "direct", model=None, tool=100)], [part(9, "orchestrated", model=None, tool=900)])
    assert {one.kind for one in found} == {"phase", "agent"}


def test_tools_are_compared_by_their_median_and_weigh_by_their_calls() -> None:
    turns = [part(10, tool=100)]
    before = [tool("search", 20, 100), tool("send", 2, 10), tool("get", 5, None)]
    now = [tool("search", 30, 150), tool("send", 9, 900), tool("get", 5, 10), tool("new", 50, 9_000)]
    assert named(changes(turns, turns, before, now)) == [("tool", "search", 150)]


def test_a_change_is_a_sentence() -> None:
    [phase] = [one for one in changes([part(4, google_api=100)], [part(4, google_api=420)]) if one.kind == "phase"]
    assert sentence(phase) == "Google took 320 ms longer a turn on average: 100 ms before, 420 ms now, over 4 turns."
    turns = [part(4, tool=1)]
    [call] = changes(turns, turns, [tool("get", 4, 900)], [tool("get", 4, 300)])
    assert sentence(call) == (
        "The tool get took 600 ms less a call in the median: 900 ms before, 300 ms now, over 4 calls."
    )


def test_the_time_of_turns_by_what_they_share_adds_up_in_every_grouping_single_or_summed(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    draw = random.Random(4)
    for at in range(20):
        kind = draw.choice([direct, orchestrated])
        model = draw.choice(["a", "b"])
        world.add(
            kind(draw.uniform(0.2, 2), model=model), NOON - at * HOUR // 3, user_id=draw.choice(["local", "lena"])
        )
    world.add(approved(), NOON)
    world.add(failed(), NOON)
    recount(world.store)
    for user_id in ("local", EVERYBODY):
        single = parts_of(world.store, user_id, DAY)
        with monkeypatch.context() as patch:
            patch.setattr(hours, "EXACT", 0)
            summed = parts_of(world.store, user_id, DAY)
            narrow = Selection(DAY.start_ns, DAY.end_ns, agents=("Calendar",), models=("a",))
            assert {one.shared.agents for one in parts_of(world.store, user_id, narrow)} <= {
                ("Assistant", "Gmail", "Calendar")
            }
        assert {one.shared: one for one in single} == {one.shared: one for one in summed}
        assert "failed" not in {one.shared.status for one in single}
        for by in ([], ["route"], ["agents", "model"], ["route", "agents", "model"]):
            groups = grouped(single, by)  # type: ignore[arg-type]
            assert sum(group.turns for group in groups) == sum(one.turns for one in single)
            assert sum(sum(group.phases.values()) for group in groups) == sum(
                sum(one.phases.values()) for one in single
            )


def test_a_turns_mean_is_that_of_its_group_without_a_persons_time() -> None:
    [both] = grouped([part(1, tool=100, approval_wait=9_000), part(3, tool=300)], [])
    assert (both.key, both.mean_ns(), both.mean_ns("approval_wait")) == ((), 250 * MS, 2_250 * MS)
    names = [
        group.key for group in grouped([part(1, agents=("A", "B"), tool=9), part(1, agents=(), tool=1)], ["agents"])
    ]
    assert names == [("A → B",), (None,)]
