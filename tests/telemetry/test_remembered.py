"""A turn whose answer was remembered says so, and what that saved."""

from collections.abc import Iterator

import pytest

from telemetry.setup import Telemetry
from tests.telemetry.test_rollup import IDENTITY, SECOND, START, Recorder, turn_id_of


@pytest.fixture
def telemetry(telemetry_url: str) -> Iterator[Telemetry]:
    made = Telemetry(telemetry_url)
    yield made
    made.shutdown()


def test_a_remembered_answer_is_marked_with_what_it_saved(telemetry: Telemetry) -> None:
    made = Recorder(telemetry)
    root = made.open("turn", 0, **{key.replace(".", "__"): value for key, value in IDENTITY.items()})
    made.span("cache.lookup", 0, 1, root, glassdesk__cache__hit=True, glassdesk__cache__saved_usd="0.000153")
    root.end(START + 2 * SECOND)
    turn = telemetry.account(turn_id_of(root))
    assert (turn.cached, turn.saved_pico_usd, turn.cost_pico_usd) == (True, 153_000_000, 0)
    assert turn.phases == {"cache_lookup": SECOND, "framework": SECOND}


def test_a_miss_and_a_saving_that_is_not_known_are_told_apart(telemetry: Telemetry) -> None:
    made = Recorder(telemetry)
    found = []
    for hit in (False, True):
        root = made.open("turn", 0, **{key.replace(".", "__"): value for key, value in IDENTITY.items()})
        made.span("cache.lookup", 0, 1, root, glassdesk__cache__hit=hit)
        root.end(START + 2 * SECOND)
        turn = telemetry.account(turn_id_of(root))
        found.append((turn.cached, turn.saved_pico_usd))
    assert found == [(False, None), (True, None)]
