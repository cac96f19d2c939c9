"""Emulators by others, where they are installed: started on a free port, and reached in the place of Google."""

import json
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

MYWORLD = shutil.which("myworld") or shutil.which("myworld", path=str(Path(sys.executable).parent))
PATIENCE = 20.0
"""Seconds that an emulator may take to start."""


@dataclass(frozen=True)
class Gateway:
    """An HTTP transport that sends what is for Google to an emulator: `<root>/<google host>/<path>`."""

    root: str
    token: str

    def request(
        self,
        uri: str,
        method: str = "GET",
        body: Any = None,
        headers: Mapping[str, str] | None = None,
        redirections: int = 5,
        connection_type: object = None,
    ) -> tuple[httplib2.Response, bytes]:
        parts = urlsplit(uri)
        place = f"{self.root}/{parts.netloc}{parts.path}{'?' if parts.query else ''}{parts.query}"
        sent = {**(headers or {}), "authorization": f"Bearer {self.token}"}
        return httplib2.Http(timeout=20).request(place, method, body, sent)

    def close(self) -> None:
        """Nothing is held open."""


@contextmanager
def myworld(servers: Mapping[str, Any], folder: Path) -> Iterator[Gateway]:
    """A myworld of some services, as its one user sees it."""
    assert MYWORLD is not None
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    command = [MYWORLD, "serve", "--host", "127.0.0.1", "--port", str(port), "--no-passthrough"]
    with (folder / "myworld.log").open("wb") as log:
        process = subprocess.Popen(command, cwd=folder, stdout=log, stderr=log)
    try:
        yield opened(f"http://127.0.0.1:{port}", servers, folder)
    finally:
        process.terminate()
        process.wait(PATIENCE)


def opened(root: str, servers: Mapping[str, Any], folder: Path) -> Gateway:
    """The environment that an emulator made, once it answers."""
    until = time.monotonic() + PATIENCE
    while True:
        try:
            body = json.dumps({"spec": {"name": "office", "servers": servers}})
            _, answer = httplib2.Http(timeout=20).request(
                f"{root}/envs", "POST", body, {"content-type": "application/json"}
            )
            assert b"google_access_token" in answer, answer
            return Gateway(f"{root}/gw", next(iter(json.loads(answer)["credentials"].values()))["google_access_token"])
        except OSError:
            assert time.monotonic() < until, (folder / "myworld.log").read_text()
            time.sleep(0.2)
