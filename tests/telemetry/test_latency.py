from dataclasses import replace
from datetime import UTC, datetime
from itertools import pairwise
from zoneinfo import ZoneInfo

import pytest

from telemetry import hourly, hours
from telemetry.buckets import bucket_edges
from telemetry.latency import Latency, Numbers, breakdown, numbers, trend
from telemetry.queries import EVERYBODY, Selection
from telemetry.store import Store
from tests.telemetry.worlds import MS, NOON, World, approved, direct, failed, orchestrated, running

SECOND = 1000 * MS
HOUR = 3600 * SECOND
DAY = Selection(NOON - 12 * HOUR, NOON + 12 * HOUR)


@pytest.fixture
def world(telemetry_url: str) -> World:
    return World(Store(telemetry_url))


@pytest.fixture
def latency(world: World) -> Latency:
    return Latency(world.store)


def moment(*parts: int, zone: str = "UTC") -> int:
    return int(datetime(*parts, tzinfo=ZoneInfo(zone)).timestamp()) * 10**9  # type: ignore[arg-type, misc]


def test_an_empty_period_has_no_numbers_and_no_errors(latency: Latency) -> None:
    sample = latency.sample("local", DAY)
    assert numbers(sample) == Numbers(0, None, None, None, None, None, None)
    assert breakdown(sample, "agents") == []
    assert {(stretch.turns, stretch.p50_ns) for stretch in trend(sample, DAY, ZoneInfo("UTC"))} == {(0, None)}
    assert latency.recent("local", DAY, 5) == latency.slowest("local", DAY, 5) == []


def test_waiting_for_a_person_is_not_latency(world: World, latency: Latency) -> None:
    world.add(approved())
    [turn] = latency.slowest("local", DAY, 1)
    assert turn.phases["approval_wait"] == 60_000 * MS
    assert numbers(latency.sample("local", DAY)).p50_ns == (turn.wall_ns or 0) - 60_000 * MS


def test_failures_count_as_errors_and_do_not_flatter_the_percentiles(world: World, latency: Latency) -> None:
    for scale in (1, 2, 3):
        world.add(direct(scale))
    world.add(failed())
    world.add(running())
    sample = latency.sample("local", DAY)
    found = numbers(sample)
    middle = latency.slowest("local", DAY, 4)[1]
    assert (found.turns, found.errors, found.p50_ns) == (4, 0.25, middle.wall_ns)
    assert found.first_word_ns == middle.first_token_ns
    assert found.overhead_ns == middle.phases["framework"]
    only_failed = Selection(DAY.start_ns, DAY.end_ns, statuses=("failed",))
    assert numbers(latency.sample("local", only_failed)).p50_ns == latency.slowest("local", only_failed, 1)[0].wall_ns


def test_filters_apply_to_every_read(world: World, latency: Latency) -> None:
    world.add(direct())
    both = world.add(orchestrated(model="qwen3-8b"))
    for narrow in ({"agents": ("Calendar",)}, {"routes": ("orchestrated",)}, {"models": ("qwen3-8b",)}):
        selection = Selection(DAY.start_ns, DAY.end_ns, **narrow)
        assert latency.sample("local", selection).turn_ids == [both]
        assert [turn.turn_id for turn in latency.recent("local", selection, 9)] == [both]
        assert [turn.turn_id for turn in latency.slowest("local", selection, 9)] == [both]


def test_the_bars_are_the_last_turns_oldest_first(world: World, latency: Latency) -> None:
    ids = [world.add(direct(), NOON + number * SECOND) for number in range(4)]
    assert [turn.turn_id for turn in latency.recent("local", DAY, 3)] == ids[1:]


def test_another_user_sees_none_of_it(world: World, latency: Latency) -> None:
    world.add(direct(), user_id="lena")
    assert numbers(latency.sample("local", DAY)).turns == 0
    assert latency.recent("local", DAY, 5) == latency.slowest("local", DAY, 5) == []


def test_a_turn_counts_for_each_of_its_agents(world: World, latency: Latency) -> None:
    world.add(direct())
    world.add(orchestrated())
    world.add(failed())
    found = breakdown(latency.sample("local", DAY), "agents")
    assert [(name, one.turns) for name, one in found] == [("Gmail", 3), ("Assistant", 1), ("Calendar", 1)]
    assert [one.errors for _, one in found] == [pytest.approx(1 / 3), 0, 0]


def test_very_many_turns_are_counted_exactly_and_their_percentiles_are_within_a_percent(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    world = World(Store("sqlite://"))
    latency = Latency(world.store)
    zone = ZoneInfo("Asia/Kolkata")
    selection = Selection(NOON - 96 * HOUR + 17 * SECOND, NOON + 3 * HOUR + 1)
    for number in range(120):
        sketch = failed() if number % 20 == 7 else (direct, orchestrated)[number % 2](1 + number % 13)
        world.add(sketch, NOON - number * HOUR * 4 // 5 + 3 * SECOND, user_id=("local", "lena")[number % 5 == 0])
    hourly.recount(world.store)
    for narrow in ({}, {"agents": ("Calendar",)}, {"routes": ("direct",), "statuses": ("failed",)}, {"models": ("m",)}):
        chosen = replace(selection, **narrow)
        for user in ("local", EVERYBODY):
            one = latency.sample(user, chosen, zone)
            with monkeypatch.context() as patch:
                patch.setattr(hours, "EXACT", -1)
                many = latency.sample(user, chosen, zone)
                by_days = latency.sample(user, chosen, ZoneInfo("UTC"))
                longest = latency.slowest(user, chosen, 5)
            assert longest == latency.slowest(user, chosen, 5)
            assert one.exact and not many.exact
            assert alike(numbers(one), numbers(many)) and alike(numbers(one), numbers(by_days))
            assert len(by_days.starts) < len(many.starts) or not len(many.starts)
            courses = (trend(sample, chosen, zone) for sample in (one, many))
            assert all(map(alike, *courses))
            parts, others = (dict(breakdown(sample, "agents")) for sample in (one, many))
            assert list(parts) == list(others)
            assert all(alike(found, others[name]) for name, found in parts.items())


def alike(one: object, other: object) -> bool:
    """Whether times differ by less than a percent and all else is the same."""
    first, second = vars(one), vars(other)
    return all(
        value == second[name] or (name.endswith("_ns") and value == pytest.approx(second[name], rel=0.01))
        for name, value in first.items()
    )


def test_the_trend_has_a_bucket_for_every_hour_in_the_readers_zone(world: World, latency: Latency) -> None:
    world.add(direct(), NOON + 10 * SECOND + 1)
    world.add(direct(2), NOON + 20 * SECOND)
    course = trend(latency.sample("local", DAY), DAY, ZoneInfo("Asia/Kolkata"))
    assert len(course) == 24
    [found] = [stretch for stretch in course if stretch.turns]
    assert found.start.isoformat() == "2026-11-30T17:30:00+05:30"
    assert found.turns == 2
    assert found.p50_ns is not None and found.p95_ns is not None and found.p50_ns < found.p95_ns


@pytest.mark.parametrize(
    ("zone", "first", "hours"),
    [("Europe/Berlin", (2026, 3, 27), 23), ("Europe/Berlin", (2026, 10, 23), 25), ("Asia/Shanghai", (2026, 3, 27), 24)],
)
def test_a_day_of_a_clock_change_has_23_or_25_hours(zone: str, first: tuple[int, int, int], hours: int) -> None:
    year, month, day = first
    selection = Selection(moment(year, month, day, 9, zone=zone), moment(year, month, day + 4, 9, zone=zone))
    edges = bucket_edges(selection, ZoneInfo(zone))
    assert [edge.hour for edge in edges] == [0] * 5
    lengths = [(after.timestamp() - before.timestamp()) / 3600 for before, after in pairwise(edges)]
    assert lengths == [24, 24, hours, 24]


def test_list_and_trend_agree_on_the_day_of_a_turn_near_midnight(world: World, latency: Latency) -> None:
    zone = ZoneInfo("Asia/Shanghai")
    world.add(direct(), moment(2026, 11, 29, 16, 1))
    selection = Selection(moment(2026, 11, 25), moment(2026, 12, 1))
    [found] = [stretch for stretch in trend(latency.sample("local", selection), selection, zone) if stretch.turns]
    assert found.start.date().isoformat() == "2026-11-30"
    assert datetime.fromtimestamp(moment(2026, 11, 29, 16, 1) / 1e9, UTC).astimezone(zone).day == 30


def test_remembered_answers_are_a_share_of_the_ended_turns(world: World, latency: Latency) -> None:
    for _ in range(3):
        world.add(direct())
    with world.store.write() as connection:
        connection.exec_driver_sql("UPDATE turn SET cached = TRUE WHERE turn_id = (SELECT min(turn_id) FROM turn)")
    assert numbers(latency.sample("local", DAY)).cache_hits == pytest.approx(1 / 3)
