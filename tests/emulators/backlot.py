"""A backlot of the corpus that it brings along, where it is installed, in the place of Google."""

import json
import os
import shutil
import socket
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import httplib2

BACKLOT = shutil.which("backlot") or shutil.which("backlot", path=str(Path(sys.executable).parent))
PATIENCE = 30.0
"""Seconds that it may take to start."""

MOUNTS = {"slides": "/slides", "docs": "/docs", "sheets": "/sheets"}
"""Where it has the services whose hosts have names of their own."""


@dataclass(frozen=True)
class Backlot:
    """A running backlot; `tokens` are its people's, by address."""

    root: str
    tokens: Mapping[str, str]

    def as_user(self, address: str) -> "Acting":
        """An HTTP transport for one of its people."""
        return Acting(self.root, self.tokens[address])


@dataclass(frozen=True)
class Acting:
    """An HTTP transport that sends what is for Google to a backlot."""

    root: str
    token: str

    def request(
        self, uri: str, method: str = "GET", body: Any = None, headers: Mapping[str, str] | None = None, **_: Any
    ) -> tuple[httplib2.Response, bytes]:
        parts = urlsplit(uri)
        mount = MOUNTS.get(parts.netloc.split(".")[0], "")
        if parts.path.startswith("/batch"):  # it has one place for all batches, and its own paths inside them
            body = (body.encode() if isinstance(body, str) else body).replace(b"\nGET /v", f"\nGET {mount}/v".encode())
            mount = ""
        place = f"{self.root}{mount}{parts.path}{'?' if parts.query else ''}{parts.query}"
        sent = {**(headers or {}), "authorization": f"Bearer {self.token}"}
        return httplib2.Http(timeout=20).request(place, method, body, sent)

    def close(self) -> None:
        """Nothing is held open."""


@contextmanager
def backlot(folder: Path) -> Iterator[Backlot]:
    """A backlot on a free port; it sends nothing home."""
    assert BACKLOT is not None
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    quiet = {**os.environ, "BACKLOT_TELEMETRY": "0", "BACKLOT_DATA_DIR": str(folder / "data")}
    with (folder / "backlot.log").open("wb") as log:
        made = [BACKLOT, "import", "--bundled", "--data-dir", str(folder / "data")]
        subprocess.run(made, cwd=folder, env=quiet, stdout=log, stderr=log, check=True, timeout=PATIENCE)
        command = [BACKLOT, "serve", "--port", str(port), "--disable-telemetry"]
        process = subprocess.Popen(command, cwd=folder, env=quiet, stdout=log, stderr=log)
    try:
        yield opened(f"http://127.0.0.1:{port}")
    finally:
        process.terminate()
        process.wait(PATIENCE)


def opened(root: str) -> Backlot:
    """A backlot once it answers."""
    until = time.monotonic() + PATIENCE
    while True:
        try:
            _, answer = httplib2.Http(timeout=5).request(f"{root}/_meta/users")
            return Backlot(root, {one["email"]: one["token"] for one in json.loads(answer)["users"]})
        except OSError:
            assert time.monotonic() < until
            time.sleep(0.2)
