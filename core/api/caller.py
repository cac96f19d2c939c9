"""Every API route knows its caller, and every error leaves as the contract has it."""

import logging
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from functools import wraps
from typing import TYPE_CHECKING

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

logger = logging.getLogger(__name__)


@dataclass(frozen=True)
class Caller:
    """Who calls, what they may do, and what serves them."""

    user: User
    services: "Services"
    scopes: frozenset[Scope]


Endpoint = Callable[[Request, Caller], Awaitable[Response]]


def api(endpoint: Endpoint) -> Callable[[Request], Awaitable[Response]]:
    """Make a route of an endpoint that takes its caller; the guard has checked that they may call it."""

    @wraps(endpoint)
    async def route(request: Request) -> Response:
        try:
            services = host().ready()
            if services is None:
                raise Unavailable("Glassdesk is still starting. Try again in a few seconds.")
            return await endpoint(request, caller_of(request.scope, services))
        except GlassdeskError as error:
            return error_response(error)
        except Exception:
            logger.exception("%s %r failed", request.method, request.url.path)
            message = "Something unexpected went wrong. The log says more."
            return JSONResponse({"error": {"code": "internal", "message": message}}, 500)

    return route


def caller_of(connection: Connection, services: "Services") -> Caller:
    """Who calls, as the guard has found out.

    Raises:
        Unauthorized: nobody has.
    """
    identity = identity_of(connection)
    return Caller(identity.user or services.people.local(), services, identity.scopes)
