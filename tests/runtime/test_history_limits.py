"""Each agent hears as much of the conversation as its own manifest allows, whichever way it is asked."""

import pytest

from core.agents.offline.acts import Call, Say
from core.registry.manifests import Catalogue, Limits
from core.registry.router import Decision
from tests.runtime.plans import ToyPlanner
from tests.runtime.toy import ToyRouter, follow, toy, toy_catalogue

LONG = "look_mail " + "long " * 300
TASK = "look_mail now"


class ToAll(ToyRouter):
    """Sends what names nobody to the orchestrator."""

    def route(self, text, last_domain=None):
        if text == "ask them":
            return Decision("orchestrated", (), {}, {}, "It is a toy.")
        return super().route(text, last_domain)


def limited(tokens):
    """The toy catalogue, in which mail hears so much and the calendar hears as usual."""
    known = toy_catalogue().domains
    limits = Limits(history_tokens=tokens)
    agent = known["gmail"].agent.model_copy(update={"limits": limits})
    return Catalogue({**known, "gmail": known["gmail"].model_copy(update={"agent": agent})})


def script(question, done):
    """The orchestrator asks both specialists; they do as they are told."""
    if question == "ask them":
        tasks = [Call("gmail_task", {"query": TASK}), Call("google_calendar_task", {"query": "look_days now"})]
        return [Say("Both said so.")] if done else tasks
    return follow(question, done)


def heard(app, question):
    """What whoever was asked this heard: all items before it."""
    return next(items[:-1] for items in app.brain.seen if items[-1].get("content") == question)


@pytest.mark.parametrize(
    ("asked", "other"),
    [(TASK, None), ("ask them", "look_days now"), (f"a gmail: {TASK} | b calendar: look_days now", "look_days now")],
    ids=["direct", "orchestrated", "planned"],
)
def test_a_small_limit_shortens_what_its_specialist_hears_and_nobody_else_does(tmp_path, asked, other):
    calls = {}
    for tokens in (6000, 100):
        with toy(
            tmp_path / str(tokens), catalogue=limited(tokens), router=ToAll(), planner=lambda team: ToyPlanner()
        ) as app:
            app.brain.script = script
            first = app.ask(LONG)
            turn = app.ask(asked, first["conversation_id"])
            assert turn["status"] == "done"
            calls[tokens] = [kind(heard(app, TASK)), kind(heard(app, other)) if other else None]
    whole = ["user", "function_call", "function_call_output", "assistant"]
    assert calls[6000] == [whole, whole if other else None]
    assert calls[100] == [[], whole if other else None]


def kind(items):
    """What the items are."""
    return [item.get("role") or item["type"] for item in items]
