"""Plans are checked before anything runs, and estimated from the manifests."""

import pytest

from core.registry.manifests import load_catalogue
from core.registry.planner import Draft, Limits, PlanError, PlanStep, WorkPlan, checked, domain_of, drafted

CATALOGUE = load_catalogue()


def step(name, domain="gmail", *before, task="find mail", **more):
    return PlanStep(name, domain, task, before, **more)


@pytest.mark.parametrize(
    ("steps", "sentence"),
    [
        ([], "The plan has no steps."),
        ([step("a", "weather")], "names a specialist that does not exist"),
        ([step("a"), step("a")], "the same step twice"),
        ([step("a", "gmail", "b")], "waits for b, which does not exist"),
        ([step("a", "gmail", "a")], "goes in a circle"),
        ([step("a", "gmail", "c"), step("b", "docs", "a"), step("c", "docs", "b")], "goes in a circle"),
        ([step(f"s{number}") for number in range(9)], "has 9 steps; 8 are allowed"),
    ],
)
def test_a_plan_that_cannot_be_carried_out_is_refused_in_a_sentence(steps, sentence):
    with pytest.raises(PlanError, match=sentence):
        checked(steps, CATALOGUE)


def test_a_plan_that_takes_too_much_is_refused():
    with pytest.raises(PlanError, match=r"would take about [\d,]+ tokens; 100 are allowed"):
        checked([step("a"), step("b", "calendar")], CATALOGUE, Limits(tokens=100))


def test_steps_come_after_those_that_they_wait_for_and_otherwise_as_they_came():
    plan = checked([step("c", "docs", "b"), step("b"), step("a", "calendar")], CATALOGUE)
    assert [one.id for one in plan.steps] == ["b", "a", "c"]
    assert plan.domains == ("gmail", "calendar", "docs")


def test_a_step_may_wait_for_one_that_was_done_before():
    plan = checked([step("b", "docs", "a")], CATALOGUE, done=["a"])
    assert plan.steps[0].depends_on == ("a",)
    with pytest.raises(PlanError, match="the same step twice"):
        checked([step("a")], CATALOGUE, done=["a"])


def test_the_estimates_are_the_manifests_and_what_runs_at_the_same_time_takes_no_longer():
    plan = checked(
        [step("a", task="search mail"), step("b", "calendar", task="am I free"), step("c", "docs", "a", writes=True)],
        CATALOGUE,
    )
    first, second, third = plan.steps
    assert all(one.tokens > 0 and one.latency_ms > 0 for one in plan.steps)
    assert plan.tokens == first.tokens + second.tokens + third.tokens
    assert plan.latency_ms == max(first.latency_ms + third.latency_ms, second.latency_ms)


@pytest.mark.parametrize("name", ["gmail", "Gmail", "gmail_agent", "gmail_task", " GMAIL "])
def test_a_specialist_is_known_by_each_of_its_names(name):
    assert domain_of(name, CATALOGUE) == "gmail"


def test_a_models_plan_is_read_with_what_it_leaves_out():
    draft = Draft.model_validate({"steps": [{"id": "1", "agent": "Docs", "task": " write ", "more": 1}], "why": "…"})
    assert drafted(draft, CATALOGUE) == (PlanStep("1", "docs", "write"),)


def test_a_plan_survives_as_json():
    plan = checked([step("a"), step("b", "docs", "a", hears="answer", task="write {answer}")], CATALOGUE)
    assert WorkPlan.of(plan.json()) == plan
