"""What an answer lacked at Google, run without a browser: it is offered, and then the question can be asked again."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

from core.store.conversations import Outcome
from core.users import SANDBOX_ACCOUNT as SAM
from core.users import SANDBOX_ACCOUNTS
from tests.pages.stage import Say
from tests.pages.test_chat import Stage, shown
from tests.pages.test_connect import grant

ANA = SANDBOX_ACCOUNTS[1]


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Stage]:
    with pytest.MonkeyPatch.context() as patch:
        found = Stage(Path(tmp_path_factory.mktemp("offering")), patch)
        found.services.accounts.list(found.user)
        yield found
        found.services.close()


@pytest.fixture
def stage(made: Stage) -> Stage:
    """With nothing but Gmail, to read."""
    for row in made.services.accounts.connections.of_user(made.user.id):
        made.services.accounts.connections.remove(made.user.id, row.email)
    grant(made, "gmail.readonly")
    return made


def lacked(stage: Stage, *tools: tuple[str, str, str]) -> str:
    """A conversation whose answer lacked something; tools: name, service, access."""
    number = f"{len(stage.services.conversations.list(stage.user.id)):032x}"
    kept = stage.services.conversations
    kept.begin(stage.user.id, number, number, "When is lunch?", account=SAM)
    steps: list[dict[str, Any]] = [
        {
            "call_id": tool,
            "tool": tool,
            "agent": "Calendar",
            "arguments": {},
            "status": "error",
            "ns": 1,
            "summary": "no",
            "connect": {"service": service, "access": access, "account": SAM, "missing": [], "message": "no"},
        }
        for tool, service, access in tools
    ]
    kept.finish(stage.user.id, number, Outcome("done", "That did not work.", steps=steps))
    return number


def url(app: AppTest) -> str:
    (link,) = [one for one in app.get("link_button") if one.proto.label == "Go there"]
    return str(link.proto.url)


def test_what_is_lacking_is_offered_and_leads_back_to_the_conversation(stage: Stage) -> None:
    number = lacked(stage, ("get_events", "calendar", "read"))
    app = stage.open(c=number)
    assert "Google Calendar needs your permission: See your calendars" in shown(app)
    button = app.button(key=f"connect_calendar_{number}")
    assert button.label == "Connect Google Calendar"
    assert "calendar.readonly" in url(button.click().run()) and "calendar.events" not in url(app)
    with stage.services.stores.database.connect() as database:
        left = database.exec_driver_sql("SELECT return_to FROM google_consent").scalars().all()
    assert f"/?c={number}" in left


def test_a_write_asks_for_more_and_one_offer_stands_for_all_calls_of_a_service(stage: Stage) -> None:
    number = lacked(
        stage,
        ("get_events", "calendar", "read"),
        ("create_event", "calendar", "write"),
        ("send_gmail_message", "gmail", "write"),
    )
    app = stage.open(c=number)
    assert app.button(key=f"connect_gmail_{number}").label == "Allow this in Gmail"
    assert "calendar.events" in url(app.button(key=f"connect_calendar_{number}").click().run())


def test_once_it_is_connected_the_question_is_asked_again_with_one_click(stage: Stage) -> None:
    number = lacked(stage, ("get_events", "calendar", "read"))
    grant(stage, "gmail.readonly", "calendar.readonly")
    app = stage.open(c=number, connect="ok", service="calendar", access="read")
    assert "Google Calendar can do this now." in shown(app)
    assert set(app.query_params) == {"c"}
    stage.acts = [Say("At noon.")]
    app.button(key=f"ask_connected_{number}").click().run()
    assert "At noon." in shown(app) and "can do this now" not in shown(app)


def test_who_came_back_without_it_is_told_why_and_offered_it_again(stage: Stage) -> None:
    number = lacked(stage, ("get_events", "calendar", "read"))
    app = stage.open(c=number, connect="denied", service="calendar", access="read")
    assert "nothing was changed" in shown(app)
    assert app.button(key=f"connect_calendar_{number}")


def test_without_any_account_it_is_offered_and_the_chat_says_so(stage: Stage) -> None:
    number = lacked(stage, ("get_events", "calendar", "read"))
    stage.services.accounts.connections.remove(stage.user.id, SAM)
    stage.services.conversations.set_account(stage.user.id, number, "")
    app = stage.open(c=number)
    assert "offline assistant, no language model · no Google account" in shown(app)
    assert "login_hint" not in url(app.button(key=f"connect_calendar_{number}").click().run())


def test_of_several_accounts_one_is_chosen_for_a_conversation_and_each_answer_names_its_own(stage: Stage) -> None:
    number = lacked(stage)
    assert SAM not in shown(stage.open(c=number))
    grant(stage, "calendar.readonly", email=ANA)
    app = stage.open(c=number)
    assert f":material/account_circle: {SAM}" in shown(app)
    app.radio(key=f"acts_{SAM}").set_value(ANA).run()
    assert stage.services.accounts.acting(stage.user, number) == ANA
    assert f":material/account_circle: {SAM}" in shown(app)
    app.session_state[f"menu_{number}"] = True
    app.run().radio(key=f"acts_{number}_{ANA}").set_value(SAM).run()
    assert stage.services.accounts.acting(stage.user, number) == SAM


def test_a_new_conversation_begins_with_the_account_that_was_chosen_for_it(stage: Stage) -> None:
    grant(stage, "calendar.readonly", email=ANA)
    app = stage.open()
    app.radio(key=f"acts_{SAM}").set_value(ANA).run()
    stage.acts = [Say("Hello.")]
    app = stage.ask(app, "Hello?")
    assert stage.services.conversations.get(stage.user.id, app.query_params["c"]).account == ANA
    assert f":material/account_circle: {ANA}" in shown(app)
