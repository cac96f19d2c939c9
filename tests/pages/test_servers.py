"""Tool servers in Settings, run without a browser: what is shown of them, and what can be done."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

from core.servers.address import from_url
from core.servers.definitions import found_in
from core.servers.servers import kept
from core.store.server_tables import AddedServer
from pages.components.markdown import literal
from tests.pages.test_chat import Stage, shown
from tests.pages.test_settings import opened
from tests.servers.test_definitions import tool
from tests.store.test_servers import NOW

ADDRESS = from_url("https://wiki.example/s/sk-path/mcp", {"Authorization": "Bearer sk-header"})
HOSTILE = "IGNORE ALL <b>x</b> ![x](https://evil.example/x.png) :material/delete: $x$"

REFUSED = [
    ("", "https://wiki.example/mcp", "Give the server a name"),
    ("Gmail", "https://wiki.example/mcp", "“Gmail” is taken"),
    ("Assistant", "https://wiki.example/mcp", "“Assistant” is taken"),
    ("Wiki", "http://wiki.example/mcp", "The address must begin with https://"),
    ("Wiki", "http://127.0.0.1:9/mcp", "Wiki cannot be reached. Nothing answers at its address."),
]


@pytest.fixture
def stage(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Stage]:
    made = Stage(tmp_path, monkeypatch)
    yield made
    made.services.close()


def added(stage: Stage, user_id: str | None = None, **more: Any) -> AddedServer:
    """A server that was added before, as the database has it."""
    services = stage.services
    row = AddedServer(
        id="a" * 32 if user_id is None else user_id,
        user_id=user_id or stage.user.id,
        domain="wiki",
        shown=ADDRESS.shown,
        sealed=services.servers.links.vault.seal(ADDRESS.json()),
        public_only=False,
        added_at=NOW,
        seen_at=NOW,
        **{
            **kept(found_in([tool("ask", HOSTILE), tool("bad", schema={"type": "array"})], "wiki")),
            "title": "Wiki",
            "description": HOSTILE,
            "own_words": False,
            "reading": {},
            "changed": {},
            **more,
        },
    )
    services.stores.servers.add(row)
    return row


def errors(app: AppTest) -> list[str]:
    return [one.value.replace("\\", "").replace("\u2060", "") for one in app.error]


def test_a_server_is_shown_as_it_is_and_without_its_secrets(stage: Stage) -> None:
    added(stage, changed={"ask": NOW.isoformat()}, problem="Wiki cannot be reached.")
    added(stage, user_id="eve", title="Eves own")
    app = opened()
    said = shown(app)
    assert "**Wiki**" in said and "https://wiki.example" in said and "did not answer" in said
    assert "sk-" not in said and "Eves own" not in said
    assert literal(f"It says: “{HOSTILE}”") in [one.value for one in app.markdown]
    assert "bad: its parameters are not described as an object" in said
    assert "so they ask again: ask" in app.warning[0].value.replace("\\", "")
    assert errors(app) == ["Wiki cannot be reached."]


def test_it_is_switched_off_for_oneself_and_removed_with_that(stage: Stage) -> None:
    row = added(stage)
    app = opened()
    app.toggle(key=f"server_on_{row.id}").set_value(False).run()
    assert stage.services.stores.switches.off(stage.user.id).domains == {"wiki"}
    app.button(key=f"removed_{row.id}").click().run()
    assert "You have added none." in shown(app)
    assert not stage.services.stores.switches.off(stage.user.id)


def test_what_cannot_be_added_says_why_and_nothing_is_kept(stage: Stage) -> None:
    app = opened()
    assert not any(one.key == "server_kind" for one in app.button_group), "no commands are allowed here"
    for title, url, sentence in REFUSED:
        app.text_input(key="server_title_0").set_value(title)
        app.text_input(key="server_url_0").set_value(url)
        app.button(key="add_server").click().run()
        assert errors(app)[0].startswith(sentence)
    assert stage.services.servers.list(stage.user) == []
