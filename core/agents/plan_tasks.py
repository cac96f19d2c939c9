"""What a step of a plan is asked once the steps before it are done."""

import re
from collections.abc import Sequence

from core.agents.offline.tasks import Task
from core.registry.planner import PlanStep, StepResult
from core.registry.relays import ADDRESS, plain

FILLED = re.compile(r"\{(answer|link)\}")
NO_LINK = "The step before it found nothing to go on with."
NOT_TOLD = "What was to be told did not happen."


def task_of(step: PlanStep, before: Sequence[StepResult]) -> str | None:
    """The task in words; None where the steps before it leave nothing to do.

    Args:
        before: the steps that it depends on, in order, all done.
    """
    if step.hears == "results" or not before:
        return step.task
    if step.hears == "outcome":
        return Task(step.domain, step.task).telling([one.answer for one in before])
    answer = before[-1].answer
    link = ADDRESS.search(answer)
    values = {"answer": plain(answer), "link": link[0] if link else ""}
    return FILLED.sub(lambda match: values[match[1]], step.task) if link else None


def why_not(step: PlanStep) -> str:
    """Why a step was left out whose steps before it were done."""
    return NOT_TOLD if step.hears == "outcome" else NO_LINK


def combined(results: Sequence[StepResult], titles: dict[str, str]) -> str:
    """The answers of all steps as one, each under its specialist's title; what another step passed on is left out.

    Args:
        results: all that have ended, in order.
        titles: domain → what people read.
    """
    passed_on = {
        name for one in results if one.step.hears == "answer" and one.state == "done" for name in one.step.depends_on
    }
    dead_end = {one.step.id for one in results if one.state == "skipped" and one.answer in (NO_LINK, NOT_TOLD)}
    told = [one for one in results if one.step.id not in passed_on | dead_end]
    if len(told) == 1:
        return words_of(told[0])
    return "\n\n".join(f"**{titles[one.step.domain]}**\n\n{words_of(one)}" for one in told)


def words_of(result: StepResult) -> str:
    """What is said of a step."""
    if result.state == "done":
        return result.answer.strip()
    return f"This part was not done: “{result.step.task}”. {result.answer}".strip()
