from zoneinfo import ZoneInfo

import pytest

from telemetry import hours
from telemetry.heat import heat
from telemetry.hourly import recount
from telemetry.latency import Latency
from telemetry.queries import Selection
from telemetry.store import Store
from tests.telemetry.worlds import MS, NOON, World, approved, direct, failed

HOUR = 3_600_000 * MS
DAY = Selection(NOON - 12 * HOUR, NOON + 12 * HOUR)
SHANGHAI = ZoneInfo("Asia/Shanghai")


@pytest.fixture
def world(telemetry_url: str) -> World:
    return World(Store(telemetry_url))


def test_each_answered_turn_is_in_the_cell_of_its_time_and_of_how_long_it_took(world: World) -> None:
    for scale, start in ((1, NOON), (1, NOON + 1), (5, NOON + HOUR)):
        world.add(direct(scale), start)
    world.add(failed(), NOON)
    found = heat(Latency(world.store).sample("local", DAY), DAY, SHANGHAI)
    assert found is not None
    assert [(low // MS, high // MS) for low, high in zip(found.lows, found.highs, strict=True)] == [
        (1_000, 2_000),
        (2_000, 5_000),
        (5_000, 10_000),
    ]
    assert found.turns.sum() == 3
    noon = list(found.starts).index(found.starts[0] + (found.starts[1] - found.starts[0]) * 12)
    assert str(found.starts[noon]) == "2026-11-30 20:00:00+08:00"
    assert (found.turns[0, noon], found.turns[2, noon + 1], found.turns[1].sum()) == (2, 1, 0)


def test_hourly_sums_give_the_same_map(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    for at in range(12):
        world.add(direct(0.3 + at / 3), NOON - at * HOUR // 2)
    world.add(approved(), NOON)
    exact = heat(Latency(world.store).sample("local", DAY), DAY, SHANGHAI)
    recount(world.store)
    monkeypatch.setattr(hours, "EXACT", 0)
    summed = heat(Latency(world.store).sample("local", DAY, SHANGHAI), DAY, SHANGHAI)
    assert exact is not None and summed is not None
    assert (exact.turns == summed.turns).all() and exact.turns.sum() == 13
    assert exact.lows == summed.lows


def test_where_no_turn_tells_there_is_no_map(world: World) -> None:
    assert heat(Latency(world.store).sample("local", DAY), DAY, SHANGHAI) is None
    world.add(failed(), NOON)
    assert heat(Latency(world.store).sample("local", DAY), DAY, SHANGHAI) is None


def test_what_takes_less_than_a_millisecond_or_more_than_a_day_is_on_the_map(world: World) -> None:
    world.add(direct(200_000), NOON)
    world.add(direct(0.0001), NOON)
    found = heat(Latency(world.store).sample("local", DAY), DAY, SHANGHAI)
    assert found is not None and found.turns.sum() == 2
    assert found.highs[-1] >= 300_000_000 * MS
