"""The list of conversations, run without a browser: search, rename, delete and undo, export."""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from pages.components.conversation_menu import exported, file_name
from pages.components.found import marked
from pages.components.page import Page
from tests.pages.test_chat import Stage, shown


@pytest.fixture
def stage(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Stage]:
    made = Stage(tmp_path, monkeypatch)
    yield made
    made.services.close()


def buttons(app: AppTest) -> list[str]:
    return [button.label.replace("\\", "") for button in app.button]


def opened_menu(app: AppTest, conversation_id: str) -> AppTest:
    app.session_state[f"menu_{conversation_id}"] = True
    return app.run()


def test_a_search_finds_words_of_answers_and_says_where(stage: Stage) -> None:
    stage.said("What does Ana want?", "done", "She asks about the invoice 2041 for lamps.")
    stage.said("When is lunch?", "done", "At noon.")
    app = stage.open()
    app.text_input(key="search_conversations").set_value("invoice").run()
    assert "What does Ana want?" in buttons(app) and "When is lunch?" not in buttons(app)
    assert "She asks about the :primary[invoice] 2041 for lamps." in shown(app)
    app.text_input(key="search_conversations").set_value("nowhere").run()
    assert "Nothing found" in shown(app)
    app.text_input(key="search_conversations").set_value("").run()
    assert "When is lunch?" in buttons(app)


def test_a_conversation_gets_another_title_and_an_empty_one_is_refused(stage: Stage) -> None:
    number = stage.said("What does Ana want?", "done", "Money.")
    app = opened_menu(stage.open(), number)
    app.text_input(key=f"title_{number}").set_value("The *invoice*").run()
    assert "The *invoice*" in buttons(app)
    app.text_input(key=f"title_{number}").set_value("  ").run()
    assert stage.services.conversations.get(stage.user.id, number).title == "The *invoice*"


def test_a_deleted_conversation_leaves_the_list_and_comes_back(stage: Stage) -> None:
    number = stage.said("What does Ana want?", "done", "Money.")
    app = opened_menu(stage.open(c=number), number)
    app.button(key=f"delete_{number}").click().run()
    assert "What does Ana want?" not in buttons(app)
    assert "Deleted “What does Ana want?”" in shown(app)
    assert not stage.services.conversations.list(stage.user.id)
    app.button(key="undo_delete").click().run()
    assert [one.id for one in stage.services.conversations.list(stage.user.id)] == [number]
    assert "Deleted" not in shown(app)


def test_a_conversation_is_exported_whole(stage: Stage) -> None:
    app = stage.ask(stage.open(), "Show my unread emails")
    page = Page(stage.services, stage.user)  # type: ignore[arg-type]
    number = app.query_params["c"][0] if isinstance(app.query_params["c"], list) else app.query_params["c"]
    told = json.loads(exported(page, number, "json"))
    assert told["turns"][0]["question"] == "Show my unread emails"
    assert told["turns"][0]["numbers"]["status"] == "done"
    assert "> Show my unread emails" in exported(page, number, "md")


def test_a_file_is_named_after_the_title() -> None:
    assert file_name("Re: “Lamps” / 製品?") == "Re Lamps  製品"
    assert file_name("???") == "conversation"


def test_what_was_found_is_marked_and_nothing_in_it_acts() -> None:
    assert marked("a **b** in voice", ((2, 7), (11, 13))) == "a :primary[\\*\\*b\\*\\*] in :primary[vo]ice"
