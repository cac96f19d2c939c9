"""Writes wait for a person: approved, edited, rejected, expired, stopped; straight and through the orchestrator."""

import time
from datetime import UTC, datetime, timedelta

import pytest
from sqlmodel import select, update

from core.errors import Busy, NotFound
from core.runtime.events import EventType
from core.sandbox.faults import Fault, FaultRow
from core.store.approvals import Decided
from core.store.sessions import writing
from core.store.tables import Approval
from core.users import User
from tests.runtime.desk import SECONDS, sam, start, tree
from tests.runtime.script import PRIYA, direct, mail, orchestrated, scripted, sent


@pytest.fixture(scope="module")
def app(tmp_path_factory):
    with scripted(tmp_path_factory.mktemp("approvals")) as built:
        yield built


@pytest.fixture(autouse=True)
def no_trouble(app):
    app.sandbox.faults.clear()


def waiting(app, question):
    turn = start(app, question)
    data = turn.pause(SECONDS)
    assert data["status"] == "waiting_approval", data
    return turn, data


def decide(app, approval, word, **more):
    return app.runtime.decide(sam(app), approval["approval_id"], word, **more)


def armed(app):
    """Whether the trouble still waits for its request."""
    with app.sandbox.world.session() as session:
        return session.exec(select(FaultRow)).first() is not None


def routes(*rounds):
    """The same calls for a specialist, and for the orchestrator's."""
    return [direct(*rounds), orchestrated([("gmail_task", {"query": orchestrated(*rounds)})])]


@pytest.mark.parametrize("question", routes([mail("Yes")]), ids=["direct", "orchestrated"])
def test_an_approved_mail_goes_out_once(app, question):
    before = len(sent(app, "Yes"))
    turn, data = waiting(app, question)
    (approval,) = data["approvals"]
    assert approval["tool"] == "send_gmail_message" and approval["state"] == "pending"
    assert approval["summary"] == f"Send this mail to {PRIYA}: “Yes”"
    assert approval["account"] == "sam@lumenworks.example"
    assert len(sent(app, "Yes")) == before
    decide(app, approval, "approve")
    done = turn.wait(SECONDS)
    assert (done["status"], done["error"]) == ("done", None)
    assert len(sent(app, "Yes")) == before + 1
    assert [one["state"] for one in done["approvals"]] == ["done"]
    assert '"subject":"Yes"' in done["response"]


@pytest.mark.parametrize("question", routes([mail("Edit me")]), ids=["direct", "orchestrated"])
def test_what_a_person_edited_is_what_is_sent_and_the_model_hears_of_it(app, question):
    turn, data = waiting(app, question)
    (approval,) = data["approvals"]
    edited = {**approval["arguments"], "subject": "Edited", "to": "ana@lumenworks.example"}
    before = len(sent(app, "Edited"))
    decide(app, approval, "approve", arguments=edited)
    done = turn.wait(SECONDS)
    assert sent(app, "Edit me") == [] and len(sent(app, "Edited")) == before + 1
    assert "The person changed this before approving it" in done["response"]
    (row,) = app.approvals.of_turn(sam(app).id, turn.id)
    assert (row.proposed["subject"], row.arguments, row.state) == ("Edit me", edited, "done")


@pytest.mark.parametrize("question", routes([mail("Never")]), ids=["direct", "orchestrated"])
def test_a_rejected_mail_stays_and_the_model_hears_why(app, question):
    turn, data = waiting(app, question)
    decide(app, data["approvals"][0], "reject", reason="Too early.")
    done = turn.wait(SECONDS)
    assert done["status"] == "done" and "They said: Too early." in done["response"]
    assert sent(app, "Never") == []
    assert [(one["state"], one["reason"]) for one in done["approvals"]] == [("rejected", "Too early.")]


@pytest.mark.parametrize("question", routes([mail("Jasmine"), mail("Quartz")]), ids=["direct", "orchestrated"])
def test_of_two_one_is_edited_and_one_rejected(app, question):
    turn, data = waiting(app, question)
    first, second = data["approvals"]
    before = len(sent(app, "Jasmine edited"))
    decide(app, second, "reject")
    assert not turn.finished and len(sent(app, "Jasmine edited")) == before
    decide(app, first, "approve", arguments={**first["arguments"], "subject": "Jasmine edited"})
    done = turn.wait(SECONDS)
    assert len(sent(app, "Jasmine edited")) == before + 1 and sent(app, "Quartz") == []
    assert {one["state"] for one in done["approvals"]} == {"done", "rejected"}


@pytest.mark.parametrize("question", routes([mail("Step A")], [mail("Step B")]), ids=["direct", "orchestrated"])
def test_one_write_after_another_asks_again(app, question):
    before = len(sent(app, "Step A"))
    turn, data = waiting(app, question)
    decide(app, data["approvals"][0], "approve")
    for event in turn.log.read(wait=SECONDS):
        if event and event.type is EventType.WAITING and event.data["approvals"][0]["arguments"]["subject"] == "Step B":
            (second,) = event.data["approvals"]
            break
    assert len(sent(app, "Step A")) == before + 1 and second["state"] == "pending"
    decide(app, second, "approve")
    assert [one["state"] for one in turn.wait(SECONDS)["approvals"]] == ["done", "done"]


def test_two_specialists_may_wait_at_once(app):
    event = ("create_event", {"summary": "Both", "start_time": "2026-12-24T10:00", "end_time": "2026-12-24T11:00"})
    tasks = [("gmail_task", {"query": orchestrated([mail("Both")])}),
             ("google_calendar_task", {"query": orchestrated([event])})]  # fmt: skip
    turn, data = waiting(app, orchestrated(tasks))
    assert {one["tool"] for one in data["approvals"]} == {"send_gmail_message", "create_event"}
    for approval in data["approvals"]:
        decide(app, approval, "approve")
    done = turn.wait(SECONDS)
    assert [one["state"] for one in done["approvals"]] == ["done", "done"]
    assert len(sent(app, "Both")) == 1


def test_reads_do_not_wait(app):
    turn = start(app, direct([("search_gmail_messages", {"query": "is:unread"})]))
    assert turn.wait(SECONDS)["approvals"] == []


def test_deciding_twice_is_a_clear_refusal(app):
    turn, data = waiting(app, direct([mail("Twice")]))
    decide(app, data["approvals"][0], "approve")
    turn.wait(SECONDS)
    with pytest.raises(Decided, match="This was decided before: done"):
        decide(app, data["approvals"][0], "approve")
    assert len(sent(app, "Twice")) == 1


def test_nobody_else_decides(app):
    turn, data = waiting(app, direct([mail("Mine")]))
    eve = User("eve", "Eve", "eve@elsewhere.example", sam(app).zone)
    with pytest.raises(NotFound):
        app.runtime.decide(eve, data["approvals"][0]["approval_id"], "approve")
    turn.cancel()
    assert turn.wait(SECONDS)["status"] == "stopped"


def test_what_expired_cannot_be_approved_and_lets_the_turn_go_on(app):
    turn, data = waiting(app, direct([mail("Zeppelin")]))
    with writing(app.approvals._engine) as session:
        past = datetime.now(UTC) - timedelta(seconds=1)
        session.execute(
            update(Approval).where(Approval.id == data["approvals"][0]["approval_id"]).values(expires_at=past)
        )
    with pytest.raises(Decided, match="has expired"):
        decide(app, data["approvals"][0], "approve")
    done = turn.wait(SECONDS)
    assert done["status"] == "done" and sent(app, "Zeppelin") == []
    assert [one["state"] for one in done["approvals"]] == ["expired"]
    assert "expired" in done["response"]


@pytest.mark.parametrize("question", routes([mail("Stop")]), ids=["direct", "orchestrated"])
def test_a_waiting_turn_can_be_stopped_and_nothing_is_sent(app, question):
    turn, data = waiting(app, question)
    with pytest.raises(Busy, match="Your decision is needed"):
        start_in = app.runtime.start(sam(app), question, turn.conversation_id)
        start_in.cancel()
    turn.cancel()
    done = turn.wait(SECONDS)
    assert done["status"] == "stopped" and sent(app, "Stop") == []
    assert [one["state"] for one in done["approvals"]] == ["rejected"]
    with pytest.raises(Decided):
        decide(app, data["approvals"][0], "approve")


def test_a_write_that_is_under_way_is_seen_to_its_end_when_the_turn_is_stopped(app):
    app.sandbox.faults.add(Fault("/messages/send", "latency", seconds=0.3, remaining=1))
    turn, data = waiting(app, direct([mail("Under way")]))
    decide(app, data["approvals"][0], "approve")
    while armed(app):
        time.sleep(0.01)
    turn.cancel()
    done = turn.wait(SECONDS)
    assert done["status"] == "stopped"
    assert [one["state"] for one in done["approvals"]] == ["done"]
    assert len(sent(app, "Under way")) == 1


def test_a_lost_answer_is_found_and_an_unknown_one_is_kept_as_such(app):
    app.sandbox.faults.add(Fault("/messages/send", "lost_reply", remaining=1))
    turn, data = waiting(app, direct([mail("Lost")]))
    decide(app, data["approvals"][0], "approve")
    assert [one["state"] for one in turn.wait(SECONDS)["approvals"]] == ["done"]
    assert len(sent(app, "Lost")) == 1
    app.sandbox.faults.add(Fault("/messages/send", "status", status=503, remaining=1))
    turn, data = waiting(app, direct([mail("Unknown")]))
    decide(app, data["approvals"][0], "approve")
    done = turn.wait(SECONDS)
    assert [one["state"] for one in done["approvals"]] == ["unknown"]
    assert "unknown whether it was made" in done["approvals"][0]["result"]


def test_the_wait_is_apart_from_the_work(app):
    turn, data = waiting(app, direct([mail("Timed")]))
    decide(app, data["approvals"][0], "approve")
    done = turn.wait(SECONDS)
    phases = {phase["phase"]: phase["ns"] for phase in done["phases"]}
    assert sum(phases.values()) == done["wall_ns"]
    assert phases["approval_wait"] > 0
    assert [call["status"] for call in done["tool_calls"]] == ["ok"]
    agent = ("invoke_agent Gmail", ["chat glassdesk-offline", "execute_tool send_gmail_message"])
    send = ("tools/call send_gmail_message", [("tools/call send_gmail_message", ["gmail.users.messages.send"])])
    again = ("invoke_agent Gmail", [("execute_tool send_gmail_message", [send]), "chat glassdesk-offline"])
    assert tree(app, turn.id) == [("turn", ["persist", "route", agent, "approval.wait", again, "persist"])]
