from collections.abc import Iterator
from dataclasses import replace
from typing import Any
from unittest.mock import patch
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sqlmodel import Session

from telemetry import hourly, hours
from telemetry.queries import EVERYBODY, Selection
from telemetry.store import Store
from telemetry.tables import ToolCall, Turn
from telemetry.toolstats import SLICE, ToolStats
from tests.telemetry.worlds import MS, NOON

HOUR = 3600 * 1000 * MS
DAY = Selection(NOON - 12 * HOUR, NOON + 12 * HOUR)
OFF = Selection(DAY.start_ns - 17 * 60_000 * MS, DAY.end_ns + 5 * MS)
SEARCH, READ = "search_gmail_messages", "read_gmail_message"


class Calls:
    """Tool calls, each in a turn of its own."""

    def __init__(self, store: Store) -> None:
        self.store, self.stats, self._ids = store, ToolStats(store), 0

    def add(self, tool: str, ms: int | None = 10, status: str = "ok", **more: Any) -> None:
        self._ids += 1
        turn = {name: more.pop(name) for name in ("route", "model", "question") if name in more}
        whose = {"turn_id": f"{self._ids:032x}", "user_id": more.pop("user", "local"), "conversation_id": "c1"}
        start = more.pop("at", NOON)
        call = {"start_ns": start, "duration_ns": None if ms is None else ms * MS, "status": status, **more}
        with Session(self.store.engine) as session:
            session.add(Turn(**whose, status="done", start_ns=start, **turn))
            session.add(ToolCall(**whose, span_id=f"{self._ids:016x}", tool=tool, **call))
            session.commit()


@pytest.fixture
def calls(telemetry_url: str) -> Iterator[Calls]:
    store = Store(telemetry_url)
    yield Calls(store)
    store.close()


def test_no_calls_are_no_numbers_not_zeros(calls: Calls) -> None:
    row = calls.stats.all_tools("local", DAY)
    assert (row.calls, row.success, row.p50_ns, row.p95_ns, row.result_bytes, row.last_ns) == (0, *[None] * 5)
    assert calls.stats.table("local", DAY) == [] and calls.stats.errors("local", DAY) == {}


def test_a_row_a_tool_with_exact_percentiles_and_success(calls: Calls) -> None:
    for ms in range(1, 101):
        calls.add(SEARCH, ms, result_bytes=1_000 if ms % 2 else None)
    calls.add(READ, 7, "error", error_kind="404", at=NOON + HOUR)
    calls.add(READ, None, "interrupted")
    first, second = calls.stats.table("local", DAY)
    assert (first.tool, first.calls, first.success, first.p50_ns, first.p95_ns) == (SEARCH, 100, 1, 50 * MS, 95 * MS)
    assert first.result_bytes == 1_000
    assert (second.calls, second.failed, second.success, second.p95_ns) == (2, 1, 0, 7 * MS)
    assert (second.result_bytes, second.last_ns) == (None, NOON + HOUR)


def test_errors_are_counted_by_kind(calls: Calls) -> None:
    for kind in ("404", "404", "tool_error", None):
        calls.add(READ, 1, "error", error_kind=kind)
    assert calls.stats.errors("local", DAY) == {READ: {"404": 2, "tool_error": 1, "unknown": 1}}


def test_tools_are_sorted_in_the_database(calls: Calls) -> None:
    calls.add("a", 30, at=NOON)
    calls.add("b", 20, "error", result_bytes=5, at=NOON + HOUR)
    calls.add("c", 10, result_bytes=9, at=NOON - HOUR)
    calls.add("c", None, result_bytes=9, at=NOON - HOUR)

    def order(by: Any) -> str:
        return "".join(row.tool for row in calls.stats.table("local", DAY, by))

    assert {by: order(by) for by in ("calls", "failures", "slowest", "largest", "latest", "name")} == {
        "calls": "cab",
        "failures": "bca",
        "slowest": "abc",
        "largest": "cba",
        "latest": "bac",
        "name": "abc",
    }


def test_filters_take_the_calling_agent_and_the_turns_route_and_model(calls: Calls) -> None:
    calls.add(SEARCH, agent="Gmail", route="direct", model="m1")
    calls.add(SEARCH, agent="Assistant", route="orchestrated", model="m2")
    calls.add(SEARCH, user="lena")
    calls.add(SEARCH, at=DAY.end_ns)

    def number(**filters: Any) -> int:
        return calls.stats.all_tools("local", Selection(DAY.start_ns, DAY.end_ns, **filters)).calls

    assert (number(), number(agents=("Gmail",)), number(models=("m1", "m2"))) == (2, 1, 2)
    assert (number(routes=("orchestrated",)), number(routes=("direct",), models=("m2",))) == (1, 0)
    assert number(statuses=("failed",)) == 0


def test_calls_of_a_tool_come_a_page_at_a_time_with_their_question(calls: Calls) -> None:
    for number in range(5):
        calls.add(READ, number, "error" if number == 1 else "ok", at=NOON + number * MS, question=f"Question {number}")

    def page(order: Any, skip: int = 0) -> list[str | None]:
        return [question for _, question in calls.stats.calls("local", DAY, READ, order, skip=skip, limit=2)]

    assert page("latest") == ["Question 4", "Question 3"]
    assert page("latest", 4) == ["Question 0"]
    assert (page("slowest")[0], page("failed")[0]) == ("Question 4", "Question 1")
    assert calls.stats.calls("lena", DAY, READ, limit=2) == []


def test_the_last_use_is_found_whenever_it_was(calls: Calls) -> None:
    calls.add(READ, at=NOON - 1000 * HOUR)
    calls.add(SEARCH, user="lena")
    assert calls.stats.last_used("local", [READ, SEARCH]) == {READ: NOON - 1000 * HOUR, SEARCH: None}


@settings(max_examples=12, deadline=None)
@given(
    st.lists(
        st.tuples(
            st.sampled_from("abc"), st.integers(0, 24 * 60 - 1), st.booleans(), st.none() | st.integers(0, 10**9)
        ),
        max_size=12,
    )
)
def test_all_that_is_shown_adds_up_to_the_calls(drawn: list[tuple[str, int, bool, int | None]]) -> None:
    calls = Calls(Store("sqlite://"))
    for tool, minute, fails, tokens in drawn:
        at = DAY.start_ns + minute * 60_000 * MS
        calls.add(tool, 1, "error" if fails else "ok", at=at, result_tokens=tokens)
    hourly.recount(calls.store)
    shown = []
    for exact in (hours.EXACT, -1):
        with patch.object(hours, "EXACT", exact):
            shown.append(all_adds_up(calls.stats, len(drawn), sum(one[2] for one in drawn)))
            counted = [tokens for *_, tokens in drawn if tokens is not None]
            whole = calls.stats.all_tools("local", OFF)
            assert whole.tokens_known == len(counted)
            assert whole.result_tokens == (sum(counted) if counted else None)
            assert calls.stats.last_used(EVERYBODY, "abc") == calls.stats.last_used("local", "abc")
    assert shown[0] == shown[1]


def all_adds_up(stats: ToolStats, number: int, failed: int) -> Any:
    """All that the page shows adds up; gives what must not depend on how it was read."""
    everybody = [row.calls for row in stats.table(EVERYBODY, OFF)]
    table, course = stats.table("local", OFF), stats.course("local", OFF, zone=ZoneInfo("Asia/Kolkata"))
    assert everybody == [row.calls for row in table]
    assert sum(row.calls for row in table) == sum(calls for _, calls, _ in course) == number
    assert sum(sum(parts) for parts in stats.trends("local", OFF, 7).values()) == number
    assert sum(row.failed for row in table) == sum(fails for *_, fails in course) == failed
    assert sum(sum(kinds.values()) for kinds in stats.errors("local", OFF).values()) == failed
    assert all(start % SLICE == 0 for start, *_ in course)
    whole = stats.all_tools("local", OFF)
    times = [row.p95_ns for row in (*table, whole)]
    assert all(time == pytest.approx(MS, rel=0.01) for time in times if time is not None)
    return [replace(row, p50_ns=None, p95_ns=None) for row in (*table, whole)], stats.errors("local", OFF)
