"""Stations for tests: where they are, how they are added, and over HTTP how they run."""

import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from core.bootstrap import Services
from core.servers.address import Address
from core.servers.servers import Wish
from core.store.server_tables import AddedServer
from core.users import User
from tests.runtime.desk import sam

STATION = Path(__file__).parent / "station.py"
ALLOWED = {"mcp_commands": sys.executable}


def command(folder: Path, *more: str, **env: str) -> Address:
    """A station over stdio."""
    return Address("stdio", command=sys.executable, args=(str(STATION), str(folder), *more), env=env)


def added(built: Services, folder: Path, title: str = "Trains", user: User | None = None, **env: str) -> AddedServer:
    """A station that a user has added."""
    folder.mkdir(exist_ok=True)
    return built.servers.add(user or sam(built), Wish(title, command(folder, **env)))


def calls(folder: Path) -> list[str]:
    """What a station was asked to do."""
    found = folder / "calls"
    return found.read_text().splitlines() if found.exists() else []


def restarted(built: Services, row: AddedServer) -> None:
    """End a station's connection, so that it is started, and looked at, anew."""
    built.servers.links.end([row.id])


@contextmanager
def over_http(folder: Path) -> Iterator[str]:
    """A station at an address of this machine, until the block ends."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    process = subprocess.Popen([sys.executable, str(STATION), str(folder), str(port)])
    try:
        for _ in range(400):
            with socket.socket() as tried:
                if tried.connect_ex(("127.0.0.1", port)) == 0:
                    break
            time.sleep(0.05)
        yield f"http://127.0.0.1:{port}/mcp"
    finally:
        process.kill()
        process.wait()


def tool_of(row: AddedServer, original: str) -> dict[str, Any]:
    """What is kept of a tool."""
    return next(tool for tool in row.tools if tool["original"] == original)
