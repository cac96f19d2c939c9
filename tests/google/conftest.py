"""Google at the other end of a sandbox transport, with a few routes that count what reaches them."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from core.google.clients import Google, GoogleClients
from core.google.patience import Patience
from core.sandbox.calls import Call
from core.sandbox.faults import Fault, Faults
from core.sandbox.routes import Route, Router
from core.sandbox.transport import SandboxHttp
from core.sandbox.world import World

ACCOUNT = "sam@lumenworks.example"


@dataclass
class Office:
    """A small Google: what was asked of it, its faults, and the pauses that were made."""

    world: World
    seen: list[str] = field(default_factory=list)
    pauses: list[float] = field(default_factory=list)
    transports: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.faults = Faults(self.world)
        mails = "/gmail/v1/users/{user}/messages"
        routes = [
            Route("GET", mails, self._note),
            Route("GET", mails + "/{id}", self._note),
            Route("POST", mails + "/send", self._note),
            Route("POST", "/calendar/v3/freeBusy", self._note),
        ]
        self._router = Router(routes)
        patience = Patience(sleep=self.pauses.append, clock=lambda: sum(self.pauses), jitter=lambda: 1.0)
        self.clients = GoogleClients(self._open, patience)
        self.google: Google = self.clients.for_account(ACCOUNT)
        self.messages: Any = self.google.resource("gmail.users.messages")

    def trouble(self, match: str, remaining: int | None = None, **kind: Any) -> None:
        self.faults.add(Fault(match, remaining=remaining, **kind))

    def get(self, one: str) -> Any:
        return self.messages.get(userId="me", id=one)

    def send(self) -> Any:
        return self.messages.send(userId="me", body={"raw": "aGk"})

    def _open(self, account: str) -> SandboxHttp:
        self.transports.append(account)
        return SandboxHttp(self.world, self._router, account, timeout=0.02)

    def _note(self, call: Call) -> dict[str, Any]:
        self.seen.append(f"{call.method} {call.params.get('id', call.path.rsplit('/', 1)[-1])}")
        return {"id": call.params.get("id", ""), "account": call.account}


@pytest.fixture
def office(tmp_path: Path) -> Iterator[Office]:
    world = World(tmp_path / "world.db", "UTC")
    world.create()
    yield Office(world)
    world.close()
