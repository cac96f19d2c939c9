import pytest

from core.registry.manifests import load_catalogue
from core.registry.references import load_references
from core.registry.router import nouns

REFERENCES = load_references(nouns(load_catalogue()))


@pytest.mark.parametrize(
    "text",
    [
        "Which of those is the newest?",
        "the second one",
        "second",
        "open it",
        "read number 3",
        "who sent the last?",
        "how many are from Ana?",
        "how many of them are unread",
        "only the unread ones",
        "show me more",
        "and next week?",
        "what about Friday",
        "is it urgent",
        "does that have attachments",
    ],
)
def test_a_question_that_leans_on_what_was_shown(text):
    assert REFERENCES.refers_back(text)


@pytest.mark.parametrize(
    "text",
    [
        "Show my unread emails",
        "what time is it?",
        "What's on my calendar this week?",
        "mails from last week",
        "how many unread emails do I have",
        "which mails are from Ana",
        "find the mail from Ana about the invoice",
        "when is the board meeting",
        "Order me a pizza",
    ],
)
def test_a_question_that_stands_alone(text):
    assert not REFERENCES.refers_back(text)
