"""The databases that tests run on; and what a run tells at its end: tested tools, what the lists of tools cost."""

import os
import sys
import threading
from collections import Counter
from collections.abc import Callable, Generator, Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.postgres import MISSING, Cluster, binaries, running

SERVICE, CALLED = "tools/list", "tools/call"
"""Properties of tests: the list of a service's tools; the tools that were called."""
COLUMNS = 3
DATABASES = ("sqlite", "postgresql")
POLLING = {"span-writer", "telemetry-upkeep", "otlp-out"}
"""Threads that use a database until they are stopped."""


@pytest.fixture(scope="session")
def cluster() -> Iterator[Cluster]:
    """A PostgreSQL server of our own; where its programs are not installed, what needs it is skipped."""
    programs = binaries()
    if programs is None:
        pytest.skip(MISSING)
    with running(programs) as found:
        yield found


@pytest.fixture(scope="session", autouse=True)
def services_on(request: pytest.FixtureRequest) -> Iterator[None]:
    """With `DATABASE=postgresql`, services that are built over a folder have databases there in place of its files."""
    if os.environ.get("DATABASE") != "postgresql":
        yield
        return
    from core.settings import Settings

    cluster: Cluster = request.getfixturevalue("cluster")
    names: dict[tuple[Path, str], str] = {}

    def instead(kind: str) -> property:
        kept: property = getattr(Settings, kind)

        def url(settings: Settings) -> str:
            given = str(kept.__get__(settings))
            if not given.startswith("sqlite"):
                return given
            key = settings.data_dir, kind
            names[key] = names.get(key) or cluster.create()
            return cluster.url(names[key])

        return property(url)

    with pytest.MonkeyPatch.context() as patch:
        for kind in ("app_url", "telemetry_url"):
            patch.setattr(Settings, kind, instead(kind))
        yield


@pytest.fixture(autouse=True)
def on_its_database(request: pytest.FixtureRequest) -> None:
    """With `DATABASE=postgresql`, what needs files is skipped."""
    if os.environ.get("DATABASE") == "postgresql" and request.node.get_closest_marker("sqlite"):
        pytest.skip("needs the databases as files")


@pytest.fixture(params=DATABASES)
def dialect(request: pytest.FixtureRequest) -> Iterator[str]:
    """A test that uses it, or one of the URLs below, runs once on each database, and leaves nothing running on it."""
    name: str = request.param
    if name == "postgresql":
        request.getfixturevalue("cluster")
    before = set(threading.enumerate())
    yield name
    assert [one.name for one in set(threading.enumerate()) - before if one.name in POLLING] == []


@pytest.fixture
def only_sqlite(dialect: str) -> None:
    """For what PostgreSQL has not, such as a file that grows full."""
    if dialect != "sqlite":
        pytest.skip("SQLite's alone")


@pytest.fixture
def app_url(dialect: str, request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[str]:
    """The URL of an empty app database."""
    if dialect == "sqlite":
        yield f"sqlite:///{tmp_path / 'app.db'}"
        return
    yield from fresh(request.getfixturevalue("cluster"), "app", open_app)


@pytest.fixture
def telemetry_url(dialect: str, request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[str]:
    """The URL of an empty telemetry database."""
    if dialect == "sqlite":
        yield f"sqlite:///{tmp_path / 'telemetry.db'}"
        return
    yield from fresh(request.getfixturevalue("cluster"), "telemetry", open_telemetry)


def fresh(cluster: Cluster, kind: str, fill: Callable[[str], None]) -> Iterator[str]:
    """A database of its own for one test."""
    name = cluster.lend(kind, fill)
    yield f"{cluster.url(name)}&application_name=test-{cluster.number()}"  # no two tests have the same URL
    cluster.take_back(kind, name)


def open_app(url: str) -> None:
    """Make the tables of the app database."""
    from core.store.engine import open_database

    open_database(url).dispose()


def open_telemetry(url: str) -> None:
    """Make the tables of the telemetry database."""
    from telemetry.store import Store

    Store(url).close()


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
