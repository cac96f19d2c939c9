import time
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

from core.registry.domains import DomainIndex
from core.registry.manifests import load_catalogue
from core.servers.manifests import Own
from core.store.approvals import Approvals, Asked
from core.store.engine import open_database
from telemetry.store import Store
from tests.pages.glass import opened, page_of, services_of, texts
from tests.telemetry.test_toolstats import Calls

MINUTE = 60 * 10**9
SEARCH, READ = "search_gmail_messages", "get_gmail_message_content"


@pytest.fixture
def calls(tmp_path: Path) -> Calls:
    return Calls(Store(f"sqlite:///{tmp_path / 'telemetry.db'}"))


@pytest.fixture
def services(calls: Calls, tmp_path: Path) -> SimpleNamespace:
    known = Own(load_catalogue(), DomainIndex(load_catalogue()))
    return services_of(calls.store, tmp_path, servers=SimpleNamespace(refreshed=lambda _: known))


@pytest.fixture
def app(services: SimpleNamespace, monkeypatch: pytest.MonkeyPatch) -> AppTest:
    return page_of(services, monkeypatch, "tools.py")


def numbers(app: AppTest) -> dict[str, Any]:
    return {metric.label: (metric.value, metric.delta) for metric in app.metric}


def test_an_empty_page_says_how_to_fill_it_and_lists_what_was_never_used(app: AppTest) -> None:
    said = texts(opened(app))
    tools = sum(1 for _ in load_catalogue().all_tools())
    assert "Ask for something that needs one" in said
    assert f"{tools} tools never used so far" in said
    assert not app.metric
    [table] = app.dataframe
    assert len(table.value) == tools and set(table.value["Last used"]) == {"never"}


@pytest.mark.sqlite
def test_each_tool_has_its_row_with_errors_and_approvals(app: AppTest, calls: Calls, tmp_path: Path) -> None:
    now = time.time_ns()
    for ms in (100, 200, 300):
        calls.add(SEARCH, ms, at=now - MINUTE, result_bytes=2_000, result_tokens=ms + 1_000 if ms < 300 else None)
    calls.add("send_gmail_message", 50, "error", error_kind="404", at=now - MINUTE)
    calls.add(SEARCH, at=now - 90 * MINUTE)
    approvals = Approvals(open_database(f"sqlite:///{tmp_path / 'app.db'}"))
    asked = Asked("t", "c", "local", "sam@lumenworks.example", "k", "Gmail", "send_gmail_message", {}, "Sends.")
    approvals.decide("local", approvals.ask(asked).id, "reject")
    opened(app, range="1 h")
    assert numbers(app)["Calls"] == ("4", "+3")
    assert numbers(app)["Success"] == ("75 %", "-25 pp")
    rows = app.dataframe[0].value.set_index("Tool").to_dict("index")
    assert (rows[SEARCH]["Calls"], rows[SEARCH]["Median"], rows[SEARCH]["Result"]) == (3, 200, "2.0 kB")
    assert (rows[SEARCH]["Tokens"], rows[SEARCH]["Tokens in all"]) == ("≈ 1,150", "≈ 2,300")
    assert numbers(app)["Tokens a result"][0] == "≈ 1,150"
    assert "The results of 2 of these calls together were about 2,300 tokens." in texts(app)
    sent = rows["send_gmail_message"]
    assert sent["Tokens"] == "–"
    assert (sent["Success"], sent["Errors"], sent["Service"]) == ("0 %", "1 × Google 404", "Gmail")
    assert (sent["Approvals"], rows[SEARCH]["Approvals"]) == ("1 asked: 1 rejected", "–")


def test_the_order_is_in_the_url_and_made_by_the_database(app: AppTest, calls: Calls) -> None:
    for _ in range(2):
        calls.add(SEARCH, 10, at=time.time_ns() - MINUTE)
    calls.add(READ, 900, at=time.time_ns() - MINUTE)
    assert opened(app, sort="Slowest").dataframe[0].value["Tool"].tolist() == [READ, SEARCH]
    app.selectbox(key="sort").select("calls").run()
    assert app.dataframe[0].value["Tool"].tolist() == [SEARCH, READ]


def test_the_calls_of_a_tool_come_a_page_at_a_time(app: AppTest, calls: Calls) -> None:
    now = time.time_ns()
    for number in range(30):
        status = {"status": "error", "error": "There is no such message.", "error_kind": "404"} if number == 3 else {}
        calls.add(READ, 10 + number, at=now - (number + 1) * MINUTE, question=f"Question {number}", **status)
    opened(app, tool=READ)
    assert "Failed: 1 × Google 404" in texts(app)
    first = app.dataframe[0].value
    assert (len(first), first["Question"][0], first["How it went"][3]) == (25, "Question 0", "failed (Google 404)")
    assert "There is no such message." in texts(app)
    app.button[0].click().run()
    assert "tool" not in app.query_params


def test_a_further_page_of_calls_is_in_the_url(app: AppTest, calls: Calls) -> None:
    now = time.time_ns()
    for number in range(30):
        calls.add(READ, at=now - (number + 1) * MINUTE, question=f"Question {number}")
    opened(app, tool=READ, **{f"page_{READ}": "2"})
    assert app.dataframe[0].value["Question"].tolist() == [f"Question {number}" for number in range(25, 30)]


def test_calls_of_somebody_else_are_not_there(app: AppTest, calls: Calls) -> None:
    calls.add(READ, at=time.time_ns() - MINUTE, user="lena")
    assert "No tool was called" in texts(opened(app, tool=READ))


def test_a_tool_that_is_gone_still_has_its_calls(app: AppTest, calls: Calls) -> None:
    calls.add("old_tool", at=time.time_ns() - MINUTE)
    assert "There is no tool of this name now" in texts(opened(app, tool="old_tool"))
    assert numbers(app)["Calls"][0] == "1"
