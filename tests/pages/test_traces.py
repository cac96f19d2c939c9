import csv
import io
import json
import time
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from types import SimpleNamespace
from typing import Any
from zoneinfo import ZoneInfo

import pytest
from streamlit.testing.v1 import AppTest

from pages.components.traces_export import became, made
from telemetry import figures, textindex
from telemetry.export import turns_csv, turns_jsonl
from telemetry.imports import Imported
from telemetry.latency import Latency
from telemetry.queries import Selection
from telemetry.querylang.parser import parse
from telemetry.store import Store
from telemetry.traces import Ask
from tests.pages.glass import opened, page_of, read, services_of, texts
from tests.telemetry.worlds import MS, Sketch, World, approved, direct, failed, orchestrated, running

MINUTE = 60_000 * MS


@pytest.fixture
def world(tmp_path: Path) -> World:
    return World(Store(f"sqlite:///{tmp_path / 'telemetry.db'}"))


@pytest.fixture
def services(world: World, tmp_path: Path) -> SimpleNamespace:
    return services_of(world.store, tmp_path)


@pytest.fixture
def page(services: SimpleNamespace, monkeypatch: pytest.MonkeyPatch) -> Callable[[str], AppTest]:
    return lambda name: page_of(services, monkeypatch, name)


@pytest.fixture
def app(page: Callable[[str], AppTest]) -> AppTest:
    return page("traces.py")


def listed(app: AppTest) -> list[dict[str, Any]]:
    rows: list[dict[str, Any]] = app.dataframe[0].value.to_dict("records")
    return rows


def typed(app: AppTest, line: str) -> AppTest:
    app.text_input(key="q").set_value(line).run()
    assert not app.exception
    return app


def index(world: World, turn_id: str, question: str, user: str = "local") -> None:
    with world.store.write() as connection:
        turn = {"turn_id": turn_id, "user_id": user, "question": question, "start_ns": time.time_ns(), "error": None}
        textindex.index_turns(connection, [(turn, [])])


def three(world: World) -> list[str]:
    now = time.time_ns()
    return [world.add(sketch, now - age * MINUTE) for age, sketch in ((3, direct()), (2, failed()), (1, approved()))]


def test_an_empty_page_leads_to_the_chat(app: AppTest) -> None:
    assert "No turn yet" in texts(opened(app))
    assert not app.dataframe


def test_turns_are_listed_newest_first_with_their_numbers(app: AppTest, world: World) -> None:
    three(world)
    rows = listed(opened(app))
    assert [row["Status"] for row in rows] == ["Answered", "Failed", "Answered"]
    assert rows[2] == {
        "When": rows[2]["When"],
        "Question": "Show my unread emails",
        "Status": "Answered",
        "Took": pytest.approx(1.63, abs=0.01),
        "First word": pytest.approx(1.07),
        "Cost": "$0.00031",
        "Tokens": 2560,
        "Tools": 1,
        "Agents": "Gmail",
        "Model": "openai/gpt-4o-mini",
        "Route": "direct",
    }
    assert rows[0]["Took"] == pytest.approx(1.91, abs=0.01)  # a minute of waiting for a person is not counted
    assert "3 turns, the newest first." in texts(app)
    assert "Times in Asia/Shanghai" in texts(app)


def test_the_line_is_in_the_url_and_narrows_the_list(app: AppTest, world: World) -> None:
    three(world)
    assert [row["Status"] for row in listed(opened(app, q="level:error"))] == ["Failed"]
    assert [row["Question"] for row in listed(typed(app, "has:approval -level:error"))] == [
        "Tell Ana I'll pay on Friday"
    ]
    typed(app, "latency:>5min")
    assert "No turn of the last 24 h fits." in texts(app)
    app.button(key="clear").click().run()
    assert (app.text_input(key="q").value, len(listed(app))) == ("", 3)


def test_words_that_were_said_are_found_and_shown(app: AppTest, world: World) -> None:
    turn_id, *_ = three(world)
    index(world, turn_id, "Kenji Mori: 製品ロードマップのレビュー")
    assert [row["Found"] for row in listed(opened(app, q="ロードマップ"))] == ["Kenji Mori: 製品ロードマップのレビュー"]
    index(world, turn_id, "Show my unread emails")
    assert [row["Found"] for row in listed(typed(app, "unread"))] == ["in the question"]


def test_a_line_that_is_wrong_is_marked_at_the_character(app: AppTest, world: World) -> None:
    three(world)
    said = texts(opened(app, q="status:done latency:fast x"))
    assert "latency::red-background[fast] x" in said
    assert "Character 21: fast is no number." in said
    assert len(listed(app)) == 2  # what stands before what is wrong holds


def test_the_word_that_is_being_typed_is_completed_by_a_click(app: AppTest, world: World) -> None:
    three(world)
    opened(app, q="status:done tool:send")
    assert "Character" not in texts(app)
    pills = app.button_group(key="next")
    assert pills.options == ["send_gmail_message"]
    pills.select("send_gmail_message").run()
    assert app.text_input(key="q").value == "status:done tool:send_gmail_message "
    typed(app, "status:done tool:")
    assert "A value is missing" not in texts(app)
    assert len(listed(app)) == 2


def test_a_running_turn_stands_above_the_list(app: AppTest, world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    now = time.time_ns()
    monkeypatch.setattr("pages.components.under_way.time", SimpleNamespace(time_ns=lambda: now))
    turn_id = world.add(running(), now - 5_000 * MS)
    three(world)
    opened(app)
    assert "Running for 5.00 s" in app.button(key=f"run-{turn_id}").label
    assert len(listed(app)) == 3
    assert [row["Status"] for row in listed(typed(app, "status:running"))] == ["Running"]


def test_a_turn_that_waits_for_a_person_says_so(app: AppTest, world: World) -> None:
    tree = [("invoke_agent Gmail", "agent", 2, None, (("approval.wait", "approval", 900, None, ()),))]
    waits = world.add(Sketch("Tell Ana I'll pay on Friday", tree, status="running"), time.time_ns() - 5_000 * MS)
    works = world.add(running(), time.time_ns() - 5_000 * MS)
    opened(app)
    said = {turn_id: app.button(key=f"run-{turn_id}").label for turn_id in (waits, works)}
    assert "waiting for a yes: Tell Ana" in said[waits] and "waiting" not in said[works]


def test_pages_follow_each_other_and_belong_to_their_list(app: AppTest, world: World) -> None:
    now = time.time_ns()
    for number in range(60):
        world.add(direct(), now - number * MINUTE // 10)
    opened(app)
    assert len(listed(app)) == 25
    first = listed(app)[0]["When"]
    app.button(key="older").click().run()
    app.button(key="older").click().run()
    assert (len(listed(app)), app.button(key="older").disabled) == (10, True)
    app.button(key="newer").click().run()
    app.button(key="newer").click().run()
    assert (listed(app)[0]["When"], app.button(key="newer").disabled) == (first, True)
    app.button(key="older").click().run()
    assert listed(typed(app, "route:direct"))[0]["When"] == first


def test_searches_are_saved_used_and_deleted(app: AppTest, world: World, services: SimpleNamespace) -> None:
    three(world)
    services.stores.searches.save("ana", "Hers", "level:ok")
    opened(app, q="level:error")
    next(one for one in app.text_input if one.label == "Name of the query above").set_value("Broken")
    next(button for button in app.button if button.label == "Save").click().run()
    assert [row.line for row in services.stores.searches.of_user("local")] == ["level:error"]
    typed(app, "")
    app.button(key="search-Broken").click().run()
    assert app.text_input(key="q").value == "level:error"
    assert [row["Status"] for row in listed(app)] == ["Failed"]
    app.button(key="unsave-Broken").click().run()
    assert not services.stores.searches.of_user("local")
    assert services.stores.searches.of_user("ana")


def test_two_turns_are_compared_in_words_and_numbers(app: AppTest, world: World) -> None:
    now = time.time_ns()
    one, two = world.add(direct(), now - MINUTE), world.add(orchestrated(), now)
    opened(app, compare=f"{one},{two}")
    said = texts(app)
    assert "The second took 4.46 s longer than the first." in said
    assert "The first was answered by Gmail, the second by Assistant, Gmail and Calendar." in said
    rows = {row[""]: row for row in listed(app)}
    assert (rows["Took"]["First"], rows["Took"]["Second"]) == ("1.63 s", "6.08 s")
    app.button(key="swap").click().run()
    assert "The second took 4.46 s less than the first." in texts(app)
    app.button(key="to_list").click().run()
    assert len(listed(app)) == 2


@pytest.mark.parametrize("pair", ["", "x", "x,y", "hers"])
def test_what_cannot_be_compared_says_so(app: AppTest, world: World, pair: str) -> None:
    mine, hers = world.add(direct(), time.time_ns()), world.add(direct(), time.time_ns(), user_id="ana")
    opened(app, compare=f"{mine},{hers}" if pair == "hers" else pair or ",")
    assert "Two turns are needed" in texts(app)


def test_a_turn_leads_back_to_its_list_and_to_its_neighbours(page: Callable[[str], AppTest], world: World) -> None:
    oldest, middle, newest = three(world)
    app = opened(page("latency.py"), turn=newest, **{"from": "q=status%3Adone&range=24+h"})
    assert app.button(key="newer").disabled
    app.button(key="older").click().run()
    assert app.query_params["turn"] == oldest and middle != oldest
    assert app.button(key="older").disabled
    opened(app, turn=newest, **{"from": "q=level%3Abad"})
    assert app.button(key="newer").disabled and app.button(key="older").disabled


def test_turns_of_somebody_else_are_not_there(app: AppTest, world: World) -> None:
    turn_id = world.add(direct(), time.time_ns(), user_id="ana")
    index(world, turn_id, "secret", user="ana")
    assert "No turn yet" in texts(opened(app))
    assert not typed(app, "secret").dataframe


def test_what_the_list_shows_is_made_a_file(world: World) -> None:
    three(world)
    world.add(direct(), time.time_ns(), user_id="ana")
    ask = Ask("local", parse("status:failed"))
    [line] = made(world.store, ask, "jsonl")().decode().splitlines()
    assert json.loads(line)["turn"]["status"] == "failed"
    assert made(world.store, ask, "csv")().decode().count("\r\n") == 2


def test_what_became_of_a_file_is_said() -> None:
    assert became(Imported(turns=1, spans=12)) == "1 trace with 12 new spans. A longer period shows old ones."
    assert "2 spans known already, 1 span left out." in became(Imported(known=2, refused=1))


def test_list_detail_chart_and_export_tell_the_same_moment(page: Callable[[str], AppTest], world: World) -> None:
    shanghai = ZoneInfo("Asia/Shanghai")
    start = time.time_ns() // 10**9 * 10**9 - 10 * MINUTE
    turn_id = world.add(direct(), start)
    moment = datetime.fromtimestamp(start / 10**9, UTC).astimezone(shanghai)
    [row] = listed(opened(page("traces.py")))
    assert row["When"] == f"{moment:%-d %b, %H:%M:%S}"
    detail = texts(opened(page("latency.py"), turn=turn_id))
    assert f"{moment:%a %-d %b %Y, %H:%M:%S} (Asia/Shanghai)" in detail
    [turn] = Latency(world.store).recent("local", Selection(start, start + 1), 5)
    figure = figures.stacked([turn], "light", shanghai)
    assert figure.layout.xaxis.ticktext == (f"{moment:%H:%M}",)
    assert f"{moment:%a %-d %b %Y, %H:%M:%S}" in figure.data[0].hovertext[0]
    [exported] = csv.DictReader(io.StringIO(b"".join(turns_csv(world.store, "local")).decode("utf-8-sig")))
    [line] = turns_jsonl(world.store, "local")
    for told in (exported["started_at"], json.loads(line)["turn"]["started_at"]):
        assert datetime.fromisoformat(told) == moment


def test_any_script_is_itself_in_list_detail_search_csv_and_json(page: Callable[[str], AppTest], world: World) -> None:
    words = "製品 ロードマップ 🙂 مرحبا שלום"
    sketch = direct()
    sketch.question = words
    turn_id = world.add(sketch, time.time_ns() - MINUTE)
    world.add(direct(), time.time_ns() - 2 * MINUTE)
    index(world, turn_id, words)
    assert [row["Question"] for row in listed(opened(page("traces.py")))] == [words, "Show my unread emails"]
    for looked_for in ("ロードマップ", "مرحبا", "שלום"):
        assert [row["Question"] for row in listed(opened(page("traces.py"), q=f'text:"{looked_for}"'))] == [words]
    heading = opened(page("latency.py"), turn=turn_id).subheader[0].value
    assert read(heading) == words
    for exported in (turns_csv(world.store, "local"), turns_jsonl(world.store, "local")):
        text = b"".join(exported).decode()
        assert words in text and "\\u" not in text
