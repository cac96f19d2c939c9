from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime
from itertools import count
from typing import Any
from unittest.mock import patch
from zoneinfo import ZoneInfo

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from sqlmodel import Session

from telemetry import hourly, hours
from telemetry.buckets import bucket_edges
from telemetry.costs import Costs, Line, Saved, Spent, by, total
from telemetry.figures_costs import over_time, token_kinds
from telemetry.forecast import forecast, month_of
from telemetry.queries import EVERYBODY, Selection
from telemetry.savings import DirectSaving, direct_saving
from telemetry.spending import buckets
from telemetry.store import Store
from telemetry.tables import LlmCall, Turn
from tests.telemetry.worlds import NOON

HOUR = 3600 * 10**9
DAY = Selection(NOON - 12 * HOUR, NOON + 12 * HOUR)
UNKNOWN = "No price is known for m."
IDS = count(1)
SUMS = ("input_tokens", "cached_input_tokens", "output_tokens", "reasoning_tokens", "cost_pico_usd")


def call(cost: int | None = 153_000_000, **more: Any) -> dict[str, Any]:
    usage = {"input_tokens": 1200, "cached_input_tokens": 1000, "output_tokens": 80}
    reason = UNKNOWN if cost is None else None
    known = {"agent": "Gmail", "provider": "openai", "model": "m", "cost_pico_usd": cost, "unpriced_reason": reason}
    return {**usage, **known, **more}


class Book:
    """Turns with their model calls, rolled up as the writer does."""

    def __init__(self, store: Store) -> None:
        self.store, self.costs = store, Costs(store)

    def add(
        self, *calls: dict[str, Any], at: int = NOON, user: str = "local", conversation: str = "c1", **turn: Any
    ) -> str:
        turn_id = f"{next(IDS):032x}"
        whose = {"turn_id": turn_id, "user_id": user, "conversation_id": conversation}
        rolled: dict[str, Any] = {}
        for name in SUMS:
            known = [one[name] for one in calls if one.get(name) is not None]
            rolled["cost_pico_usd" if name == "cost_pico_usd" else name] = sum(known) if known or not calls else None
        unpriced = sum(one["cost_pico_usd"] is None for one in calls)
        with Session(self.store.engine) as session:
            row = {"status": "done", "start_ns": at, "requests": len(calls), "unpriced": unpriced, **rolled, **turn}
            session.add(Turn(**whose, **row))
            for one in calls:
                session.add(LlmCall(**whose, span_id=f"{next(IDS):016x}", start_ns=at + 1, status="ok", **one))
            session.commit()
        return turn_id


@pytest.fixture
def book(telemetry_url: str) -> Book:
    return Book(Store(telemetry_url))


def test_input_includes_cached_and_output_includes_reasoning(book: Book) -> None:
    book.add(call(reasoning_tokens=30))
    spent = total(book.costs.lines("local", DAY))
    assert spent == Spent(1, 0, 0, 0, 1200, 1000, 80, 30, 153_000_000)
    assert spent.kinds == {"Input": 200, "Cached input": 1000, "Output": 50, "Reasoning": 30}


def test_unknown_is_never_zero_and_is_counted_apart(book: Book) -> None:
    nothing = dict.fromkeys(("input_tokens", "cached_input_tokens", "output_tokens"))
    book.add(call(None, **nothing, model="a"))
    assert total(book.costs.lines("local", DAY)) == Spent(1, 1, 1, 0, None, None, None, None, None)
    book.add(call(5))
    mixed = total(book.costs.lines("local", DAY))
    assert (mixed.calls, mixed.unpriced, mixed.unreported, mixed.pico_usd, mixed.input_tokens) == (2, 1, 1, 5, 1200)
    assert total(book.costs.lines("lena", DAY)) == Spent()


def test_more_cached_than_input_counts_as_all_of_it(book: Book) -> None:
    book.add(call(None, input_tokens=10, cached_input_tokens=50), call(None, input_tokens=None))
    assert total(book.costs.lines("local", DAY)).kinds == {"Cached input": 10, "Output": 160}


def test_unpriced_calls_are_listed_by_reason_with_the_latest_turn(book: Book) -> None:
    book.add(call(None), call(None), at=NOON)
    latest = book.add(call(None), at=NOON + HOUR)
    book.add(call(None, unpriced_reason="The provider reported no usage."), call(7))
    [first, second] = book.costs.unpriced("local", DAY)
    assert (first.reason, first.calls, first.turn_id, first.last_ns) == (UNKNOWN, 3, latest, NOON + HOUR + 1)
    assert (second.reason, second.calls) == ("The provider reported no usage.", 1)


def test_remembered_answers_save_what_the_first_one_cost(book: Book) -> None:
    assert book.costs.saved("local", DAY) == Saved(0, 0, None)
    book.add(cached=True, saved_pico_usd=12)
    book.add(cached=True, saved_pico_usd=None)
    assert book.costs.saved("local", DAY) == Saved(2, 1, 12)


def test_conversations_come_dearest_first_a_page_at_a_time(book: Book) -> None:
    for name, cost in (("c1", 5), ("c2", 50), ("c3", None), ("c4", 20)):
        book.add(call(cost), conversation=name)
        book.add(call(cost), conversation=name)
    found = book.costs.conversations("local", DAY, limit=3)
    assert [(name, turns, spent.pico_usd) for name, turns, spent in found] == [
        ("c2", 2, 100),
        ("c4", 2, 40),
        ("c1", 2, 10),
    ]
    [(name, _, spent)] = book.costs.conversations("local", DAY, skip=3, limit=3)
    assert (name, spent.pico_usd, spent.unpriced) == ("c3", None, 2)
    assert book.costs.count_conversations("local", DAY) == 4


@pytest.mark.parametrize(
    ("zone", "start", "hours"),
    [
        ("Europe/Berlin", (2026, 10, 24), [24, 25, 24]),
        ("Europe/Berlin", (2026, 3, 28), [24, 23, 24]),
        ("Asia/Shanghai", (2026, 10, 24), [24, 24, 24]),
    ],
)
def test_a_day_of_a_clock_change_has_23_or_25_hours(
    book: Book, zone: str, start: tuple[int, int, int], hours: list[int]
) -> None:
    place = ZoneInfo(zone)
    first = int(datetime(*start, tzinfo=place).timestamp()) * 10**9
    selection = Selection(first, first + sum(hours) * HOUR)
    for hour in range(sum(hours)):
        book.add(call(1), at=first + hour * HOUR)
    found = buckets(book.costs.lines("local", selection), bucket_edges(selection, place))
    assert [sum(spent.calls for spent in models.values()) for models in found] == hours


def test_bars_hold_all_money_with_many_models_and_name_what_is_unpriced(book: Book) -> None:
    for number in range(9):
        book.add(call(10**12 * (9 - number), model=f"m{number}"))
    book.add(call(None, model="<b>x</b>"))
    lines = book.costs.lines("local", DAY)
    figure = over_time(lines, DAY, ZoneInfo("UTC"), "dark")
    assert [trace.name for trace in figure.data] == [*(f"m{number}" for number in range(6)), "Others"]
    assert sum(sum(trace.y) for trace in figure.data) == 45
    assert any("+ 1 unpriced" in text for text in figure.data[-1].hovertext)
    kinds = token_kinds({"<b>x</b>": total(lines)}, "light")
    assert {trace.name: list(trace.x) for trace in kinds.data} == {
        "Input": [2000],
        "Cached input": [10_000],
        "Output": [800],
    }
    assert kinds.layout.yaxis.ticktext == ("&lt;b&gt;x&lt;/b&gt; ",)


calls_of_a_turn = st.lists(
    st.builds(
        lambda cost, tokens, agent, model: call(cost, input_tokens=tokens, agent=agent, model=model),
        st.none() | st.integers(0, 10**15),
        st.none() | st.integers(0, 10**6),
        st.sampled_from(["Gmail", "Assistant", None]),
        st.sampled_from(["m1", "m2", None]),
    ),
    max_size=4,
)
turns = st.lists(
    st.tuples(
        calls_of_a_turn,
        st.integers(0, 9 * 24 * 60 - 1),
        st.sampled_from(["c1", "c2"]),
        st.sampled_from(["direct", "orchestrated"]),
        st.sampled_from(["m1", "m2"]),
    ),
    max_size=8,
)


@settings(max_examples=25, suppress_health_check=[HealthCheck.too_slow], deadline=None)
@given(
    turns,
    st.sampled_from(["UTC", "Europe/Berlin", "Asia/Kathmandu", "America/New_York", "Australia/Lord_Howe"]),
    st.data(),
)
def test_every_sum_on_the_page_is_the_sum_of_the_leaves(drawn: Any, zone: str, data: st.DataObject) -> None:
    book = Book(Store("sqlite://"))
    start = int(datetime(2026, 10, 23, 5, 17, tzinfo=UTC).timestamp()) * 10**9
    for calls, minute, conversation, route, model in drawn:
        book.add(*calls, at=start + minute * 60 * 10**9, conversation=conversation, route=route, model=model)
    book.add(call(3), at=start, user="lena")
    days = data.draw(st.integers(1, 9))
    routes = data.draw(st.sampled_from([(), ("direct",)]))
    models = data.draw(st.sampled_from([(), ("m2",)]))
    selection = Selection(start, start + days * 24 * HOUR, routes=routes, models=models)
    leaves = [
        one
        for calls, minute, _, route, model in drawn
        for one in calls
        if minute < days * 24 * 60 and route in (routes or (route,)) and model in (models or (model,))
    ]
    whole = sum_of(leaves)
    hourly.recount(book.store)
    charts = []
    for exact in (hours.EXACT, -1):
        with patch.object(hours, "EXACT", exact):
            charts.append(all_sums_are(whole, book, selection, ZoneInfo(zone)))
            everybody = book.costs.of_period(EVERYBODY, selection.start_ns, selection.end_ns)
            mine = book.costs.of_period("local", selection.start_ns, selection.end_ns)
            assert everybody == (mine[0] + 3, mine[1])
    assert charts[0] == charts[1]


def all_sums_are(whole: Spent, book: Book, selection: Selection, zone: ZoneInfo) -> list[dict[str | None, Spent]]:
    """All that the page shows adds up to it; gives the bars."""
    lines = book.costs.lines("local", selection, zone)
    assert total(lines) == total(book.costs.lines("local", selection)) == whole
    keys: list[Callable[[Line], str | None]] = [lambda line: line.agent, lambda line: line.model]
    for key in keys:
        assert sum(by(lines, key).values(), Spent()) == whole
    parts = buckets(lines, bucket_edges(selection, zone))
    assert sum((spent for models in parts for spent in models.values()), Spent()) == whole
    assert sum((spent for *_, spent in book.costs.conversations("local", selection, limit=9)), Spent()) == whole
    assert sum(one.calls for one in book.costs.unpriced("local", selection)) == whole.unpriced
    assert sum(whole.kinds.values()) == (whole.input_tokens or 0) + (whole.output_tokens or 0)
    if not selection.routes and not selection.models:
        assert book.costs.of_period("local", selection.start_ns, selection.end_ns) == (
            whole.pico_usd or 0,
            whole.unpriced,
        )
    return parts


def sum_of(leaves: list[dict[str, Any]]) -> Spent:
    """The sums of calls, straight from what they are."""

    def known(name: str) -> int | None:
        found = [one[name] for one in leaves if one.get(name) is not None]
        return sum(found) if found or not leaves else None

    cached = [min(1000, one["input_tokens"]) for one in leaves if one["input_tokens"] is not None]
    return Spent(
        calls=len(leaves),
        unpriced=sum(one["cost_pico_usd"] is None for one in leaves),
        unreported=sum(one["input_tokens"] is None for one in leaves),
        input_tokens=known("input_tokens"),
        cached_tokens=sum(cached) if cached or not leaves else None,
        output_tokens=known("output_tokens"),
        reasoning_tokens=None if leaves else 0,
        pico_usd=known("cost_pico_usd"),
    )


def test_the_forecast_adds_the_last_days_average_for_what_is_left_of_the_month(book: Book) -> None:
    zone = ZoneInfo("Europe/Berlin")
    now = int(datetime(2026, 11, 21, tzinfo=zone).timestamp()) * 10**9
    assert forecast(book.costs, "local", now, zone) is None
    for day in range(1, 21):
        at = int(datetime(2026, 11, day, 12, tzinfo=zone).timestamp()) * 10**9
        book.add(call(7 if day >= 14 else 1), at=at)
    found = forecast(book.costs, "local", now, zone)
    assert found is not None
    assert (found.so_far, found.expected) == (13 + 7 * 7, 13 + 7 * 7 + 7 * 10)
    assert [datetime.fromtimestamp(ns / 1e9, zone).day for ns in month_of(now, zone)] == [1, 1]


def test_a_forecast_after_the_first_day_of_use_does_not_divide_by_a_week(book: Book) -> None:
    zone = ZoneInfo("UTC")
    now = int(datetime(2026, 11, 21, tzinfo=zone).timestamp()) * 10**9
    book.add(call(8), at=now - 48 * HOUR)
    found = forecast(book.costs, "local", now, zone)
    assert found is not None and found.expected == 8 + 4 * 10


def test_what_each_person_spent_sums_to_what_all_spent(book: Book) -> None:
    book.add(call(), call())
    book.add(call(), user="lena")
    book.add(user="nobody")
    found = book.costs.users(DAY)
    assert {name: spent.calls for name, spent in found.items()} == {"local": 2, "lena": 1}
    assert list(found) == ["local", "lena"]
    assert sum(found.values(), Spent()) == total(book.costs.lines("*", DAY))


def test_going_direct_saves_what_the_assistants_own_calls_took_elsewhere(book: Book) -> None:
    assert direct_saving(book.store, "local", DAY) is None
    for _ in range(3):
        book.add(call(agent="Gmail"), route="direct", latency_ns=1)
    assert direct_saving(book.store, "local", DAY) is None
    book.add(call(agent="Assistant"), call(agent="Assistant"), call(agent="Gmail"), route="orchestrated", latency_ns=1)
    book.add(call(agent="Assistant"), call(agent="Gmail"), route="orchestrated", latency_ns=1)
    found = direct_saving(book.store, "local", DAY)
    assert found == DirectSaving(3, 2, 3 * 3 * 1280 // 2, 3 * 3 * 153_000_000 // 2)
    assert direct_saving(book.store, "lena", DAY) is None
    assert direct_saving(book.store, "local", replace(DAY, agents=("Gmail",))) is None
