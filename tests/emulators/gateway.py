"""The way to an emulator in the place of Google, and a program that answers there."""

import os
import shutil
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from email import message_from_string
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import httplib2

PATIENCE = 30.0
"""Seconds that an emulator may take to start."""


@dataclass(frozen=True)
class Gateway:
    """An HTTP transport that sends what is for Google to an emulator.

    Attributes:
        place: where a path of one of Google's hosts is found there.
        splits: whether batches are sent part by part, as the emulator knows none.
        inside: a batch's body with the paths of its parts as the emulator knows them.
    """

    place: Callable[[str, str], str]
    token: str
    splits: bool = False
    inside: Callable[[str, str], str] = lambda host, body: body

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
        if parts.path.split("/")[1] == "batch":
            if self.splits:
                return split(self, str(body), headers or {})
            body = self.inside(parts.netloc, str(body))
        there = self.place(parts.netloc, f"{parts.path}{'?' if parts.query else ''}{parts.query}")
        sent = {**(headers or {}), "authorization": f"Bearer {self.token}"}
        return httplib2.Http(timeout=20).request(there, method, body, sent)

    def close(self) -> None:
        """Nothing is held open."""


def split(gateway: Gateway, body: str, headers: Mapping[str, str]) -> tuple[httplib2.Response, bytes]:
    """Answer a batch with the answers to its parts, one after the other."""
    kind = headers.get("content-type", "")
    answers = []
    for part in message_from_string(f"Content-Type: {kind}\n\n{body}").get_payload():
        method, uri, _ = str(part.get_payload()).split(maxsplit=2)  # type: ignore[union-attr]
        head, content = gateway.request(f"https://gmail.googleapis.com{uri}", method)
        number = str(part["Content-ID"]).strip("<>")  # type: ignore[index]
        told = f"Content-Type: application/http\r\nContent-ID: <response-{number}>\r\n\r\nHTTP/1.1 {head.status} OK"
        answers.append(f"--part\r\n{told}\r\nContent-Type: application/json\r\n\r\n{content.decode()}\r\n")
    whole = "".join(answers) + "--part--"
    return httplib2.Response({"status": "200", "content-type": "multipart/mixed; boundary=part"}), whole.encode()


def installed(variable: str, command: str = "") -> Path | None:
    """What a variable of the environment names, or a command beside this Python or in the path; None if neither."""
    named = os.environ.get(variable) or (
        command and (shutil.which(command) or shutil.which(command, path=str(Path(sys.executable).parent)))
    )
    return Path(named) if named and Path(named).exists() else None


def free_port() -> int:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        return int(free.getsockname()[1])


@contextmanager
def running(command: Sequence[str | Path], folder: Path, port: int, **environment: str) -> Iterator[str]:
    """A program until the end of the block; yields its root once something listens there."""
    told = folder / "emulator.log"
    with told.open("wb") as log:
        process = subprocess.Popen(command, cwd=folder, stdout=log, stderr=log, env={**os.environ, **environment})
    try:
        until = time.monotonic() + PATIENCE
        while not listening(port):
            assert process.poll() is None and time.monotonic() < until, told.read_text()
            time.sleep(0.1)
        yield f"http://127.0.0.1:{port}"
    finally:
        process.terminate()
        process.wait(PATIENCE)


def listening(port: int) -> bool:
    with socket.socket() as one:
        return one.connect_ex(("127.0.0.1", port)) == 0
