from datetime import UTC, datetime

from benchmarks.app import WORDINGS
from core.agents.offline.acts import Offer
from core.agents.offline.model import OfflineBrain
from core.registry import forms, glossary
from core.registry.embeddings import Embedder
from core.registry.manifests import load_catalogue

OFFERS = [Offer("search_gmail_messages", frozenset({"query", "page_size", "page_token"}), frozenset({"query"}), {})]


class Counting(Embedder):
    """Counts how often texts are embedded."""

    calls = 0

    def embed(self, texts):
        self.calls += 1
        return super().embed(texts)


def test_a_question_is_understood_once_to_foresee_what_it_reads():
    embedder = Counting()
    brain = OfflineBrain(load_catalogue(), embedder)
    brain.load()
    embedder.calls = 0
    call = brain.foresee("Show my unread emails", OFFERS, datetime(2026, 11, 30, tzinfo=UTC))
    assert (call.name, call.args["query"], embedder.calls) == ("search_gmail_messages", "is:unread", 1)


def test_the_benchmark_asks_in_more_words_than_are_remembered_and_each_reads_ahead():
    brain = OfflineBrain(load_catalogue(), Embedder())
    now = datetime(2026, 11, 30, tzinfo=UTC)
    assert {brain.foresee(words, OFFERS, now).args["query"] for words in WORDINGS} == {"is:unread"}
    assert len(set(WORDINGS)) > max(forms.REMEMBERED, glossary.REMEMBERED)
