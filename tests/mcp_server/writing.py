"""A desk to write at: a world of its own, what Google got to see of each request, and reads past the tools."""

from base64 import urlsafe_b64decode
from collections.abc import Callable
from dataclasses import dataclass, field
from email import message_from_bytes, policy
from email.message import EmailMessage
from pathlib import Path
from typing import Any

from core.google.clients import GoogleClients
from core.google.patience import Patience
from core.google.transport import HttpLike
from core.mcp_server.meta import CALL, TURN
from core.sandbox.faults import Fault
from core.sandbox.sandbox import Sandbox
from core.users import SANDBOX_ACCOUNT
from tests.mcp_server.conftest import Caller, build


@dataclass(frozen=True)
class Watched:
    """A way to Google that notes what goes over it."""

    http: HttpLike
    seen: list[str]
    before: dict[str, Callable[[], object]]

    def request(self, uri: str, method: str = "GET", **rest: Any) -> Any:
        path = uri.split("googleapis.com")[-1]
        self.seen.append(f"{method} {path}")
        self.before.pop(method, lambda: None)()
        return self.http.request(uri, method=method, **rest)


@dataclass
class Desk:
    """The tools, called as one call of one turn, and the account's Google behind them."""

    sandbox: Sandbox
    folder: Path
    seen: list[str] = field(default_factory=list)
    before: dict[str, Callable[[], object]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        clients = GoogleClients(
            lambda account: Watched(self.sandbox.http(account), self.seen, self.before), Patience(sleep=lambda _: None)
        )
        self.server = build(self.sandbox, self.folder / "downloads", clients=clients, uploads=self.folder / "uploads")
        self._caller = Caller(self.server)
        self._google = GoogleClients(self.sandbox.http).for_account(SANDBOX_ACCOUNT)

    async def result(self, tool: str, /, meta: dict[str, Any] | None = None, **arguments: Any) -> Any:
        return await self._caller.result(tool, arguments, meta or {TURN: "a" * 32, CALL: "call_1"})

    async def __call__(self, tool: str, /, **arguments: Any) -> dict[str, Any]:
        return await self._caller(tool, **arguments)

    async def refusal(self, tool: str, /, **arguments: Any) -> str:
        return await self._caller.refusal(tool, **arguments)

    def trouble(self, match: str, kind: str, **more: Any) -> None:
        self.sandbox.faults.add(Fault(match, kind, **more))

    def between(self, method: str, act: Callable[[], object]) -> None:
        """Do something just before the next request of this method reaches Google."""
        self.before[method] = act

    def changed(self) -> list[str]:
        """The requests that were no reads."""
        return [line for line in self.seen if not line.startswith("GET") and "/batch" not in line]

    def read(self, path: str, method: str = "get", **arguments: Any) -> dict[str, Any]:
        """What Google has, past the tools."""
        return self._google.execute(getattr(self._google.resource(path), method)(**arguments))

    def message(self, message_id: str) -> dict[str, Any]:
        return self.read("gmail.users.messages", userId="me", id=message_id)

    def mail(self, message_id: str) -> EmailMessage:
        """A mail as it is stored, parsed by another than who wrote it."""
        raw = self.read("gmail.users.messages", userId="me", id=message_id, format="raw")["raw"]
        return message_from_bytes(urlsafe_b64decode(raw + "=="), policy=policy.default)

    def raw(self, message_id: str) -> bytes:
        found = self.read("gmail.users.messages", userId="me", id=message_id, format="raw")["raw"]
        return urlsafe_b64decode(found + "==")

    def found(self, query: str) -> list[dict[str, Any]]:
        return self.read("gmail.users.messages", "list", userId="me", q=query).get("messages", [])

    def event(self, event_id: str) -> dict[str, Any]:
        return self.read("calendar.events", calendarId="primary", eventId=event_id)
