"""The reference design's way: outer agent, a tool server spawned for each request, inner agent, outer agent again."""

import os
import sys
import time

from agents import Agent, RunConfig, Runner, function_tool
from agents.mcp import MCPServerStdio, MCPServerStdioParams

from benchmarks.app import QUESTION, Timing
from benchmarks.simulated import Pace, Simulated
from core.settings import ROOT, Settings


def tool_server(settings: Settings) -> MCPServerStdioParams:
    """Our own tool server, as a program."""
    return {
        "command": sys.executable,
        "args": ["-m", "core.mcp_server", "--tools", "gmail"],
        "env": {
            "PATH": os.environ.get("PATH", ""),
            "GLASSDESK_DATA_DIR": str(settings.data_dir),
            "GLASSDESK_ZONE": settings.zone,
        },
        "cwd": ROOT,
    }


async def ask(settings: Settings, pace: Pace) -> Timing:
    """One question through both loops; untraced, and streamed by the outer agent."""
    config = RunConfig(tracing_disabled=True)

    @function_tool
    async def gmail_task(query: str) -> str:
        """Reads and searches mail."""
        async with MCPServerStdio(tool_server(settings), name="gmail", client_session_timeout_seconds=60) as server:
            inner: Agent[None] = Agent(
                name="Gmail", instructions="You read mail.", mcp_servers=[server], model=Simulated(pace)
            )
            return str((await Runner.run(inner, query, run_config=config)).final_output)

    outer: Agent[None] = Agent(
        name="Assistant", instructions="You delegate.", tools=[gmail_task], model=Simulated(pace)
    )
    started, first = time.perf_counter(), 0.0
    result = Runner.run_streamed(outer, QUESTION, run_config=config)
    async for event in result.stream_events():
        text = event.type == "raw_response_event" and event.data.type == "response.output_text.delta"
        if text and not first:
            first = time.perf_counter() - started
    return Timing(time.perf_counter() - started, first)
