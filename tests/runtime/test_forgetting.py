"""Deleting a user: whatever of theirs is kept anywhere is gone, from the files too; nobody else's is touched."""

from collections.abc import Iterator
from decimal import Decimal
from pathlib import Path

import pytest
from sqlalchemy import inspect, text

from core.bootstrap import Services
from core.errors import NotFound
from core.mcp_server.shaping.files import folder_of, save
from core.store.account_tables import GoogleConnection
from core.store.tokens import EVERY_SCOPE
from core.store.uploads import Upload
from core.users import User
from tests.people import claims
from tests.runtime.desk import services

SHARED = "team@gmail.example"
PLANTED = "zymurgyqx"
"""A word that stands nowhere but in what Eve says and gives."""


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("app")


@pytest.fixture(scope="module")
def built(folder: Path) -> Iterator[Services]:
    with services(folder, allowed="lumenworks.example", cache_entries=10) as one:
        yield one


def full(built: Services, user: User, word: str) -> None:
    """Leave something everywhere."""
    note = Upload(f"{word}.txt", "text/plain", word.encode())
    built.runtime.start(user, f"Show my unread emails about {word}", files=[note]).wait(30)
    asked = built.runtime.start(user, f'Send a mail to ana@lumenworks.example saying "{word}"').pause(30)
    assert asked["approvals"]
    rated = built.runtime.start(user, "Show my unread emails").wait(30)
    built.runtime.rate(user, rated["turn_id"], "up", word)
    built.approvals.set_policy(user.id, "modify_gmail_message_labels", "none")
    built.budgets.budgets.set(user.id, "daily", Decimal(1), "warn")
    built.tokens.make(user.id, word, EVERY_SCOPE)
    built.telemetry.flush()


def saved_for(built: Services, folder: Path, email: str) -> Path:
    """A file that was saved from a mail of an account."""
    return save(built.settings.downloads / folder_of(email) / "m1", "offer.pdf", b"%PDF")


def connected(built: Services, user: User, email: str) -> None:
    """Connect an account, without the way to Google."""
    values = {"kind": "oauth", "sealed": "", "scopes": [], "wanted": [], "state": "connected", "connected": 0}
    built.accounts.connections.keep(GoogleConnection(user_id=user.id, email=email, **values))


def rows_about(built: Services, user: User) -> list[str]:
    """The columns of either database in which the user's id stands."""
    found = []
    for engine in (built.stores.database, built.telemetry.store.engine):
        with engine.connect() as connection:
            for table in inspect(engine).get_table_names():
                for column in inspect(engine).get_columns(table):
                    query = text(f'SELECT count(*) FROM "{table}" WHERE CAST("{column["name"]}" AS TEXT) LIKE :id')
                    if connection.execute(query, {"id": f"%{user.id}%"}).scalar():
                        found.append(f"{table}.{column['name']}")
    return found


def files_with(folder: Path, word: str) -> list[str]:
    found = [path for path in folder.rglob("*") if path.is_file() and word.encode() in path.read_bytes()]
    return [path.name for path in found if not path.name.startswith("sandbox")]


def test_a_deleted_user_leaves_nothing_and_others_lose_nothing(built: Services, folder: Path) -> None:
    eve = built.people.signed_in(claims("eve@lumenworks.example"))
    ana = built.people.signed_in(claims("ana@lumenworks.example"))
    full(built, eve, PLANTED)
    full(built, ana, "quixotical")
    before = rows_about(built, ana)
    shared, own = (saved_for(built, folder, email) for email in (SHARED, "eve@gmail.example"))
    for user, emails in ((eve, (SHARED, "eve@gmail.example")), (ana, (SHARED,))):
        for email in emails:
            connected(built, user, email)
    assert {"exchange.user_id", "approval.user_id", "span.user_id", "api_token.user_id"} <= set(rows_about(built, eve))
    assert files_with(folder, PLANTED)

    built.forget(eve.id)

    assert rows_about(built, eve) == []
    assert files_with(folder, PLANTED) == []
    assert not list(folder.glob(f"uploads/*/{eve.id}"))
    assert shared.exists() and not own.exists()
    assert rows_about(built, ana) == before
    assert built.runtime.running() == 1  # Ana's card still waits
    with pytest.raises(NotFound):
        built.people.user(eve.id)


def test_who_comes_back_begins_anew(built: Services) -> None:
    bob = built.people.signed_in(claims("bob@lumenworks.example"))
    full(built, bob, PLANTED)
    built.forget(bob.id)
    again = built.people.signed_in(claims("bob@lumenworks.example"))
    assert built.conversations.list(again.id) == [] and built.tokens.of_user(again.id) == []
    assert built.runtime.start(again, "Show my unread emails").wait(30)["status"] == "done"


def test_the_local_user_can_delete_what_is_theirs(built: Services) -> None:
    sam = built.people.local()
    full(built, sam, PLANTED)
    built.forget(sam.id)
    assert built.conversations.list(sam.id) == [] and built.glass.turns(sam.id) == []
    assert built.people.local().id == sam.id
