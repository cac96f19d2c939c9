"""Approvals in Chat, run without a browser: real tools, real stores, a model that follows a script."""

import json
import threading
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from types import SimpleNamespace
from typing import Any

import pytest
from sqlmodel import update
from streamlit.testing.v1 import AppTest

from core.bootstrap import Services
from core.store.sessions import writing
from core.store.tables import Approval
from tests.pages.test_chat import MAIN, labels, shown
from tests.runtime.desk import SECONDS, sam, start
from tests.runtime.script import PRIYA, direct, mail, scripted, sent


@pytest.fixture(scope="module")
def app(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Services]:
    with scripted(tmp_path_factory.mktemp("approvals")) as built:
        yield built


@pytest.fixture
def opened(app: Services, monkeypatch: pytest.MonkeyPatch) -> Callable[[str], AppTest]:
    """Chat, with a question that waits for a decision."""
    host = SimpleNamespace(ready=lambda: app, wait=lambda: app)
    monkeypatch.setattr("pages.components.page.host", lambda: host)

    def make(question: str) -> AppTest:
        turn = start(app, question)
        assert turn.pause(SECONDS)["status"] == "waiting_approval"
        page = AppTest.from_file(MAIN, default_timeout=20)
        page.query_params["c"] = turn.conversation_id
        return settled(page)

    return make


def settled(page: AppTest) -> AppTest:
    page.run()
    assert not page.exception
    return page


def button(page: AppTest, label: str) -> Any:
    return next(button for button in page.button if button.label == label)


def pending(app: Services) -> Approval:
    return app.approvals.pending(sam(app).id)[-1]


def change(app: Services, approval: Approval, **values: Any) -> None:
    with writing(app.approvals._engine) as session:
        session.execute(update(Approval).where(Approval.id == approval.id).values(**values))  # type: ignore[arg-type]


def test_a_card_shows_the_mail_as_it_will_leave_and_the_account(app: Services, opened: Any) -> None:
    page = opened(direct([mail("Look at this", "Priya <priya@lumenworks.example>, b@lumenworks.example")]))
    text = shown(page)
    assert "Your approval is needed · account **sam@lumenworks.example**" in text
    assert ":gray[To] Priya <priya@lumenworks.example>, b@lumenworks.example" in text
    assert ":gray[Subject] Look at this" in text and "As promised." in text
    assert {"Send", "Edit", "Don't send"} <= {one.label for one in page.button}
    assert page.chat_input[0].disabled and "Decide above" in page.chat_input[0].placeholder
    button(page, "Stop").click().run()


def test_what_begins_to_wait_while_the_page_is_drawn_is_told_by_the_input(
    app: Services, opened: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    known, looks = app.runtime.waits, iter([False])
    monkeypatch.setattr(app.runtime, "waits", lambda turn: next(looks, True) and known(turn))
    page = opened(direct([mail("Meanwhile")]))
    assert "Decide above" in page.chat_input[0].placeholder
    button(page, "Stop").click().run()


def test_a_yes_sends_the_mail_once_and_leaves_a_quiet_line(app: Services, opened: Any) -> None:
    page = opened(direct([mail("Once only")]))
    button(page, "Send").click().run()
    assert len(sent(app, "Once only")) == 1
    line = next(label for label in labels(page) if "Once only" in label)
    assert "approved" in line and "by you" in line and "done" in line
    assert "Send" not in [one.label for one in page.button]
    assert not page.chat_input[0].disabled


def test_a_no_with_a_reason_sends_nothing_and_says_why(app: Services, opened: Any) -> None:
    page = opened(direct([mail("Not this")]))
    row = pending(app)
    page.text_input(key=f"reason_{row.id}").set_value("Too early").run()
    page.button(key=f"reject_{row.id}").click().run()
    assert not sent(app, "Not this")
    assert any("not approved" in label and "Too early" in label for label in labels(page))


def test_what_was_edited_is_what_is_sent_and_the_card_says_what_changed(app: Services, opened: Any) -> None:
    page = opened(direct([mail("Draft title")]))
    row = pending(app)
    button(page, "Edit").click().run()
    field = next(one for one in page.text_input if one.label == "Subject")
    field.set_value("Final title")
    button(page, "Save changes").click().run()
    assert "You changed" in shown(page) and "| Subject | Draft title | **Final title** |" in shown(page)
    assert app.approvals.get(sam(app).id, row.id).state == "pending"
    button(page, "Send").click().run()
    assert len(sent(app, "Final title")) == 1 and not sent(app, "Draft title")
    assert any("edited" in label and "Final title" in label for label in labels(page))


def test_what_a_card_showed_is_sent_even_where_another_tab_has_edited_it(app: Services, opened: Any) -> None:
    page = opened(direct([mail("As it was shown")]))
    row = pending(app)
    app.runtime.revise(sam(app), row.id, {**row.arguments, "subject": "Never seen here"})
    button(page, "Send").click().run()
    assert len(sent(app, "As it was shown")) == 1 and not sent(app, "Never seen here")


def test_several_are_decided_one_by_one_or_together(app: Services, opened: Any) -> None:
    page = opened(direct([mail("First of two"), mail("Second of two")]))
    assert [one.label for one in page.button].count("Send") == 2
    assert "Everything at once: 2 actions, exactly these" in shown(page)
    rows = app.approvals.pending(sam(app).id)
    codes = [json.loads(one.value) for one in page.code]
    assert [codes.count(row.arguments) for row in rows] == [2, 2]  # on its card, and where all are decided
    button(page, "Edit").click().run()
    assert button(page, "Approve all 2 actions").disabled  # what the open form holds would not count
    button(page, "Cancel").click().run()
    button(page, "Approve all 2 actions").click().run()
    assert len(sent(app, "First of two")) == len(sent(app, "Second of two")) == 1
    page = opened(direct([mail("Third"), mail("Fourth")]))
    button(page, "Send").click().run()
    assert [one.label for one in page.button].count("Send") == 1
    assert not sent(app, "Third")  # the turn goes on when all is decided
    button(page, "Stop").click().run()


def test_a_decision_made_elsewhere_is_said(app: Services, opened: Any) -> None:
    page = opened(direct([mail("Decided twice")]))
    row = pending(app)
    app.runtime.decide(sam(app), row.id, "reject")
    button(page, "Send").click().run()
    assert "This was decided before: rejected. Nothing was changed." in shown(page)
    assert not sent(app, "Decided twice")


def test_a_card_that_expired_offers_to_go_on(app: Services, opened: Any) -> None:
    question = direct([mail("Too late")])
    page = opened(question)
    change(app, pending(app), expires_at=datetime.now(UTC) - timedelta(minutes=1))
    settled(page)
    assert "this has expired" in shown(page)
    button(page, "Go on without it").click().run()
    assert not sent(app, "Too late")
    assert any("expired\\, nobody decided" in label for label in labels(page))


def test_stop_while_it_waits_withdraws_the_question(app: Services, opened: Any) -> None:
    page = opened(direct([mail("Stopped")]))
    button(page, "Stop").click().run()
    page.run()
    assert "You stopped this answer" in shown(page)
    assert not sent(app, "Stopped") and not app.approvals.pending(sam(app).id)


def test_an_unknown_outcome_is_said_in_amber(app: Services, opened: Any) -> None:
    page = opened(direct([mail("Who knows")]))
    row = pending(app)
    button(page, "Send").click().run()
    change(app, row, state="unknown", result="Whether it was sent is unknown. Look into Sent.")
    settled(page)
    assert "Look into Sent" in page.warning[0].value.replace("\\", "")


def test_hostile_arguments_are_shown_to_the_letter(app: Services, opened: Any) -> None:
    subject = "**Approved** ![x](https://evil.example/x) \u202etxt"
    page = opened(direct([mail(subject, PRIYA)]))
    card = next(one.value for one in page.markdown if ":gray[Subject]" in one.value)
    assert "\\*\\*Approved\\*\\*" in card and "\\!\\[x\\]" in card
    assert not [one for one in page.markdown if "\u202e" in one.value]
    button(page, "Stop").click().run()


def test_the_page_follows_a_decision_until_the_answer_is_there(app: Services, opened: Any) -> None:
    page = opened(direct([mail("From elsewhere")]))
    row = pending(app)
    threading.Timer(0.1, app.runtime.decide, (sam(app), row.id, "approve")).start()
    app.runtime.turn(sam(app), row.turn_id).wait(SECONDS)
    settled(page)
    assert any("approved" in label and "From elsewhere" in label for label in labels(page))
