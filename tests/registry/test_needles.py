import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.registry.embeddings import Embedder
from core.registry.forms import load_forms
from core.registry.manifests import load_catalogue
from core.registry.needles import Needles, Pieces, clauses
from core.registry.router import Router

SAID = [
    "Show my unread emails",
    "What's on my calendar tomorrow?",
    "set B2 to 5 in the budget sheet",
    "Rename the file roadmap to plan 2027",
    "share the budget with Ana as editor",
    "Which comments are in the launch plan?",
    "Zeig mir die Tabelle Budget",
    "最近のファイルを見せて",
    "Order me a pizza",
    "",
]


def needs(pattern, flags=re.IGNORECASE):
    return clauses(re.compile(pattern, flags))


def fits_of(patterns, text):
    return [bool(pattern.fullmatch(text)) for pattern in patterns]


def test_a_text_must_hold_one_piece_of_each_clause():
    assert needs(r"(?:add|write) (?P<what>.+?) to (?:the )?docs?") == [
        frozenset({"add", "write"}),
        frozenset({" to "}),
        frozenset({"doc"}),
    ]


def test_what_may_be_left_out_is_not_needed():
    assert needs(r"(?:please )?(?:open|.*)x?") == []
    assert needs(r"(?:hello)*(?!never)") == []


def test_what_is_looked_ahead_for_is_needed():
    assert needs(r"(?=.*sheet).*") == [frozenset({"sheet"})]


@pytest.mark.parametrize(
    ("pattern", "text"), [("kilo.*", "KILO 5"), ("kilo.*", "\u212aılo"), ("straße.*", "STRAẞE"), ("sheet", "ſheet")]
)
def test_letters_without_case_are_no_reason_to_leave_a_pattern_out(pattern, text):
    known = re.compile(pattern, re.IGNORECASE)
    assert known.fullmatch(text) and Needles([known]).worth(text) == [True]


def test_no_form_that_fits_is_left_out_and_most_others_are():
    forms = load_forms(load_catalogue())
    patterns = [form.pattern for form in forms._forms]
    phrases = [*SAID, *(phrase for form in forms._forms for phrase in form.intent.say)]
    tried = 0
    for text in phrases:
        worth = forms._needles.worth(text)
        assert all(ok for ok, fits in zip(worth, fits_of(patterns, text), strict=True) if fits)
        tried += sum(worth)
    assert tried / len(phrases) < len(patterns) / 5


class Counting(Embedder):
    """Counts how often texts are embedded."""

    calls = 0

    def embed(self, texts):
        self.calls += 1
        return super().embed(texts)


def test_a_question_is_embedded_glossed_and_compared_with_the_forms_once():
    embedder = Counting()
    router = Router(load_catalogue(), embedder)
    router.load()
    embedder.calls = 0
    router.languages._glossed.cache_clear()
    router.route("Show my unread emails")
    looked = embedder.calls, router.languages._glossed.cache_info().misses, router.forms._fits.cache_info().misses
    assert looked == (1, 1, 1)


@given(st.lists(st.text("abé最 ", max_size=4).filter(bool)), st.text("abé最 ", max_size=12))
def test_the_pieces_of_a_text_are_those_that_it_holds(pieces, text):
    assert sorted(Pieces((one, one) for one in pieces).within(text)) == sorted(one for one in pieces if one in text)
