"""Which specialist takes a request about files."""

import pytest

from core.registry.embeddings import Embedder
from core.registry.manifests import load_catalogue
from core.registry.router import Router


@pytest.fixture(scope="module")
def router():
    made = Router(load_catalogue(), Embedder())
    made.load()
    return made


@pytest.mark.parametrize(
    ("question", "domains"),
    [
        ("find the budget sheet", ("drive",)),
        ("who can see the roadmap", ("drive",)),
        ("share the roadmap with Ana as reader", ("drive",)),
        ("download the roadmap as PDF", ("drive",)),
        ("Zeig mir meine letzten Dateien", ("drive",)),
        ("what does the offsite agenda say", ("docs",)),
        ("replace Acme by Globex in the roadmap", ("docs",)),
        ("Ersetze Acme durch Globex in der Roadmap", ("docs",)),
        ("what's in B2:D5 of the budget", ("sheets",)),
        ("add a row Paint, 200, 180 to the budget", ("sheets",)),
        ("make a three-slide deck about the pilot", ("slides",)),
        ("how many slides has the board deck", ("drive", "slides")),
        ("mail Ana the Q3 numbers", ("sheets", "gmail")),
        ("send Tom the link to the roadmap", ("drive", "gmail")),
        ("find the budget sheet and show my unread mail", ("drive", "gmail")),
        ("who can see the roadmap and what's on my calendar tomorrow", ("drive", "calendar")),
        ("share my calendar with Ana", ("calendar",)),
        ("what's on my agenda tomorrow", ("calendar",)),
        ("open my latest email", ("gmail",)),
    ],
)
def test_a_request_goes_to_those_who_can_do_it(router, question, domains):
    decision = router.route(question)
    assert decision.domains == domains
    assert decision.route == ("direct" if len(domains) == 1 else "orchestrated")


@pytest.mark.parametrize(("last", "domain"), [("drive", "drive"), ("docs", "drive"), ("gmail", None)])
def test_it_is_a_file_only_where_a_file_was_shown(router, last, domain):
    asked = router.literal("share it with Ana as reader", last)
    assert (asked.domain if asked else None) == domain
