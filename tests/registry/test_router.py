import pytest

from benchmarks.routing import judge, named_requests, own_requests, score
from core.registry.embeddings import Embedder
from core.registry.manifests import load_catalogue
from core.registry.router import Router

DIRECT = [
    ("Show my unread emails", "gmail"),
    ("Find the mail from Ana about the invoice", "gmail"),
    ("what's in my inbox", "gmail"),
    ("which labels do I have", "gmail"),
    ("reply to the last mail from Priya", "gmail"),
    ("What's on my calendar tomorrow?", "calendar"),
    ("Am I free on Friday afternoon?", "calendar"),
    ("next free slot of 30 minutes", "calendar"),
    ("when is the board meeting", "calendar"),
    ("cancel my meeting on Monday", "calendar"),
    ("Zeig mir meine ungelesenen E-Mails", "gmail"),
    ("Was steht morgen in meinem Kalender?", "calendar"),
    ("Montre-moi mes emails non lus", "gmail"),
    ("Qu'est-ce que j'ai demain dans mon agenda ?", "calendar"),
    ("Muéstrame mis correos sin leer", "gmail"),
    ("¿Qué tengo mañana en mi agenda?", "calendar"),
    ("未読メールを見せて", "gmail"),
    ("明日の予定は？", "calendar"),
    ("Mostre meus e-mails não lidos", "gmail"),
]

ELSEWHERE = ["Order me a pizza", "play some music", "what's the weather like tomorrow", "hello", "turn off the lights"]

BACK = [
    "Which of those is the newest?",
    "the second one",
    "open it",
    "open the third one",
    "how many are from Ana?",
    "who sent the second?",
    "show more",
    "Welche davon ist die neueste?",
    "一番新しいのは？",
]


@pytest.fixture(scope="module")
def router():
    router = Router(load_catalogue(), Embedder())
    router.load()
    return router


@pytest.mark.parametrize(("question", "domain"), DIRECT)
def test_a_clear_question_goes_straight_to_its_specialist(router, question, domain):
    decision = router.route(question)
    assert (decision.route, decision.domains) == ("direct", (domain,))


@pytest.mark.parametrize("question", ELSEWHERE)
def test_what_belongs_nowhere_goes_to_the_orchestrator(router, question):
    assert router.route(question).route == "orchestrated"


@pytest.mark.parametrize("question", BACK)
@pytest.mark.parametrize("domain", ["gmail", "calendar"])
def test_a_question_that_refers_back_stays_with_the_last_specialist(router, question, domain):
    decision = router.route(question, last_domain=domain)
    assert (decision.route, decision.domains) == ("direct", (domain,))


def test_a_new_question_leaves_the_last_specialist(router):
    assert router.route("What's on my calendar tomorrow?", last_domain="gmail").domains == ("calendar",)
    assert router.route("Show my unread emails", last_domain="calendar").domains == ("gmail",)


def test_two_domains_in_one_question_are_orchestrated(router):
    decision = router.route("Show my unread mail and what is on my calendar tomorrow")
    assert (decision.route, decision.domains) == ("orchestrated", ("gmail", "calendar"))


WRITES = [
    ("Tell Ana that the meeting is moved to Friday", "gmail"),
    ("let Tom know I'm late", "gmail"),
    ("reply to the second one that I'll be there at ten", "gmail"),
    ("send Kenji a mail that the calendar is full", "gmail"),
    ("archive the mail from Tom", "gmail"),
    ("move my 3 o'clock to Friday", "calendar"),
    ("postpone the stand-up until tomorrow", "calendar"),
    ("put lunch with Tom on Friday at 12:30 in my calendar", "calendar"),
    ("schedule a 30 minute call with Ana tomorrow at 3", "calendar"),
    ("put it in my calendar", "calendar"),
]


@pytest.mark.parametrize(("question", "domain"), WRITES)
def test_a_request_to_change_something_goes_to_whoever_does_it(router, question, domain):
    decision = router.route(question)
    assert (decision.route, decision.domains) == ("direct", (domain,))


@pytest.mark.parametrize(
    ("question", "domains"),
    [
        ("Reply to the second one that I'll be there at ten, and put it in my calendar", ("gmail", "calendar")),
        ("Move my 3 o'clock to Friday and tell Ana", ("calendar", "gmail")),
        ("Cancel my meeting with Tom tomorrow and let him know that I am sick", ("calendar", "gmail")),
        ("send Ana a mail that it is approved and cancel my meeting on Friday", ("gmail", "calendar")),
    ],
)
@pytest.mark.parametrize("last_domain", [None, "gmail"])
def test_two_changes_in_one_request_are_orchestrated(router, question, domains, last_domain):
    decision = router.route(question, last_domain)
    assert (decision.route, decision.domains) == ("orchestrated", domains)


def test_what_is_to_be_said_is_no_clause_of_its_own(router):
    question = "tell Ana that the meeting is on Friday, the calendar is full and I'm free on Monday"
    assert {part.domain for part in router.parts(question)} <= {"gmail"}


def test_a_question_is_split_into_its_domains_parts(router):
    parts = router.parts("Show my unread mail and what is on my calendar tomorrow")
    assert [(part.domain, part.text) for part in parts] == [
        ("gmail", "Show my unread mail"),
        ("calendar", "what is on my calendar tomorrow"),
    ]


def test_a_decision_carries_a_score_for_every_domain_and_tool(router):
    decision = router.route("Show my unread emails")
    assert set(decision.scores) == set(load_catalogue().domains)
    assert set(decision.tool_scores) == {tool.name for _, tool in load_catalogue().tools()}
    assert all(0 <= score <= 1 for score in [*decision.scores.values(), *decision.tool_scores.values()])
    assert max(decision.tool_scores, key=decision.tool_scores.get) == "search_gmail_messages"


@pytest.mark.parametrize("text", ["", "?!", "🙂", "x" * 5000])
def test_odd_text_is_no_error(router, text):
    assert router.route(text).route == "orchestrated"


@pytest.mark.skipif(not named_requests(), reason="UTTERANCES names no folder of labelled requests")
def test_the_router_is_right_on_what_people_really_say(router):
    reached = score(judge(router.route, named_requests()))
    assert reached.coverage >= 0.65
    assert reached.precision >= 0.97
    assert reached.strayed < 0.03


def test_the_router_is_right_on_requests_in_six_languages_to_all_domains(router):
    reached = score(judge(router.route, own_requests()))
    assert reached.coverage >= 0.65
    assert reached.precision >= 0.97
    assert reached.strayed < 0.03


def test_the_own_requests_cover_every_domain_in_six_languages():
    requests = own_requests()
    assert len(requests) == len({request.text for request in requests}) >= 300
    cells = {(request.domain, request.language) for request in requests}
    assert cells == {(domain, language) for domain in [*load_catalogue().domains, "other"]
                     for language in ("en", "de", "fr", "es", "ja", "pt")}  # fmt: skip
