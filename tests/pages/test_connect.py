"""Connect, run without a browser: services and accounts as they stand, what is lacking, switches, and the way out."""

import re
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

from core.google.oauth import Tokens, Unreached
from core.google.workspace import SANDBOX_CLIENT
from core.settings import Workspace
from core.users import SANDBOX_ACCOUNT as SAM
from core.users import SANDBOX_ACCOUNTS, Role
from pages.components.connect_accounts import DONE, STUCK
from pages.components.leaving import LEAVING
from tests.pages.test_chat import MAIN, Stage, shown

ANA = SANDBOX_ACCOUNTS[1]
CALENDAR_READ = "See your calendars, their events and when you are free."


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Stage]:
    with pytest.MonkeyPatch.context() as patch:
        found = Stage(tmp_path_factory.mktemp("connect"), patch)
        yield found
        found.services.close()


@pytest.fixture
def stage(made: Stage) -> Iterator[Stage]:
    """All is connected and nothing switched off; a test may change that."""
    accounts, user = made.services.accounts, made.user
    accounts.list(user)
    for row in accounts.connections.of_user(user.id):
        accounts.connections.remove(user.id, row.email)
    grant(made, *accounts.scopes.all())
    yield made
    made.services.stores.switches.set(user.id, "tool", "create_event", True)
    made.services.stores.switches.set(user.id, "agent", "calendar", True)


def opened(**query: str) -> AppTest:
    app = AppTest.from_file(MAIN, default_timeout=20).switch_page("connect.py")
    for name, value in query.items():
        app.query_params[name] = value
    app.run()
    assert not app.exception
    return app


def text(app: AppTest) -> str:
    """All that is said; badges are Markdown, too."""
    return "\n".join([shown(app), *(one.value.replace("\\", "") for one in app.success)])


def keys(app: AppTest) -> set[str]:
    return {str(button.key) for button in app.button}


def grant(stage: Stage, *scopes: str, email: str = SAM) -> None:
    """Let an account have some permissions and no others."""
    accounts, user = stage.services.accounts, stage.user
    accounts.connections.remove(user.id, email)
    accounts.signins.drop(user.id, email)
    urls = accounts.scopes.urls(scopes)
    lent = stage.services.sandbox.office.lend(SANDBOX_CLIENT.id, email, urls)
    accounts.connecting.store(user.id, email, SANDBOX_CLIENT, Tokens(lent.access, 3600, lent.refresh, urls), ())


def ailing(stage: Stage, reason: str = "Google no longer accepts the sign-in.") -> None:
    stage.services.accounts.connections.change(stage.user.id, SAM, state="needs_attention", reason=reason)


def test_each_service_says_what_it_may_do_since_when_and_with_which_account(stage: Stage) -> None:
    app = opened()
    said = text(app)
    assert "Sandbox" in said and "**Google Slides**" in said
    assert f"Reads, and changes after your yes · {SAM} · since" in said
    assert f":green[:material/check:] {CALENDAR_READ}" in said
    assert "need a permission" not in said
    assert not [key for key in keys(app) if key.startswith("grant_")]
    assert not [link for link in app.page_link if "attention" in link.label or "No Google" in link.label]


def test_reading_alone_is_no_lack_and_changes_can_be_allowed(stage: Stage) -> None:
    grant(stage, "calendar.readonly")
    app = opened()
    said = text(app)
    assert "Reads only" in said and "need a permission" not in said
    assert {"grant_calendar_write", "grant_gmail_read", "grant_gmail_write"} <= keys(app)
    assert "test_gmail" not in keys(app) and "test_calendar" in keys(app)


def test_exactly_the_tools_that_lack_a_permission_are_named(stage: Stage) -> None:
    grant(stage, "calendar.events")
    app = opened()
    (line,) = [one.value.replace("\\", "") for one in app.markdown if "need a permission" in one.value]
    titles = {tool.title: tool.reads for tool in stage.services.catalogue.domains["calendar"].tools}
    assert {title for title in titles if f"**{title}**" in line} == {title for title, reads in titles.items() if reads}
    assert line.endswith(f"need a permission that was not given: {CALENDAR_READ}")
    assert app.button(key="grant_calendar_write").label == "Allow the rest"


def test_a_button_leads_to_google_and_back(stage: Stage) -> None:
    grant(stage, "gmail.readonly")
    app = opened()
    app.button(key="grant_calendar_read").click().run()
    (link,) = [one for one in app.get("link_button") if one.proto.label == "Go there"]
    assert link.proto.url.startswith("http://127.0.0.1:8501/sandbox/oauth/authorize?")
    assert "calendar.readonly" in link.proto.url and "login_hint=sam" in link.proto.url
    assert LEAVING not in app.session_state
    assert not app.run().get("link_button")


@pytest.mark.parametrize(
    ("word", "kind", "says"),
    [
        ("ok", "success", f"Gmail is connected for {SAM}."),
        ("denied", "info", "nothing was changed"),
        ("other", "error", "another account"),
    ],
)
def test_what_came_of_it_is_said_once(stage: Stage, word: str, kind: str, says: str) -> None:
    app = opened(connect=word, service="gmail", access="read")
    assert says in "".join(one.value.replace("\\", "") for one in app.get(kind))
    assert not {"connect", "service", "access"} & set(app.query_params)
    assert not [one for one in app.run().get(kind) if says in one.value.replace("\\", "")]


def test_an_unknown_word_in_the_address_says_nothing(stage: Stage) -> None:
    app = opened(connect="<b>owned</b>", service="gmail", access="read")
    assert "owned" not in text(app) and "connect" not in app.query_params


def test_who_unticked_a_permission_is_told_which_tools_lack_it(stage: Stage) -> None:
    grant(stage, "calendar.readonly")
    (warning,) = opened(connect="some", service="calendar", access="write").warning
    writes = [tool.title for tool in stage.services.catalogue.domains["calendar"].tools if not tool.reads]
    assert all(f"**{title}**" in warning.value.replace("\\", "") for title in writes)
    assert "Make, change and delete events" in warning.value.replace("\\", "")
    (warning,) = opened(connect="some", service="calendar", access="read").warning
    assert "**" not in warning.value


def test_what_needs_attention_says_why_with_one_button_and_a_dot_in_the_sidebar(stage: Stage) -> None:
    ailing(stage)
    app = opened()
    assert "Google no longer accepts the sign-in." in text(app)
    assert app.button(key=f"again_{SAM}").label == "Connect again"
    assert [link.label for link in app.page_link] == [":orange[●] :small[Google needs your attention]"]
    app.button(key=f"again_{SAM}").click().run()
    assert app.get("link_button")


def test_disconnecting_all_is_said_and_leaves_nothing_but_ways_to_connect(stage: Stage) -> None:
    app = opened()
    app.button(key=f"disconnect_{SAM}").click().run()
    assert "Google has taken back all permissions" in text(app)
    assert not stage.services.accounts.list(stage.user)
    assert {f"grant_{name}_read" for name in stage.services.accounts.scopes.services} <= keys(app)
    assert [link.label for link in app.page_link] == [":orange[●] :small[No Google account is connected]"]
    assert DONE not in app.session_state


def test_disconnecting_one_service_goes_on_to_allow_the_others(stage: Stage) -> None:
    app = opened()
    assert "asks you to allow the others again: Google Calendar, Google Drive" in text(app)
    app.button(key="disconnect_gmail").click().run()
    (link,) = [one for one in app.get("link_button") if one.proto.label == "Go there"]
    assert "gmail" not in link.proto.url and "calendar.readonly" in link.proto.url
    assert "Google takes back all permissions of an account at once" in text(app)


def test_what_google_cannot_be_told_can_be_removed_here_only(stage: Stage, monkeypatch: pytest.MonkeyPatch) -> None:
    app = opened()

    def unreached(token: str) -> bool:
        raise Unreached("Google cannot be reached.")

    monkeypatch.setattr(type(stage.services.accounts.oauth), "revoke", lambda _, token: unreached(token))
    app.button(key=f"disconnect_{SAM}").click().run()
    assert "Google cannot be reached." in text(app) and stage.services.accounts.list(stage.user)
    app.button(key="part_anyway").click().run()
    assert not stage.services.accounts.list(stage.user) and STUCK not in app.session_state


def test_a_service_is_tested_and_says_how_long_it_took(stage: Stage) -> None:
    app = opened()
    app.button(key="test_gmail").click().run()
    assert re.search(r"Gmail answers\. [\d.]+ m?s\b", text(app))
    accounts = stage.services.accounts
    kept = accounts.signins.kept(accounts.connections.get(stage.user.id, SAM))
    stage.services.sandbox.office.revoke(kept["refresh_token"])
    app.button(key="test_gmail").click().run()
    assert ":red[:material/error:]" in text(app) and "Gmail answers." not in text(app)


def test_a_tool_is_switched_off_for_oneself(stage: Stage) -> None:
    app = unfolded(opened())
    app.toggle(key="switch_create_event").set_value(False)
    unfolded(app)
    assert stage.services.stores.switches.off(stage.user.id).tools == {"create_event"}
    assert "6 tools, 1 switched off" in [one.label for one in app.expander]
    stage.services.switchboard.switch(stage.user, "agent", "calendar", False)
    assert unfolded(opened()).toggle(key="switch_create_event").disabled


def unfolded(app: AppTest) -> AppTest:
    """With the tools of the calendar shown."""
    app.session_state["tools_calendar"] = True
    return app.run()


def test_of_several_accounts_one_is_the_default_and_each_shows_its_services(stage: Stage) -> None:
    grant(stage, "calendar.readonly", email=ANA)
    app = opened()
    assert app.button(key=f"default_{ANA}").click().run()
    assert stage.services.accounts.acting(stage.user) == ANA
    control: Any = next(one for one in app.button_group if one.key == "connect_account")
    assert "grant_gmail_read" not in keys(app)
    control.set_value(ANA).run()
    assert "grant_gmail_read" in keys(app)


def test_the_client_is_uploaded_by_administrators_and_used_from_the_next_start_on(stage: Stage) -> None:
    app = opened()
    assert "http://127.0.0.1:8501/oauth/callback" in [one.value for one in app.code]
    app.file_uploader(key="client_file").set_value(("client_secret.json", b"{}", "application/json")).run()
    assert "lacks the client's id or secret" in text(app)
    secret = b'{"web": {"client_id": "me.apps", "client_secret": "hidden-7"}}'
    app.file_uploader(key="client_file").set_value(("client_secret.json", secret, "application/json")).run()
    assert "Start Glassdesk again to use Google" in text(app) and "hidden-7" not in str(app.main)
    app.button(key="client_gone").click().run()
    assert not stage.services.accounts.client.uploaded


def test_who_is_no_administrator_sets_up_nothing(stage: Stage, monkeypatch: pytest.MonkeyPatch) -> None:
    person = replace(stage.user, role=Role.PERSON)
    monkeypatch.setattr(type(stage.services.people), "local", lambda _: person)
    elsewhere = replace(stage.services.workspace, kind=Workspace.GOOGLE)
    monkeypatch.setattr(stage.services, "workspace", elsewhere)
    app = opened()
    assert not app.file_uploader and "Set up Google" not in [one.value for one in app.subheader]
    assert "read_only_me" not in [one.key for one in app.toggle]
    assert "Google is asked for no more" in text(app)
