"""An outside server as a subprocess: clean surroundings, lines of bounded length, and nothing left behind.

The MCP SDK's own transport reads lines of any length, joining them anew with every piece, on the loop of all turns.
"""

import asyncio
import os
import shutil
import signal
import tempfile
from collections import deque
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager, suppress
from typing import Any

import anyio
from anyio.streams.memory import MemoryObjectReceiveStream, MemoryObjectSendStream
from mcp.client.stdio import get_default_environment
from mcp.shared.message import SessionMessage
from mcp_types import jsonrpc_message_adapter

from core.errors import BadInput

LONGEST_LINE = 4 * 2**20
"""Bytes of one message."""
GRACE_SECONDS = 1.0
"""How long it may take to end by itself, and then by a signal."""
KEPT_WORDS = 20
TOO_LONG = "It sent a message of more than {size} MB."
NOT_THERE = "The command {command} is not on this machine. Install it, or ask whoever runs Glassdesk."
Streams = tuple[MemoryObjectReceiveStream[SessionMessage | Exception], MemoryObjectSendStream[SessionMessage]]


class Pipe:
    """One run of a command.

    Args:
        command: first the program; no shell is used.
        env: what it is given beside next to nothing.
        longest: bytes of one message; a longer one ends the run.

    Attributes:
        words: what it last wrote to its standard error: data, for whoever added it.
        fault: why it was ended; empty where it was not.
    """

    def __init__(self, command: Sequence[str], env: Mapping[str, str], longest: int = LONGEST_LINE) -> None:
        self._command, self._env, self._longest = list(command), dict(env), longest
        self.words: deque[str] = deque(maxlen=KEPT_WORDS)
        self.fault = ""

    @asynccontextmanager
    async def open(self) -> AsyncIterator[Streams]:
        """Run it until the block ends: what it says, and what it is told.

        Raises:
            BadInput: there is no such command.
            OSError: it could not be started.
        """
        with tempfile.TemporaryDirectory(prefix="glassdesk-server-") as folder:
            process = await self._started(folder)
            said, hears = anyio.create_memory_object_stream[SessionMessage | Exception](0)
            tells, told = anyio.create_memory_object_stream[SessionMessage](0)
            async with anyio.create_task_group() as group:
                group.start_soon(self._read, process, said)
                group.start_soon(self._write, process, told, said)
                group.start_soon(self._listen, process)
                try:
                    yield hears, tells
                finally:
                    with anyio.CancelScope(shield=True):
                        for stream in (hears, tells, said, told):
                            await stream.aclose()
                        await ended(process)
                    group.cancel_scope.cancel()

    async def _started(self, folder: str) -> asyncio.subprocess.Process:
        program = shutil.which(self._command[0])
        if program is None:
            raise BadInput(NOT_THERE.format(command=self._command[0][:100]))
        return await asyncio.create_subprocess_exec(
            program,
            *self._command[1:],
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.PIPE,
            env={**get_default_environment(), **self._env},
            cwd=folder,  # not the app's own, which has its .env
            limit=self._longest,
            start_new_session=True,
        )

    async def _read(self, process: asyncio.subprocess.Process, said: MemoryObjectSendStream[Any]) -> None:
        """Pass on its messages; what is none is passed over."""
        assert process.stdout is not None
        async with said:
            with suppress(anyio.BrokenResourceError, anyio.ClosedResourceError, asyncio.IncompleteReadError):
                while True:
                    try:
                        line = await process.stdout.readuntil(b"\n")
                    except asyncio.LimitOverrunError:
                        self.fault = TOO_LONG.format(size=self._longest // 2**20 or "1")
                        signalled(process, signal.SIGKILL)  # it may wait for ever for somebody to read on
                        return
                    with suppress(ValueError, RecursionError):
                        await said.send(SessionMessage(jsonrpc_message_adapter.validate_json(line, by_name=False)))

    async def _write(
        self,
        process: asyncio.subprocess.Process,
        told: MemoryObjectReceiveStream[SessionMessage],
        said: MemoryObjectSendStream[Any],
    ) -> None:
        """Pass on what it is told; once it does not listen any more, nobody waits for what it says."""
        assert process.stdin is not None
        try:
            async with told:
                async for message in told:
                    line = message.message.model_dump_json(by_alias=True, exclude_unset=True)
                    process.stdin.write(line.encode() + b"\n")
                    await process.stdin.drain()
        except (OSError, anyio.ClosedResourceError):
            await said.aclose()

    async def _listen(self, process: asyncio.subprocess.Process) -> None:
        """Keep its last words."""
        assert process.stderr is not None
        while piece := await process.stderr.read(4096):
            self.words.extend(line.strip() for line in piece.decode(errors="replace").splitlines() if line.strip())


async def ended(process: asyncio.subprocess.Process) -> None:
    """End a process and all that it started: its input closes, then it is asked, then it is killed."""
    if process.stdin is not None:
        process.stdin.close()
    for order in (None, signal.SIGTERM, signal.SIGKILL):
        if order is not None:
            signalled(process, order)
        with suppress(TimeoutError):
            await asyncio.wait_for(process.wait(), GRACE_SECONDS)
            break
    signalled(process, signal.SIGKILL)  # what it has started and left behind
    process._transport.close()  # type: ignore[attr-defined]  # a child of its own may still hold the pipes open


def signalled(process: asyncio.subprocess.Process, order: signal.Signals) -> None:
    """Send a signal to a process and to all that it has started."""
    with suppress(ProcessLookupError, PermissionError):
        os.killpg(process.pid, order)
