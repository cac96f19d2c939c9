from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from starlette.applications import Starlette
from starlette.routing import Route
from starlette.testclient import TestClient

from core.api import caller
from core.api.turns import turns
from core.users import Role
from telemetry.queries import Glass
from telemetry.store import Store
from tests.telemetry.worlds import MS, NOON, World, approved, direct, failed


@pytest.fixture
def world(tmp_path: Path) -> World:
    return World(Store(f"sqlite:///{tmp_path / 'telemetry.db'}"))


@pytest.fixture
def client(world: World, monkeypatch: pytest.MonkeyPatch) -> Iterator[TestClient]:
    services = SimpleNamespace(glass=Glass(world.store), telemetry=SimpleNamespace(store=world.store))
    user = SimpleNamespace(id="local", administers=False, role=Role.PERSON)
    monkeypatch.setattr(caller, "host", lambda: SimpleNamespace(ready=lambda: services, front=lambda: services))
    monkeypatch.setattr(caller, "reader_of", lambda *_: SimpleNamespace(user=user, services=services))
    with TestClient(Starlette(routes=[Route("/api/turns", turns)])) as opened:
        yield opened


def found(client: TestClient, **query: Any) -> list[str]:
    answer = client.get("/api/turns", params=query)
    assert answer.status_code == 200, answer.text
    return [turn["turn_id"] for turn in answer.json()["turns"]]


def test_the_query_line_of_the_page_narrows_the_turns(client: TestClient, world: World) -> None:
    sketches = (direct(), failed(), approved())
    ids = [world.add(sketch, NOON + age * MS, conversation=f"c{age}") for age, sketch in enumerate(sketches)]
    world.add(failed(), NOON, user_id="ana")
    assert found(client, q="level:error") == [ids[1]]
    assert found(client, q="-status:failed") == [ids[2], ids[0]]
    assert found(client, q="-status:failed", limit=1) == [ids[2]]
    assert found(client, q="-status:failed", before=ids[2]) == [ids[0]]
    assert found(client, q="-status:failed", before="unknown") == []
    assert found(client, q="agent:Gmail", conversation_id="c1") == [ids[1]]
    assert found(client, q=" ") == ids[::-1]


@pytest.mark.parametrize(
    ("line", "says"),
    [
        ("level:bad", "q: Character 7: level: takes one of error, warning, ok, not bad."),
        ("user:ana", "q: Character 1: Only administrators may ask for other people's turns. Leave user: out."),
    ],
)
def test_a_wrong_line_is_a_sentence_that_names_the_character(client: TestClient, line: str, says: str) -> None:
    answer = client.get("/api/turns", params={"q": line})
    assert answer.status_code == 400
    assert answer.json()["error"] == {"code": "bad_input", "message": says}
