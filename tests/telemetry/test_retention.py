"""What is too old or too much goes with all that hangs on it; sums stay, and the file is smaller."""

import threading
from collections.abc import Iterator
from pathlib import Path

import pytest
from sqlmodel import col, func, select

from telemetry import hourly, latency
from telemetry.costs import Costs, total
from telemetry.errors import TelemetryError
from telemetry.formats import HOUR
from telemetry.latency import Latency
from telemetry.queries import EVERYBODY, Glass, Selection
from telemetry.retention import DAY, MEGABYTE, Limits, Retention
from telemetry.rollup import rebuild
from telemetry.sizes import size_of
from telemetry.store import Store
from telemetry.tables import LlmCall, Payload, Span, ToolCall, Turn, TurnText
from telemetry.textindex import Match, Sought, index_turns, turns_with
from telemetry.toolstats import ToolStats
from telemetry.upsert import table_of
from tests.telemetry.worlds import NOON, World, approved, direct, running

TABLES = (Turn, LlmCall, ToolCall, Span, Payload, TurnText)
EVER = Selection(NOON - 400 * DAY, NOON + DAY)


@pytest.fixture
def store(telemetry_url: str) -> Iterator[Store]:
    opened = Store(telemetry_url)
    yield opened
    opened.close()


def filled(store: Store, days: int = 6) -> World:
    """A turn a day, from today back; the words and the hourly sums of all."""
    world = World(store)
    for day in range(days):
        world.add(direct(), NOON - day * DAY, user_id=("local", "lena")[day % 2])
    summed(store)
    return world


def summed(store: Store) -> None:
    with store.write() as connection:
        for turn in connection.execute(table_of(Turn).select()).mappings().all():
            spans = table_of(Span).select().where(table_of(Span).c.trace_id == turn["turn_id"])
            index_turns(connection, [(turn, connection.execute(spans).mappings().all())])
    hourly.recount(store)


def counts(store: Store) -> dict[str, int]:
    with store.reader() as session:
        return {table.__name__: session.exec(select(func.count()).select_from(table)).one() for table in TABLES}


def numbers(store: Store) -> object:
    """What pages say of all time."""
    stats, costs = ToolStats(store), Costs(store)
    return [
        (
            total(costs.lines(user, EVER)),
            costs.of_period(user, EVER.start_ns, EVER.end_ns),
            [(row.tool, row.calls, row.ok, row.failed, row.last_ns) for row in stats.table(user, EVER)],
            latency.numbers(Latency(store).sample(user, EVER)).turns,
        )
        for user in ("local", "lena", EVERYBODY)
    ]


def test_old_turns_go_with_all_that_hangs_on_them_and_the_sums_of_a_longer_period_stay(store: Store) -> None:
    filled(store)
    before, kept = numbers(store), Retention(store, Limits(days=2))
    assert kept.outlook(kept.limits, NOON).turns == 3
    kept.run(NOON)
    progress = kept.progress
    assert progress is not None and not progress.running and progress.error is None and progress.done == 3
    assert counts(store) == {"Turn": 3, "LlmCall": 6, "ToolCall": 3, "Span": 30, "Payload": 3, "TurnText": 3}
    assert numbers(store) == before
    assert kept.gone_before == (NOON - 2 * DAY) // DAY * DAY
    assert kept.oldest == NOON - 2 * DAY
    kept.run(NOON)
    assert counts(store)["Turn"] == 3 and numbers(store) == before


def test_words_of_deleted_turns_are_not_found(store: Store) -> None:
    filled(store)
    Retention(store, Limits(days=2)).run(NOON)
    found = turns_with(Sought(((Match("unread emails"),),)), "local", store.engine.dialect.name)
    with store.reader() as session:
        ids = set(session.connection().scalars(found))
        assert ids == set(session.exec(select(Turn.turn_id).where(Turn.user_id == "local"))) and len(ids) == 2


def test_rolling_up_again_does_not_lose_the_sums_of_what_is_gone(store: Store) -> None:
    filled(store)
    before = numbers(store)
    Retention(store, Limits(days=2)).run(NOON)
    hourly.recount(store)
    assert numbers(store) == before
    rebuild(store, "local")
    hourly.recount(store)
    assert counts(store)["Turn"] == 3


def test_a_turn_that_still_waits_stays_however_old_it_is(store: Store) -> None:
    world = filled(store)
    before = numbers(store)
    waiting = world.add(running(), NOON - 90 * DAY)
    Retention(store, Limits(days=2)).run(NOON)
    assert Glass(store).turn("local", waiting) is not None
    assert Glass(store).spans("local", waiting)
    assert numbers(store) == before


def test_old_spans_that_belong_to_no_turn_go_too(store: Store) -> None:
    world = filled(store)
    stray = world.add(approved(), NOON - 5 * DAY)
    young = world.add(approved(), NOON)
    with store.write() as connection:
        for table in (Turn, LlmCall, ToolCall):
            connection.execute(table_of(table).delete().where(table_of(table).c.turn_id.in_([stray, young])))
    Retention(store, Limits(days=2)).run(NOON)
    with store.reader() as session:
        assert session.exec(select(func.count()).where(col(Span.trace_id) == stray)).one() == 0
        assert session.exec(select(func.count()).where(col(Span.trace_id) == young)).one() > 0


def test_without_limits_nothing_goes(store: Store) -> None:
    filled(store)
    before = counts(store)
    kept = Retention(store)
    kept.run(NOON + 1000 * DAY)
    assert counts(store) == before and kept.gone_before == 0
    assert kept.outlook(kept.limits, NOON).turns == 0


def test_what_an_administrator_sets_counts_before_the_settings_and_in_every_process(store: Store) -> None:
    kept = Retention(store, Limits(days=90, megabytes=1000))
    assert kept.limits == Limits(90, 1000)
    kept.set(Limits(days=0, megabytes=200))
    assert Retention(store, Limits(days=90)).limits == Limits(0, 200)
    for wrong in (Limits(days=-1), Limits(megabytes=-1), Limits(megabytes=3)):
        with pytest.raises(TelemetryError):
            kept.set(wrong)


def test_a_run_that_fails_says_so_and_the_next_one_goes_on(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    filled(store)
    kept = Retention(store, Limits(days=2))
    with monkeypatch.context() as broken:
        broken.setattr("telemetry.retention.delete_turns", lambda *_: 1 / 0)
        kept.run(NOON)
    assert kept.progress is not None and kept.progress.error
    kept.run(NOON)
    assert counts(store)["Turn"] == 3


def test_two_runs_at_the_same_time_are_one(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    filled(store)
    held, go = threading.Event(), threading.Event()
    kept = Retention(store, Limits(days=2))

    def hold() -> None:
        held.set()
        go.wait(10)

    monkeypatch.setattr(kept, "_breathe", hold)
    thread = kept.start(NOON)
    assert thread is not None and held.wait(10)
    assert kept.start(NOON) is None
    go.set()
    thread.join(10)
    assert counts(store)["Turn"] == 3


def large(store: Store, hours: int) -> None:
    """Turns that take about a megabyte each, one an hour."""
    world = World(store)
    for hour in range(hours):
        turn_id = world.add(direct(), NOON - hour * HOUR)
        with store.write() as connection:
            text = {"text": "x" * MEGABYTE, "size": MEGABYTE}
            connection.execute(table_of(Payload).update().where(table_of(Payload).c.trace_id == turn_id).values(text))
    hourly.recount(store)


def test_a_database_that_is_too_large_loses_its_oldest_hours_and_its_file_is_smaller(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("telemetry.retention.LEAST_MEGABYTES", 1)
    store = Store(f"sqlite:///{tmp_path / 'telemetry.db'}")
    large(store, 7)
    before, held = numbers(store), size_of(store).total
    kept = Retention(store, Limits(megabytes=4))
    assert kept.outlook(kept.limits, NOON).too_large
    kept.run(NOON)
    size = size_of(store)
    assert size.used <= 4 * MEGABYTE and size.free == 0 and size.log == 0
    assert (tmp_path / "telemetry.db").stat().st_size == size.total < held - 3 * MEGABYTE
    assert kept.progress is not None and (kept.progress.freed or 0) > 3 * MEGABYTE
    assert 1 <= counts(store)["Turn"] <= 4 and kept.oldest is not None and kept.oldest > NOON - 4 * HOUR
    assert numbers(store) == before
    store.close()


def test_the_present_hour_stays_even_where_it_alone_is_too_much(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("telemetry.retention.LEAST_MEGABYTES", 1)
    store = Store(f"sqlite:///{tmp_path / 'telemetry.db'}")
    large(store, 3)
    Retention(store, Limits(megabytes=1)).run(NOON)
    assert counts(store)["Turn"] == 1
    store.close()


def test_others_write_while_it_runs(tmp_path: Path) -> None:
    store = Store(f"sqlite:///{tmp_path / 'telemetry.db'}")
    world = filled(store, 30)
    thread = Retention(store, Limits(days=2)).start(NOON)
    added = 0
    while thread is not None and thread.is_alive() and added < 200:
        world.add(direct(), NOON)
        added += 1
    assert thread is not None
    thread.join(20)
    assert counts(store)["Turn"] == 3 + added
    store.close()
