"""A subprocess of tools that dies: what is repeated, and what is not."""

import asyncio
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
from opentelemetry.trace import INVALID_SPAN

from core.mcp_server.client import WarmStdioTools
from core.mcp_server.meta import OUTCOME
from core.settings import ROOT
from tests.mcp_server.conftest import said


@asynccontextmanager
async def mortal(folder: Path) -> AsyncIterator[WarmStdioTools]:
    parameters = {"command": sys.executable, "args": ["-m", "tests.mcp_server.mortal", str(folder)], "cwd": ROOT}
    tools = WarmStdioTools(parameters, lambda: INVALID_SPAN)
    await asyncio.create_task(tools.connect())
    yield tools
    await asyncio.create_task(tools.cleanup())


def calls(folder: Path) -> list[str]:
    return (folder / "calls").read_text().split()


@pytest.mark.parametrize("together", [1, 4])
async def test_a_read_is_repeated_once_the_server_runs_again(tmp_path: Path, together: int) -> None:
    async with mortal(tmp_path) as tools:
        (tmp_path / "die").touch()
        results = await asyncio.gather(*(tools.call_tool("read", {}) for _ in range(together)))
        assert [said(result) for result in results] == ["read done"] * together
    assert together + 1 <= len(calls(tmp_path)) <= 2 * together


async def test_a_write_is_not_repeated_and_the_next_call_works(tmp_path: Path) -> None:
    async with mortal(tmp_path) as tools:
        (tmp_path / "die").touch()
        result = await tools.call_tool("write", {})
        assert result.is_error and result.meta[OUTCOME] == "unknown"
        assert said(result) == (
            "The tool server stopped in the middle of the call and was started again. "
            "Whether the change was made is unknown: check first."
        )
        assert calls(tmp_path) == ["write"]
        assert said(await tools.call_tool("write", {})) == "write done"


async def test_a_server_that_dies_again_in_the_repetition_is_an_error_and_not_the_end(tmp_path: Path) -> None:
    async with mortal(tmp_path) as tools:
        heal = tools._heal

        async def heal_and_doom(seen: int) -> None:
            await heal(seen)
            (tmp_path / "die").touch()

        tools._heal = heal_and_doom  # type: ignore[method-assign]
        (tmp_path / "die").touch()
        result = await tools.call_tool("read", {})
        assert result.is_error
        tools._heal = heal  # type: ignore[method-assign]
        assert said(await tools.call_tool("read", {})) == "read done"
