"""Many calls: from many threads on one account, one after the other for long, and more than fit into one batch."""

import json
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from core.google.clients import GoogleClients
from core.google.errors import GoogleError
from core.google.patience import Patience
from core.sandbox.sandbox import Sandbox
from core.settings import ROOT
from tests.google.conftest import ACCOUNT, Office

THREADS, CALLS = 16, 100
FLAT = 3 * 1024
"""kB that ten thousand calls may add: a list of their answers alone would be more, and a service each far more."""


def test_sixteen_threads_with_a_hundred_calls_each_on_one_account_meet_no_error(tmp_path: Path) -> None:
    sandbox = Sandbox(tmp_path / "sandbox.db", "UTC")
    sandbox.open()
    made: list[str] = []

    def transport(account: str) -> object:
        made.append(account)
        return sandbox.http(account)

    google = GoogleClients(transport, Patience(tries=1)).for_account(ACCOUNT)
    requests = {
        "labels": lambda: google.resource("gmail.users.labels").get(userId="me", id="INBOX"),
        "calendar": lambda: google.resource("calendar.calendarList").list(maxResults=1, fields="items/id"),
        "drive": lambda: google.resource("drive.about").get(fields="user/emailAddress"),
        "profile": lambda: google.resource("gmail.users").getProfile(userId="me"),
    }

    def work(number: int) -> int:
        found = [google.execute(list(requests.values())[(number + call) % len(requests)]()) for call in range(CALLS)]
        return sum(map(bool, found))

    with ThreadPoolExecutor(THREADS) as pool:
        assert list(pool.map(work, range(THREADS))) == [CALLS] * THREADS
    assert len(made) <= THREADS
    sandbox.close()


def test_ten_thousand_calls_leave_the_memory_as_it_was() -> None:
    done = subprocess.run(
        [sys.executable, "-m", "tests.google.steady"], cwd=ROOT, capture_output=True, text=True, check=True, timeout=55
    )
    early, late = json.loads(done.stdout)
    assert late - early < FLAT


@pytest.mark.parametrize(("count", "batches"), [(1, 1), (25, 1), (26, 2), (60, 3)])
def test_a_batch_holds_at_most_twenty_five(
    office: Office, monkeypatch: pytest.MonkeyPatch, count: int, batches: int
) -> None:
    sizes: list[int] = []
    send = office.google._send
    monkeypatch.setattr(
        office.google, "_send", lambda requests, sent: sizes.append(len(requests)) or send(requests, sent)
    )
    found = office.google.batch({f"m{number}": office.get(f"m{number}") for number in range(count)})
    assert list(found) == [f"m{number}" for number in range(count)]
    assert (len(sizes), sum(sizes)) == (batches, count) and max(sizes) <= 25


def test_of_a_large_batch_only_the_parts_that_failed_are_sent_again(
    office: Office, monkeypatch: pytest.MonkeyPatch
) -> None:
    office.trouble("messages/m(3|29)$", remaining=2, status=429, retry_after=2)
    office.trouble("messages/m40$", status=403, reason="insufficientPermissions")
    sizes: list[int] = []
    send = office.google._send
    monkeypatch.setattr(
        office.google, "_send", lambda requests, sent: sizes.append(len(requests)) or send(requests, sent)
    )
    found = office.google.batch({f"m{number}": office.get(f"m{number}") for number in range(60)})
    assert sizes[:2] == [25, 1] and sum(sizes) == 60 + 2
    assert office.pauses == [2.0, 2.0]
    assert [key for key, one in found.items() if isinstance(one, GoogleError)] == ["m40"]
