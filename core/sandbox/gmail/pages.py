"""Pages of a list, newest first: a token names the last row shown, so that new mail does not shift what follows."""

from dataclasses import dataclass

from core.sandbox.calls import Call
from core.sandbox.gmail.mailbox import invalid

DEFAULT_SIZE, MAX_SIZE = 100, 500


@dataclass(frozen=True)
class Cursor:
    """The last row of a page: its time in milliseconds since 1970, and its id."""

    ms: int
    id: str

    def token(self) -> str:
        """As digits, like Gmail's."""
        return f"{self.ms:014d}{int(self.id, 16):020d}"


def page_size(call: Call) -> int:
    """How many rows a request wants."""
    return max(1, call.number("maxResults", DEFAULT_SIZE, MAX_SIZE))


def cursor(call: Call) -> Cursor | None:
    """Where a request goes on.

    Raises:
        ApiError: 400 for a token that no list gave out.
    """
    token = call.arg("pageToken")
    if not token:
        return None
    if not (token.isascii() and token.isdigit() and len(token) == 34 and int(token[14:]) < 1 << 64):
        raise invalid("Invalid pageToken")
    return Cursor(int(token[:14]), f"{int(token[14:]):016x}")
