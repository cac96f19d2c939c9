"""An outside server at an address: bounded answers, no host but its own, and not inside the app's own network."""

import asyncio
import ipaddress
import socket
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from typing import Any

import httpx2
from mcp.client.streamable_http import streamable_http_client

LARGEST = 4 * 2**20
"""Bytes of one answer, or of one event of a stream."""
CONNECT_SECONDS, READ_SECONDS = 15.0, 300.0
STATUSES = {
    401: "It asks for a key: give one as a header, such as “Authorization: Bearer …”.",
    403: "It refuses these keys. Check the headers that you gave.",
    404: "There is nothing at this address. Check it: many end with /mcp.",
    405: "There is no MCP server at this address. Check it: many end with /mcp.",
    429: "It asks to be left alone for a while. Try again later.",
}
ELSEWHERE = "It sends on to another address, which is not followed. Give that address where you trust it."
TOO_LARGE = f"It sent an answer of more than {LARGEST // 2**20} MB."
PACKED = "It sent a compressed answer, whose size cannot be known before it is unpacked."
INSIDE = "Its name leads into the network of this machine, where only an administrator may add servers."


class Refused(httpx2.RequestError):
    """A request that is not made, or an answer that is not read to its end."""


class Web:
    """One session at an address.

    Args:
        url: of the server.
        headers: that go with each request; only to that host.
        public_only: whether it must be on the internet.

    Attributes:
        fault: what was wrong with an answer, as a sentence; empty where nothing was.
    """

    def __init__(self, url: str, headers: Mapping[str, str], public_only: bool) -> None:
        self._url, self._public_only = url, public_only
        self._headers = {**headers, "Accept-Encoding": "identity"}
        self._origin = origin_of(httpx2.URL(url))
        self.fault = ""

    @asynccontextmanager
    async def open(self) -> AsyncIterator[Any]:
        """The session's streams, until the block ends."""
        hooks: dict[str, list[Any]] = {"request": [self._asks], "response": [self._answers]}
        timeout = httpx2.Timeout(CONNECT_SECONDS, read=READ_SECONDS)
        async with (
            httpx2.AsyncClient(headers=self._headers, timeout=timeout, event_hooks=hooks) as client,
            streamable_http_client(self._url, http_client=client, max_sse_event_size=LARGEST) as streams,
        ):
            yield streams

    async def _asks(self, request: httpx2.Request) -> None:
        if origin_of(request.url) != self._origin:
            raise self._refusal(ELSEWHERE, request)
        if self._public_only and await inside(request.url.host):
            raise self._refusal(INSIDE, request)

    async def _answers(self, response: httpx2.Response) -> None:
        if (
            response.has_redirect_location
            and origin_of(response.url.join(response.headers["location"])) != self._origin
        ):
            self.fault = ELSEWHERE
        elif response.status_code in STATUSES and response.request.method == "POST":
            self.fault = STATUSES[response.status_code]
        elif response.is_success and response.request.method == "POST":
            self.fault = ""
        if response.headers.get("content-encoding", "identity") != "identity":
            raise self._refusal(PACKED, response.request)
        if not response.headers.get("content-type", "").startswith("text/event-stream"):
            response.stream = Bounded(response.stream, lambda: self._refusal(TOO_LARGE, response.request))

    def _refusal(self, sentence: str, request: httpx2.Request) -> Refused:
        self.fault = sentence
        return Refused(sentence, request=request)


class Bounded(httpx2.AsyncByteStream):
    """A body that ends with an error where it is too large."""

    def __init__(self, inner: Any, refusal: Any) -> None:
        self._inner, self._refusal = inner, refusal

    async def __aiter__(self) -> AsyncIterator[bytes]:
        """Its pieces."""
        size = 0
        async for piece in self._inner:
            size += len(piece)
            if size > LARGEST:
                raise self._refusal()
            yield piece

    async def aclose(self) -> None:
        """Close it."""
        await self._inner.aclose()


def origin_of(url: httpx2.URL) -> tuple[str, str, int | None]:
    """Scheme, host and port."""
    return url.scheme, url.host, url.port


async def inside(host: str) -> bool:
    """Whether a host's name leads anywhere but to the internet; not known is no: then nothing answers either."""
    try:
        found = await asyncio.get_running_loop().getaddrinfo(host, None, type=socket.SOCK_STREAM)
    except OSError:
        return False
    return any(not ipaddress.ip_address(str(address[0]).split("%")[0]).is_global for *_, address in found)
