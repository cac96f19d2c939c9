"""Settings, run without a browser: the policy is kept, some of it is fixed, and decisions are listed."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

from core.store.approvals import Asked
from core.users import SANDBOX_ACCOUNT
from pages.components.audit import ROWS
from telemetry.otlp_out import Destination
from tests.pages.test_chat import MAIN, Stage, shown
from tests.telemetry.reading import until


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
    assert "cannot be reached" in text and "secret" not in text
    telemetry.forward(None)
