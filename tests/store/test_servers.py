"""The rows of added servers: each is its user's alone, and goes with what belongs to it."""

from datetime import UTC, datetime

import pytest

from core.errors import NotFound, StorageError
from core.store.forget import forget
from core.store.server_tables import AddedServer
from core.store.servers import AddedServers
from core.store.switches import Switches
from core.store.vaulted import Vaulted

NOW = datetime(2026, 11, 30, 9, tzinfo=UTC)


def row(server_id: str, user_id: str = "sam", domain: str = "wiki") -> AddedServer:
    return AddedServer(
        id=server_id,
        user_id=user_id,
        domain=domain,
        title="Wiki",
        description="Answers.",
        own_words=True,
        shown="https://wiki.example",
        sealed="sealed",
        public_only=True,
        tools=[],
        left_out={},
        reading={},
        changed={},
        added_at=NOW,
    )


@pytest.fixture
def servers(engine):
    return AddedServers(engine)


def test_two_users_may_have_the_same_and_neither_reaches_the_others(servers):
    servers.add(row("a"))
    servers.add(row("b", "eve"))
    assert [one.id for one in servers.of_user("sam")] == ["a"]
    for reach in (
        lambda: servers.get("eve", "a"),
        lambda: servers.change("eve", "a", lambda _: {"title": "Mine"}),
        lambda: servers.remove("eve", "a", []),
    ):
        with pytest.raises(NotFound):
            reach()
    assert servers.get("sam", "a").title == "Wiki"


def test_a_user_has_a_domain_once(servers):
    servers.add(row("a"))
    with pytest.raises(StorageError):
        servers.add(row("b"))


def test_a_change_is_counted_and_no_change_is_not(servers):
    servers.add(row("a"))
    assert servers.change("sam", "a", lambda _: {"title": "Wiki"}).version == 1
    assert servers.change("sam", "a", lambda kept: {"reading": {**kept.reading, "ask": "1"}}).version == 2
    assert servers.get("sam", "a").reading == {"ask": "1"}


def test_what_belongs_to_it_goes_with_it(servers, engine):
    switches = Switches(engine)
    servers.add(row("a"))
    for user_id in ("sam", "eve"):
        switches.set(user_id, "agent", "wiki", on=False)
        switches.set(user_id, "tool", "wiki__ask", on=False)
    switches.set("sam", "agent", "gmail", on=False)
    servers.remove("sam", "a", ["wiki__ask"])
    assert servers.of_user("sam") == []
    assert (switches.off("sam").domains, switches.off("sam").tools) == ({"gmail"}, set())
    assert switches.off("eve").tools == {"wiki__ask"}


def test_a_user_who_is_forgotten_leaves_none(servers, engine):
    servers.add(row("a"))
    forget(engine, "sam")
    assert servers.of_user("sam") == []


def test_another_key_of_the_vault_seals_them_anew(servers, engine):
    servers.add(row("a"))
    assert Vaulted(engine).reseal(str.upper) == 1
    assert servers.get("sam", "a").sealed == "SEALED"
