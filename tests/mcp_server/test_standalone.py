"""The tool server on its own, as other people's MCP clients meet it: over both transports, in each protocol mode."""

import json
import os
import shutil
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import httpx2
import pytest
from mcp import Client, StdioServerParameters
from mcp.client.streamable_http import streamable_http_client
from mcp_types.version import MODERN_PROTOCOL_VERSIONS

from core.mcp_server.__main__ import main, parser
from core.mcp_server.meta import ACCOUNT
from core.registry.manifests import load_catalogue
from core.settings import ROOT
from core.users import SANDBOX_ACCOUNT
from tests.mcp_server.conftest import ZONE, said

MODES = ["legacy", "auto", MODERN_PROTOCOL_VERSIONS[-1]]
INSPECTOR = shutil.which("mcp-inspector")


@pytest.fixture(scope="module")
def data(seeded: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A data folder with a seeded world."""
    folder = tmp_path_factory.mktemp("data")
    shutil.copyfile(seeded, folder / "sandbox.db")
    return folder


def own(data: Path, **more: str) -> dict[str, str]:
    """What the process gets of its environment beside the usual."""
    return {"GLASSDESK_DATA_DIR": str(data), "GLASSDESK_ZONE": ZONE, **more}


def stdio(data: Path, *options: str) -> StdioServerParameters:
    # Warnings of every kind go to stderr, or the client could not read a line.
    arguments = ["-W", "default", "-m", "core.mcp_server", *options]
    return StdioServerParameters(command=sys.executable, args=arguments, cwd=ROOT, env=own(data))


@contextmanager
def web(data: Path, *options: str, **more: str) -> Iterator[str]:
    """A server over HTTP on a free port: its address."""
    command = [sys.executable, "-m", "core.mcp_server", "--transport", "streamable-http", "--port", "0", *options]
    process = subprocess.Popen(
        command, cwd=ROOT, env={**os.environ, **own(data, **more)}, stderr=subprocess.PIPE, text=True
    )
    try:
        yield next(line.split()[-1] for line in process.stderr if line.startswith("Serving MCP at"))
    finally:
        process.send_signal(signal.SIGINT)
        process.communicate(timeout=20)
    assert process.returncode == 0


@pytest.fixture(scope="module")
def address(data: Path) -> Iterator[str]:
    with web(data) as found:
        yield found


@pytest.mark.parametrize("mode", MODES)
async def test_the_sdks_own_client_speaks_with_it_over_stdio(data: Path, mode: str) -> None:
    async with Client(stdio(data, "--tools", "gmail", "drive"), mode=mode, cache=None) as client:
        names = {tool.name for tool in (await client.list_tools()).tools}
        result = await client.call_tool("search_gmail_messages", {"query": "from:ana 2041"})
    assert names == {tool.name for domain, tool in load_catalogue().tools() if domain in ("gmail", "drive")}
    assert "2041" in said(result)


@pytest.mark.parametrize("mode", MODES)
async def test_the_sdks_own_client_speaks_with_it_over_http(address: str, mode: str) -> None:
    async with Client(address, mode=mode, cache=None) as client:
        names = {tool.name for tool in (await client.list_tools()).tools}
        result = await client.call_tool("search_gmail_messages", {"query": "from:ana 2041"})
    assert names == {tool.name for _, tool in load_catalogue().tools()}
    assert "2041" in said(result)


async def test_read_only_leaves_out_whatever_changes_anything(data: Path) -> None:
    async with Client(stdio(data, "--read-only"), cache=None) as client:
        tools = (await client.list_tools()).tools
        refused = await client.call_tool("send_gmail_message", {})
    assert {tool.name for tool in tools} == {tool.name for _, tool in load_catalogue().tools() if tool.reads}
    assert all(tool.annotations is not None and tool.annotations.read_only_hint for tool in tools)
    assert refused.is_error


async def test_over_http_only_accounts_that_it_was_started_for_act(address: str) -> None:
    async with Client(address, cache=None) as client:
        foreign = await client.call_tool("list_calendars", {}, meta={ACCOUNT: "ana@lumenworks.example"})
        own = await client.call_tool("list_calendars", {}, meta={ACCOUNT: SANDBOX_ACCOUNT})
    assert foreign.is_error and said(foreign).startswith("This server does not act for that account.")
    assert not own.is_error, said(own)


@pytest.mark.parametrize("headers", [{"Host": "evil.example"}, {"Origin": "https://evil.example"}])
def test_over_http_a_foreign_host_or_origin_is_refused(address: str, headers: dict[str, str]) -> None:
    assert httpx2.post(address, json={}, headers=headers).status_code == 403


def test_over_http_it_listens_on_this_machine_only(address: str) -> None:
    port = int(address.split(":")[2].split("/")[0])
    with socket.socket() as elsewhere:
        elsewhere.settimeout(2)
        assert elsewhere.connect_ex(("127.0.0.2", port)) != 0


async def test_over_http_the_token_is_asked_for_where_there_is_one(data: Path) -> None:
    with web(data, "--tools", "calendar", GLASSDESK_API_TOKEN="secret") as address:
        assert httpx2.post(address, json={}).status_code == 401
        async with (
            httpx2.AsyncClient(headers={"Authorization": "Bearer secret"}) as http,
            Client(streamable_http_client(address, http_client=http), cache=None) as client,
        ):
            assert not (await client.call_tool("list_calendars", {})).is_error


def test_a_port_that_is_taken_is_said(
    data: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    for name, value in own(data).items():
        monkeypatch.setenv(name, value)
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = str(taken.getsockname()[1])
        assert main(["--tools", "calendar", "--transport", "streamable-http", "--port", port]) == 1
    said = capsys.readouterr()
    assert said.out == "" and f"Port {port} cannot be had" in said.err


@pytest.mark.parametrize("wrong", [["--tools", "fax"], ["--port", "70000"], ["--transport", "pigeon"]])
def test_a_wrong_option_is_named(wrong: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        parser().parse_args(wrong)
    assert wrong[0] in capsys.readouterr().err


@pytest.mark.skipif(INSPECTOR is None, reason="the MCP Inspector is not installed")
@pytest.mark.parametrize("over", ["stdio", "http"])
def test_the_inspectors_command_line_lists_and_calls(data: Path, address: str, over: str) -> None:
    server = [sys.executable, "-m", "core.mcp_server"] if over == "stdio" else [address, "--transport", "http"]

    def inspect(*method: str) -> dict[str, object]:
        command = [str(INSPECTOR), "--cli", *server, "--method", *method]
        done = subprocess.run(
            command, cwd=ROOT, env={**os.environ, **own(data)}, capture_output=True, text=True, timeout=50
        )
        assert done.returncode == 0, done.stderr
        return json.loads(done.stdout)

    assert len(inspect("tools/list")["tools"]) == len(list(load_catalogue().tools()))
    called = inspect("tools/call", "--tool-name", "search_gmail_messages", "--tool-arg", "query=from:ana 2041")
    assert called["structuredContent"]["messages"]
