"""Answers are remembered for a while, for the one who asked, and until something is written."""

from datetime import UTC, date, datetime

import pytest

from core.agents.offline.acts import Call, Say
from core.runtime.cache import Key, Remembered, ResponseCache
from core.runtime.recall import normal
from tests.runtime.toy import EVE, SAM, toy


class Clock:
    def __init__(self):
        self.seconds = 0.0
        self.today = datetime(2026, 11, 30, 12, tzinfo=UTC)

    def __call__(self):
        return self.seconds


@pytest.fixture
def clock():
    return Clock()


@pytest.fixture
def app(tmp_path, clock):
    with toy(tmp_path, 100, clock, lambda: clock.today) as made:
        yield made


def key(question, user="sam", account="a"):
    return Key(user, account, "UTC", date(2026, 11, 30), "", question, "m", ())


def answer(text, *read):
    return Remembered("t", text, None, frozenset(read), ())


def kinds(app, turn, user=SAM):
    return [event.type.value for event in app.runtime.turn(user, turn["turn_id"]).log.after()]


def lookup(app, turn):
    (span,) = [span for span in app.glass.spans(SAM.id, turn["turn_id"]) if span.name == "cache.lookup"]
    return span.attributes


def test_the_least_recently_used_answer_goes_first(clock):
    cache = ResponseCache(2, 300, clock)
    cache.put(key("a"), answer("A"), 0)
    cache.put(key("b"), answer("B"), 0)
    assert cache.get(key("a")).answer == "A"
    cache.put(key("c"), answer("C"), 0)
    assert [cache.get(key(name)) is None for name in "abc"] == [False, True, False]


def test_an_answer_is_forgotten_when_its_time_is_over(clock):
    cache = ResponseCache(2, 300, clock)
    cache.put(key("a"), answer("A"), 0)
    clock.seconds = 299.9
    assert cache.get(key("a"))
    clock.seconds = 300.0
    assert cache.get(key("a")) is None


def test_a_write_drops_the_owners_answers_from_its_domain_and_nothing_else(clock):
    cache = ResponseCache(9, 300, clock)
    cache.put(key("mail"), answer("A", "gmail"), 0)
    cache.put(key("both"), answer("B", "gmail", "calendar"), 0)
    cache.put(key("days"), answer("C", "calendar"), 0)
    cache.put(key("mail", account="b"), answer("D", "gmail"), 0)
    cache.put(key("mail", user="eve"), answer("E", "gmail"), 0)
    cache.drop("sam", "a", "gmail")
    left = [cache.get(one) is not None for one in (key("mail"), key("both"), key("days"))]
    assert left == [False, False, True]
    assert cache.get(key("mail", account="b")) and cache.get(key("mail", user="eve"))


def test_what_was_read_before_a_write_is_not_remembered_after_it(clock):
    cache = ResponseCache(9, 300, clock)
    began = cache.mark()
    cache.drop("sam", "a", "gmail")
    cache.put(key("mail"), answer("old", "gmail"), began)
    cache.put(key("days"), answer("fine", "calendar"), began)
    assert (cache.get(key("mail")), cache.get(key("days")).answer) == (None, "fine")
    cache.put(key("mail"), answer("new", "gmail"), cache.mark())
    assert cache.get(key("mail")).answer == "new"


def test_asking_twice_is_answered_from_memory_and_says_so(app):
    first = app.ask("look_mail unread")
    second = app.ask("  LOOK_mail   unread ")
    assert (second["response"], second["status"], second["route"]) == (first["response"], "done", "cache")
    assert (first["cached"], second["cached"], second["cost_usd"]) == (False, True, "0")
    assert (second["saved_usd"], second["usage"]["requests"], second["tool_calls"]) == ("0", 0, [])
    assert len(app.tools.calls) == 1
    assert kinds(app, second) == ["started", "routed", "delta", "finished"]
    assert sum(phase["ns"] for phase in second["phases"]) == second["wall_ns"]
    assert {phase["phase"] for phase in second["phases"]} >= {"cache_lookup", "persist"}
    assert lookup(app, first) == {"glassdesk.cache.hit": False, "glassdesk.cache.fresh": False}
    used = first["usage"]["input_tokens"] + first["usage"]["output_tokens"]
    assert lookup(app, second) == {
        "glassdesk.cache.hit": True,
        "glassdesk.cache.fresh": False,
        "glassdesk.cache.turn.id": first["turn_id"],
        "glassdesk.cache.saved_usd": "0",
        "glassdesk.cache.saved_tokens": used,
    }


def test_asking_twice_in_a_row_in_one_conversation_is_answered_from_memory(app):
    first = app.ask("look_mail unread")
    second = app.ask("look_mail unread", first["conversation_id"])
    third = app.ask("look_mail unread", first["conversation_id"])
    assert (second["cached"], third["cached"]) == (True, True)


def test_a_question_that_leans_on_the_one_before_it_is_asked_again(app):
    first = app.ask("look_mail unread")
    second = app.ask("look_mail it", first["conversation_id"])
    third = app.ask("look_mail it", first["conversation_id"])
    assert (second["cached"], third["cached"]) == (False, False)


def test_a_follow_up_finds_what_was_shown_from_memory(app):
    app.ask("look_mail unread")
    cached = app.ask("look_mail unread")
    app.ask("hello", cached["conversation_id"])
    heard = app.brain.seen[-1]
    assert [item.get("type") or item["role"] for item in heard] == [
        "user", "function_call", "function_call_output", "assistant", "user",
    ]  # fmt: skip
    assert heard[1]["call_id"] == heard[2]["call_id"]
    assert app.conversations.exchange(SAM.id, cached["turn_id"]).domain == "gmail"


def test_nobody_gets_another_users_or_another_accounts_answer(app):
    app.ask("look_mail unread")
    assert app.ask("look_mail unread", user=EVE)["cached"] is False
    other = type(SAM)(SAM.id, SAM.name, "second@lumenworks.example", SAM.zone)
    assert app.ask("look_mail unread", user=other)["cached"] is False


def test_another_context_or_another_day_is_another_question(app, clock):
    first = app.ask("look_mail unread")
    hello = app.ask("hello")
    assert app.ask("look_mail unread", hello["conversation_id"])["cached"] is False
    clock.today = datetime(2026, 11, 30, 23, 30, tzinfo=UTC)  # tomorrow in Berlin
    assert app.ask("look_mail unread")["cached"] is False
    assert first["cached"] is False


def test_a_write_ends_what_was_remembered_of_its_domain_only(app):
    app.ask("look_mail unread")
    app.ask("look_days today")
    app.approve(app.ask("send one"))
    assert app.ask("look_mail unread")["cached"] is False
    assert app.ask("look_days today")["cached"] is True


def test_a_write_that_failed_may_have_happened_and_ends_it_too(app):
    app.ask("look_mail unread")
    app.tools.fails.add("send")
    app.approve(app.ask("send one"))
    assert app.ask("look_mail unread")["cached"] is False


def test_a_write_that_was_rejected_ends_nothing(app):
    app.ask("look_mail unread")
    waiting = app.ask("send one")
    turn = app.runtime.turn(SAM, waiting["turn_id"])
    app.runtime.decide(SAM, waiting["approvals"][0]["approval_id"], "reject")
    turn.wait(10)
    assert app.ask("look_mail unread")["cached"] is True


def test_writes_are_never_answered_from_memory(app):
    app.approvals.set_policy(SAM.id, "send", "none")
    for _ in range(2):
        assert app.ask("send one")["cached"] is False
    assert len(app.tools.calls) == 2


def test_failed_steps_and_failed_turns_are_not_remembered(app):
    app.tools.fails.add("look_mail")
    app.ask("look_mail unread")
    app.tools.fails.clear()
    assert app.ask("look_mail unread")["cached"] is False
    app.brain.script = lambda question, done: []
    app.ask("nothing")
    app.brain.script = lambda question, done: [Say("now")]
    assert app.ask("nothing")["response"] == "now"


def test_what_is_written_while_it_is_read_is_not_remembered(app):
    app.tools.during = lambda _: app.cache.drop(SAM.id, SAM.account, "gmail")
    app.ask("look_mail unread")
    app.ask("look_days today")
    app.tools.during = lambda _: None
    assert app.ask("look_mail unread")["cached"] is False
    assert app.ask("look_days today")["cached"] is True


def test_asking_afresh_asks_again_and_remembers_the_new_answer(app):
    first = app.ask("look_mail unread")
    app.brain.script = lambda question, done: [Say("new")] if done else [Call("look_mail", {"text": "x"})]
    fresh = app.ask("look_mail unread", fresh=True)
    assert (fresh["cached"], fresh["response"]) == (False, "new")
    assert app.ask("look_mail unread")["response"] == "new"
    app.brain.script = lambda question, done: [Say("newest")]
    again = app.runtime.regenerate(SAM, first["turn_id"]).wait(10)
    assert (again["cached"], again["response"]) == (False, "newest")


def test_without_a_cache_nothing_is_looked_up(tmp_path):
    with toy(tmp_path) as app:
        app.ask("look_mail unread")
        second = app.ask("look_mail unread")
        assert second["cached"] is False
        assert "cache.lookup" not in [span.name for span in app.glass.spans(SAM.id, second["turn_id"])]


def test_only_white_space_and_case_make_no_difference():
    assert normal(" Straße \n 製品 ") == normal("STRASSE 製品")
    assert normal("mail from Ana") != normal("mail from Anna")
