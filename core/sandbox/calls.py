"""One REST call as a handler sees it, and the errors it may answer with."""

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from core.sandbox.world import World

STATUS_NAMES = {
    400: "INVALID_ARGUMENT",
    401: "UNAUTHENTICATED",
    403: "PERMISSION_DENIED",
    404: "NOT_FOUND",
    409: "ALREADY_EXISTS",
    412: "FAILED_PRECONDITION",
    429: "RESOURCE_EXHAUSTED",
    500: "INTERNAL",
    503: "UNAVAILABLE",
}


class ApiError(Exception):
    """An error in Google's own shape.

    Args:
        status: HTTP status.
        reason: Google's reason, such as `notFound`, `rateLimitExceeded`, `insufficientPermissions`.
        message: Google's sentence.
        headers: further answer headers, such as `Retry-After`.
        domain: Google's `domain` of the reason, such as `usageLimits`, `calendar`.
        location: the parameter or header that is to blame, as `parameter:orderBy` or `header:If-Match`.
        details: Google's `error.details`, which only its newer APIs send.
    """

    def __init__(
        self,
        status: int,
        reason: str,
        message: str,
        headers: Mapping[str, str] | None = None,
        *,
        domain: str = "global",
        location: str = "",
        details: Sequence[Mapping[str, Any]] = (),
    ) -> None:
        super().__init__(message)
        self.status, self.reason, self.message, self.headers = status, reason, message, dict(headers or {})
        self.domain, self.location, self.details = domain, location, list(details)

    def body(self, named: bool = True) -> dict[str, Any]:
        """The JSON body that Google sends with it.

        Args:
            named: whether the API is one that also sends `status` and `details`: Calendar and Drive do not.
        """
        item = {"message": self.message, "domain": self.domain, "reason": self.reason}
        if self.location:
            item["locationType"], item["location"] = self.location.split(":", 1)
        error: dict[str, Any] = {"code": self.status, "message": self.message, "errors": [item]}
        if named and self.status in STATUS_NAMES:
            error["status"] = STATUS_NAMES[self.status]
        if named and self.details:
            error["details"] = self.details
        return {"error": error}


@dataclass(frozen=True)
class Call:
    """A request: path parameters are decoded, query parameters may repeat, header names are in lower case.

    `now` gives aware UTC.
    """

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
        try:
            return min(int(text), maximum)
        except ValueError as error:
            raise ApiError(400, "invalid", f"Invalid value at '{name}': {text!r}") from error

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
