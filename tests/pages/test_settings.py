"""Settings, run without a browser: the policy is kept, some of it is fixed, and decisions are listed."""

import json
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

from core.store.approvals import Asked
from core.store.uploads import Upload
from core.users import SANDBOX_ACCOUNT
from pages.components.audit import ROWS
from pages.components.data import exported
from pages.components.page import Page
from telemetry import hourly
from telemetry.measures import MINUTE
from telemetry.otlp_out import Destination
from telemetry.retention import DAY
from tests.pages.test_chat import MAIN, Stage, shown
from tests.telemetry.reading import until
from tests.telemetry.worlds import NOON, World, direct, failed


@pytest.fixture
def stage(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Stage]:
    made = Stage(tmp_path, monkeypatch)
    yield made
    made.services.close()


def opened() -> AppTest:
    app = AppTest.from_file(MAIN, default_timeout=20).switch_page("settings.py")
    app.run()
    assert not app.exception
    return app


def links(app: AppTest) -> list[str]:
    return [link.proto.label.replace("\\", "") for link in app.get("page_link")]


def asked(stage: Stage, number: int, summary: str = "Label a mail") -> Any:
    return stage.services.approvals.ask(
        Asked(
            f"turn{number}",
            "c",
            stage.user.id,
            SANDBOX_ACCOUNT,
            "call",
            "Gmail",
            "modify_gmail_message_labels",
            {"message_id": "m"},
            summary,
        )
    )


def test_what_is_allowed_once_is_not_asked_about_again(stage: Stage) -> None:
    app = opened()
    control = next(one for one in app.button_group if one.key == "policy_of_modify_gmail_message_labels")
    assert control.value == "ask"
    control.set_value("none").run()
    assert stage.services.approvals.policies(stage.user.id) == {"modify_gmail_message_labels": "none"}
    assert next(one for one in opened().button_group if one.key == control.key).value == "none"


def test_what_sends_or_deletes_cannot_be_allowed(stage: Stage) -> None:
    app = opened()
    keys = {one.key for one in app.button_group}
    assert "policy_of_send_gmail_message" not in keys and "policy_of_delete_event" not in keys
    assert "Always asked: **Send a mail**" in shown(app)


def test_decisions_are_listed_latest_first_searched_and_paged(stage: Stage) -> None:
    assert "Nothing was asked yet" in shown(opened())
    for number in range(ROWS + 1):
        asked(stage, number, f"Change mail number {number}")
    stage.services.approvals.decide(stage.user.id, asked(stage, 99, "Archive the offer").id, "reject", reason="Not yet")
    app = opened()
    assert "27 decisions" in shown(app)
    first = app.dataframe[0].value.iloc[0]
    assert (first["What"], first["Decision"], first["By"]) == ("Archive the offer", "not approved: Not yet", "you")
    app.button(key="older").click().run()
    assert len(app.dataframe[0].value) == 2
    app.text_input(key="decisions").set_value("offer archive").run()
    assert list(app.dataframe[0].value["What"]) == ["Archive the offer"]
    app.text_input(key="decisions").set_value("nowhere").run()
    assert "Nothing fits" in shown(app)


def test_decisions_of_somebody_else_are_not_listed(stage: Stage) -> None:
    row = asked(stage, 1, "Secret")
    assert stage.services.approvals.audited("somebody") == 0
    assert stage.services.approvals.audited(row.user_id, "secret") == 1


def test_an_administrator_sees_how_telemetry_is_kept_and_whom_it_is_sent_to(stage: Stage) -> None:
    app = opened()
    assert {metric.label: metric.value for metric in app.metric}["Lost"] == "0"
    assert "GLASSDESK_OTLP_ENDPOINT" in shown(app)
    telemetry = stage.services.telemetry
    telemetry.forward(Destination("http://key:secret@127.0.0.1:9", content=True))
    telemetry.tracer_provider.get_tracer("test").start_span("work").end()
    until(lambda: telemetry.sending.last_error)
    text = shown(opened())
    assert "`http://127.0.0.1:9` gets the app's spans: with messages, arguments and results." in text
    assert "cannot be reached" in text and "key:secret" not in text
    telemetry.forward(None)


def test_an_administrator_sets_how_long_turns_are_kept_and_sees_what_goes(stage: Stage) -> None:
    kept = stage.services.telemetry.retention
    World(stage.services.telemetry.store).add(direct(), NOON - 3 * DAY)
    hourly.recount(stage.services.telemetry.store)
    app = opened()
    assert "Nothing would be deleted now" in shown(app)
    app.number_input(key="keep_days").set_value(1).run()
    assert "1 turn from before" in shown(app) and kept.limits.days == 0
    app.button(key="keep").click().run()
    assert kept.limits.days == 1
    app.button(key="keep_now").click().run()
    until(lambda: not kept.progress.running)
    app = opened()
    assert "1 turn went" in shown(app)
    app = AppTest.from_file(MAIN, default_timeout=20).switch_page("latency.py")
    app.query_params["range"] = "7 d"
    assert "are no longer kept; the sums have them" in shown(app.run())


@pytest.mark.sqlite
def test_a_limit_that_is_none_is_refused_with_a_sentence(stage: Stage) -> None:
    app = opened()
    app.number_input(key="keep_megabytes").set_value(3).run()
    app.button(key="keep").click().run()
    assert "At least 50 MB are needed" in shown(app)
    assert stage.services.telemetry.retention.limits.megabytes == 0


def test_a_text_is_shown_as_it_would_be_stored(stage: Stage) -> None:
    app = opened()
    app.text_area(key="redact_text").set_value("Authorization: Bearer abcdef0123456789abcdef").run()
    assert "abcdef0123456789" not in app.code[-1].value and "Authorization" in app.code[-1].value
    app.text_area(key="redact_text").set_value("Lunch at noon").run()
    assert app.code[-1].value == "Lunch at noon" and "Nothing in it was hidden" in shown(app)


def test_all_of_ones_own_comes_as_a_zip_and_nothing_of_others(stage: Stage) -> None:
    services, user = stage.services, stage.user
    note = Upload("note.txt", "text/plain", b"Bring cake")
    services.runtime.start(user, "Show my unread emails", files=[note]).wait(20)
    services.conversations.begin("lena", "c9", "t9", "Secret of Lena")
    World(services.telemetry.store).add(direct(), NOON, user_id="lena", conversation="c9")
    made = exported(Page(services, user))
    with zipfile.ZipFile(made) as archive:
        names = archive.namelist()
        texts = {name: archive.read(name).decode() for name in names}
    assert {"about.txt", "settings.json", "traces.jsonl"} <= set(names)
    kept = [name for name in names if name.startswith("conversations/")]
    [markdown], [complete] = ([name for name in kept if name.endswith(ending)] for ending in (".md", ".json"))
    assert "Show my unread emails" in texts[markdown] and json.loads(texts[complete])["turns"]
    assert [texts[name] for name in names if name.startswith("files/")] == ["Bring cake"]
    [line] = texts["traces.jsonl"].splitlines()
    assert json.loads(line)["spans"]
    assert not any("Lena" in text or "lena" in text for text in texts.values())


def test_a_rule_is_made_says_what_it_sees_and_is_removed(stage: Stage) -> None:
    app = opened()
    assert "A rule is looked at once a minute" in shown(app)
    app.button(key="watch").click().run()
    assert "Give a number above 0" in shown(app)
    app.number_input(key="warn_errors").set_value(10.0).run()
    app.number_input(key="alert_errors").set_value(50.0).run()
    app.checkbox(key="watch_everybody").check().run()
    app.button(key="watch").click().run()
    assert "Failed turns in the last hour, everybody's" in shown(app) and "Not looked at yet" in shown(app)
    store, alerts = stage.services.telemetry.store, stage.services.telemetry.alerts
    World(store).add(failed(), NOON, user_id="lena")
    hourly.recount(store)
    alerts.look(NOON + MINUTE)
    app = opened()
    text = shown(app)
    assert any("Failed turns 100 %" in link for link in links(app))
    assert "Warns at 10 %, alerts at 50 %." in text
    [row] = [table.value.iloc[0] for table in app.dataframe if "State" in table.value]
    assert (row["State"], row["Number"]) == ("Alert", "100 %")
    [rule] = alerts.rules(stage.user.id)
    app.button(key=f"unwatch-{rule.rule_id}").click().run()
    assert alerts.rules(stage.user.id) == [] and not any("Failed turns" in link for link in links(opened()))
