"""One REST call as a handler sees it, and the errors it may answer with."""

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from core.sandbox.world import World


class ApiError(Exception):
    """An error in Google's own shape.

    Args:
        status: HTTP status.
        reason: Google's reason, such as `notFound`, `rateLimitExceeded`, `insufficientPermissions`.
        message: Google's sentence.
        headers: further answer headers, such as `Retry-After`.
    """

    def __init__(self, status: int, reason: str, message: str, headers: Mapping[str, str] | None = None) -> None:
        super().__init__(message)
        self.status, self.reason, self.message, self.headers = status, reason, message, dict(headers or {})

    def body(self) -> dict[str, Any]:
        """The JSON body that Google sends with it."""
        detail = {"message": self.message, "domain": "global", "reason": self.reason}
        return {"error": {"code": self.status, "message": self.message, "errors": [detail]}}


@dataclass(frozen=True)
class Call:
    """A request: path parameters are decoded, query parameters may repeat; `now` is aware UTC."""

    method: str
    path: str
    params: Mapping[str, str]
    query: Mapping[str, list[str]]
    headers: Mapping[str, str]
    body: bytes
    account: str
    world: World
    now: Callable[[], datetime]

    def arg(self, name: str, default: str = "") -> str:
        """A query parameter's last value."""
        return self.query[name][-1] if self.query.get(name) else default

    def args(self, name: str) -> list[str]:
        """All values of a repeated query parameter."""
        return list(self.query.get(name, []))

    def number(self, name: str, default: int, maximum: int) -> int:
        """An integer query parameter, capped.

        Raises:
            ApiError: 400, as Google says it.
        """
        text = self.arg(name, str(default))
        if not text.lstrip("-").isdigit():
            raise ApiError(400, "invalid", f"Invalid value at '{name}': {text!r}")
        return min(int(text), maximum)

    def flag(self, name: str, default: bool = False) -> bool:
        """A boolean query parameter."""
        return self.arg(name, str(default)).lower() == "true"

    def json(self) -> dict[str, Any]:
        """The JSON body, `{}` where there is none.

        Raises:
            ApiError: 400 where it is not a JSON object.
        """
        if not self.body:
            return {}
        try:
            value = json.loads(self.body)
        except ValueError as error:
            raise ApiError(400, "parseError", "Parse Error") from error
        if not isinstance(value, dict):
            raise ApiError(400, "parseError", "Parse Error")
        return value


@dataclass(frozen=True)
class Reply:
    """An answer: a JSON object, bytes, or nothing (204)."""

    body: dict[str, Any] | bytes | None
    status: int = 200
    headers: Mapping[str, str] = field(default_factory=dict)


Handler = Callable[[Call], Reply | dict[str, Any]]
