from datetime import UTC, datetime, timedelta
from decimal import Decimal

import pytest

from telemetry import rollup
from telemetry.errors import TelemetryError
from telemetry.own_prices import OwnPrices, own_prices
from telemetry.pricing import Override, Price, Source, price
from telemetry.queries import EVERYBODY
from telemetry.setup import Telemetry
from telemetry.store import Store
from tests.telemetry.test_rollup import record

NOON = datetime(2026, 11, 30, 12, tzinfo=UTC)
ONE, TWO, FIVE = Decimal(1), Decimal(2), Decimal(5)


def test_a_price_outlives_a_restart_and_takes_the_place_of_the_one_before(telemetry_url: str) -> None:
    book = OwnPrices(Store(telemetry_url))
    book.put(" Nobody/Knows ", "", (ONE, None, TWO), None, NOON)
    book.put("nobody/knows", "", (FIVE, ONE, Decimal("0.000001")), None, NOON)
    book.put("nobody/knows", "House", (ONE, None, TWO), NOON, NOON)
    with Store(telemetry_url).reader() as session:
        found = own_prices(session.connection())
    assert found == (
        Override(model="nobody/knows", input=FIVE, cached_input=ONE, output=Decimal("0.000001")),
        Override(model="nobody/knows", provider="house", input=ONE, output=TWO, since=NOON),
    )
    for row in book.rows():
        book.remove(row.model, row.provider, row.since_ns)
    assert book.rows() == []


def test_the_latest_price_that_had_begun_counts_and_that_of_the_page_before_that_of_the_file() -> None:
    old = Override(model="m", input=ONE, output=ONE)
    new = Override(model="m", input=TWO, output=TWO, since=NOON)

    def cost(hours: int, own: tuple[Override, ...], file: tuple[Override, ...]) -> Price:
        return price("M", "x", 1, 0, 0, NOON + timedelta(hours=hours), own=own, overrides=file)

    for own, file in (((old, new), ()), ((new,), (old,)), ((old,), (new,))):
        assert [cost(hours, own, file).pico_usd for hours in (-1, 0, 1)] == [1_000_000, 2_000_000, 2_000_000]
    assert cost(0, (old,), (old.model_copy(update={"input": FIVE}),)) == Price(1_000_000, source=Source.OVERRIDE)


def test_a_day_in_the_file_begins_in_utc() -> None:
    read = Override.model_validate({"model": "m", "input": 1, "output": 1, "since": NOON.date()})
    assert read.since == datetime(2026, 11, 30, tzinfo=UTC)


@pytest.mark.parametrize("amount", ["-1", "NaN", "Infinity", "1000001", "0.0000001"])
def test_what_is_no_price_is_refused_with_a_sentence(amount: str) -> None:
    with pytest.raises(TelemetryError, match="A price is a number of US dollars"):
        OwnPrices(Store("sqlite://")).put("m", "", (Decimal(amount), None, ONE), None, NOON)


def test_a_turn_is_priced_by_it_at_its_end_and_the_past_of_everybody_again(telemetry_url: str) -> None:
    telemetry = Telemetry(telemetry_url)
    first = record(telemetry)
    assert telemetry.account(first).unpriced == 2
    OwnPrices(telemetry.store).put("nobody/knows", "", (ONE, None, TWO), None, NOON)
    second = record(telemetry)
    assert telemetry.account(second).unpriced == 1
    assert rollup.rebuild(telemetry.store, EVERYBODY) == 2
    assert telemetry.account(first).cost_pico_usd == telemetry.account(second).cost_pico_usd == 165_000_000
    telemetry.shutdown()
