"""Everyday requests over several domains, offline and end to end in the sandbox."""

import pytest

from core.google.clients import GoogleClients
from core.sandbox.faults import Fault
from core.settings import Settings
from core.users import SANDBOX_ACCOUNT
from telemetry.phases import SpanTime, account
from tests.runtime.desk import SECONDS, ask, sam, services, start

REQUEST = "Find Ana's last mail about the offsite, check whether I'm free that day, and make a doc with a checklist"


@pytest.fixture(scope="module")
def app(tmp_path_factory):
    with services(tmp_path_factory.mktemp("planned")) as built:
        yield built


def document(app, name):
    """A document of a name, past the tools."""
    google = GoogleClients(app.sandbox.http).for_account(SANDBOX_ACCOUNT)
    files = google.execute(google.resource("drive.files").list(q=f"name = '{name}'"))["files"]
    return google.execute(google.resource("docs.documents").get(documentId=files[0]["id"]))


def test_three_steps_two_at_the_same_time_one_approval_and_a_document_with_a_checklist(app):
    app.sandbox.faults.add(Fault(kind="latency", seconds=0.15))  # as Google takes, beside which a busy machine is quick
    turn = start(app, REQUEST)
    waiting = turn.pause(SECONDS)
    (approval,) = waiting["approvals"]
    assert approval["tool"] == "create_doc" and approval["arguments"]["title"] == "Offsite checklist"
    app.runtime.decide(sam(app), approval["approval_id"], "approve")
    done = turn.wait(SECONDS)
    app.sandbox.faults.clear()
    assert (done["status"], done["route"], done["agents"]) == ("done", "planned", ["Gmail", "Calendar", "Docs"])
    assert "what is still open" in done["response"] and "You are busy on" in done["response"]
    paragraphs = [
        one["paragraph"] for one in document(app, "Offsite checklist")["body"]["content"] if "paragraph" in one
    ]
    ticks = [one["elements"][0]["textRun"]["content"].strip() for one in paragraphs if "bullet" in one]
    assert ticks == approval["arguments"]["checklist"] and len(ticks) == 4
    gmail = next(one for one in app.glass.spans(sam(app).id, done["turn_id"]) if one.name == "invoke_agent Gmail")
    assert gmail.attributes["glassdesk.tools.hidden"] >= 4 and gmail.attributes["glassdesk.tools.tokens_saved"] > 500
    kept = app.conversations.exchange(sam(app).id, done["turn_id"])
    assert [(one["agent"], one["state"]) for one in kept.plan] == [
        ("Gmail", "done"), ("Calendar", "done"), ("Docs", "done"),
    ]  # fmt: skip
    holds_the_waterfall(app, done)


def holds_the_waterfall(app, done):
    """The calendar and the document are at work at the same time, and the critical path is all of the wall time."""
    spans = app.glass.spans(sam(app).id, done["turn_id"])
    calendar = next(one for one in spans if one.name == "invoke_agent Calendar")
    docs = next(one for one in spans if one.name == "invoke_agent Docs")
    assert calendar.parent_id == docs.parent_id
    assert calendar.start_ns < docs.end_ns and docs.start_ns < calendar.end_ns
    times = [SpanTime(s.span_id, s.parent_id, s.type, s.start_ns, s.end_ns, s.name) for s in spans]
    found = account(times)
    assert sum(found.self_ns.values()) == found.wall_ns == done["wall_ns"]
    assert found.wall_ns < sum(s.end_ns - s.start_ns for s in spans if s.type in ("agent", "approval")) * 1.1
    assert {phase["phase"] for phase in done["phases"]} >= {"routing", "google_api", "approval_wait", "persist"}


def test_mail_and_calendar_in_one_request(app):
    done = ask(app, "Show my unread mail and what's on my calendar tomorrow")
    assert done["route"] == "planned" and done["agents"] == ["Gmail", "Calendar"]
    assert "unread mails" in done["response"]
    assert [call["status"] for call in done["tool_calls"]] == ["ok", "ok"]
    assert "**Calendar**" in done["response"]  # with what there is on whatever day that is


def test_a_file_of_drive_and_a_new_document_in_one_request(app):
    turn = start(app, "Find the offsite agenda in drive and make a doc called Trip notes")
    (approval,) = turn.pause(SECONDS)["approvals"]
    app.runtime.decide(sam(app), approval["approval_id"], "reject")
    done = turn.wait(SECONDS)
    assert "Offsite agenda" in done["response"] and "It was not done, as you decided." in done["response"]


def test_that_day_is_the_day_of_the_events_that_were_shown(app):
    shown = ask(app, "what is on my calendar tomorrow")
    done = ask(app, "am I free that day?", shown["conversation_id"])
    assert "tomorrow" in done["response"]  # busy or free, whatever day it is


def test_a_day_that_nothing_names_is_asked_for(app):
    done = ask(app, "Find Tom's last mail about the moon and check whether I'm free that day")
    assert "There is no mail" in done["response"] and "I do not know which day you mean" in done["response"]


def test_a_checklist_of_nothing_is_asked_for_and_of_what_is_said_is_made(app):
    assert "What shall be on the checklist?" in ask(app, "make a doc with a checklist")["response"]
    turn = start(app, "make a doc with a checklist for the fair: lamps, two chairs; a banner")
    (approval,) = turn.pause(SECONDS)["approvals"]
    assert approval["arguments"] == {
        "title": "Fair checklist", "checklist": ["lamps", "two chairs", "a banner"],
    }  # fmt: skip
    turn.cancel()
    turn.wait(SECONDS)


@pytest.mark.parametrize(
    ("planner", "model", "plans"),
    [("auto", "", True), ("auto", "some-model", True), ("on", "some-model", True), ("off", "some-model", False)],
)
def test_who_plans_is_a_setting(planner, model, plans):
    assert Settings(_env_file=None, planner=planner, model=model).plans is plans
