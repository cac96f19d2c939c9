"""A connection to an outside server: opened when it is needed, kept, opened again when it has ended."""

import asyncio
import contextlib
import logging
import time
from collections.abc import Awaitable, Callable, Iterator
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass
from typing import Any, Protocol, TypeVar

import httpx2
from mcp import Client, MCPError
from mcp.client.session import ClientSession
from mcp_types import (
    CONNECTION_CLOSED,
    INVALID_REQUEST,
    REQUEST_TIMEOUT,
    CallToolRequest,
    CallToolRequestParams,
    CallToolResult,
    Implementation,
    PaginatedRequestParams,
    Tool,
    ToolListChangedNotification,
)
from opentelemetry import context
from pydantic import ValidationError

from core.errors import GlassdeskError
from core.mcp_server.calls import connecting
from core.servers.definitions import clean

R = TypeVar("R")
MOST_PAGES = 20
SAID_LENGTH = 300
QUIET = "glassdesk.quiet"
CLOSING_SECONDS = 10
logger = logging.getLogger(__name__)


class ServerFailed(GlassdeskError):
    """An outside server could not be reached, or did not do what it should.

    Attributes:
        unsure: whether a call had gone out, and nothing came back of it.
        lost: whether the connection ended with it.
    """

    code = "server_failed"
    http_status = 502

    def __init__(self, sentence: str, unsure: bool = False, lost: bool = False) -> None:
        super().__init__(sentence)
        self.unsure, self.lost = unsure, lost


class Ended(Exception):
    """The connection ended while an answer was waited for."""


class Way(Protocol):
    """How a server is reached, once."""

    fault: str

    def open(self) -> AbstractAsyncContextManager[Any]:
        """The streams of one session."""
        ...


@dataclass(frozen=True)
class Patience:
    """Seconds: to connect (a command may have to be fetched first), for a call, and until a quiet connection closes;
    after `stale` the tools are asked for anew before a call."""

    connect: float = 60.0
    call: float = 60.0
    quiet: float = 900.0
    stale: float = 300.0


@dataclass(frozen=True)
class Listing:
    """What a server says of itself."""

    tools: tuple[Tool, ...]
    instructions: str
    name: str


class Link:
    """One server's connection; lives on the loop that first uses it.

    Args:
        title: what people call the server.
        way: makes a new way to it.
        transport: `pipe` or `tcp`, for the trace.
        secrets: never said, whatever the server says.
    """

    def __init__(
        self, title: str, way: Callable[[], Way], transport: str, patience: Patience, secrets: tuple[str, ...] = ()
    ) -> None:
        self._title, self._make_way, self._transport = title, way, transport
        self._patience, self._secrets = patience, secrets
        self._opening = asyncio.Lock()
        self._client: Client | None = None
        self._way: Way | None = None
        self._holder: asyncio.Task[None] | None = None
        self._closing = asyncio.Event()
        self._used = time.monotonic()
        self._listed: float | None = None
        self._running = 0

    @property
    def fresh(self) -> bool:
        """Whether what was listed last still holds, as far as the server says."""
        alive = self._client is not None and self._listed is not None
        return alive and time.monotonic() - (self._listed or 0.0) < self._patience.stale

    async def list(self) -> Listing:
        """Its tools, asked for now.

        Raises:
            ServerFailed: says why.
        """
        client = await self._open()
        tools: list[Tool] = []
        cursor: str | None = None
        for _ in range(MOST_PAGES):
            params = PaginatedRequestParams(cursor=cursor) if cursor else None
            page = await self._ask(lambda session, params=params: session.list_tools(params=params))  # type: ignore[misc]
            tools += page.tools
            cursor = page.next_cursor
            if not cursor:
                break
        self._listed = time.monotonic()
        info = client.server_info
        return Listing(tuple(tools), client.instructions or "", (info.title or info.name) if info else "")

    async def call(self, tool: str, arguments: dict[str, Any]) -> CallToolResult:
        """Call a tool, once.

        Raises:
            ServerFailed: says why, and whether it may have been carried out.
        """
        await self._open()
        request = CallToolRequest(params=CallToolRequestParams(name=tool, arguments=arguments))
        with untraced():
            return await self._ask(lambda session: session.send_request(request, CallToolResult), sent=True)

    async def close(self) -> None:
        """End the connection, if there is one."""
        async with self._opening:
            await self._drop()

    async def close_if_quiet(self) -> None:
        """End a connection that nobody has used for long."""
        if self._client and not self._running and time.monotonic() - self._used > self._patience.quiet:
            await self.close()

    async def _open(self) -> Client:
        async with self._opening:
            if self._client is not None:
                return self._client
            await self._drop()
            ready: asyncio.Future[Client] = asyncio.get_running_loop().create_future()
            self._closing, self._way, self._listed = asyncio.Event(), self._make_way(), None
            with connecting(self._transport):
                self._holder = asyncio.create_task(self._hold(self._way, self._closing, ready), name=self._title)
                try:
                    self._client = await asyncio.wait_for(asyncio.shield(ready), self._patience.connect)
                except BaseException as error:
                    reason = self._reason(error)
                    self._holder.cancel()
                    await self._drop()
                    if isinstance(error, asyncio.CancelledError):
                        raise
                    raise ServerFailed(f"{self._title} cannot be reached. {reason}") from error
            return self._client

    async def _hold(self, way: Way, closing: asyncio.Event, ready: "asyncio.Future[Client]") -> None:
        """Own the session from its beginning to its end: its task group must be left by the task that entered it."""
        try:
            async with Client(
                _Transport(way.open()),
                cache=None,
                message_handler=self._heard,
                client_info=Implementation(name="glassdesk", version="1"),
                read_timeout_seconds=self._patience.connect,
            ) as client:
                ready.set_result(client)
                await closing.wait()
        except Exception as error:
            if not ready.done():
                ready.set_exception(error)
            else:
                logger.info("The connection to an outside server ended: %s", type(error).__name__)
        finally:
            if not ready.done():
                ready.cancel()
            if self._closing is closing:
                self._client = None

    async def _drop(self) -> None:
        self._closing.set()
        holder, self._holder, self._client = self._holder, None, None
        if holder is not None:
            await asyncio.wait([holder], timeout=CLOSING_SECONDS)
            holder.cancel()
            with contextlib.suppress(asyncio.CancelledError, Exception):
                await holder

    async def _ask(self, make: Callable[[ClientSession], Awaitable[R]], sent: bool = False) -> R:
        """Ask the session, which may end meanwhile."""
        client, holder, way = self._client, self._holder, self._way
        if client is None or holder is None or way is None:
            raise ServerFailed(f"{self._title} has ended its connection. Ask again.", lost=True)
        self._used, self._running = time.monotonic(), self._running + 1
        asked = asyncio.ensure_future(make(client.session))
        try:
            async with asyncio.timeout(self._patience.call):
                await asyncio.wait([asked, holder], return_when=asyncio.FIRST_COMPLETED)
                if not asked.done():
                    await asyncio.wait([asked], timeout=1)  # what came in last is still being read
                if not asked.done():
                    raise Ended
                return asked.result()
        except (MCPError, Ended, TimeoutError, httpx2.HTTPError, ValidationError, ValueError, RuntimeError) as error:
            gone = lost(error) or holder.done()
            if gone:
                await self._lose(holder)
            raise ServerFailed(f"{self._title}: {self._reason(error, way)}", sent and silent(error), gone) from error
        finally:
            asked.cancel()
            self._used, self._running = time.monotonic(), self._running - 1

    async def _lose(self, holder: "asyncio.Task[None]") -> None:
        """Give up a connection that has ended, unless it was replaced already."""
        async with self._opening:
            if self._holder is holder:
                await self._drop()

    async def _heard(self, message: Any) -> None:
        if isinstance(message, ToolListChangedNotification):
            self._listed = None

    def _reason(self, error: BaseException, way: Way | None = None) -> str:
        """What went wrong, as sentences; no secret is in them."""
        way = way or self._way
        fault = way.fault if way is not None else ""
        said = fault or plainly(first(error), self._patience)
        words = " ".join(getattr(way, "words", ()))
        if words and not fault and not isinstance(first(error), TimeoutError):
            said = f"{said} Its last words: “{clean(words[-SAID_LENGTH:], SAID_LENGTH)}”"
        for secret in self._secrets:
            said = said.replace(secret, "…")
        return said


@contextlib.contextmanager
def untraced() -> Iterator[None]:
    """Leave out the SDK's own span of a call: who calls has one, with the name that the tool has here."""
    token = context.attach(context.set_value(QUIET, True))
    try:
        yield
    finally:
        context.detach(token)


class _Transport:
    """A way's context manager under the name by which the SDK knows transports."""

    def __init__(self, manager: AbstractAsyncContextManager[Any]) -> None:
        self._manager = manager

    async def __aenter__(self) -> Any:
        """Open it."""
        return await self._manager.__aenter__()

    async def __aexit__(self, *given: Any) -> bool | None:
        """Close it."""
        return await self._manager.__aexit__(*given)


def first(error: BaseException) -> BaseException:
    """The error within groups of them."""
    while isinstance(error, BaseExceptionGroup):
        error = error.exceptions[0]
    return error


def lost(error: BaseException) -> bool:
    """Whether the connection is of no more use."""
    if not isinstance(error, MCPError):
        return isinstance(error, Ended | httpx2.HTTPError | RuntimeError)
    return error.code == CONNECTION_CLOSED or (error.code == INVALID_REQUEST and "erminated" in error.error.message)


def silent(error: BaseException) -> bool:
    """Whether the server has not answered, not even with an error."""
    return not isinstance(error, MCPError) or error.code in (CONNECTION_CLOSED, REQUEST_TIMEOUT)


def plainly(error: BaseException, patience: Patience) -> str:
    """An error in words."""
    match error:
        case GlassdeskError():
            return error.sentence
        case MCPError() if error.code == REQUEST_TIMEOUT:
            return "It did not answer in time."
        case TimeoutError():
            return "It did not answer in time."
        case MCPError() if error.code == CONNECTION_CLOSED:
            return "It ended in the middle."
        case MCPError():
            return f"It said: “{clean(error.error.message, SAID_LENGTH)}”"
        case Ended() | asyncio.CancelledError():
            return "It ended in the middle."
        case httpx2.ConnectError() | httpx2.ConnectTimeout():
            return "Nothing answers at its address."
        case FileNotFoundError() | PermissionError():
            return "Its command cannot be started."
    return "It does not speak MCP as it should."
