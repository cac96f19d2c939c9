"""Where a tool works: one account's Google, the person's zone, their folder for downloads, the clock."""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from zoneinfo import ZoneInfo

from core.errors import BadInput
from core.google.clients import Google

BODY_LIMIT = 8000


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
    """

    google: Google
    zone: ZoneInfo
    downloads: Path
    now: Callable[[], datetime] = utc_now
    body_limit: int = BODY_LIMIT


class BadArgument(BadInput):
    """A tool's argument has a value that cannot be used; the sentence names it and what it accepts."""

    def __init__(self, name: str, problem: str) -> None:
        super().__init__(f"{name}: {problem}")
