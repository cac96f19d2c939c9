"""Hourly sums are what the turns that are stored add up to, however often these are rolled up."""

from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from typing import Any

import pytest
from alembic.migration import MigrationContext
from alembic.operations import Operations
from sqlalchemy import text
from sqlmodel import select

from telemetry import hourly, rollup
from telemetry.forget import forget
from telemetry.formats import DAY, HOUR
from telemetry.hour_tables import DAY_OF, Facet, LlmHour, ToolHour, TurnHour
from telemetry.hourly import parts_of
from telemetry.migrations.versions import v14_days
from telemetry.queries import EVERYBODY
from telemetry.setup import Telemetry
from telemetry.sketch import place_of, unpacked
from tests.telemetry.test_rollup import SECOND, START, Recorder, chat, record, turn_id_of

CELLS: tuple[Any, ...] = (TurnHour, LlmHour, ToolHour)


@pytest.fixture
def telemetry(telemetry_url: str) -> Iterator[Telemetry]:
    made = Telemetry(telemetry_url)
    yield made
    made.shutdown()


def cells(telemetry: Telemetry, user: str = EVERYBODY) -> list[dict[str, Any]]:
    """All hourly sums of a user; those of days are what they add up to."""
    telemetry.flush()
    with telemetry.store.reader() as session:
        rows = [row.model_dump() for model in CELLS for row in session.exec(select(model))]
        days = {day: [row.model_dump() for row in session.exec(select(day))] for day in DAY_OF.values()}
        added = {day: by_day(model, session.exec(select(model)).all()) for model, day in DAY_OF.items()}
    assert {day: {key_of(day, row): parts_of(day, row) for row in found} for day, found in days.items()} == added
    rows = [{name: value for name, value in row.items() if name != "user_id"} for row in rows if row["user_id"] == user]
    return sorted(rows, key=str)


def key_of(model: Any, row: dict[str, Any]) -> tuple[Any, ...]:
    """The key of a cell's row."""
    return tuple(row[name] for name in hourly.KEYS[model])


def by_day(model: Any, hours: Sequence[Any]) -> dict[Any, Any]:
    """What hours add up to, by the keys of their days."""
    found: dict[Any, Counter[Any]] = defaultdict(Counter)
    for row in hours:
        user, start, *facets = key_of(model, row.model_dump())
        cell, parts = found[user, start // DAY * DAY, *facets], parts_of(model, row.model_dump())
        last = max(cell["last_ns"], parts.get("last_ns", 0))
        cell.update(parts)
        cell["last_ns"] = last
        if "last_ns" not in parts:
            del cell["last_ns"]
    return {key: dict(cell) for key, cell in found.items()}


def test_a_turn_counts_in_its_hour_for_its_user_and_for_all(telemetry: Telemetry) -> None:
    turn = telemetry.account(record(telemetry))
    found = cells(telemetry, "local")
    assert found == cells(telemetry)
    [whole] = [row for row in found if "turns" in row]
    assert (whole["start_ns"], whole["turns"], whole["requests"], whole["tools"]) == (START // HOUR * HOUR, 1, 3, 2)
    assert (whole["pico_usd"], whole["unpriced"]) == (153_000_000, 2)
    assert {f"{phase}_ns": whole[f"{phase}_ns"] for phase in turn.phases} == {
        f"{phase}_ns": ns for phase, ns in turn.phases.items()
    }
    assert unpacked(whole["times"]) == {
        place_of(hourly.LATENCY, 10 * SECOND): 1,
        place_of(hourly.FIRST_WORD, 7 * SECOND): 1,
        place_of(hourly.OVERHEAD, SECOND): 1,
    }
    assert sorted((row["calls"], row["input_known"], row["input_tokens"]) for row in found if "input_known" in row) == [
        (1, 1, 10),
        (2, 1, 1200),
    ]
    failed = [row["errors"] for row in found if row.get("failed")]
    assert failed == [{"": 1}]


def test_facets_say_by_what_pages_filter(telemetry: Telemetry) -> None:
    telemetry.account(record(telemetry))
    with telemetry.store.reader() as session:
        values = {tuple(map(str, facet.value)) for facet in session.exec(select(Facet))}
    assert ("turn", "orchestrated", "gpt-4o-mini", "done", "['Gmail']") in values
    assert ("tool", "Gmail", "read_gmail_message") in values
    assert ("llm", "Gmail", "openai", "nobody/knows") in values


def test_what_is_rolled_up_again_counts_once(telemetry: Telemetry) -> None:
    turn_id = record(telemetry)
    before = cells(telemetry)
    with telemetry.store.write() as connection:
        rollup.store_turn(connection, turn_id)
    assert cells(telemetry) == before
    assert rollup.main([telemetry.store.url]) == 0
    assert cells(telemetry) == before


def test_a_span_that_comes_late_moves_what_it_changes(telemetry: Telemetry) -> None:
    made = Recorder(telemetry)
    root = made.open("turn", 0)
    late = made.open("gmail.users.messages.get", 1, root)
    root.end(START + 2 * SECOND)
    assert [row["google_api_ns"] for row in cells(telemetry)] == [SECOND]
    late.end(START + SECOND + SECOND // 2)
    [whole] = cells(telemetry)
    assert (whole["turns"], whole["google_api_ns"], whole["framework_ns"]) == (1, SECOND // 2, 3 * SECOND // 2)


def test_a_turn_that_runs_again_counts_when_it_has_ended(telemetry: Telemetry) -> None:
    turn_id = record(telemetry)
    once = cells(telemetry)
    with telemetry.store.reader() as session:
        root = next(row for row in rollup.spans_of(session.connection(), turn_id) if row["parent_id"] is None)
    with telemetry.store.write() as connection:
        rollup.store_running(connection, [{**root, "status": "running", "end_ns": None}])
    assert cells(telemetry) == []
    with telemetry.store.write() as connection:
        rollup.store_turn(connection, turn_id)
    assert cells(telemetry) == once


def test_sums_made_anew_are_those_that_were_kept_and_hours_without_turns_stay(telemetry: Telemetry) -> None:
    turn_id = record(telemetry)
    made = Recorder(telemetry)
    later = made.open("turn", 7_200)
    made.span("chat", 7_201, 7_202, later, **chat(input_tokens=5, output_tokens=5))
    later.end(START + 7_203 * SECOND)
    before = cells(telemetry)
    assert {row["start_ns"] for row in before} == {START // HOUR * HOUR, START // HOUR * HOUR + 2 * HOUR}
    with telemetry.store.write() as connection:
        for table, column in (
            ("span", "trace_id"),
            ("turn", "turn_id"),
            ("llm_call", "turn_id"),
            ("tool_call", "turn_id"),
        ):
            connection.execute(text(f"DELETE FROM {table} WHERE {column} = :turn"), {"turn": turn_id})
    assert hourly.recount(telemetry.store) == 1
    assert cells(telemetry) == before
    assert turn_id_of(later)


def test_sums_of_a_database_without_them_are_made_at_the_next_start(telemetry: Telemetry) -> None:
    telemetry.account(record(telemetry))
    before = cells(telemetry)
    with telemetry.store.write() as connection:
        for table in ("turn_hour", "llm_hour", "tool_hour"):
            connection.exec_driver_sql(f"DELETE FROM {table}")
    again = Telemetry(telemetry.store.url)
    assert cells(again) == before
    again.shutdown()


def test_days_are_made_of_the_hours_that_an_earlier_version_left(telemetry: Telemetry) -> None:
    record(telemetry)
    later = Recorder(telemetry).open("turn", 3_600)
    later.end(START + 3_601 * SECOND)
    before = cells(telemetry)
    with telemetry.store.write() as connection:
        for kind in v14_days.KEYS:
            connection.exec_driver_sql(f"DELETE FROM {kind}_day")
        with Operations.context(MigrationContext.configure(connection)):
            for kind in v14_days.KEYS:
                v14_days.fill(kind)
    assert cells(telemetry) == before


def test_a_forgotten_user_is_in_no_sum(telemetry: Telemetry) -> None:
    made = Recorder(telemetry)
    root = made.open("turn", 0, glassdesk__user__id="lena", gen_ai__conversation__id="c2")
    made.span("chat", 1, 2, root, **chat(input_tokens=5, output_tokens=5))
    root.end(START + 3 * SECOND)
    only = cells(telemetry)
    record(telemetry)
    assert cells(telemetry) != only
    forget(telemetry.store, "local")
    assert cells(telemetry) == only == cells(telemetry, "lena")
    assert cells(telemetry, "local") == []
