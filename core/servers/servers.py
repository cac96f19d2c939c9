"""All MCP servers that people have added: looked at when they are added, reached when they are needed."""

import asyncio
import threading
import uuid
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from mcp_types import CallToolResult

from core.errors import BadInput, GlassdeskError, NotAllowed, NotFound
from core.mcp_server.calls import failed
from core.mcp_server.guard import unknown
from core.registry.domains import DomainIndex
from core.registry.manifests import Catalogue
from core.servers.address import Address
from core.servers.definitions import Definition, Found, clean, found_in, plain_name
from core.servers.link import Link, Listing, ServerFailed
from core.servers.links import Links
from core.servers.manifests import Own, Server, described, own_of
from core.servers.results import shaped
from core.store.server_tables import AddedServer
from core.store.servers import AddedServers
from core.users import User

MOST = 20
TITLE_LENGTH, TEXT_LENGTH, SLUG_LENGTH = 40, 500, 20
RESERVED = ("assistant", "planner", "glassdesk", "more")
CHANGED = (
    "{title} has changed what this tool is since it was last looked at, so it was not called. It now says: "
    "“{description}” The person can look at it in Settings, and ask again."
)
NO_TOOL = "{title} no longer has this tool, so it was not called. Settings shows what it has."
NO_TOOLS = "This server has no tools that can be used here, so it was not added.{why}"
UNSURE = "{sentence} Whether the call was carried out is unknown: check first."
NAMED = "“{title}” is taken, or is a name of the app's own. Give the server another name."


@dataclass(frozen=True)
class Wish:
    """A server as a person wants to add it; without a description its own words are taken."""

    title: str
    address: Address
    description: str = ""


class Servers:
    """The added servers of all users; every call names its user. Safe for any threads.

    Args:
        store: keeps them.
        links: their connections.
        base: the app's own catalogue, and the index of it.

    Attributes:
        changed: is told whose servers are others now; what they may have been answered before holds no more.
        enlist: is given what a user works with, before and after a change.
    """

    def __init__(
        self,
        store: AddedServers,
        links: Links,
        base: Catalogue,
        index: DomainIndex,
    ) -> None:
        self._store, self.links, self._base, self._index = store, links, base, index
        self._known: dict[str, tuple[object, Own]] = {}
        self._lock = threading.RLock()
        self.changed: Callable[[str], object] = lambda user_id: None
        self.enlist: Callable[[Own, Own], object] = lambda before, after: None

    def of(self, user_id: str) -> Own:
        """What a user works with, from memory where it is known."""
        known = self._known.get(user_id)
        return known[1] if known else self.refreshed(user_id)

    def refreshed(self, user_id: str) -> Own:
        """What a user works with, as the database has it now; blocks."""
        known = self._known.get(user_id)
        if known is not None and known[0] == self._store.versions(user_id):
            return known[1]
        rows = self._store.of_user(user_id)
        key = tuple((row.id, row.version) for row in rows)
        with self._lock:
            known = self._known.get(user_id)
            if known is not None and known[0] == key:
                return known[1]
            own = own_of(self._base, self._index, rows)
            self.enlist(known[1] if known else Own(self._base, self._index), own)
            self._known[user_id] = (key, own)
            return own

    def list(self, user: User) -> list[AddedServer]:
        """The user's servers."""
        return list(self._store.of_user(user.id))

    def add(self, user: User, wish: Wish) -> AddedServer:
        """Look at a server, and keep it; blocks while it is asked.

        Raises:
            BadInput, NotAllowed: it may not be added as it is.
            ServerFailed: it cannot be reached; nothing is kept.
            StorageError: it could not be kept.
        """
        title, domain = self._named(user, wish.title)
        self.links.rules.check(wish.address, user.administers)
        public_only = not user.administers
        link = self.links.to(title, wish.address, public_only)
        listing = self.links.wait(link.list())
        found = found_in(listing.tools, domain)
        if not found.tools:
            self.links.wait(link.close())
            raise BadInput(NO_TOOLS.format(why="".join(f" {name}: {why}." for name, why in found.left_out.items())))
        words = clean(wish.description, TEXT_LENGTH)
        now = datetime.now(UTC)
        row = AddedServer(
            id=uuid.uuid4().hex,
            user_id=user.id,
            domain=domain,
            title=title,
            description=words or described(listing.instructions, found.tools, TEXT_LENGTH),
            own_words=bool(words),
            shown=wish.address.shown,
            sealed=self.links.vault.seal(wish.address.json()),
            public_only=public_only,
            reading={},
            changed={},
            added_at=now,
            seen_at=now,
            **kept(found),
        )
        self._store.add(row)
        self.links.adopt(row.id, link)
        self._told(user.id)
        return row

    def test(self, user: User, server_id: str) -> AddedServer:
        """Ask a server anew; blocks. Whether it answers is in the row that comes back.

        Raises:
            NotFound: the user has no such server.
        """
        row = self._store.get(user.id, server_id)
        try:
            row = self._seen(row, self.links.wait(self.links.of(row).list()))
        except GlassdeskError as error:
            row = self._failed(row, error.sentence)
        self._told(user.id)
        return row

    def mark(self, user: User, server_id: str, tool: str, reads: bool) -> None:
        """Say that a tool only reads, as it is now, or that it is to be asked about.

        Args:
            tool: its name at the server.

        Raises:
            NotFound: the user has no such server, or it no such tool.
            NotAllowed: the user is in read-only mode.
        """
        if reads and user.read_only:
            raise NotAllowed("You are in read-only mode: every call of an outside server counts as a change.")

        def change(row: AddedServer) -> dict[str, Any]:
            digests = {one["original"]: one["digest"] for one in row.tools}
            if tool not in digests:
                raise NotFound("The server has no such tool any more. Open Settings again to see what it has.")
            others = {name: digest for name, digest in row.reading.items() if name != tool}
            left = {name: when for name, when in row.changed.items() if name != tool}
            return {"reading": {**others, tool: digests[tool]} if reads else others, "changed": left}

        self._store.change(user.id, server_id, change)
        self._told(user.id)

    def remove(self, user: User, server_id: str) -> None:
        """Forget a server with all that belongs to it, and end its connection.

        Raises:
            NotFound: the user has no such server.
        """
        row = self._store.get(user.id, server_id)
        self._store.remove(user.id, server_id, [tool["name"] for tool in row.tools])
        self.links.end([server_id])
        self._told(user.id)

    def forget(self, user_id: str) -> None:
        """End a user's connections, and keep nothing of theirs in memory; the rows go with the user's other rows."""
        self.links.end([row.id for row in self._store.of_user(user_id)])
        with self._lock:
            known = self._known.pop(user_id, None)
            if known is not None:
                self.enlist(known[1], Own(self._base, self._index))

    async def call(self, user_id: str, server_id: str, tool: str, arguments: dict[str, Any]) -> CallToolResult:
        """Call a tool of a user's server, on the connections' loop; a failure is a sentence for the model."""
        server = await asyncio.to_thread(self._server, user_id, server_id)
        wanted = server.tool(tool) if server else None
        if server is None or wanted is None:
            return failed(NO_TOOL.format(title=server.row.title if server else "The server"))
        reads = tool in server.reading
        try:
            try:
                return await self._called(server, wanted, arguments)
            except ServerFailed as error:
                if not error.lost or (error.unsure and not reads):
                    raise
            return await self._called(server, wanted, arguments)  # it is started again, and this is safe to repeat
        except GlassdeskError as error:
            await asyncio.to_thread(self._failed, server.row, error.sentence)
            unsure = isinstance(error, ServerFailed) and error.unsure and not reads
            return unknown(UNSURE.format(sentence=error.sentence)) if unsure else failed(error.sentence)

    async def _called(self, server: Server, wanted: Definition, arguments: dict[str, Any]) -> CallToolResult:
        link = await asyncio.to_thread(self.links.of, server.row)
        await self.links.rest(link)
        refusal = await self._checked(server, wanted.name, link)
        return refusal or shaped(await link.call(wanted.original, arguments))

    async def _checked(self, server: Server, tool: str, link: Link) -> CallToolResult | None:
        """Make sure that a tool is what it was when the person saw it; what to say where it is not."""
        if link.fresh:
            return None
        row = await asyncio.to_thread(self._seen, server.row, await link.list())
        await asyncio.to_thread(self.refreshed, row.user_id)
        now, before = Server.of(row).tool(tool), server.tool(tool)
        if now is None:
            return failed(NO_TOOL.format(title=row.title))
        if before is None or now.digest != before.digest:
            return failed(CHANGED.format(title=row.title, description=now.description))
        return None

    def _server(self, user_id: str, server_id: str) -> Server | None:
        return next((one for one in self.refreshed(user_id).servers if one.row.id == server_id), None)

    def _seen(self, row: AddedServer, listing: Listing) -> AddedServer:
        """Keep what a server says of itself now; what is not as it was marked is marked no more."""
        found = found_in(listing.tools, row.domain)
        now = datetime.now(UTC)
        digests = {tool.original: tool.digest for tool in found.tools}

        def change(kept_row: AddedServer) -> dict[str, Any]:
            gone = {name for name, digest in kept_row.reading.items() if digests.get(name) != digest}
            same = kept_row.own_words or not listing.instructions
            return {
                **kept(found),
                "reading": {name: digest for name, digest in kept_row.reading.items() if name not in gone},
                "changed": {**kept_row.changed, **{name: now.isoformat() for name in gone if name in digests}},
                "description": kept_row.description if same else clean(listing.instructions, TEXT_LENGTH),
                "seen_at": now,
                "problem": "",
            }

        return self._store.change(row.user_id, row.id, change)

    def _failed(self, row: AddedServer, sentence: str) -> AddedServer:
        try:
            return self._store.change(row.user_id, row.id, lambda _: {"problem": clean(sentence, TEXT_LENGTH)})
        except NotFound:  # it was removed meanwhile
            return row

    def _told(self, user_id: str) -> None:
        self.refreshed(user_id)
        self.changed(user_id)

    def _named(self, user: User, wanted: str) -> tuple[str, str]:
        """A new server's title, and the name of its domain.

        Raises:
            BadInput: there is none, it is taken, or there are too many servers.
        """
        title, rows = clean(wanted, TITLE_LENGTH), self._store.of_user(user.id)
        if not title:
            raise BadInput("Give the server a name by which you will know it, such as Wiki.")
        if len(rows) >= MOST:
            raise BadInput(f"You have {MOST} tool servers, which is as many as can be. Remove one first.")
        agents = [domain.agent for domain in self._base.domains.values()]
        titles = {*RESERVED, *(agent.title.casefold() for agent in agents), *(row.title.casefold() for row in rows)}
        slug = plain_name(title)[:SLUG_LENGTH].strip("_")
        slug = slug if slug[0].isalpha() else f"s_{slug}"
        taken = {*self._base.domains, *(agent.task.removesuffix("_task") for agent in agents), *RESERVED}
        if title.casefold() in titles or slug in taken:
            raise BadInput(NAMED.format(title=title))
        mine = {row.domain for row in rows}
        number = next(number for number in range(1, MOST + 2) if numbered(slug, number) not in mine)
        return title, numbered(slug, number)


def kept(found: Found) -> dict[str, Any]:
    """The columns that say which tools there are."""
    return {"tools": [tool.json() for tool in found.tools], "left_out": dict(found.left_out)}


def numbered(slug: str, number: int) -> str:
    """The name of a domain of which there are several."""
    return slug if number == 1 else f"{slug}_{number}"
