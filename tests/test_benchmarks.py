"""The benchmark measures what it says it does."""

import json
from datetime import datetime, timedelta
from pathlib import Path
from zoneinfo import ZoneInfo

import numpy as np
import pytest
from sqlmodel import select

from benchmarks import app, real_model, world
from benchmarks.__main__ import PARTS, main
from benchmarks.flows import remembered
from benchmarks.reads import opened, reads
from benchmarks.report import Figure, as_json, as_table
from benchmarks.simulated import ANSWER, Pace
from telemetry.costs import Costs, total
from telemetry.hour_tables import TurnHour
from telemetry.queries import EVERYBODY, Selection
from telemetry.store import Store
from telemetry.tables import Turn
from tests.agents.chat_server import ChatServer
from tests.agents.chat_wire import Answer, Call

NO_WAIT = Pace(outer=(0.0, 0.0), inner=(0.0, 0.0), tool=0.0)


def test_the_table_says_whether_an_aim_was_met() -> None:
    table = as_table(
        [
            Figure("Flow", "faster", 2.0, "×", 3.3, "more"),
            Figure("Flow", "overhead", 9.94, "ms", 15.0),
            Figure("Store", "spans", 12_345.6, "spans/s"),
        ]
    )
    assert table.split("\n") == [
        "",
        "Flow",
        "  faster                                                               2 ×         NOT MET (≥ 3.3 ×)",
        "  overhead                                                          9.94 ms        met (≤ 15 ms)",
        "",
        "Store",
        "  spans                                                           12,346 spans/s",
    ]


@pytest.mark.parametrize("value", [9.9, np.float64(9.9)])
def test_machines_get_the_same_figures(value: float) -> None:
    [figure] = json.loads(as_json([Figure("Flow", "overhead", value, "ms", 15.0)]))
    assert figure == {
        "section": "Flow",
        "name": "overhead",
        "value": 9.9,
        "unit": "ms",
        "aim": 15.0,
        "better": "less",
        "met": True,
    }


@pytest.mark.parametrize(("read_ahead", "tokens"), [(True, 1_200), (False, 2_400)])
def test_a_simulated_turn_runs_the_whole_app(read_ahead: bool, tokens: int) -> None:
    with app.app(NO_WAIT, read_ahead) as services:
        turn = services.runtime.start(app.local_user(services.settings), app.QUESTION)
        finished = turn.wait(30)
    assert (finished["status"], finished["response"], finished["route"]) == ("done", ANSWER, "direct")
    assert [call["tool"] for call in finished["tool_calls"]] == ["search_gmail_messages"]
    assert finished["usage"]["input_tokens"] == tokens
    assert all(call["first_chunk_ns"] is not None for call in finished["llm_calls"])
    assert sum(phase["ns"] for phase in finished["phases"]) == finished["wall_ns"]


def test_the_times_of_both_flows_scale() -> None:
    pace = Pace().scaled(0.1)
    assert round(pace.reference_seconds, 6) == 1.9 and round(pace.direct_seconds, 6) == 0.9


def test_each_part_can_be_asked_for_alone(capsys) -> None:
    assert main(["--only", "spans", "--spans", "90", "--json"]) == 0
    assert {figure["unit"] for figure in json.loads(capsys.readouterr().out)} == {"spans/s", "ms"}
    assert set(PARTS) == {"flows", "overhead", "cache", "phoenix", "spans", "crowd", "routing", "process", "reads"}


def test_the_reads_of_a_generated_database_are_measured(tmp_path: Path) -> None:
    figures = list(reads([100], tmp_path, rounds=1))
    assert {figure.section for figure in figures} == {"Reads at 100 turns"}
    assert {figure.unit for figure in figures} == {"s", "MB", "ms"}
    assert {figure.name.rsplit(", ", 1)[1] for figure in figures if figure.unit == "ms"} == {
        *("p50", "p95", "p95 of the processor")
    }
    store, took = opened(tmp_path / "turns-100", 100)
    assert took is None  # it is used again
    store.close()


def test_a_generated_database_adds_up_and_is_not_overwritten(tmp_path: Path, capsys) -> None:
    assert world.main(["--turns", "200", "--data", str(tmp_path)]) == 0
    store = Store(f"sqlite:///{tmp_path / 'telemetry.db'}")
    spent = total(Costs(store).lines(EVERYBODY, Selection(0, 2**62)))
    with store.reader() as session:
        turns = list(session.exec(select(Turn)))
        hours = [hour for hour in session.exec(select(TurnHour)) if hour.user_id == EVERYBODY]
        phases = session.connection().exec_driver_sql("SELECT count(*), count(DISTINCT span_id) FROM span").one()
    assert len(turns) == sum(hour.turns for hour in hours) == 200
    assert all(sum(turn.phases.values()) == turn.wall_ns for turn in turns)
    assert spent.pico_usd == sum(turn.cost_pico_usd or 0 for turn in turns) == sum(hour.pico_usd for hour in hours)
    assert phases[0] == phases[1] > 1_500
    assert world.main(["--turns", "200", "--data", str(tmp_path)]) == 1
    assert "Choose another folder" in capsys.readouterr().err
    store.close()


def model_that(searches: str):
    """A scripted server whose model calls the right tools, with this query."""

    def step(body):
        last = body["messages"][-1]
        if last["role"] == "tool":
            return Answer("Done.")
        if "calendar" in last["content"]:
            tomorrow = datetime.now(ZoneInfo(real_model.ZONE)) + timedelta(days=1)
            return Answer(calls=(Call("get_events", {"time_min": f"{tomorrow:%Y-%m-%d}"}),))
        return Answer(json.dumps({"name": "search_gmail_messages", "arguments": {"query": searches}}))

    return step


def test_a_real_model_is_judged_by_tool_arguments_and_effect(capsys) -> None:
    with ChatServer(model_that("is:unread from:ana invoice")) as server:
        assert real_model.main([server.url]) == 0
    with ChatServer(model_that("in:inbox")) as server:
        assert real_model.main([server.url]) == 1
    assert "3 of 3 as they should be" in (printed := capsys.readouterr().out)
    assert "1 of 3 as they should be" in printed


def test_what_is_missing_for_a_real_model_is_said(tmp_path) -> None:
    with pytest.raises(SystemExit, match="There is no file"):
        real_model.main([str(tmp_path / "missing.gguf")])
    (tmp_path / "there.gguf").touch()
    with pytest.raises(SystemExit, match="pip install xllamacpp"):
        real_model.main([str(tmp_path / "there.gguf")])


def test_asking_twice_is_measured_where_the_second_answer_is_remembered() -> None:
    first, again, _, ratio = remembered(0.0, 2)
    assert (first.unit, again.unit, again.aim) == ("ms", "ms", 20.0)
    assert ratio.value == pytest.approx(first.value / again.value)
