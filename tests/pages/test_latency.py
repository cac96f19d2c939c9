import json
import time
from datetime import UTC, datetime
from pathlib import Path
from types import SimpleNamespace
from typing import Any
from zoneinfo import ZoneInfo

import pytest
from sqlmodel import Session, select
from streamlit.testing.v1 import AppTest

from core.users import User
from pages.components.compared import a_week_earlier
from pages.components.filters import MOMENT, between_moments, length_of
from pages.components.traces_place import period_of
from pages.components.turn_ways import json_of
from telemetry.foreign import record_of
from telemetry.intake import Intake
from telemetry.queries import Glass
from telemetry.redaction import Redactor
from telemetry.store import Store
from telemetry.tables import Span
from tests.pages.glass import numbers, opened, page_of, services_of, texts
from tests.telemetry.otlp import TRACE
from tests.telemetry.test_otlp_in import SPANS
from tests.telemetry.worlds import MS, NOON, World, approved, direct, failed, orchestrated, running

MINUTE = 60_000 * MS
LOCAL = User("local", "Ana", "ana@example.com", ZoneInfo("UTC"))


@pytest.fixture
def world(tmp_path: Path) -> World:
    return World(Store(f"sqlite:///{tmp_path / 'telemetry.db'}"))


@pytest.fixture
def app(world: World, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> AppTest:
    return page_of(services_of(world.store, tmp_path), monkeypatch, "latency.py")


def table_with(app: AppTest, column: str) -> Any:
    return next(frame.value for frame in app.dataframe if column in frame.value)


def test_an_empty_page_says_how_to_fill_it(app: AppTest) -> None:
    assert "Ask something in the chat" in texts(opened(app))
    assert not app.metric


def test_the_numbers_are_those_of_the_period_against_the_one_before(app: AppTest, world: World) -> None:
    now = time.time_ns()
    for age in (1, 2, 3):
        world.add(direct(), now - age * MINUTE)
    world.add(failed(), now - 4 * MINUTE)
    world.add(direct(2), now - 90 * MINUTE)
    opened(app, range="1 h")
    found = {metric.label: (metric.value, metric.delta) for metric in app.metric}
    assert found["Turns"] == ("4", "+3")
    assert found["Median"] == ("1.63 s", "-1.50 s")
    assert found["Errors"] == ("25 %", "+25 pp")
    assert "Times in Asia/Shanghai" in texts(app)
    assert app.subheader[0].value == "Where the last 4 turns spent their time"


def test_filters_are_in_the_url(app: AppTest, world: World) -> None:
    now = time.time_ns()
    world.add(direct(), now - MINUTE)
    world.add(orchestrated(), now - MINUTE)
    assert numbers(opened(app, route="orchestrated"))["Turns"] == "1"
    app.multiselect(key="route").unselect("orchestrated").run()
    assert numbers(app)["Turns"] == "2"


def test_a_turn_shows_its_account(app: AppTest, world: World) -> None:
    turn_id = world.add(orchestrated(), 1_796_040_184 * 10**9, conversation="c7")
    opened(app, turn=turn_id)
    assert numbers(app) == {
        "Took": "6.08 s",
        "First word": "3.90 s",
        "Own overhead": "110 ms",
        "Tools": "2",
        "Tokens": "7,680",
        "Cost": "$0.00092",
    }
    said = texts(app)
    assert "The orchestrator model took 3.80 s of 6.08 s (62 %)" in said
    assert "Mon 30 Nov 2026, 20:03:04 (Asia/Shanghai)" in said
    [table] = [frame.value for frame in app.dataframe]
    assert table["Step"].str.strip().tolist()[:3] == ["turn", "route", "Assistant"]
    assert table["On the critical path"].tolist().count("no") == 8


def test_a_span_opens_with_what_it_recorded_and_the_whole_of_it_on_demand(app: AppTest, world: World) -> None:
    turn_id = world.add(direct())
    span = next(span for span in Glass(world.store).spans("local", turn_id) if span.type == "tool")
    opened(app, turn=turn_id, span=span.span_id)
    assert "cut: 60 of" in app.code[1].value
    app.button(key=f"whole-{span.span_id}-gen_ai.tool.call.result").click().run()
    assert "製品ロードマップのレビュー" in app.code[1].value


def test_a_model_call_shows_its_messages_as_a_conversation(app: AppTest, world: World) -> None:
    turn_id = world.add(direct())
    span = next(span for span in Glass(world.store).spans("local", turn_id) if span.type == "chat")
    opened(app, turn=turn_id, span=span.span_id)
    assert [code.value for code in app.code] == ["Show my unread emails", "You have **2 unread emails**."]


def test_a_running_turn_counts_and_is_offered_on_the_page_of_all(
    app: AppTest, world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    now = time.time_ns()
    monkeypatch.setattr("pages.components.waterfall.time", SimpleNamespace(time_ns=lambda: now))
    turn_id = world.add(running(), now - 5000 * MS)
    opened(app, turn=turn_id)
    assert "Running for **5.00 s**, now in `messages.list`" in texts(app)
    assert not app.metric
    app.button[0].click().run()
    assert "turn" not in app.query_params
    app.button(key=f"run-{turn_id}").click().run()
    assert app.query_params["turn"] == turn_id


def test_failed_and_interrupted_turns_say_so(app: AppTest, world: World) -> None:
    assert "provider refused the key" in texts(opened(app, turn=world.add(failed())))
    sketch = running()
    sketch.status = "interrupted"
    assert "The process ended while this turn was running" in texts(opened(app, turn=world.add(sketch)))


def test_waiting_for_you_stands_apart(app: AppTest, world: World) -> None:
    found = numbers(opened(app, turn=world.add(approved())))
    assert (found["Took"], found["Waited for you"]) == ("1.91 s", "1 min 0 s")


def test_a_turn_of_somebody_else_is_no_turn_at_all(app: AppTest, world: World) -> None:
    turn_id = world.add(direct(), user_id="lena")
    assert "There is no such turn" in texts(opened(app, turn=turn_id))
    assert not app.metric


def test_a_turn_whose_steps_are_gone_still_has_its_sums(app: AppTest, world: World) -> None:
    turn_id = world.add(direct())
    with world.store.write() as connection:
        connection.exec_driver_sql("DELETE FROM span")
    opened(app, turn=turn_id)
    assert numbers(app)["Took"] == "1.63 s"
    assert "not kept any more" in app.info[0].value


def test_a_turn_of_another_service_is_shown_like_ours_and_says_whose_it_is(world: World, app: AppTest) -> None:
    Intake(world.store).put("local", [record_of(span, "local", Redactor()) for span in SPANS])
    text = texts(opened(app, turn=TRACE))
    assert "Where is it warm?" in text and "recorded by travel-agent" in text and "Planner" in text


def test_a_turn_leads_to_the_ones_around_it_and_beside_the_one_before(app: AppTest, world: World) -> None:
    first, second, third = (world.add(direct(), NOON + at * MINUTE) for at in range(3))
    world.add(direct(), NOON + MINUTE, user_id="lena")
    opened(app, turn=second)
    app.button(key="newer").click().run()
    assert app.query_params["turn"] == third
    assert app.button(key="newer").disabled
    app.button(key="older").click().run()
    app.button(key="older").click().run()
    assert app.query_params["turn"] == first
    assert app.button(key="older").disabled


def test_a_turn_is_json_with_all_that_is_recorded_of_it_and_only_for_its_owner(world: World) -> None:
    turn_id = world.add(direct())
    page: Any = SimpleNamespace(services=SimpleNamespace(telemetry=SimpleNamespace(store=world.store)))
    read = json.loads(json_of(page, LOCAL, turn_id) or "")
    assert read["turn"]["turn_id"] == turn_id
    assert len(read["spans"]) == 10
    assert any("製品ロードマップのレビュー" in payload["text"] for payload in read["payloads"])
    assert json_of(page, LOCAL.changed(id="lena"), turn_id) is None


def test_a_tool_shows_its_google_requests_with_status_and_size(app: AppTest, world: World) -> None:
    turn_id = world.add(direct())
    with Session(world.store.engine) as session:
        [span] = [one for one in session.exec(select(Span)) if one.type == "google"]
        told = {"http.request.method": "GET", "http.response.status_code": 200, "http.response.body.size": 8_200}
        span.attributes = {**span.attributes, **told}
        session.add(span)
        session.commit()
    tool = next(span for span in Glass(world.store).spans("local", turn_id) if span.type == "tool")
    opened(app, turn=turn_id, span=tool.span_id)
    table = next(frame.value for frame in app.dataframe if "Request" in frame.value)
    assert table.to_dict("records") == [
        {
            "Request": "gmail.users.messages.list",
            "Method": "GET",
            "Status": "200",
            "Size": "8.2 kB",
            "Tried again": "0",
            "Took": "112 ms",
        }
    ]


def test_what_got_slower_is_a_sentence_and_a_table_against_the_period_before(app: AppTest, world: World) -> None:
    now = time.time_ns()
    for at in range(4):
        world.add(direct(2), now - (5 + at) * MINUTE)
        world.add(direct(1), now - (65 + at) * MINUTE)
    said = texts(opened(app, range="1 h"))
    assert "Specialist model took 1.50 s longer a turn on average: 1.49 s before, 2.99 s now, over 4 turns." in said
    table = table_with(app, "Adds to a turn")
    assert table["What"].tolist()[0] == "Specialist model"
    assert set(table["Change"]) == {"+92 %", "+100 %"}


def test_what_got_slower_since_a_moment_and_against_any_period_is_in_the_url(app: AppTest, world: World) -> None:
    noon = int(datetime(2026, 11, 3, 4, tzinfo=UTC).timestamp()) * 10**9  # in Shanghai
    for at in range(4):
        world.add(direct(1), noon - (9 - at) * MINUTE)
        world.add(direct(2), noon + (1 + at) * MINUTE)
    day = {"range": "Custom", "since": "2026-11-03T00:00", "until": "2026-11-04T00:00"}
    opened(app, **day, against="Before and since a moment", moment="2026-11-03T12:00")
    said = texts(app)
    assert "3 Nov, 12:00 to 4 Nov 2026, 00:00, against 3 Nov, 00:00 to 3 Nov 2026, 12:00." in said
    assert "Specialist model took 1.50 s longer a turn on average: 1.49 s before, 2.99 s now, over 4 turns." in said
    app.datetime_input(key="moment").set_value(datetime(2026, 11, 5)).run()  # noqa: DTZ001
    assert "The moment must lie within the period above" in texts(app)
    app.selectbox(key="against").select("Another period").run()
    app.datetime_input(key="other_since").set_value(datetime(2026, 11, 3, 11))  # noqa: DTZ001
    app.datetime_input(key="other_until").set_value(datetime(2026, 11, 3, 12)).run()  # noqa: DTZ001
    said = texts(app)
    assert "took 750 ms longer a turn on average: 1.49 s before, 2.24 s now, over 8 turns" in said
    assert "The two overlap." in texts(app)


def test_a_week_earlier_is_the_same_hours_by_the_clock() -> None:
    berlin = ZoneInfo("Europe/Berlin")
    now = between_moments(datetime(2026, 10, 26, 9), datetime(2026, 10, 26, 17), berlin)  # noqa: DTZ001
    before = between_moments(datetime(2026, 10, 19, 9), datetime(2026, 10, 19, 17), berlin)  # noqa: DTZ001
    assert now is not None and a_week_earlier(now, berlin) == before


def test_without_turns_before_nothing_is_compared(app: AppTest, world: World) -> None:
    world.add(direct(), time.time_ns() - MINUTE)
    assert "so there is nothing to compare with" in texts(opened(app, range="1 h"))


def test_the_time_is_broken_down_by_what_the_url_says(app: AppTest, world: World) -> None:
    now = time.time_ns()
    for sketch in (direct(), direct(model="qwen3-8b"), orchestrated()):
        world.add(sketch, now - MINUTE)
    opened(app)
    app.pills(key="by").set_value(["Route", "Model"]).run()
    table = table_with(app, "A turn")
    assert table[["Route", "Model", "Turns"]].values.tolist() == [
        ["orchestrated", "openai/gpt-4o-mini", "1"],
        ["direct", "openai/gpt-4o-mini", "1"],
        ["direct", "qwen3-8b", "1"],
    ]
    assert "Orchestrator model" in table and "Cache lookup" not in table
    app.pills(key="by").set_value([]).run()
    assert table_with(app, "A turn")["Turns"].tolist() == ["3"]


def test_two_moments_in_the_url_are_a_period_in_the_users_zone(app: AppTest, world: World) -> None:
    eight = int(datetime(2026, 11, 3, tzinfo=UTC).timestamp()) * 10**9  # in Shanghai
    for start in (eight - 1, eight, eight + 59 * MINUTE, eight + 60 * MINUTE):
        world.add(direct(), start)
    opened(app, range="Custom", since="2026-11-03T08:00", until="2026-11-03T09:00")
    assert numbers(app)["Turns"] == "2"
    assert "Against the 1 h before." in texts(app)
    assert "Times in Asia/Shanghai" in texts(app)


def test_a_period_that_ends_before_it_begins_says_so_and_nothing_breaks(app: AppTest, world: World) -> None:
    world.add(direct(), time.time_ns() - MINUTE)
    opened(app, range="Custom", since="2026-11-03T08:00", until="2026-11-03T07:00")
    assert "The period must end after it begins" in texts(app)
    assert numbers(app)["Turns"] == "1"


def test_an_empty_chosen_period_is_not_called_the_last_one(app: AppTest) -> None:
    opened(app, range="Custom", since="2026-11-01T00:00", until="2026-11-05T00:00")
    assert "No turn ended in the chosen 4 d" in texts(app)


def test_a_day_of_a_clock_change_is_as_long_as_it_is() -> None:
    berlin = ZoneInfo("Europe/Berlin")
    first, second = (datetime.strptime(f"2026-10-{day}T00:00", MOMENT) for day in (25, 26))  # noqa: DTZ007
    found = between_moments(first, second, berlin)
    assert found is not None and length_of(found) == "25 h"
    assert between_moments(None, second, berlin) is None


def test_the_period_of_a_list_leads_back_to_it() -> None:
    zone = ZoneInfo("Asia/Shanghai")
    found = period_of({"range": ["Custom"], "since": ["2026-11-03T08:00"], "until": ["2026-11-03T09:30"]}, zone)
    assert length_of(found) == "90 min"
    for wrong in ({"range": ["Custom"]}, {"range": ["Custom"], "since": ["x"], "until": ["y"]}, {"range": ["9 y"]}, {}):
        assert length_of(period_of(wrong, zone)) == "24 h"
    assert length_of(period_of({"range": ["7 d"]}, zone)) == "7 d"
