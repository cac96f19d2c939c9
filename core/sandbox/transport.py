"""An httplib2-shaped transport whose other end is the sandbox world."""

from collections.abc import Callable, Collection, Mapping
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any
from urllib.parse import urlsplit

import httplib2
from sqlalchemy.exc import DBAPIError

from core.sandbox import batch, faults, fields
from core.sandbox.calls import ApiError, Call, Reply
from core.sandbox.oauth.endpoints import Endpoints
from core.sandbox.reasons import refusal
from core.sandbox.requests import Request, content
from core.sandbox.routes import Route, Router
from core.sandbox.world import World, unusable

HOSTS = ("googleapis.com", "googleusercontent.com")
UNNAMED = ("/calendar/", "/drive/", "/upload/drive/", "/batch/calendar/", "/batch/drive/")
"""APIs whose errors carry no `status`."""


def utc_now() -> datetime:
    """The time, aware."""
    return datetime.now(UTC)


class SandboxHttp:
    """Stands where an authorised `httplib2.Http` stands: googleapiclient calls `request` on it.

    Args:
        world: the world that answers.
        router: the APIs that it has.
        account: whose mail and calendar these are; empty is a caller without credentials.
        now: the clock.
        accounts: the accounts that exist; None is any.
        timeout: seconds that a slow answer is waited for.
        endpoints: the sign-in; with it, each request is its token's account's and needs that token's permissions.
        rise: is called before each request, so that the world may begin a new day.
    """

    def __init__(
        self,
        world: World,
        router: Router,
        account: str,
        now: Callable[[], datetime] = utc_now,
        accounts: Collection[str] | None = None,
        timeout: float = 20.0,
        endpoints: Endpoints | None = None,
        rise: Callable[[], None] = lambda: None,
    ) -> None:
        self._world, self._router, self._account, self._now = world, router, account, now
        self._accounts, self._timeout, self._endpoints = accounts, timeout, endpoints
        self._faults, self._rise = faults.Faults(world), rise

    def request(
        self,
        uri: str,
        method: str = "GET",
        body: Any = None,
        headers: Mapping[str, str] | None = None,
        redirections: int = 5,
        connection_type: object = None,
    ) -> tuple[httplib2.Response, bytes]:
        """Answer one HTTP request as Google would.

        Raises:
            httplib2.ServerNotFoundError: the host is not one of Google's APIs.
            OSError: an armed fault breaks the connection or lets it time out.
            StorageError: the world's file cannot be used.
        """
        host = urlsplit(uri).hostname or ""
        if host not in HOSTS and not host.endswith(tuple(f".{known}" for known in HOSTS)):
            raise httplib2.ServerNotFoundError(f"Unable to find the server at {host}")
        self._rise()
        try:
            status, sent, answer = content(self._answer(Request.make(uri, method, body, headers or {})))
        except DBAPIError as error:
            raise unusable(self._world.path, error) from error
        return httplib2.Response({"status": str(status), **sent}), answer

    def close(self) -> None:
        """Nothing is held open."""

    def _answer(self, received: Request) -> Reply:
        request = received.meant()
        struck = self._faults.strike(f"{request.method} {request.path}")
        try:
            faults.before(struck, request.path, self._timeout)
            reply = self._serve(request)
        except ApiError as error:
            reply = Reply(error.body(not request.path.startswith(UNNAMED)), error.status, error.headers)
        return faults.after(struck, reply, request.values().get("pageToken", [""])[-1])

    def _serve(self, request: Request) -> Reply:
        if self._endpoints is None:
            return self._serve_account(request)
        signed_in = self._endpoints.answer(request)
        if signed_in is not None:
            return signed_in
        visitor = self._endpoints.admit(request)
        if is_batch(request):
            return batch.run(request, lambda part: self._answer(inheriting(part, request)))
        route, params = self._router.find(request.method, request.path)
        self._endpoints.allow(visitor, route, request.path)
        return self._handle(request, route, params, visitor.email)

    def _serve_account(self, request: Request) -> Reply:
        if not self._account or (self._accounts is not None and self._account not in self._accounts):
            raise refusal(request.path, 401, "authError")
        if is_batch(request):
            return batch.run(request, self._answer)
        route, params = self._router.find(request.method, request.path)
        return self._handle(request, route, params, self._account)

    def _handle(self, request: Request, route: Route, params: Mapping[str, str], account: str) -> Reply:
        query = {name: values for name, values in request.values().items() if values != [faults.START]}
        call = Call(
            method=request.method,
            path=request.path,
            params=params,
            query=query,
            headers=request.headers,
            body=request.body,
            account=account,
            world=self._world,
            now=self._now,
        )
        mask = fields.parse(call.arg("fields")) if call.arg("fields") else {}
        answer = route.handler(call)
        return masked(answer if isinstance(answer, Reply) else Reply(answer), mask)


def is_batch(request: Request) -> bool:
    """Whether a request holds several."""
    return request.method == "POST" and request.path in batch.LIMITS


def inheriting(part: Request, whole: Request) -> Request:
    """A part of a batch with the whole's token, where it has none of its own."""
    token = whole.headers.get("authorization", "")
    return replace(part, headers={"authorization": token, **part.headers})


def masked(reply: Reply, mask: fields.Mask) -> Reply:
    """A reply with only the fields that were asked for; bytes and errors stay whole."""
    if not mask or not isinstance(reply.body, dict):
        return reply
    return Reply(fields.select(reply.body, mask), reply.status, reply.headers)
