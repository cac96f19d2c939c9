"""The app as a process: how long until it is ready, and how much memory it takes."""

import json
import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import cycle, islice
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any
from urllib.error import HTTPError, URLError
from urllib.request import Request, urlopen

from benchmarks.app import QUESTION, WORDINGS
from benchmarks.report import Figure
from core.settings import ROOT

READY_SECONDS, RESIDENT_MB = 5.0, 400.0
PATIENCE_SECONDS = 90


def process(turns: int) -> Iterator[Figure]:
    """A first start on an empty data folder, a second one on the same; then turns of the built-in assistant."""
    section = f"The process (`streamlit run app.py`, {turns} turns over HTTP)"
    with TemporaryDirectory(prefix="glassdesk-bench-") as folder:
        with served(Path(folder)) as first:
            yield Figure(section, "start to serving, first time", first.seconds, "s")
            yield Figure(section, "start to ready, first time (the sandbox is seeded)", first.ready(), "s")
        with served(Path(folder)) as app:
            url, pid = app.url, app.pid
            yield Figure(section, "start to serving: intake and numbers", app.seconds, "s")
            yield Figure(section, "resident when serving", resident_mb(pid), "MB")
            yield Figure(section, "start to ready: no question waits", app.ready(), "s", READY_SECONDS)
            yield Figure(section, "resident when ready", resident_mb(pid), "MB")
            started = time.perf_counter()
            chat(url, QUESTION)
            yield Figure(section, "its first turn over HTTP", (time.perf_counter() - started) * 1000, "ms")
            started = time.perf_counter()
            for question in islice(cycle(WORDINGS), turns):
                chat(url, question)
            each = (time.perf_counter() - started) * 1000 / turns
            yield Figure(section, "a turn of the built-in assistant over HTTP", each, "ms")
            yield Figure(section, f"resident after {turns} turns", resident_mb(pid), "MB", RESIDENT_MB)


@dataclass(frozen=True)
class App:
    """The app in a process of its own; `seconds`: from its start until it served."""

    url: str
    child: "subprocess.Popen[bytes]"
    started: float
    seconds: float

    @property
    def pid(self) -> int:
        return self.child.pid

    def ready(self) -> float:
        """Seconds from its start until no question waits any more; waits for that."""
        wait_for(self.url, self.child, "status", "ready")
        return time.perf_counter() - self.started


@contextmanager
def served(data: Path) -> Iterator[App]:
    """The app on a free port, as soon as it serves."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    command = [sys.executable, "-m", "streamlit", "run", "app.py", "--server.headless", "true"]
    command += ["--server.address", "127.0.0.1", "--server.port", str(port)]
    environment = {name: value for name, value in os.environ.items() if not name.startswith("GLASSDESK_")}
    environment |= {"GLASSDESK_DATA_DIR": str(data), "GLASSDESK_MODEL": "", "GLASSDESK_PORT": str(port)}
    environment |= {"GLASSDESK_CACHE_ENTRIES": "0"}  # each turn is a whole one
    started = time.perf_counter()
    child = subprocess.Popen(command, cwd=ROOT, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    url = f"http://127.0.0.1:{port}"
    try:
        wait_for(url, child, "stores", "open")
        yield App(url, child, started, time.perf_counter() - started)
    finally:
        child.send_signal(signal.SIGTERM)
        try:
            child.wait(30)
        except subprocess.TimeoutExpired:
            child.kill()


def wait_for(url: str, child: subprocess.Popen[bytes], name: str, value: str) -> None:
    """Ask `/readyz` until it says this.

    Raises:
        RuntimeError: the process ended, or it never says so.
    """
    deadline = time.monotonic() + PATIENCE_SECONDS
    while time.monotonic() < deadline and child.poll() is None:
        if told(f"{url}/readyz").get(name) == value:
            return
        time.sleep(0.02)
    raise RuntimeError("The app did not become ready.")


def told(url: str) -> dict[str, Any]:
    """What an address says in JSON, whatever its status; nothing where it does not answer."""
    try:
        with urlopen(url, timeout=5) as answer:
            return dict(json.load(answer))
    except HTTPError as error:
        return dict(json.load(error))
    except (URLError, ConnectionError, TimeoutError):
        return {}


def chat(url: str, question: str) -> None:
    """One question over HTTP."""
    body = json.dumps({"message": question}).encode()
    request = Request(f"{url}/api/chat", data=body, headers={"Content-Type": "application/json"})
    with urlopen(request, timeout=60) as reply:
        finished = json.load(reply)
    if finished["status"] != "done":
        raise RuntimeError(f"A turn of the benchmark failed: {finished['error']}")


def resident_mb(pid: int) -> float:
    """Resident memory in MB, as the system counts it."""
    found = subprocess.run(["ps", "-o", "rss=", "-p", str(pid)], capture_output=True, text=True, check=True)
    return int(found.stdout) / 1024
