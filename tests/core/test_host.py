"""A start: what needs no assistant is served before it is there, and what fails is said."""

import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.testclient import TestClient

from core.api import caller, health, oauth, turns
from core.api.access import AccessGuard
from core.errors import Unavailable
from core.front import open_front
from core.host import Host
from core.settings import Settings

ROOT = Path(__file__).resolve().parents[2]
HEAVY = ["agents", "openai", "mcp", "mcp_types", "googleapiclient", "google.auth", "pandas", "wordllama", "tokenizers"]
HEAVY += ["dateparser", "alembic", "reportlab", "openpyxl", "docx", "lxml"]
"""Libraries of the assistant, of files, of charts and of migrations: seconds."""
LIGHT_START = """
import sys
from pathlib import Path
import app
from core.front import open_front
from core.settings import Settings
open_front(Settings(_env_file=None, data_dir=Path(sys.argv[1]))).leave()
print(*sorted(set(sys.argv[2:]) & sys.modules.keys()))
"""

LIGHT_TURN = """
import sys
from pathlib import Path
from core.bootstrap import build
from core.settings import Settings
from core.users import local_user
services = build(Settings(_env_file=None, data_dir=Path(sys.argv[1])))
services.polish()
assert services.runtime.start(local_user(services.settings), "Show my unread mail").wait(60)["status"] == "done"
services.close()
print(*sorted(set(sys.argv[2:]) & sys.modules.keys()))
"""


@pytest.fixture
def settings(tmp_path: Path) -> Settings:
    return Settings(_env_file=None, data_dir=tmp_path)


@pytest.fixture
def host(settings: Settings, monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[[Callable[..., Any]], Host]]:
    """Starts a host whose assistant is built by what is given, and waits for its front."""
    begun: list[Host] = []

    def start(build: Callable[..., Any]) -> Host:
        made = Host()
        begun.append(made)
        for module in (caller, health):
            monkeypatch.setattr(module, "host", lambda: made)
        monkeypatch.setattr("core.bootstrap.build", build)
        opened = threading.Event()
        made._front.add_done_callback(lambda _: opened.set())
        made.start(settings)
        assert opened.wait(30)
        return made

    yield start
    for one in begun:
        one.stop()


def client(host: Host) -> TestClient:
    guard = Middleware(AccessGuard, services=host.front)
    app = Starlette(routes=[*health.ROUTES, *turns.ROUTES, *oauth.ROUTES], middleware=[guard])
    return TestClient(app, "http://127.0.0.1:8501", client=("127.0.0.1", 50000), follow_redirects=False)


def test_numbers_are_told_at_once_and_who_needs_the_assistant_waits_for_it(host) -> None:
    go_on = threading.Event()

    def build(settings: Settings, front: Any) -> Any:
        assert go_on.wait(30)
        finish = lambda user, query: SimpleNamespace(location=f"/connect?{query['state']}")  # noqa: E731
        workspace = SimpleNamespace(kind=front.kind)
        return SimpleNamespace(
            people=front.people,
            accounts=SimpleNamespace(finish=finish),
            workspace=workspace,
            runtime=SimpleNamespace(running=lambda: 2),
            polish=lambda: None,
            close=front.leave,
        )

    started = host(build)
    browser = client(started)
    assert browser.get("/api/turns").json() == {"turns": []}
    early = browser.get("/readyz")
    assert (early.status_code, early.json()["workspace"]) == (503, "sandbox")
    assert (early.json()["status"], early.json()["stores"]) == ("starting", "open")
    with ThreadPoolExecutor(1) as somebody:
        waiting = somebody.submit(client(started).get, "/oauth/callback?state=s1")
        assert started.ready() is None
        go_on.set()
        assert waiting.result(30).headers["location"] == "/connect?s1"
    ready = browser.get("/readyz")
    assert (ready.status_code, ready.json()["status"], ready.json()["running_turns"]) == (200, "ready", 2)


def test_an_assistant_that_cannot_be_built_is_told_and_numbers_still_are(host, caplog) -> None:
    def build(settings: Settings, front: Any) -> Any:
        raise Unavailable("The tool server is gone.")

    started = host(build)
    with pytest.raises(Unavailable):
        started.wait(30)
    browser = client(started)
    answer = browser.get("/readyz")
    assert (answer.status_code, answer.json()["status"]) == (503, "failed")
    assert answer.json()["error"]["message"] == "The tool server is gone." in caplog.text
    assert browser.get("/oauth/callback").status_code == Unavailable.http_status
    assert browser.get("/api/turns").status_code == 200


@pytest.mark.sqlite
@pytest.mark.timeout(120)
def test_a_start_waits_for_no_library_of_the_assistant(settings: Settings) -> None:
    open_front(settings).leave()  # the first one migrates
    ran = subprocess.run(
        [sys.executable, "-c", LIGHT_START, str(settings.data_dir), *HEAVY], cwd=ROOT, capture_output=True, text=True
    )
    assert (ran.returncode, ran.stdout.strip()) == (0, ""), ran.stderr


@pytest.mark.timeout(120)
def test_answering_needs_no_library_of_charts(settings: Settings) -> None:
    """Which would be a fifth of the memory of an app that is used over the API alone."""
    charts = ["pandas", "plotly", "pyarrow"]
    ran = subprocess.run(
        [sys.executable, "-c", LIGHT_TURN, str(settings.data_dir), *charts], cwd=ROOT, capture_output=True, text=True
    )
    assert (ran.returncode, ran.stdout.strip()) == (0, ""), ran.stderr
