"""A language model behind real HTTP makes a plan where that is worth a call, and nothing is lost where it cannot."""

import json

import pytest

from core.runtime.events import EventType
from tests.agents.chat_server import ChatServer, Fail
from tests.agents.chat_wire import Answer
from tests.runtime.desk import ask, sam, services

QUESTION = "Find Ana's last mail about the offsite and check whether I'm free that day"
PLAN = {
    "steps": [
        {"id": "m", "agent": "gmail", "task": "Ana's last mail about the offsite"},
        {"id": "c", "agent": "Calendar", "task": "Am I free that day?", "depends_on": ["m"]},
    ]
}
REFUSAL = Fail(400, "'response_format' of type 'json_schema' is not supported with this model.")


class Model:
    """A planner that says what it is told to; whoever else is asked says a few words."""

    def __init__(self):
        self.plans, self.refuses = [], False
        self.server = ChatServer(self.step)

    def step(self, body):
        if not planner_asked(body):
            return Answer("All is well.")
        if self.refuses and "response_format" in body:
            return REFUSAL
        return Answer(self.plans.pop(0))

    def next(self, *plans, refuses=False):
        self.plans, self.refuses = [*plans], refuses
        self.server.requests.clear()

    @property
    def asked(self):
        """What the planner was asked."""
        return [body for body in self.server.requests if planner_asked(body)]


def planner_asked(body):
    return body["messages"][0]["content"].startswith("You plan the work")


@pytest.fixture(scope="module")
def model():
    found = Model()
    with found.server:
        yield found


@pytest.fixture(scope="module")
def desk(model, tmp_path_factory):
    access = {"model": "gpt-4o-mini", "model_base_url": model.server.url, "model_timeout": 20, "read_ahead": False}
    with services(tmp_path_factory.mktemp("plans"), **access) as built:
        yield built


def planned(desk, turn):
    """The span of planning, and the note that the person reads."""
    (span,) = [span for span in desk.glass.spans(sam(desk).id, turn["turn_id"]) if span.name == "plan"]
    told = [e.data for e in desk.runtime.turn(sam(desk), turn["turn_id"]).log.after(0) if e.type is EventType.PLANNED]
    return span, told[0]["note"]


def test_one_call_with_a_schema_makes_the_plan_and_one_tells_what_came_of_it(desk, model):
    model.next(json.dumps(PLAN))
    turn = ask(desk, QUESTION)
    assert (turn["status"], turn["route"], turn["response"]) == ("done", "planned", "All is well.")
    assert turn["agents"] == ["Gmail", "Calendar", "Assistant"]
    [request] = model.asked
    given = request["response_format"]
    assert given["type"] == "json_schema" and "steps" in given["json_schema"]["schema"]["properties"]
    assert len(model.server.requests) == 4


def test_a_question_that_needs_no_order_and_changes_nothing_is_not_planned(desk, model):
    model.next()
    turn = ask(desk, "Show my unread emails and what is on my calendar today")
    assert turn["route"] == "orchestrated" and not model.asked


@pytest.mark.parametrize(
    ("bad", "reason"),
    [
        ("I would rather not.", "no plan that can be used"),
        (json.dumps(PLAN).replace("Calendar", "Weather"), "does not exist"),
        (json.dumps(PLAN).replace('["m"]', '["c"]'), "in a circle"),
    ],
)
def test_a_plan_that_is_no_good_is_asked_for_once_more_with_the_reason(desk, model, bad, reason):
    model.next(bad, f"```json\n{json.dumps(PLAN)}\n```")
    turn = ask(desk, QUESTION)
    assert (turn["status"], turn["route"]) == ("done", "planned")
    _, second = model.asked
    assert [one["role"] for one in second["messages"][-3:]] == ["user", "assistant", "user"]
    assert second["messages"][-2]["content"] == bad and reason in second["messages"][-1]["content"]


def test_two_plans_that_are_no_good_leave_the_question_to_the_orchestrator_and_the_trace_says_why(desk, model):
    model.next("Sure!", '{"steps": "many"}')
    turn = ask(desk, QUESTION)
    assert (turn["status"], turn["route"], turn["response"]) == ("done", "orchestrated", "All is well.")
    span, note = planned(desk, turn)
    assert len(model.asked) == 2
    assert span.status == "error" and "no plan that can be used" in span.attributes["glassdesk.plan.refused"]
    assert note.endswith("The Assistant goes on step by step instead.")


def test_a_server_that_refuses_the_schema_is_asked_in_words_and_not_with_a_schema_again(tmp_path, model):
    access = {"model": "other", "model_base_url": model.server.url, "read_ahead": False}
    with services(tmp_path, **access) as desk:
        model.next(json.dumps(PLAN), json.dumps(PLAN), refuses=True)
        assert ask(desk, QUESTION)["route"] == "planned"
        first, second = model.asked
        assert "response_format" in first and "response_format" not in second
        assert '"depends_on"' in second["messages"][0]["content"].rpartition("by this schema:")[2]
        model.server.requests.clear()
        assert ask(desk, QUESTION)["route"] == "planned"
        assert ["response_format" in body for body in model.asked] == [False]
