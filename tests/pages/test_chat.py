"""Chat, run without a browser: what it shows of a conversation, and what it does with a question."""

import threading
from collections.abc import Callable, Iterable, Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

from core.errors import StorageError
from core.runtime.events import EventLog, EventType
from core.store.conversations import Outcome
from core.store.tables import Conversation
from core.store.uploads import Upload
from core.users import User, local_user
from pages.components.asking import INPUT
from pages.components.live_turn import texts
from pages.components.messages import numbers
from pages.components.sidebar import grouped
from pages.components.steps import tool_details, tool_line
from pages.components.welcome import greeting
from telemetry.tables import Turn as TurnRow
from tests.pages.stage import Act, Fail, Restart, Say, Use, Wait, services

MAIN = Path(__file__).resolve().parents[2] / "pages" / "main.py"
SEARCH = Use("search_gmail_messages", {"query": "is:unread"}, "4 messages")


class Stage:
    """The app with an assistant that follows a script."""

    def __init__(self, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        self.acts: Iterable[Act] = [SEARCH, Say("You have "), Say("4 unread mails for $5 or $6.")]
        self.services = services(folder, lambda question: self.acts)
        self.user = local_user(self.services.settings)
        host = SimpleNamespace(ready=lambda: self.services, wait=lambda: self.services)
        monkeypatch.setattr("pages.components.page.host", lambda: host)

    def open(self, **query: str) -> AppTest:
        app = AppTest.from_file(MAIN, default_timeout=20)
        for key, value in query.items():
            app.query_params[key] = value
        app.run()
        assert not app.exception
        return app

    def ask(self, app: AppTest, question: str) -> AppTest:
        app.chat_input(key=INPUT).set_value(question).run()
        assert not app.exception
        return app

    def said(self, question: str, status: str, answer: str = "", error: str | None = None) -> str:
        """Keep an exchange as a turn would; returns its conversation."""
        number = f"{len(self.services.conversations.list(self.user.id)):032x}"
        self.services.conversations.begin(self.user.id, number, number, question)
        if status != "running":
            outcome = Outcome(status, answer, error)  # type: ignore[arg-type]
            self.services.conversations.finish(self.user.id, number, outcome)
        return number


@pytest.fixture
def stage(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Stage]:
    made = Stage(tmp_path, monkeypatch)
    yield made
    made.services.close()


def shown(app: AppTest) -> str:
    """All text of the page, as a person reads it."""
    elements = (*app.markdown, *app.caption, *app.text, *app.error, *app.warning, *app.info, *app.header)
    return "\n".join(element.value for element in elements).replace("\\", "")


def labels(app: AppTest) -> list[str]:
    return [expander.label for expander in app.expander]


def test_an_empty_chat_says_who_answers_and_what_to_ask(stage: Stage) -> None:
    app = stage.open()
    assert "Sandbox Workspace · offline assistant, no language model" in shown(app)
    assert app.header[0].value.startswith("Good ")
    assert "Show my unread emails" in [button.label for button in app.button]


def test_the_model_and_where_it_runs_are_named(tmp_path: Path, stage: Stage) -> None:
    named = {"model": "qwen3:8b", "model_base_url": "http://127.0.0.1:11434/v1"}
    stage.services.settings = stage.services.settings.model_copy(
        update=named | {"model_base_url": SimpleNamespace(host="127.0.0.1")}
    )
    assert "Sandbox Workspace · qwen3:8b at 127.0.0.1" in shown(stage.open())


def test_a_question_is_answered_with_its_steps_and_its_numbers(stage: Stage) -> None:
    app = stage.ask(stage.open(), "Show my unread emails")
    assert [message.name for message in app.chat_message] == ["user", "assistant"]
    assert app.text[0].value == "Show my unread emails"
    assert "You have 4 unread mails for $5 or $6." in shown(app)
    assert labels(app) == [
        "Gmail · 1 tool",
        "Routed to Gmail",
        "search\\_gmail\\_messages `is:unread` · 31 ms · 4 messages",
    ]
    (turn,) = stage.services.glass.turns(stage.user.id)
    assert app.page_link[0].proto.query_string == f"turn={turn.turn_id}"
    assert app.query_params["c"] == turn.conversation_id
    assert not app.chat_input[0].disabled


def test_a_suggestion_is_a_question(stage: Stage) -> None:
    app = stage.open()
    app.button(key="suggestion_Show my unread emails").click().run()
    assert app.text[0].value == "Show my unread emails"
    assert "unread mails" in shown(app)


def test_a_question_that_is_refused_goes_back_into_the_input(stage: Stage) -> None:
    app = stage.ask(stage.open(), "x" * 40_000)
    assert "That is 40,000 characters" in shown(app)
    assert app.chat_input[0].proto.value == "x" * 40_000
    assert not app.chat_message
    stage.ask(app, "Show my unread emails")
    assert not app.warning


def test_a_failed_answer_keeps_its_words_says_why_and_can_be_asked_again(stage: Stage) -> None:
    stage.acts = [Say("Here is "), Fail("The key is not accepted. Check it, then ask again.")]
    app = stage.ask(stage.open(), "Show my unread emails")
    assert "Here is" in shown(app)
    assert "The key is not accepted. Check it, then ask again." in shown(app)
    stage.acts = [Say("All fine now.")]
    next(button for button in app.button if button.label == "Ask again").click().run()
    assert [text.value for text in app.text] == ["Show my unread emails"]
    assert "All fine now." in shown(app) and "The key is not accepted" not in shown(app)


def test_an_answer_is_given_anew_in_the_place_of_the_old_one(stage: Stage) -> None:
    app = stage.ask(stage.open(), "Show my unread emails")
    stage.acts = [Say("Another answer.")]
    next(button for button in app.button if button.label == ":small[Again]").click().run()
    assert [text.value for text in app.text] == ["Show my unread emails"]
    assert "Another answer." in shown(app) and "4 unread mails" not in shown(app)


def test_the_last_question_is_asked_in_other_words(stage: Stage) -> None:
    app = stage.ask(stage.ask(stage.open(), "First question"), "Show my unraed emails")
    assert [button.label for button in app.button].count(":small[Edit question]") == 1
    next(button for button in app.button if button.label == ":small[Edit question]").click().run()
    app.text_area[0].set_value("Show my unread emails").run()
    app.button(key="ask_edited").click().run()
    assert [text.value for text in app.text] == ["First question", "Show my unread emails"]
    assert not app.text_area


def test_a_thumb_and_a_note_are_kept_shown_and_taken_back(stage: Stage) -> None:
    app = stage.ask(stage.open(), "Show my unread emails")
    (turn,) = stage.services.glass.turns(stage.user.id)
    app.feedback[0].set_value(1).run()
    app.text_area(key=f"note_{turn.turn_id}").set_value("Quick.").run()
    kept = stage.services.stores.feedbacks.of_conversation(stage.user.id, turn.conversation_id)[turn.turn_id]
    assert (kept.thumb, kept.note) == ("up", "Quick.")
    view = AppTest.from_file(MAIN, default_timeout=20).switch_page("latency.py")
    view.query_params["turn"] = turn.turn_id
    assert "You rated this answer: “Quick.”" in shown(view.run())


def test_a_question_is_shown_with_its_files(stage: Stage) -> None:
    upload = Upload("plan.txt", "text/plain", b"Lamps first.")
    turn = stage.services.runtime.start(stage.user, "Read this", files=[upload])
    turn.wait(10)
    assert "plan.txt · 12 bytes" in shown(stage.open(c=turn.conversation_id))


@pytest.mark.parametrize(
    ("status", "sentence"), [("stopped", "You stopped this answer"), ("running", "was stopped while")]
)
def test_an_answer_that_was_cut_short_says_so(stage: Stage, status: str, sentence: str) -> None:
    app = stage.open(c=stage.said("Show my unread emails", status, "You have"))
    assert sentence in shown(app)
    assert "Ask again" in [button.label for button in app.button]


def test_an_answer_says_for_ever_that_the_model_heard_a_shortened_conversation(stage: Stage) -> None:
    number = stage.said("And the labels?", "running")
    outcome = Outcome("done", "Two.", domain="gmail", shortened={"turns": 9, "kept": 1})
    stage.services.conversations.finish(stage.user.id, number, outcome)
    assert "This conversation was shortened for the model: 1 turn of 9 came whole." in shown(stage.open(c=number))


def test_a_running_turn_is_followed_from_its_beginning_and_the_page_ends_with_what_is_kept(stage: Stage) -> None:
    go_on = threading.Event()
    stage.acts = [Say("Not this. "), Restart(), SEARCH, Say("first "), Wait(go_on), Say("last")]
    turn = stage.services.runtime.start(stage.user, "Show my unread emails")
    threading.Timer(0.3, go_on.set).start()
    app = stage.open(c=turn.conversation_id)
    assert "first last" in shown(app)
    assert "Not this" not in shown(app)
    assert not [button for button in app.button if button.label == "Stop"]


def test_a_turn_that_could_not_be_kept_shows_all_the_same(stage: Stage, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_: object) -> None:
        raise StorageError("The disk is full. Free some space.")

    monkeypatch.setattr(stage.services.conversations, "finish", full)
    app = stage.ask(stage.open(), "Show my unread emails")
    assert "You have 4 unread mails" in shown(app)
    assert "The disk is full. Free some space." in shown(app)


def test_a_conversation_of_somebody_else_is_not_opened(stage: Stage) -> None:
    stage.services.conversations.begin("somebody", "secret", "1" * 32, "What is my salary?")
    app = stage.open(c="secret")
    assert "There is no such conversation" in shown(app)
    assert "salary" not in shown(app)
    assert "c" not in app.query_params


def test_a_long_conversation_opens_at_its_end(stage: Stage) -> None:
    for number in range(25):
        stage.services.conversations.begin(stage.user.id, "long", f"{number:032x}", f"Question {number}")
        stage.services.conversations.finish(stage.user.id, f"{number:032x}", Outcome("done", f"Answer {number}"))
    app = stage.open(c="long")
    assert [text.value for text in app.text] == [f"Question {number}" for number in range(5, 25)]
    next(button for button in app.button if button.label == "Show earlier").click().run()
    assert app.text[0].value == "Question 0"


def test_a_title_is_shown_to_the_letter(stage: Stage) -> None:
    stage.said("**Buy** :red[now] for $5 or $6", "done", "No.")
    app = stage.open()
    assert "\\*\\*Buy\\*\\* \\:red\\[now\\] for \\$5 or \\$6" in [button.label for button in app.button]


def test_text_is_drawn_in_batches_and_a_restart_clears_it() -> None:
    log = EventLog()
    for type_, data in [
        (EventType.DELTA, {"text": "wrong"}),
        (EventType.RESTART, {}),
        *((EventType.DELTA, {"text": f"{number} "}) for number in range(100)),
        (EventType.FINISHED, {}),
    ]:
        log.append(type_, **data)

    def hear(event: Any, text: str) -> str:
        return "" if event.type is EventType.RESTART else text + event.data.get("text", "")

    drawn = list(texts(SimpleNamespace(log=log), SimpleNamespace(hear=hear)))  # type: ignore[arg-type]
    assert drawn[-1] == "".join(f"{number} " for number in range(100))
    assert len(drawn) < 20


@pytest.mark.parametrize(
    ("change", "line"),
    [
        ({}, "1.80 s · first word 600 ms · 1 tool · 1,240 tokens · $0.00040"),
        ({"estimated": True, "cost_pico_usd": 0}, "1.80 s · first word 600 ms · 1 tool · about 1,240 tokens · no cost"),
        ({"output_tokens": None}, "1.80 s · first word 600 ms · 1 tool · tokens unknown · $0.00040"),
        ({"cost_pico_usd": None, "unpriced": 2}, "1.80 s · first word 600 ms · 1 tool · 1,240 tokens · unpriced"),
        ({"first_token_ns": None, "tools": 0, "requests": 0}, "1.80 s"),
        ({"cached": True, "tools": 0, "requests": 0}, "1.80 s · first word 600 ms · cached · no cost"),
        (
            {"cached": True, "tools": 0, "requests": 0, "saved_pico_usd": 400_000_000},
            "1.80 s · first word 600 ms · cached · saved $0.00040",
        ),
        (
            {"phases": {"approval_wait": 1_500_000_000}, "first_token_ns": 200_000_000},
            "300 ms · waited for you 1.50 s · first word 200 ms · 1 tool · 1,240 tokens · $0.00040",
        ),
        ({"wall_ns": None, "tools": 2}, "first word 600 ms · 2 tools · 1,240 tokens · $0.00040"),
    ],
)
def test_the_quiet_line_says_what_is_known_and_no_more(change: dict[str, Any], line: str) -> None:
    known = {
        "wall_ns": 1_800_000_000,
        "first_token_ns": 600_000_000,
        "tools": 1,
        "requests": 2,
        "input_tokens": 1000,
        "output_tokens": 240,
        "cost_pico_usd": 400_000_000,
    }
    turn = TurnRow(turn_id="1", user_id="local", conversation_id="1", status="done", start_ns=0, **(known | change))
    assert numbers(turn).replace("\\", "") == line


@pytest.mark.parametrize(
    ("step", "line"),
    [
        ({"tool": "list_events", "arguments": {}}, "list\\_events"),
        ({"tool": "get", "arguments": {"n": 3, "id": "a`b"}, "ns": 31_000_000}, "get ``a`b`` · 31 ms"),
        ({"tool": "get", "ns": 5, "status": "error", "summary": "No such mail"}, "get · <0\\.01 ms · failed"),
        ({"tool": "get", "ns": 31_000_000, "summary": "$1 and $2"}, "get · 31 ms · \\$1 and \\$2"),
    ],
)
def test_a_step_names_the_tool_what_it_was_asked_and_what_it_found(step: dict[str, Any], line: str) -> None:
    assert tool_line(step).replace("<0.01", "<0\\.01") == line


def test_the_details_of_a_step_hold_all_arguments_and_the_error() -> None:
    step = {"tool": "get", "arguments": {"id": "m1", "full": True}, "status": "error", "summary": "Not found."}
    assert tool_details(step) == "id `m1`  \nfull `True`  \nNot found\\."


def test_conversations_are_grouped_by_the_days_of_the_user(stage: Stage) -> None:
    now = datetime(2026, 11, 30, 23, 30, tzinfo=UTC)  # already 1 December in Berlin
    ages = [timedelta(0), timedelta(hours=2), timedelta(hours=26), timedelta(days=40)]
    kept = [Conversation(id=str(age), user_id="local", title="", created_at=now, updated_at=now - age) for age in ages]
    page: Callable[..., Any] = SimpleNamespace(user=User("local", "Sam", "", stage.user.zone))  # type: ignore[assignment]
    groups = grouped(page, kept, now.astimezone(stage.user.zone).date())  # type: ignore[arg-type]
    assert [(name, len(group)) for name, group in groups] == [("Today", 1), ("Yesterday", 1), ("Earlier", 2)]


@pytest.mark.parametrize(("hour", "words"), [(4, "evening"), (5, "morning"), (12, "afternoon"), (18, "evening")])
def test_the_greeting_fits_the_hour(hour: int, words: str) -> None:
    assert greeting(hour) == f"Good {words}"
