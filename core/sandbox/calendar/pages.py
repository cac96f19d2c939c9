"""Pages of a list: an opaque token that says where the next one begins."""

from base64 import urlsafe_b64decode, urlsafe_b64encode
from collections.abc import Sequence
from typing import TypeVar

from core.sandbox.calls import ApiError, Call

Item = TypeVar("Item")


def encode(kind: str, number: int) -> str:
    """An opaque token."""
    return urlsafe_b64encode(f"{kind}:{number}".encode()).decode().rstrip("=")


def decode(kind: str, token: str) -> int | None:
    """The number in a token, None where it is no such token."""
    try:
        name, _, number = urlsafe_b64decode(token + "=" * (-len(token) % 4)).decode().partition(":")
        return int(number) if name == kind else None
    except ValueError:
        return None


def page(call: Call, items: Sequence[Item], default: int, maximum: int) -> tuple[Sequence[Item], str | None]:
    """The page that a call asks for, and the token of the next one.

    Raises:
        ApiError: 400 for a token that is none.
    """
    size = max(1, call.number("maxResults", default, maximum))
    start = decode("page", call.arg("pageToken")) if call.arg("pageToken") else 0
    if start is None:
        raise ApiError(400, "invalid", "Invalid page token value.", location="parameter:pageToken")
    end = start + size
    return items[start:end], encode("page", end) if end < len(items) else None
