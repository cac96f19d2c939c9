"""The app in a process of its own, and Chromium to drive it."""

import json
import os
import shutil
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, expect, sync_playwright

from tests.agents.chat_server import ChatServer
from tests.browser.model import script
from tests.browser.ports import free_port

ROOT = Path(__file__).resolve().parents[2]
READY_SECONDS = 50
PATIENCE = 15_000
"""Milliseconds until something that should show is missed; a busy machine is slow."""
FLAGS = [
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]


def pytest_configure(config: pytest.Config) -> None:
    """The mark that keeps the browser in one worker is known where there are no workers, too."""
    config.addinivalue_line("markers", "xdist_group(name): tests that share a worker")


@dataclass(frozen=True)
class Desk:
    """A running app; its data folder holds the sandbox that it works on."""

    url: str
    data: Path


@contextmanager
def running(
    folder: Path, *, secrets: Callable[[str], str] | None = None, port: int = 0, **environment: str
) -> Iterator[Desk]:
    """The app with its own data folder, until the block ends.

    Args:
        secrets: makes the file of secrets, which says how people sign in, for the app's address.
        port: where, so that it can be started again there; 0: anywhere.
    """
    port = port or free_port()
    settings = {
        "GLASSDESK_DATA_DIR": str(folder / "data"),
        "GLASSDESK_PORT": str(port),
        "GLASSDESK_ZONE": "Europe/Berlin",
        "GLASSDESK_CACHE_ENTRIES": "0",
        **{f"GLASSDESK_{name}": value for name, value in environment.items()},
    }
    clean = {name: value for name, value in os.environ.items() if not name.startswith("GLASSDESK_")}
    command = [
        sys.executable,
        "-m",
        "streamlit",
        "run",
        "app.py",
        "--server.address=127.0.0.1",
        f"--server.port={port}",
    ]
    if secrets is not None:
        (folder / "secrets.toml").write_text(secrets(f"http://localhost:{port}"))
        command.append(f"--secrets.files={folder / 'secrets.toml'}")
    log = (folder / "log.txt").open("w")
    process = subprocess.Popen(command, cwd=ROOT, env=clean | settings, stdout=log, stderr=subprocess.STDOUT)
    try:
        wait_until_ready(f"http://127.0.0.1:{port}", process, folder / "log.txt")
        yield Desk(f"http://127.0.0.1:{port}", folder / "data")
    finally:
        process.terminate()
        try:
            process.wait(15)
        except subprocess.TimeoutExpired:
            process.kill()
        log.close()


def wait_until_ready(url: str, process: "subprocess.Popen[bytes]", log: Path) -> None:
    deadline = time.monotonic() + READY_SECONDS
    while time.monotonic() < deadline and process.poll() is None:
        try:
            with urllib.request.urlopen(f"{url}/readyz", timeout=5):
                return
        except urllib.error.HTTPError as error:
            if error.code == 500:
                break
        except OSError:
            pass
        time.sleep(0.1)
    raise AssertionError(f"The app is not ready:\n{log.read_text()[-3000:]}")


@pytest.fixture(scope="session")
def desk(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Desk]:
    """With the built-in offline assistant; tool servers may be started by this Python."""
    with running(tmp_path_factory.mktemp("desk"), MCP_COMMANDS=sys.executable) as started:
        yield started


@pytest.fixture(scope="session")
def answered(desk: Desk) -> dict[str, Any]:
    """A turn that has ended: `Show my unread emails`, asked over HTTP."""
    body = json.dumps({"message": "Show my unread emails"}).encode()
    request = urllib.request.Request(f"{desk.url}/api/chat", body, {"Content-Type": "application/json"})
    with urllib.request.urlopen(request, timeout=30) as answer:
        turn: dict[str, Any] = json.load(answer)
        return turn


@pytest.fixture(scope="session")
def slow_desk(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Desk]:
    """With a language model that speaks slowly, over real HTTP."""
    with (
        ChatServer(script) as server,
        running(tmp_path_factory.mktemp("slow"), MODEL="scripted-1", MODEL_BASE_URL=server.url) as started,
    ):
        yield started


@pytest.fixture(scope="package")
def requests() -> list[str]:
    """Every address that a page asked for."""
    return []


@pytest.fixture(scope="package")  # while it is open, no other test of this process may run an event loop
def browser() -> Iterator[Browser]:
    expect.set_options(timeout=PATIENCE)
    with sync_playwright() as playwright:
        chromium = playwright.chromium.launch(executable_path=shutil.which("chromium"), args=FLAGS)
        yield chromium
        chromium.close()


@pytest.fixture(scope="package")
def open_context(browser: Browser, requests: list[str]) -> Iterator[Callable[..., BrowserContext]]:
    """Makes browser contexts; each is a person of its own."""
    opened: list[BrowserContext] = []

    def make(**options: object) -> BrowserContext:
        context = browser.new_context(**{"viewport": {"width": 1280, "height": 900}, **options})  # type: ignore[arg-type]
        context.set_default_timeout(PATIENCE)
        context.on("request", lambda request: requests.append(request.url))
        opened.append(context)
        return context

    yield make
    for context in opened:
        context.close()


@pytest.fixture(scope="package")
def context(open_context: Callable[..., BrowserContext]) -> BrowserContext:
    """One person for most tests: the browser keeps the app's files, as it does for a person."""
    return open_context()


@pytest.fixture
def page(context: BrowserContext) -> Iterator[Page]:
    """A tab; closed, with all others, when the test ends."""
    yield context.new_page()
    for tab in context.pages:
        tab.close()
