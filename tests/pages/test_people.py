"""Tokens, people and oneself in Settings, and whose numbers a page shows, run without a browser."""

from collections.abc import Iterator
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest
from streamlit.testing.v1 import AppTest

from core.store.people import People
from core.store.tokens import Scope
from core.users import LOCAL_USER_ID, User
from telemetry.repricing import Repricing
from tests.pages.stage import Say
from tests.pages.test_chat import MAIN, Stage, shown
from tests.people import claims, rules

RULES = rules(allowed="lumenworks.example", administrators="boss@lumenworks.example")


@pytest.fixture
def stage(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Stage]:
    made = Stage(tmp_path, monkeypatch)
    made.services.people = People(made.services.stores.database, RULES)
    made.services.repricing = Repricing(made.services.telemetry.store)
    made.services.forgotten = []
    made.services.forget = made.services.forgotten.append
    yield made
    made.services.close()


@pytest.fixture
def people(stage: Stage) -> dict[str, User]:
    return {
        name: stage.services.people.signed_in(claims(f"{name}@lumenworks.example")) for name in ("ana", "boss", "eve")
    }


def opened(monkeypatch: pytest.MonkeyPatch | None = None, user: User | None = None, page: str = "settings") -> AppTest:
    """A page as the local user sees it, or somebody who has signed in."""
    if monkeypatch is not None:
        monkeypatch.setattr("pages.components.page.who_looks", lambda services: services.people.user(user.id))
    app = AppTest.from_file(MAIN, default_timeout=30).switch_page(f"{page}.py")
    app.run()
    assert not app.exception
    return app


def make(app: AppTest, name: str, *scopes: Scope) -> AppTest:
    app.text_input(key="token_name").set_value(name)
    next(one for one in app.button_group if one.key == "token_scopes").set_value(list(scopes))
    next(one for one in app.button if one.label == "Make a token").click().run()
    return app


def test_a_token_is_shown_once_then_listed_and_revoked(stage: Stage) -> None:
    app = make(opened(), "Nightly *report*", Scope.CHAT)
    (token,) = [one.value for one in app.code if one.value.startswith("gdk_")]
    assert stage.services.tokens.find(token).scopes == {Scope.CHAT}
    again = opened()
    assert not [one for one in again.code if one.value.startswith("gdk_")]
    assert token not in everything(again)
    assert "Ask and decide" in shown(again) and "last used" in shown(again)
    (row,) = stage.services.tokens.of_user(LOCAL_USER_ID)
    app.run()
    app.button(key=f"revoke_{row.id}").click().run()
    assert stage.services.tokens.find(token) is None and "You have no token." in shown(app)


def test_a_token_for_nothing_is_refused_in_a_sentence(stage: Stage) -> None:
    assert "Choose at least one" in make(opened(), "Report").error[0].value
    assert "needs a name" in make(opened(), "", Scope.CHAT).error[0].value
    assert stage.services.tokens.of_user(LOCAL_USER_ID) == []


def test_another_persons_token_cannot_be_revoked_by_its_id(stage: Stage, people: dict[str, User]) -> None:
    row, token = stage.services.tokens.make(people["ana"].id, "hers", {Scope.CHAT})
    assert f"revoke_{row.id}" not in {one.key for one in opened().button}
    assert stage.services.tokens.find(token)


def test_alone_there_is_nobody_to_administer(stage: Stage) -> None:
    assert any("Only you use this Glassdesk" in one.value for one in opened().info)


def test_only_administrators_see_the_people(
    stage: Stage, people: dict[str, User], monkeypatch: pytest.MonkeyPatch
) -> None:
    assert "People" not in {one.label for one in opened(monkeypatch, people["ana"]).tabs}
    app = opened(monkeypatch, people["boss"])
    assert "People" in {one.label for one in app.tabs}
    frame = next(one.value for one in app.dataframe if "E-mail" in one.value)
    assert list(frame["E-mail"]) == ["ana@lumenworks.example", "boss@lumenworks.example", "eve@lumenworks.example"]
    assert list(frame["Role"]) == ["Person", "Administrator", "Person"]


def test_an_administrator_sets_rights_and_shuts_people_out(
    stage: Stage, people: dict[str, User], monkeypatch: pytest.MonkeyPatch
) -> None:
    kept, eve = stage.services.people, people["eve"]
    app = opened(monkeypatch, people["boss"])
    app.selectbox(key="person").select(eve.id).run()
    app.toggle(key=f"read_only_{eve.id}").set_value(True).run()
    app.toggle(key=f"role_{eve.id}").set_value(True).run()
    assert kept.user(eve.id).read_only and kept.user(eve.id).administers
    app.toggle(key=f"disabled_{eve.id}").set_value(True).run()
    assert kept.person(eve.id).disabled_at is not None
    app.text_input(key=f"confirm_{eve.id}").set_value("eve").run()
    assert app.button(key=f"forget_{eve.id}").disabled
    app.text_input(key=f"confirm_{eve.id}").set_value("EVE@lumenworks.example").run()
    app.button(key=f"forget_{eve.id}").click().run()
    assert stage.services.forgotten == [eve.id]


def test_an_administrator_who_is_none_any_more_is_refused_at_the_click(
    stage: Stage, people: dict[str, User], monkeypatch: pytest.MonkeyPatch
) -> None:
    kept = stage.services.people
    kept.set_role(people["boss"], people["ana"].id, "administrator")
    app = opened(monkeypatch, people["ana"])
    app.selectbox(key="person").select(people["eve"].id).run()
    kept.set_role(people["boss"], people["ana"].id, "person")
    app.toggle(key=f"disabled_{people['eve'].id}").set_value(True).run()
    assert kept.person(people["eve"].id).disabled_at is None


def test_each_sets_their_own_zone_and_may_leave(
    stage: Stage, people: dict[str, User], monkeypatch: pytest.MonkeyPatch
) -> None:
    app = opened(monkeypatch, people["ana"])
    app.selectbox(key="zone").select("Asia/Tokyo").run()
    assert stage.services.people.user(people["ana"].id).zone == ZoneInfo("Asia/Tokyo")
    assert stage.services.people.user(people["eve"].id).zone == ZoneInfo("Europe/Berlin")
    app.text_input(key="confirm_me").set_value("delete").run()
    app.button(key="forget_me").click().run()
    assert stage.services.forgotten == [people["ana"].id]


def test_read_only_stands_in_the_sidebar(stage: Stage) -> None:
    app = opened()
    assert "Read-only" not in " ".join(one.value for one in app.sidebar.caption)
    app.toggle(key="read_only_me").set_value(True).run()
    app.run()
    assert "Read-only" in " ".join(one.value for one in app.sidebar.caption)


@pytest.mark.parametrize("page", ["latency", "costs", "tools"])
def test_administrators_see_everybodys_numbers_and_never_their_questions(
    tmp_path: Path, stage: Stage, people: dict[str, User], monkeypatch: pytest.MonkeyPatch, page: str
) -> None:
    stage.acts = [Say("It is late.")]
    stage.services.runtime.start(people["eve"], "When is the zymurgy parcel due?").wait(10)
    stage.services.telemetry.flush()

    app = opened(monkeypatch, people["boss"], page)
    for choice in ("all", people["eve"].id):
        app.selectbox(key="whose").select(choice).run()
        assert not app.exception
        assert app.query_params["user"] == choice
        assert "zymurgy" not in everything(app)
    if page == "latency":
        assert next(one for one in app.metric if one.label == "Turns").value == "1"

    other = opened(monkeypatch, people["ana"], page)
    other.query_params["user"] = people["eve"].id
    other.run()
    assert "whose" not in {one.key for one in other.selectbox} and "zymurgy" not in everything(other)
    if page == "latency":
        assert not other.metric


def test_with_the_setting_they_may_open_a_turn_of_somebody_else(
    stage: Stage, people: dict[str, User], monkeypatch: pytest.MonkeyPatch
) -> None:
    stage.acts = [Say("It is late.")]
    turn = stage.services.runtime.start(people["eve"], "When is the zymurgy parcel due?").wait(10)
    stage.services.telemetry.flush()
    for allowed, who, seen in ((False, "boss", False), (True, "boss", True), (True, "ana", False)):
        stage.services.settings = stage.services.settings.model_copy(update={"admins_read_content": allowed})
        app = opened(monkeypatch, people[who], "latency")
        app.query_params["turn"] = turn["turn_id"]
        app.run()
        assert ("zymurgy" in everything(app)) is seen, (allowed, who)


def everything(app: AppTest) -> str:
    """All that a page shows, its charts included."""
    drawn = "".join(str(node.proto) for node in (*app.main, *app.sidebar) if getattr(node, "proto", None))
    return drawn + str([frame.value.to_dict() for frame in app.dataframe])
