"""The built-in assistant makes plans by rule: parts, who does them, and what each needs of the others."""

from datetime import UTC, datetime

import pytest

from core.agents.offline.model import OfflineBrain
from core.registry.embeddings import Embedder
from core.registry.manifests import load_catalogue
from core.registry.planner import checked

NOW = datetime(2026, 11, 30, 9, tzinfo=UTC)
BRAIN = OfflineBrain(load_catalogue(), Embedder())


def plan(text, last_domain=None):
    steps = BRAIN.planner.plan(text, last_domain, NOW)
    return [(one.domain, one.task, one.depends_on, one.writes) for one in checked(steps, load_catalogue()).steps]


@pytest.mark.parametrize(
    ("text", "steps"),
    [
        (
            "Find Ana's last mail about the offsite, check whether I'm free that day, and make a doc with a checklist",
            [
                ("gmail", "read Ana's last mail about the offsite", (), False),
                ("calendar", "check whether I'm free that day", ("s1",), False),
                ("docs", "make a doc with a checklist", ("s1",), True),
            ],
        ),
        (
            "Show my unread mail and what's on my calendar tomorrow",
            [
                ("gmail", "Show my unread mail", (), False),
                ("calendar", "what's on my calendar tomorrow", (), False),
            ],
        ),
        (
            "mail Ana the Q3 numbers",
            [
                ("sheets", "show the numbers in the Q3 numbers", (), False),
                ("gmail", "Send Ana a mail about the Q3 numbers saying: {answer}", ("s1",), True),
            ],
        ),
        (
            "Find the offsite agenda in drive and make a doc called Trip notes",
            [
                ("drive", "Find the offsite agenda in drive", (), False),
                ("docs", "make a doc called Trip notes", (), True),
            ],
        ),
        (
            "Move the roadmap meeting to 4pm tomorrow and tell Kenji",
            [
                ("calendar", "Move the roadmap meeting to 4pm tomorrow", (), True),
                ("gmail", "tell Kenji", ("s1",), True),
            ],
        ),
        (
            "Email Priya that I will be late and sorry, and move the standup to 10",
            [
                ("gmail", "Email Priya that I will be late and sorry", (), True),
                ("calendar", "move the standup to 10", (), True),
            ],
        ),
    ],
)
def test_a_request_of_several_parts_becomes_steps(text, steps):
    assert plan(text) == steps


@pytest.mark.parametrize(
    "text",
    [
        "show my unread mail",
        "Make a doc with these notes: buy milk, send letters, and find Ana's mail",
        "make a folder called Q4 and move the warranty text to it",
        "hello and thanks",
        "tell me a story and sing a song",
        "Show the mails from Ana and find those from Kenji",
    ],
)
def test_what_one_specialist_does_alone_or_nobody_needs_no_plan(text):
    assert BRAIN.planner.plan(text, None, NOW) is None


@pytest.mark.parametrize("text", ["", "and", "a" * 50_000, "find " * 5_000, "show, " * 3_000 + "mail"])
def test_odd_texts_are_planned_in_no_time_or_not_at_all(text):
    BRAIN.planner.plan(text, None, NOW)
