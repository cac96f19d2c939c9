"""The sandbox as a whole: one file, several processes, several days."""

import sqlite3
import subprocess
import sys
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from googleapiclient.discovery import build
from googleapiclient.errors import HttpError

from core.errors import StorageError
from core.sandbox.sandbox import Sandbox
from core.users import SANDBOX_ACCOUNT
from tests.sandbox.conftest import WEDNESDAY, calendar_of

ROOT = Path(__file__).resolve().parents[2]
OPEN_WORLD = """
import sys
from pathlib import Path
from core.sandbox.sandbox import Sandbox
from tests.sandbox.conftest import WEDNESDAY, calendar_of
world = Sandbox(Path(sys.argv[1]), "Europe/Berlin", lambda: WEDNESDAY)
world.open()
print(len(calendar_of(world).events().list(calendarId="primary", maxResults=2500).execute()["items"]))
"""


def test_processes_that_open_a_new_world_at_once_see_the_same_seed(tmp_path: Path) -> None:
    command = [sys.executable, "-c", OPEN_WORLD, str(tmp_path / "w.db")]
    processes = [subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, text=True) for _ in range(2)]
    counts = [int(process.communicate(timeout=50)[0]) for process in processes]
    assert counts[0] == counts[1] > 50
    with sqlite3.connect(tmp_path / "w.db") as connection:
        assert connection.execute("SELECT count(*), count(DISTINCT id) FROM calendar_event").fetchone()[0] > 60
        keys, groups = connection.execute(
            "SELECT count(*), count(DISTINCT seed) FROM calendar_event WHERE series_id IS NULL"
        ).fetchone()
        assert keys == groups


def test_both_apis_serve_the_seeded_account(sandbox: Sandbox) -> None:
    mail = build("gmail", "v1", http=sandbox.http(SANDBOX_ACCOUNT), cache_discovery=False, static_discovery=True)
    assert mail.users().messages().list(userId="me", q="is:unread").execute()["messages"]
    assert calendar_of(sandbox).calendarList().list().execute()["items"]


@pytest.mark.parametrize("account", ["", "stranger@lumenworks.example"])
def test_an_unknown_account_is_unauthorized(sandbox: Sandbox, account: str) -> None:
    with pytest.raises(HttpError) as caught:
        calendar_of(sandbox, account).calendarList().list().execute()
    assert caught.value.resp.status == 401
    assert caught.value.error_details[0]["location"] == "Authorization"


def test_opening_again_on_the_same_day_changes_nothing(tmp_path: Path) -> None:
    def changes() -> int:
        with sqlite3.connect(tmp_path / "w.db") as connection:
            return int(connection.execute("SELECT max(change) FROM calendar_event").fetchone()[0])

    Sandbox(tmp_path / "w.db", "UTC", lambda: WEDNESDAY).open()
    before = changes()
    Sandbox(tmp_path / "w.db", "UTC", lambda: WEDNESDAY).open()
    assert changes() == before
    Sandbox(tmp_path / "w.db", "UTC", lambda: WEDNESDAY + timedelta(days=7)).open()
    assert changes() > before


def test_an_open_world_begins_a_new_day_at_the_first_request_after_midnight(tmp_path: Path) -> None:
    clock = [datetime(2026, 11, 18, 22, 59, tzinfo=UTC)]  # 23:59 in Berlin
    sandbox = Sandbox(tmp_path / "w.db", "Europe/Berlin", lambda: clock[0])
    sandbox.open()
    mail = build("gmail", "v1", http=sandbox.http(SANDBOX_ACCOUNT), cache_discovery=False, static_discovery=True)

    def newest() -> datetime:
        (first,) = mail.users().messages().list(userId="me", maxResults=1).execute()["messages"]
        found = mail.users().messages().get(userId="me", id=first["id"], format="minimal").execute()
        return datetime.fromtimestamp(int(found["internalDate"]) / 1000, UTC)

    before = newest()
    assert newest() == before
    clock[0] += timedelta(minutes=2)
    assert newest() > before
    sandbox.close()


def test_a_world_with_tables_of_another_version_is_made_anew(tmp_path: Path) -> None:
    path = tmp_path / "w.db"
    with sqlite3.connect(path) as connection:
        connection.execute("CREATE TABLE calendar (id TEXT)")
        connection.execute("PRAGMA user_version = 7")
    world = Sandbox(path, "UTC", lambda: datetime(2026, 11, 18, tzinfo=UTC))
    world.open()
    assert calendar_of(world).calendarList().list().execute()["items"]


def test_a_file_that_is_no_world_is_said_in_a_sentence(tmp_path: Path) -> None:
    (tmp_path / "w.db").write_text("My diary. " * 200)
    with pytest.raises(StorageError, match=r"w\.db \(file is not a database\)\. Make room"):
        Sandbox(tmp_path / "w.db", "UTC").open()


def test_a_world_that_breaks_in_use_is_said_in_a_sentence(sandbox: Sandbox, tmp_path: Path) -> None:
    with sqlite3.connect(tmp_path / "sandbox.db") as connection:
        connection.execute("DROP TABLE calendar_event")
    with pytest.raises(StorageError, match="no such table"):
        calendar_of(sandbox).events().list(calendarId="primary").execute()
