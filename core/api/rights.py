"""Which right a route of the API needs."""

import re
from collections.abc import Iterable
from dataclasses import dataclass

from core.store.tokens import EVERY_SCOPE, Scope
from core.users import User

READING = ("GET", "HEAD")


@dataclass(frozen=True)
class Identity:
    """Who calls, and what they may do.

    Attributes:
        user: None is the local user.
        key: what rate limits count by; no secret.
    """

    user: User | None
    scopes: frozenset[Scope]
    key: str


@dataclass(frozen=True)
class Right:
    """A scope, and the requests that need it; the first one that fits counts."""

    path: re.Pattern[str]
    scope: Scope
    methods: tuple[str, ...] = ()


RIGHTS = (
    Right(re.compile(r"/mcp(/.*)?"), Scope.MCP),
    Right(re.compile(r"/v1/.*"), Scope.WRITE_TRACES),
    Right(re.compile(r"/api/import(/.*)?"), Scope.WRITE_TRACES),
    Right(re.compile(r"/api/chat"), Scope.CHAT),
    Right(re.compile(r"/api/turns/[^/]+/(events|cancel)"), Scope.CHAT),
    Right(re.compile(r"/api/approvals/.*"), Scope.CHAT),
    Right(re.compile(r"/(api|metrics)(/.*)?"), Scope.READ_TRACES, READING),
)


def needed(method: str, path: str) -> frozenset[Scope]:
    """The scopes that a request needs: all of them where nothing is said about it."""
    plain = "/" + path.strip("/")
    for right in RIGHTS:
        if right.path.fullmatch(plain) and (not right.methods or method in right.methods):
            return frozenset([right.scope])
    return EVERY_SCOPE


def missing(granted: Iterable[Scope], method: str, path: str) -> list[str]:
    """The scopes that a caller lacks for a request."""
    return sorted(needed(method, path) - frozenset(granted))
