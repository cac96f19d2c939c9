"""Every API route knows its caller, and every error leaves as the contract has it."""

import asyncio
import logging
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from functools import wraps
from typing import TYPE_CHECKING, TypeVar

from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.types import Scope as Connection

from core.api.access import error_response, identity_of
from core.errors import GlassdeskError, Unavailable
from core.host import host
from core.store.tokens import Scope
from core.users import User

if TYPE_CHECKING:
    from core.bootstrap import Services
    from core.front import Front

STARTING = "Glassdesk is still starting. Try again in a few seconds."
logger = logging.getLogger(__name__)


@dataclass(frozen=True)
class Reader:
    """Who calls, what they may do, and what they read from or write to; there may be no assistant yet."""

    user: User
    services: "Front"
    scopes: frozenset[Scope]


@dataclass(frozen=True)
class Caller(Reader):
    """Who calls the assistant."""

    services: "Services"


Who = TypeVar("Who", bound=Reader)
Endpoint = Callable[[Request, Who], Awaitable[Response]]
Served = Callable[[Request], Awaitable[Response]]


def api(endpoint: Endpoint[Caller]) -> Served:
    """Make a route of an endpoint that takes its caller; the guard has checked that they may call it.

    While the assistant is getting ready, the route waits for it.
    """

    async def caller(connection: Connection) -> Caller:
        return caller_of(connection, await serving())

    return answered(endpoint, caller)


def api_of_numbers(endpoint: Endpoint[Reader]) -> Served:
    """The same for what needs no assistant, and so waits for none."""

    async def reader(connection: Connection) -> Reader:
        front = host().front()
        if front is None:
            raise Unavailable(STARTING)
        return reader_of(connection, front)

    return answered(endpoint, reader)


def answered(endpoint: Endpoint[Who], who: Callable[[Connection], Awaitable[Who]]) -> Served:
    """A route of an endpoint; `who` finds its caller."""

    @wraps(endpoint)
    async def route(request: Request) -> Response:
        try:
            return await endpoint(request, await who(request.scope))
        except GlassdeskError as error:
            return error_response(error)
        except Exception:
            logger.exception("%s %r failed", request.method, request.url.path)
            message = "Something unexpected went wrong. The log says more."
            return JSONResponse({"error": {"code": "internal", "message": message}}, 500)

    return route


async def serving(starting: str = STARTING) -> "Services":
    """All services; waits where the databases are open and the assistant is still getting ready.

    Raises:
        Unavailable: with the sentence `starting`: not even they are open.
        GlassdeskError: they could not be built.
    """
    services = host().ready() or await asyncio.to_thread(host().serving)
    if services is None:
        raise Unavailable(starting)
    return services


def caller_of(connection: Connection, services: "Services") -> Caller:
    """Who calls the assistant, as the guard has found out.

    Raises:
        Unauthorized: nobody has.
    """
    who = reader_of(connection, services)
    return Caller(who.user, services, who.scopes)


def reader_of(connection: Connection, front: "Front") -> Reader:
    """Who calls, as the guard has found out.

    Raises:
        Unauthorized: nobody has.
    """
    identity = identity_of(connection)
    return Reader(identity.user or front.people.local(), front, identity.scopes)
