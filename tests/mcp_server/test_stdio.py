"""The tool server as a process of its own."""

import asyncio
import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from opentelemetry.trace import INVALID_SPAN

from core.mcp_server.client import WarmStdioTools, stdio_parameters
from core.mcp_server.server import ACCOUNT, ZONE
from core.sandbox.faults import Fault
from core.sandbox.sandbox import Sandbox
from core.settings import ROOT, Settings
from core.users import SANDBOX_ACCOUNT
from tests.mcp_server.conftest import said

SAM = {ACCOUNT: SANDBOX_ACCOUNT, ZONE: "Asia/Tokyo"}


@pytest.fixture
def settings(tmp_path: Path) -> Settings:
    return Settings(data_dir=tmp_path, zone="Europe/Berlin")


@pytest.fixture
def world(settings: Settings) -> Iterator[Sandbox]:
    """The world that the subprocess will open, seeded beforehand."""
    sandbox = Sandbox(settings.sandbox_db, settings.zone)
    sandbox.open()
    yield sandbox
    sandbox.close()


def talk(settings: Settings, *options: str, requests: list[dict[str, Any]]) -> tuple[int, list[dict[str, Any]], str]:
    """Send requests to a server of its own; its exit code, every line of its stdout as JSON, its stderr."""
    command = [sys.executable, "-m", "core.mcp_server", *options]
    environment = {**os.environ, "GLASSDESK_DATA_DIR": str(settings.data_dir), "GLASSDESK_ZONE": settings.zone}
    with subprocess.Popen(command, cwd=ROOT, env=environment, text=True, stdin=-1, stdout=-1, stderr=-1) as process:
        assert process.stdin and process.stdout and process.stderr
        lines = []
        for number, request in enumerate(requests):
            answered = not request["method"].startswith("notifications/")
            process.stdin.write(
                json.dumps({"jsonrpc": "2.0", **({"id": number} if answered else {}), **request}) + "\n"
            )
            process.stdin.flush()
            if answered:
                lines.append(process.stdout.readline())
        process.stdin.close()
        rest, errors = process.stdout.read(), process.stderr.read()
    return process.returncode, [json.loads(line) for line in [*lines, *rest.splitlines()]], errors


def test_any_client_can_start_it_and_stdout_holds_nothing_but_the_protocol(settings: Settings, world: Sandbox) -> None:
    hello = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "test", "version": "1"}}
    code, answers, _ = talk(
        settings,
        "--tools",
        "calendar",
        requests=[
            {"method": "initialize", "params": hello},
            {"method": "notifications/initialized"},
            {"method": "tools/list", "params": {}},
            {"method": "tools/call", "params": {"name": "list_calendars", "arguments": {}}},
        ],
    )
    assert code == 0
    assert [answer["id"] for answer in answers] == [0, 2, 3]
    assert {tool["name"] for tool in answers[1]["result"]["tools"]} == {
        "list_calendars",
        "get_events",
        "query_freebusy",
    }
    calendars = answers[2]["result"]["structuredContent"]["calendars"]
    assert calendars[0]["calendar_id"] == SANDBOX_ACCOUNT


def test_a_wrong_setting_is_said_and_ends_it(tmp_path: Path) -> None:
    settings = Settings(data_dir=tmp_path).model_copy(update={"zone": "Mars/Olympus"})
    code, answers, errors = talk(settings, requests=[])
    assert (code, answers) == (1, [])
    assert "GLASSDESK_ZONE is wrong" in errors


def children() -> list[int]:
    """Ids of the tool servers that this process has started."""
    found = subprocess.run(["ps", "-o", "pid=,args=", "--ppid", str(os.getpid())], capture_output=True, text=True)
    return [int(line.split()[0]) for line in found.stdout.splitlines() if "core.mcp_server" in line]


@pytest.mark.timeout(120)
async def test_a_server_that_is_killed_in_a_call_heals_inside_the_call(settings: Settings, world: Sandbox) -> None:
    parameters = stdio_parameters(settings, ["calendar"])
    parameters["args"].remove("--trace")
    tools = WarmStdioTools(parameters, lambda: INVALID_SPAN)
    await asyncio.create_task(tools.connect())
    (first,) = children()
    world.faults.add(Fault("calendarList", kind="latency", seconds=15, remaining=1))
    calls = [asyncio.create_task(tools.call_tool("list_calendars", {}, SAM)) for _ in range(3)]
    await asyncio.sleep(0.3)
    os.kill(first, signal.SIGKILL)
    results = await asyncio.gather(*calls)
    assert [result.is_error for result in results] == [False] * 3, [said(result) for result in results]
    (second,) = children()
    assert second != first
    page = await tools.call_tool("get_events", {"max_results": 1}, SAM)
    assert page.structured_content["zone"] == "Asia/Tokyo"
    await asyncio.create_task(tools.cleanup())
    assert children() == []
