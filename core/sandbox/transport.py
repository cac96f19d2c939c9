"""An httplib2-shaped transport whose other end is the sandbox world."""

import json
from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from typing import Any
from urllib.parse import parse_qs, urlsplit

import httplib2

from core.sandbox.calls import ApiError, Call, Reply
from core.sandbox.routes import Router
from core.sandbox.world import World


def utc_now() -> datetime:
    """The time, aware."""
    return datetime.now(UTC)


class SandboxHttp:
    """Stands where an authorised `httplib2.Http` stands: googleapiclient calls `request` on it.

    Args:
        world: the world that answers.
        router: the APIs that it has.
        account: whose mail and calendar these are.
        now: the clock.
    """

    def __init__(self, world: World, router: Router, account: str, now: Callable[[], datetime] = utc_now) -> None:
        self._world, self._router, self._account, self._now = world, router, account, now

    def request(
        self,
        uri: str,
        method: str = "GET",
        body: bytes | str | None = None,
        headers: Mapping[str, str] | None = None,
        redirections: int = 5,
        connection_type: object = None,
    ) -> tuple[httplib2.Response, bytes]:
        """Answer one HTTP request as Google would."""
        parts = urlsplit(uri)
        content = body.encode() if isinstance(body, str) else body or b""
        reply = self._answer(method, parts.path, parts.query, dict(headers or {}), content)
        return response(reply)

    def close(self) -> None:
        """Nothing is held open."""

    def _answer(self, method: str, path: str, query: str, headers: dict[str, str], body: bytes) -> Reply:
        try:
            route, params = self._router.find(method, path)
            values = parse_qs(query, keep_blank_values=True)
            call = Call(method, path, params, values, headers, body, self._account, self._world, self._now)
            answer = route.handler(call)
            return answer if isinstance(answer, Reply) else Reply(answer)
        except ApiError as error:
            return Reply(error.body(), error.status, error.headers)


def response(reply: Reply) -> tuple[httplib2.Response, bytes]:
    """A reply in httplib2's form."""
    headers: dict[str, Any] = {"content-type": "application/json; charset=UTF-8", **reply.headers}
    content = reply.body if isinstance(reply.body, bytes) else b""
    if isinstance(reply.body, dict):
        content = json.dumps(reply.body, ensure_ascii=False).encode()
    status = 204 if reply.body is None and reply.status == 200 else reply.status
    return httplib2.Response({"status": str(status), "content-length": str(len(content)), **headers}), content
