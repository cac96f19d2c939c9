from zoneinfo import ZoneInfo

from telemetry.accounts import Group
from telemetry.figures_latency import group_bars, heat_map, span_of
from telemetry.formats import MILLI, MINUTE, SECOND
from telemetry.heat import heat
from telemetry.latency import Latency
from telemetry.queries import Selection
from telemetry.store import Store
from tests.telemetry.worlds import MS, NOON, World, direct

DAY = Selection(NOON - 43_200 * 1000 * MS, NOON + 43_200 * 1000 * MS)


def test_the_rows_of_a_heat_map_are_named_by_their_times() -> None:
    assert span_of(1 * SECOND, 2 * SECOND) == "1–2 s"
    assert span_of(500 * MILLI, 1 * SECOND) == "500 ms – 1 s"
    assert span_of(0, 2 * MILLI) == "0–2 ms"
    assert span_of(50 * SECOND, 100 * SECOND) == "50 s – 1 min 40 s"
    assert span_of(2 * MINUTE, 5 * MINUTE) == "2–5 min"


def test_a_cell_says_how_many_turns_it_is_and_one_without_turns_is_empty(telemetry_url: str) -> None:
    world = World(Store(telemetry_url))
    for _ in range(2):
        world.add(direct())
    found = heat(Latency(world.store).sample("local", DAY), DAY, ZoneInfo("Europe/Berlin"))
    assert found is not None
    [cells] = heat_map(found, "light").data
    row = next(iter(cells.z))
    assert [number for number in row if number is not None] == [2]
    assert cells.text[0][list(row).index(2)] == "2 turns took 1–2 s<br>Mon 30 Nov, 13:00"


def test_groups_are_bars_of_their_phases_a_turn_without_a_persons_time() -> None:
    groups = [
        Group(("direct", "openai/gpt-4o-mini"), 2, {"tool": 4 * SECOND, "approval_wait": 900 * SECOND}),
        Group((None, "m"), 1, {"framework": SECOND}),
    ]
    figure = group_bars(groups, "dark")
    assert {bar.name: list(bar.x) for bar in figure.data} == {"Tool": [2, 0], "Own overhead": [0, 1]}
    assert list(figure.layout.yaxis.ticktext) == ["direct · gpt-4o-mini", "– · m"]
