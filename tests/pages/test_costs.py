import time
from datetime import UTC, datetime
from decimal import Decimal
from functools import cache
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

from core.runtime.budgets import BudgetGuard
from core.store.budgets import PICO_PER_USD
from core.users import User
from telemetry import pricing
from telemetry.own_prices import OwnPrices
from telemetry.repricing import Progress, Repricing
from telemetry.store import Store
from tests.pages.glass import numbers, opened, page_of, services_of, texts
from tests.people import claims
from tests.telemetry.test_costs import Book, call

MINUTE = 60 * 10**9


@pytest.fixture
def book(tmp_path: Path) -> Book:
    return Book(Store(f"sqlite:///{tmp_path / 'telemetry.db'}"))


@pytest.fixture
def services(book: Book, tmp_path: Path) -> SimpleNamespace:
    def spent(user_id: str, start: Any, end: Any) -> tuple[int, int]:
        return book.costs.of_period(user_id, int(start.timestamp()) * 10**9, int(end.timestamp()) * 10**9)

    made = services_of(book.store, tmp_path, repricing=Repricing(book.store))
    made.budgets = BudgetGuard(made.stores.budgets, spent)
    return made


@pytest.fixture
def app(services: SimpleNamespace, monkeypatch: pytest.MonkeyPatch) -> AppTest:
    return page_of(services, monkeypatch, "costs.py")


def table(app: AppTest, column: str) -> dict[str, Any]:
    found = next(frame.value for frame in app.dataframe if column == frame.value.columns[0])
    return found.set_index(column).to_dict("index")


def test_an_empty_page_says_how_to_fill_it(app: AppTest) -> None:
    said = texts(opened(app))
    assert "Ask something in the chat" in said and "No budget is set" in said
    assert not app.metric


def test_sums_are_those_of_the_calls_and_unpriced_ones_stand_apart(app: AppTest, book: Book) -> None:
    now = time.time_ns()
    book.add(call(153_000_000), call(None, model="nobody/knows", agent="Assistant"), at=now - MINUTE)
    book.add(call(100_000_000), at=now - 90 * MINUTE)
    opened(app, range="1 h")
    found = numbers(app)
    assert (found["Spent"], found["Model calls"], found["Unpriced calls"]) == ("$0.00015", "2", "1")
    assert found["Tokens"] == "2,560"
    models = table(app, "Model")
    assert models["nobody/knows"]["Spent"] == "unknown"
    assert (models["m"]["Spent"], models["m"]["Share"], models["m"]["of it reasoning"]) == (
        "$0.00015",
        "100 %",
        "unknown",
    )
    assert table(app, "Agent")["Assistant"]["Unpriced"] == "1"
    assert table(app, "Why")["No price is known for m."]["Calls"] == "1"
    assert "1 call of unknown cost" in texts(app)


def test_nothing_known_is_unknown_not_zero(app: AppTest, book: Book) -> None:
    book.add(call(None, input_tokens=None, cached_input_tokens=None, output_tokens=None), at=time.time_ns() - MINUTE)
    found = numbers(opened(app))
    assert (found["Spent"], found["Tokens"]) == ("unknown", "unknown")
    assert "No call of this period has a known cost" in texts(app)


def test_conversations_have_their_titles_and_deleted_ones_their_sums(
    app: AppTest, book: Book, services: SimpleNamespace
) -> None:
    services.conversations.begin("local", "c1", "t1", "When is invoice 2041 due?")
    book.add(call(5_000_000_000), at=time.time_ns() - MINUTE, conversation="c1")
    book.add(call(7_000_000_000), at=time.time_ns() - MINUTE, conversation="c2")
    rows = table(opened(app), "Conversation")
    assert rows["When is invoice 2041 due?"]["Spent"] == "$0.0050"
    assert rows["A conversation that was deleted"]["Spent"] == "$0.0070"


def test_remembered_answers_show_what_they_saved(app: AppTest, book: Book) -> None:
    book.add(call(10**9), at=time.time_ns() - MINUTE)
    book.add(at=time.time_ns() - MINUTE, cached=True, saved_pico_usd=10**9)
    assert numbers(opened(app))["Saved"] == "$0.0010"


def test_a_budget_is_set_shown_and_removed(app: AppTest, book: Book, services: SimpleNamespace) -> None:
    book.add(call(PICO_PER_USD), call(None), at=time.time_ns())
    opened(app)
    app.number_input(key="budget_limit").set_value(0.5)
    app.radio(key="budget_action").set_value("refuse")
    app.button(key="set-budget").click().run()
    assert not app.exception
    [kept] = services.budgets.budgets.of_user("local")
    assert (kept.period, kept.limit_pico_usd, kept.action) == ("daily", PICO_PER_USD // 2, "refuse")
    said = texts(app)
    assert "used up" in said and "1 call of unknown cost not counted" in said
    app.button(key="remove-daily").click().run()
    assert services.budgets.budgets.of_user("local") == []


def test_an_amount_that_is_no_budget_is_said(app: AppTest, services: SimpleNamespace) -> None:
    opened(app)
    app.number_input(key="budget_limit").set_value(0.0)
    app.button(key="set-budget").click().run()
    assert "Type such an amount" in texts(app)
    assert services.budgets.budgets.of_user("local") == []


def test_the_past_is_priced_again_and_says_what_came_of_it(
    app: AppTest, book: Book, services: SimpleNamespace, monkeypatch: pytest.MonkeyPatch
) -> None:
    opened(app)
    app.button(key="reprice").click().run()
    for _ in range(50):
        if not services.repricing.progress("local").running:
            break
        time.sleep(0.02)
    assert "0 turns priced again: $0 before, $0 now" in texts(opened(app))
    monkeypatch.setattr(services.repricing, "progress", lambda _: Progress(3, 10, 5))
    assert app.button(key="reprice").run() and app.button(key="reprice").disabled


def test_prices_are_listed_with_their_source_and_own_ones_win(
    app: AppTest, book: Book, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    prices = tmp_path / "prices.yaml"
    prices.write_text("prices: [{model: qwen3-8b, input: 0.1, output: 0.2}]")
    load = pricing.load_overrides.__wrapped__
    monkeypatch.setattr(pricing, "load_overrides", cache(lambda: load(prices)))
    for model in ("gpt-4o-mini", "qwen3-8b", "nobody/knows"):
        book.add(call(model=model), at=time.time_ns() - MINUTE)
    opened(app)
    listed = {row["Model"]: row for row in table_of_prices(app)}
    assert (listed["gpt-4o-mini"]["Input"], listed["gpt-4o-mini"]["From"]) == ("$0.15", "genai-prices")
    assert (listed["qwen3-8b"]["Cached input"], listed["qwen3-8b"]["From"]) == ("$0.1", "own price")
    assert listed["nobody/knows"]["Input"] == "unknown"


def table_of_prices(app: AppTest) -> list[dict[str, Any]]:
    return [row for frame in app.dataframe if "From" in frame.value for row in frame.value.to_dict("records")]


def set_price(app: AppTest, model: str | None, *amounts: float | None) -> AppTest:
    for key, value in zip(("input", "cached", "output"), amounts, strict=True):
        app.number_input(key=f"price_{key}").set_value(value)
    app.selectbox(key="price_model").set_value(model)
    app.button(key="set-price").click().run()
    assert not app.exception
    return app


def test_an_administrator_sets_changes_and_removes_a_price_and_the_past_is_priced_by_it(
    app: AppTest, book: Book, services: SimpleNamespace
) -> None:
    book.add(call(model="nobody/knows", cost=None), at=time.time_ns() - MINUTE)
    assert "Say which model the price is of" in texts(set_price(opened(app), None, 1, None, 2))
    assert "Say what a million tokens of output cost" in texts(set_price(app, "nobody/knows", 1, None, None))
    assert "Cached input costs more than input" in texts(set_price(app, "nobody/knows", 1, 3, 2))
    assert "with at most six decimals" in texts(set_price(app, "nobody/knows", 0.0000001, None, 2))
    said = texts(set_price(app, "nobody/knows", 1, 0.5, 2))
    assert "The price is set" in said and "input $1, cached $0.5, output $2" in said
    assert {row["Model"]: row["From"] for row in table_of_prices(app)} == {"nobody/knows": "own price"}
    [row] = OwnPrices(book.store).rows()
    app.button(key="change-nobody/knows||0").click().run()
    assert app.number_input(key="price_cached").value == 0.5
    set_price(app, "nobody/knows", 3, None, 4)
    [changed] = OwnPrices(book.store).rows()
    assert (row.input, changed.input, changed.cached_input) == ("1", "3", None)
    app.button(key="remove-price-nobody/knows||0").click().run()
    assert OwnPrices(book.store).rows() == []


def test_who_is_no_administrator_sees_own_prices_and_cannot_change_them(
    app: AppTest, book: Book, services: SimpleNamespace, monkeypatch: pytest.MonkeyPatch
) -> None:
    OwnPrices(book.store).put("m", "", (Decimal(1), None, Decimal(2)), None, datetime(2026, 11, 30, tzinfo=UTC))
    monkeypatch.setattr(User, "administers", False)
    assert "Administrators set them" in texts(opened(app))
    assert "input $1, cached as input, output $2" in texts(app)
    assert not [button for button in app.button if "price" in (button.key or "") and button.key != "reprice"]


@pytest.mark.parametrize("text", ["prices: [{model: m}]", "prices: [", "prices: [{model: m, input: -1, output: 1}]"])
def test_a_wrong_file_of_prices_is_said_and_the_page_stays(
    app: AppTest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, text: str
) -> None:
    prices = tmp_path / "prices.yaml"
    prices.write_text(text)
    load = pricing.load_overrides.__wrapped__
    monkeypatch.setattr(pricing, "load_overrides", cache(lambda: load(prices)))
    assert "Correct it, then try again" in texts(opened(app))
    app.button(key="reprice").click().run()
    assert not app.exception and "data/prices.yaml" in texts(app)


def test_money_of_somebody_else_is_not_there(app: AppTest, book: Book) -> None:
    book.add(call(), at=time.time_ns() - MINUTE, user="lena")
    assert not opened(app).metric


def test_an_administrator_sets_a_budget_for_everybody(services: SimpleNamespace, app: AppTest) -> None:
    opened(app)
    app.number_input(key="budget_limit").set_value(2.0)
    app.checkbox(key="budget_everybody").check()
    app.button(key="set-budget").click().run()
    assert "all of us together" in texts(app)
    assert services.budgets.budgets.of_user("local") == []
    assert [row.limit_pico_usd for row in services.budgets.budgets.of_user("*")] == [2 * 10**12]
    app.button(key="remove-daily-all").click().run()
    assert services.budgets.budgets.of_user("*") == []


def test_an_administrator_sees_who_spent_what(services: SimpleNamespace, app: AppTest, book: Book) -> None:
    lena = services.people.signed_in(claims("lena@lumenworks.example"))
    book.add(call(), at=time.time_ns() - MINUTE)
    book.add(call(), call(), at=time.time_ns() - MINUTE, user=lena.id)
    [table] = [table.value for table in opened(app, user="all").dataframe if "Person" in table.value]
    assert list(table["Calls"]) == ["2", "1"] and lena.name in str(table["Person"].iloc[0])
