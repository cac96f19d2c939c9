"""The tool server as a process of its own."""

import asyncio
import json
import os
import signal
import sqlite3
import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from opentelemetry.trace import INVALID_SPAN
from sqlmodel import select

from core.mcp_server.client import WarmStdioTools, stdio_parameters
from core.mcp_server.meta import ACCOUNT, ZONE
from core.sandbox.faults import Fault, FaultRow
from core.sandbox.sandbox import Sandbox
from core.settings import ROOT, Settings
from core.users import SANDBOX_ACCOUNT
from tests.mcp_server.conftest import said

SAM = {ACCOUNT: SANDBOX_ACCOUNT, ZONE: "Asia/Tokyo"}
HELLO = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "test", "version": "1"}}
TRACE, PARENT = "5b8efff798038103d269b633813fc60c", "eee19b7ec3c1b174"


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


class Wire:
    """A server of its own, spoken to line by line; every line that it writes must be JSON."""

    def __init__(self, settings: Settings, *options: str) -> None:
        command = [sys.executable, "-m", "core.mcp_server", *options]
        own = {"GLASSDESK_DATA_DIR": str(settings.data_dir), "GLASSDESK_ZONE": settings.zone}
        pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
        self._process = subprocess.Popen(command, cwd=ROOT, env={**os.environ, **own}, text=True, **pipes)
        self._asked = 0

    def tell(self, method: str, **fields: Any) -> None:
        self._process.stdin.write(json.dumps({"jsonrpc": "2.0", "method": method, **fields}) + "\n")
        self._process.stdin.flush()

    def ask(self, method: str, **params: Any) -> dict[str, Any]:
        self._asked += 1
        self.tell(method, id=self._asked, params=params)
        answer = json.loads(self._process.stdout.readline())
        assert answer["id"] == self._asked
        return answer["result"]

    def begin(self) -> None:
        self.ask("initialize", **HELLO)
        self.tell("notifications/initialized")

    def end(self) -> tuple[int, str]:
        """Close its stdin: its exit code and its stderr; nothing is left on stdout."""
        rest, errors = self._process.communicate(timeout=20)
        assert rest == ""
        return self._process.returncode, errors


def test_any_client_can_start_it_and_stdout_holds_nothing_but_the_protocol(settings: Settings, world: Sandbox) -> None:
    wire = Wire(settings, "--tools", "calendar")
    wire.begin()
    tools = {tool["name"] for tool in wire.ask("tools/list")["tools"]}
    assert tools >= {"list_calendars", "get_events", "query_freebusy", "create_event"}
    result = wire.ask("tools/call", name="list_calendars", arguments={})
    assert result["structuredContent"]["calendars"][0]["calendar_id"] == SANDBOX_ACCOUNT
    assert wire.end()[0] == 0


def test_a_wrong_setting_is_said_and_ends_it(tmp_path: Path) -> None:
    wire = Wire(Settings(data_dir=tmp_path).model_copy(update={"zone": "Mars/Olympus"}))
    code, errors = wire.end()
    assert code == 1
    assert "GLASSDESK_ZONE is wrong" in errors


def test_its_spans_are_in_the_callers_trace_before_the_answer_is(settings: Settings, world: Sandbox) -> None:
    wire = Wire(settings, "--trace", "--tools", "calendar")
    wire.begin()
    meta = {**SAM, "traceparent": f"00-{TRACE}-{PARENT}-01"}
    wire.ask("tools/call", name="list_calendars", arguments={}, _meta=meta)
    with closing(sqlite3.connect(settings.data_dir / "telemetry.db")) as database:
        query = (
            "select span_id, parent_id, type, name, end_ns is not null from span where trace_id = ? order by start_ns"
        )
        (server, parent, *call), (_, below, *google) = database.execute(query, [TRACE]).fetchall()
    assert (parent, call) == (PARENT, ["mcp_server", "tools/call list_calendars", 1])
    assert (below, google) == (server, ["google", "calendar.calendarList.list", 1])
    assert wire.end()[0] == 0


async def struck(world: Sandbox) -> None:
    """Wait until the armed fault has met its request."""
    for _ in range(200):
        with world.world.session() as session:
            if not session.exec(select(FaultRow)).all():
                return
        await asyncio.sleep(0.05)
    raise TimeoutError("the fault met no request")


async def test_a_server_that_is_killed_in_a_call_heals_inside_the_call(
    settings: Settings, world: Sandbox, tmp_path: Path
) -> None:
    starts = tmp_path / "starts"
    remember = f"import os, runpy; open({str(starts)!r}, 'a').write(f'{{os.getpid()}}\\n'); "
    parameters = stdio_parameters(settings, ["calendar"])
    parameters["args"] = ["-c", remember + "runpy.run_module('core.mcp_server', run_name='__main__', alter_sys=True)"]
    tools = WarmStdioTools(parameters, lambda: INVALID_SPAN)
    await asyncio.create_task(tools.connect())
    world.faults.add(Fault("calendarList", kind="latency", seconds=15, remaining=1))
    call = asyncio.create_task(tools.call_tool("list_calendars", {}, SAM))
    await struck(world)
    os.kill(int(starts.read_text()), signal.SIGKILL)
    result = await call
    assert not result.is_error, said(result)
    assert len(set(starts.read_text().split())) == 2
    page = await tools.call_tool("get_events", {"max_results": 1}, SAM)
    assert page.structured_content["zone"] == "Asia/Tokyo"
    await asyncio.create_task(tools.cleanup())
