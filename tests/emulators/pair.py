"""The same tools over two worlds: the sandbox, and an emulator by others."""

from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

from core.google.clients import Google, GoogleClients
from core.google.patience import Patience
from core.google.transport import Transport
from core.mcp_server.server import build_server
from core.registry.manifests import load_catalogue
from core.sandbox.sandbox import Sandbox
from core.users import SANDBOX_ACCOUNT
from tests.mcp_server.conftest import ZONE, Caller, now, said

Json = dict[str, Any]


@dataclass(frozen=True)
class World:
    """The tools over one world, and its REST API past them."""

    caller: Caller
    google: Google

    async def __call__(self, tool: str, /, **arguments: Any) -> Json:
        return await self.caller(tool, **arguments)

    async def outcome(self, tool: str, /, **arguments: Any) -> Json | str:
        """What a call comes to: its result, or the sentence that refuses it."""
        result = await self.caller.result(tool, arguments)
        return said(result) if result.is_error else dict(result.structured_content or {})

    def rest(self, path: str, /, **arguments: Any) -> Json:
        """What a method such as `drive.files.get` answers."""
        collection, method = path.rsplit(".", 1)
        return self.google.execute(getattr(self.google.resource(collection), method)(**arguments))


Scenario = Callable[[World], Awaitable[object]]


@dataclass(frozen=True)
class Difference:
    """What the sandbox and an emulator answer differently; docs/emulators.md says who is right, and why."""

    what: str
    scenario: Scenario
    ours: object
    theirs: object


@dataclass(frozen=True)
class Pair:
    """Two worlds to compare."""

    ours: World
    theirs: World

    async def seen(self, scenario: Scenario) -> tuple[object, object]:
        """What a scenario sees in the sandbox, and in the other world."""
        return await scenario(self.ours), await scenario(self.theirs)


def named(one: object) -> str:
    """The name of a scenario or difference, for pytest."""
    return one.what if isinstance(one, Difference) else getattr(one, "__name__", str(one))


def world(transport: Transport, domains: list[str], folder: Path) -> World:
    clients = GoogleClients(transport, Patience(sleep=lambda _: None))
    options: Json = {"account": SANDBOX_ACCOUNT, "zone": ZoneInfo(ZONE), "downloads": folder, "now": now}
    server = build_server(load_catalogue(), domains, clients, **options)
    return World(Caller(server), clients.for_account(SANDBOX_ACCOUNT))


@contextmanager
def sandbox_of(domains: list[str], folder: Path) -> Iterator[World]:
    """The tools over the sandbox."""
    sandbox = Sandbox(folder / "sandbox.db", ZONE, now)
    sandbox.open()
    yield world(sandbox.http, domains, folder)
    sandbox.close()


@contextmanager
def pair_of(other: Transport, domains: list[str], folder: Path) -> Iterator[Pair]:
    """The sandbox's world and another."""
    with sandbox_of(domains, folder) as ours:
        yield Pair(ours, world(other, domains, folder))
