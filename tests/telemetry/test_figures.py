from zoneinfo import ZoneInfo

import pytest

from telemetry import figures
from telemetry.latency import Latency, trend
from telemetry.palette import PALETTES, Theme
from telemetry.phases import Phase
from telemetry.queries import Selection
from telemetry.reference import compare
from telemetry.store import Store
from tests.telemetry.worlds import MS, NOON, World, approved, direct, failed, orchestrated

DAY = Selection(NOON - 12 * 3600 * 1000 * MS, NOON + 12 * 3600 * 1000 * MS)
ZONE = ZoneInfo("Europe/Berlin")


@pytest.fixture
def world(telemetry_url: str) -> World:
    return World(Store(telemetry_url))


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_every_phase_has_its_colour_in_both_themes(theme: Theme) -> None:
    assert set(PALETTES[theme].phases) == set(Phase)
    assert len(set(PALETTES[theme].phases.values())) == len(Phase)


def test_the_bars_of_a_turn_add_up_to_it_and_lead_to_it(world: World) -> None:
    ids = [world.add(direct(), NOON), world.add(orchestrated(), NOON + 1000 * MS)]
    turns = Latency(world.store).recent("local", DAY, 28)
    figure = figures.stacked(turns, "light", ZONE)
    assert [round(sum(bar.y[at] for bar in figure.data), 6) for at in (0, 1)] == [
        round((turn.wall_ns or 0) / 1e9, 6) for turn in turns
    ]
    assert all(list(bar.customdata) == ids for bar in figure.data)
    assert {bar.name: bar.marker.color for bar in figure.data}["Specialist model"] == "#0f766e"
    assert "Mon 30 Nov 2026, 13:00:00" in figure.data[0].hovertext[0]


def test_waiting_for_you_does_not_squash_the_other_bars(world: World) -> None:
    world.add(approved())
    figure = figures.stacked(Latency(world.store).recent("local", DAY, 28), "light", ZONE)
    assert {bar.name: bar.visible for bar in figure.data}["Waiting for you"] == "legendonly"


def test_quick_turns_are_drawn_in_milliseconds(world: World) -> None:
    world.add(failed())
    figure = figures.stacked(Latency(world.store).recent("local", DAY, 28), "dark", ZONE)
    assert figure.layout.yaxis.title.text == "milliseconds"


def test_what_mails_and_models_say_is_never_markup_in_a_figure(world: World) -> None:
    sketch = direct()
    sketch.question = "<img src=x onerror=alert(1)>"
    world.add(sketch)
    stacked = figures.stacked(Latency(world.store).recent("local", DAY, 28), "light", ZONE)
    assert "<img" not in stacked.to_json()


def test_the_trend_leaves_gaps_where_there_were_no_turns(world: World) -> None:
    world.add(direct())
    table = trend(Latency(world.store).sample("local", DAY), DAY, ZONE)
    figure = figures.trend(table, "light")
    assert [line.name for line in figure.data] == ["95 % within", "Median", "First word"]
    assert all(sum(value is not None for value in line.y) == 1 for line in figure.data)
    empty = figures.trend(trend(Latency(world.store).sample("nobody", DAY), DAY, ZONE), "light")
    assert len(empty.data) == 3


def test_the_strip_shows_a_turns_phases_with_their_times() -> None:
    figure = figures.phase_strip({"routing": 2 * MS, "specialist_llm": 1500 * MS}, "light")
    assert [bar.hovertext for bar in figure.data] == ["Routing 2.0 ms", "Specialist model 1.50 s"]
    waited = {"specialist_llm": 1500 * MS, "approval_wait": 60_000 * MS}
    assert [bar.hovertext for bar in figures.phase_strip(waited, "light").data] == ["Specialist model 1.50 s"]
    assert "Waiting for you <b>1 min 0 s</b></span>" in figures.phase_key(waited, "dark")
    assert "Specialist model <b>1.50 s</b> 100 %" in figures.phase_key({"specialist_llm": 1500 * MS}, "light")


def test_the_comparison_shows_both_designs_phase_by_phase(world: World) -> None:
    world.add(orchestrated())
    found = compare(world.store, "local", DAY)
    assert found is not None
    reference, ours = figures.comparison(found, "light").data
    assert list(reference.x) == [5, 2.5, 4, 1, 4, 5, 0]
    assert ours.y[0] == "Outer turn 1"
    assert ours.x[0] == pytest.approx(1.37)
