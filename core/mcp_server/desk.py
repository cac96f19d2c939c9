"""Where a tool works: one account's Google, the person's zone, their folders, the clock, and the call it serves."""

import hashlib
import secrets
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from zoneinfo import ZoneInfo

from core.errors import BadInput
from core.google.clients import Google
from core.mcp_server.meta import Caller

BODY_LIMIT = 8000
NOBODY = Caller("", "", "")


def utc_now() -> datetime:
    """The time, aware."""
    return datetime.now(UTC)


@dataclass(frozen=True)
class Desk:
    """What every tool function gets first; no model sees it.

    Attributes:
        google: the acting account's requests.
        zone: times without an offset are meant in it, and results are shown in it.
        downloads: the account's own folder; made when something is saved.
        body_limit: characters of mail text or file text in one result.
        uploads: the account's own folder of files that the person gave to the app; None where there is none.
        caller: the turn and the call that is served; a write's traces at Google are named after it.
    """

    google: Google
    zone: ZoneInfo
    downloads: Path
    now: Callable[[], datetime] = utc_now
    body_limit: int = BODY_LIMIT
    uploads: Path | None = None
    caller: Caller = NOBODY

    def key(self) -> str:
        """32 hex digits: the same for the same call of a turn, so that what it wrote can be found again.

        Where nobody said which call it is, they are random.
        """
        if not self.caller.turn_id or not self.caller.call_id:
            return secrets.token_hex(16)
        name = "\0".join((self.google.account, self.caller.turn_id, self.caller.call_id))
        return hashlib.sha256(name.encode()).hexdigest()[:32]


class BadArgument(BadInput):
    """A tool's argument has a value that cannot be used; the sentence names it and what it accepts."""

    def __init__(self, name: str, problem: str) -> None:
        super().__init__(f"{name}: {problem}")
