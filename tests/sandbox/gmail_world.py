"""A Gmail client on a sandbox world of its own, for the tests of this folder."""

from collections.abc import Callable, Iterable
from datetime import UTC, datetime
from email.message import EmailMessage
from pathlib import Path
from typing import Any

from googleapiclient.discovery import build

from core.sandbox.gmail import ROUTES, mime, seed
from core.sandbox.routes import Router
from core.sandbox.transport import SandboxHttp
from core.sandbox.world import World
from core.users import SANDBOX_ACCOUNT

NOW = datetime(2026, 11, 30, 14, 0, tzinfo=UTC)
ZONE = "Europe/Berlin"


class Mailbox:
    """A world and a client for it; the clock is set by hand."""

    def __init__(self, folder: Path, *, seeded: bool = False, now: datetime = NOW, zone: str = ZONE) -> None:
        self.now = now
        self.world = World(folder / "sandbox.db", zone)
        self.world.create()
        if seeded:
            seed(self.world, now.date(), self.clock)
        http = SandboxHttp(self.world, Router(ROUTES), SANDBOX_ACCOUNT, self.clock)
        self.users = build("gmail", "v1", http=http, cache_discovery=False, static_discovery=True).users()

    def clock(self) -> datetime:
        return self.now

    @property
    def messages(self) -> Any:
        return self.users.messages()

    def found(self, query: str, **more: Any) -> list[str]:
        """The ids that a search finds."""
        answer = self.messages.list(userId="me", q=query, maxResults=500, **more).execute()
        return [message["id"] for message in answer.get("messages", [])]

    def subjects(self, query: str, **more: Any) -> list[str]:
        """The subjects of the mails that a search finds."""
        return [self.header(message_id, "Subject") for message_id in self.found(query, **more)]

    def header(self, message_id: str, name: str) -> str:
        """One header of a mail."""
        mail = self.messages.get(userId="me", id=message_id, format="metadata", metadataHeaders=[name]).execute()
        return next((h["value"] for h in mail["payload"]["headers"]), "")

    def arrive(self, subject: str, text: str = "text", at: datetime | None = None, **headers: str) -> str:
        """A mail from outside arrives; its id."""
        body = {"raw": mime.encode(letter(subject, text, Date=f"{at or self.now:%a, %d %b %Y %H:%M:%S %z}", **headers))}
        sent = self.messages.import_(userId="me", body=body, internalDateSource="dateHeader").execute()
        return str(sent["id"])


def letter(subject: str, text: str = "text", **headers: str) -> bytes:
    """A plain mail's bytes; header names with underscores for hyphens."""
    message = EmailMessage()
    for name, value in (
        {"From": "Zoe <zoe@else.example>", "To": SANDBOX_ACCOUNT, "Subject": subject} | headers
    ).items():
        message[name.replace("_", "-")] = value
    message.set_content(text)
    return message.as_bytes()


def leaf(payload: dict[str, Any], wanted: Callable[[dict[str, Any]], bool]) -> dict[str, Any]:
    """The first part of a payload tree that is wanted."""
    return next(part for part in parts(payload) if wanted(part))


def parts(payload: dict[str, Any]) -> Iterable[dict[str, Any]]:
    """All parts of a payload tree."""
    yield payload
    for part in payload.get("parts", []):
        yield from parts(part)
