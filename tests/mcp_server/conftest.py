"""A tool server over a sandbox world of its own."""

import json
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from shutil import copyfile
from typing import TYPE_CHECKING, Any
from zoneinfo import ZoneInfo

import pytest
from agents import set_trace_processors
from mcp import Client
from mcp_types import CallToolResult, Tool

from core.google.clients import GoogleClients
from core.google.patience import Patience
from core.mcp_server.server import ToolServer, build_server
from core.registry.manifests import load_catalogue
from core.sandbox.sandbox import Sandbox
from core.users import SANDBOX_ACCOUNT

if TYPE_CHECKING:
    from tests.mcp_server.writing import Desk

ZONE = "Europe/Berlin"
NOW = datetime(2026, 12, 1, 8, 0, tzinfo=UTC)  # a Tuesday, 09:00 in Berlin


def now() -> datetime:
    return NOW


@pytest.fixture(autouse=True)
def no_uploads() -> None:
    """The Agents SDK's own trace exporter stays out."""
    set_trace_processors([])


@pytest.fixture(scope="session")
def seeded(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The file of a seeded world."""
    path = tmp_path_factory.mktemp("world") / "sandbox.db"
    sandbox = Sandbox(path, ZONE, now)
    sandbox.open()
    sandbox.close()
    return path


@pytest.fixture(scope="session")
def shared_world(seeded: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Sandbox]:
    """A seeded world that the tests of this folder only read."""
    path = tmp_path_factory.mktemp("shared") / "sandbox.db"
    copyfile(seeded, path)
    sandbox = Sandbox(path, ZONE, now)
    sandbox.open()
    yield sandbox
    sandbox.close()


@pytest.fixture
def sandbox(shared_world: Sandbox) -> Iterator[Sandbox]:
    """The shared world, without the faults of the test before."""
    shared_world.faults.clear()
    yield shared_world
    shared_world.faults.clear()


def build(sandbox: Sandbox, downloads: Path, **options: Any) -> ToolServer:
    """A server over a world, with nobody waiting for retries."""
    usual = {
        "catalogue": load_catalogue(),
        "domains": ["gmail", "calendar"],
        "clients": GoogleClients(sandbox.http, Patience(sleep=lambda _: None)),
        "account": SANDBOX_ACCOUNT,
        "now": now,
    }
    return build_server(zone=ZoneInfo(ZONE), downloads=downloads, **{**usual, **options})


@pytest.fixture
def server(sandbox: Sandbox, tmp_path: Path) -> ToolServer:
    return build(sandbox, tmp_path / "downloads")


@dataclass(frozen=True)
class Caller:
    """An MCP client that opens a session for each call."""

    server: ToolServer

    async def result(self, tool: str, arguments: dict[str, Any], meta: dict[str, Any] | None = None) -> CallToolResult:
        async with Client(self.server, cache=None) as client:
            return await client.call_tool(tool, arguments, meta=meta)

    async def __call__(self, tool: str, /, **arguments: Any) -> dict[str, Any]:
        """The structured result, which the text says too."""
        result = await self.result(tool, arguments)
        assert not result.is_error, said(result)
        assert json.loads(said(result)) == result.structured_content
        return result.structured_content

    async def refusal(self, tool: str, /, **arguments: Any) -> str:
        """The sentence of a call that fails."""
        result = await self.result(tool, arguments)
        assert result.is_error
        return said(result)

    async def tools(self) -> dict[str, Tool]:
        async with Client(self.server, cache=None) as client:
            return {tool.name: tool for tool in (await client.list_tools()).tools}


def said(result: CallToolResult) -> str:
    """The text of a result."""
    return "".join(item.text for item in result.content if item.type == "text")


@pytest.fixture
def call(server: ToolServer) -> Caller:
    return Caller(server)


@pytest.fixture
def desk(seeded: Path, tmp_path: Path) -> Iterator["Desk"]:
    """A desk to write at."""
    from tests.mcp_server.writing import Desk

    copyfile(seeded, tmp_path / "sandbox.db")
    sandbox = Sandbox(tmp_path / "sandbox.db", ZONE, now)
    sandbox.open()
    (tmp_path / "uploads" / SANDBOX_ACCOUNT).mkdir(parents=True)
    yield Desk(sandbox, tmp_path)
    sandbox.close()
