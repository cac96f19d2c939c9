"""What a run of the tests tells at its end: how often each tool was tested, and what the lists of tools cost."""

import sys
from collections import Counter
from collections.abc import Generator
from typing import Any

import pytest

SERVICE, CALLED = "tools/list", "tools/call"
"""Properties of tests: the list of a service's tools; the tools that were called."""
COLUMNS = 3


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call(item: pytest.Item) -> Generator[None, object, object]:
    """Note which tools a test calls; the server is not imported for it."""
    server = sys.modules.get("core.mcp_server.server")
    if server is None:
        return (yield)
    called: list[str] = []
    kept = server.ToolServer.call_tool

    async def noted(self: Any, name: str, *rest: Any, **more: Any) -> Any:
        called.append(name)
        return await kept(self, name, *rest, **more)

    server.ToolServer.call_tool = noted
    try:
        return (yield)
    finally:
        server.ToolServer.call_tool = kept
        item.user_properties.append((CALLED, sorted(set(called))))


def pytest_terminal_summary(terminalreporter: Any) -> None:
    """The table of tools and tested cases, after a run in which the lists of tools were measured."""
    properties = [
        (name, value)
        for outcome in ("passed", "failed")
        for report in terminalreporter.stats.get(outcome, [])
        if report.when == "call"
        for name, value in report.user_properties
    ]
    services = [value for name, value in properties if name == SERVICE]
    if not services:
        return
    cases = Counter(tool for name, value in properties if name == CALLED for tool in value)
    terminalreporter.section("tools × tests that call them over MCP")
    for service in sorted(services, key=lambda one: str(one["service"])):
        about = "{service}: {count} tools, tools/list {tokens} tokens (limit {limit})"
        terminalreporter.write_line(about.format(count=len(service["names"]), **service))
        told = [f"{cases[name]:5} {name:37}" for name in service["names"]]
        for row in range(0, len(told), COLUMNS):
            terminalreporter.write_line("".join(told[row : row + COLUMNS]).rstrip())
