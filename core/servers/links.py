"""The connections to all added servers, on the loop of all turns: made when they are needed, each once."""

import asyncio
import threading
from collections.abc import Coroutine, Iterable
from typing import Any, Protocol, TypeVar

from core.google.vault import Vault
from core.servers.address import Address, Rules
from core.servers.link import Link, Patience, Way
from core.servers.pipe import Pipe
from core.servers.web import Web
from core.store.server_tables import AddedServer

T = TypeVar("T")
ENDING_SECONDS = 30.0


class Loop(Protocol):
    """Where connections live."""

    def run(self, work: Coroutine[Any, Any, T], timeout: float = 60) -> T:
        """Run something there, and wait for it."""
        ...


class Links:
    """All connections. Safe for any threads.

    Args:
        vault: opens where servers are.
        rules: what the operator allows now, whatever was allowed when a server was added.
        loop: where they live.
    """

    def __init__(self, vault: Vault, rules: Rules, loop: Loop, patience: Patience) -> None:
        self.vault, self.rules, self._loop, self._patience = vault, rules, loop, patience
        self._links: dict[str, Link] = {}
        self._lock = threading.Lock()

    def to(self, title: str, address: Address, public_only: bool) -> Link:
        """A new connection, not opened yet and nobody's."""

        def way() -> Way:
            if address.kind == "http":
                return Web(address.url, address.headers, public_only)
            return Pipe([address.command, *address.args], address.env)

        transport = "tcp" if address.kind == "http" else "pipe"
        return Link(title, way, transport, self._patience, address.secrets)

    def adopt(self, server_id: str, link: Link) -> None:
        """Let a connection be that of a server."""
        with self._lock:
            self._links[server_id] = link

    def of(self, row: AddedServer) -> Link:
        """The connection of a server; blocks.

        Raises:
            VaultError: where it is cannot be read.
            BadInput, NotAllowed: it may not be used any more.
        """
        with self._lock:
            if row.id not in self._links:
                address = Address.of(self.vault.open(row.sealed))
                self.rules.check(address, administers=not row.public_only)
                self._links[row.id] = self.to(row.title, address, row.public_only)
            return self._links[row.id]

    def wait(self, work: Coroutine[Any, Any, T]) -> T:
        """Run something on the loop, and wait for it."""
        return self._loop.run(work, self._patience.connect + self._patience.call + ENDING_SECONDS)

    async def rest(self, used: Link) -> None:
        """Close the other connections that nobody has used for long."""
        with self._lock:
            others = [link for link in self._links.values() if link is not used]
        for link in others:
            await link.close_if_quiet()

    def end(self, server_ids: Iterable[str]) -> None:
        """End some servers' connections."""
        with self._lock:
            links = [self._links.pop(one) for one in list(server_ids) if one in self._links]
        if links:
            self._loop.run(closed(links), ENDING_SECONDS)

    def close(self) -> None:
        """End all."""
        self.end(self._links)


async def closed(links: Iterable[Link]) -> None:
    """End connections, all at once."""
    await asyncio.gather(*(link.close() for link in links), return_exceptions=True)
