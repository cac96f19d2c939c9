"""Who may come in, by which door, and how: the check before every route, page and websocket."""

import asyncio
import hmac
import re
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING

from starlette.responses import JSONResponse, PlainTextResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from core.api.doors import Names, header, is_loopback
from core.api.rates import Rates, TooMany
from core.api.rights import READING, Identity, missing, needed
from core.api.sizes import UPLOADS, limited, most
from core.errors import BadInput, GlassdeskError, NotAllowed, Unavailable
from core.host import host
from core.store.tokens import EVERY_SCOPE
from core.users import Claims

if TYPE_CHECKING:
    from core.front import Front

GUARDED = ("api", "v1", "mcp", "metrics")
"""First parts of the paths that need a right."""
KNOWN = ("oauth",)
"""First parts of the paths that only need to know who is there."""
ODD_PATH = re.compile(r"[\x00-\x1f\x7f\\]|(^|/)\.\.(/|$)")
ALIVE = "/healthz"
HEALTH = (ALIVE, "/readyz")
IDENTITY = "glassdesk_identity"
OWN_SITES = (None, "same-origin", "none")
BEARER = "Bearer "
UPLOAD = 50_000_000
POLICY_VIOLATION = 1008
ABROAD = "In local mode only this machine is served. Set up a sign-in, as README.md says, to let others in."
SIGN_IN = "Sign in first, or send Authorization: Bearer with a token from Settings."
NO_HOST = "The Host header names another machine. Call http://127.0.0.1, or set GLASSDESK_PUBLIC_URL."
FOREIGN = "Pages of other sites may not use this app."
NO_TOKEN = "Without a token only callers on this machine are served. Set GLASSDESK_API_TOKEN."
WRONG_TOKEN = "The token is not known, or was revoked. Make a new one in Settings."
Session = Callable[[Scope], Claims | None]


class Unauthorized(GlassdeskError):
    """A caller whom nobody knows."""

    code = "unauthorized"
    http_status = 401


class AccessGuard:
    """ASGI middleware over everything; Streamlit gives an app's own routes no protection.

    Args:
        token: the operator's, for every route of the API; empty: there is none.
        names: under which the app may be called.
        session: who has signed in, as the browser's signed cookie says; None: local mode, in which the one user is
            whoever sits at this machine.
        rates: how often a caller may call.
        upload: bytes of a file that a page takes.
        services: what knows people and tokens; None while the app is starting.
    """

    def __init__(
        self,
        app: ASGIApp,
        token: str = "",
        *,
        names: Names | None = None,
        session: Session | None = None,
        rates: Rates | None = None,
        upload: int = UPLOAD,
        services: "Callable[[], Front | None]" = lambda: host().front(),
    ) -> None:
        self._app, self._token, self._names = app, token, names or Names()
        self._session, self._rates, self._upload, self._services = session, rates or Rates(0), upload, services

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve a request, or answer with why not."""
        if scope["type"] not in ("http", "websocket"):
            await self._app(scope, receive, send)
            return
        begun = False

        async def noted(message: Message) -> None:
            nonlocal begun
            begun = True
            await send(message)

        try:
            await self._enter(scope)
            if scope["type"] == "http":
                receive = limited(scope, receive, most(scope["path"], self._upload))
            await self._app(scope, receive, noted)
        except GlassdeskError as error:
            if begun:
                raise
            await refuse(error, scope, receive, send)

    async def _enter(self, scope: Scope) -> None:
        """Let a request in, with who sends it.

        Raises:
            NotAllowed: its Host, Origin or sender is foreign, or it lacks a right.
            Unauthorized: nobody knows who sends it.
            TooMany: it is one too many.
        """
        if scope["path"] == ALIVE:
            return
        self._check_door(scope)
        part = first_part(scope["path"])
        if part in GUARDED:
            identity = await self._identified(scope)
            if identity is None:
                raise Unauthorized(SIGN_IN)
            self._check_right(scope, identity)
        elif part in KNOWN:
            identity = await self._identified(scope)
        elif scope["path"].startswith(UPLOADS) and self._session is not None:
            identity = await self._identified(scope)
            if identity is None:
                raise Unauthorized(SIGN_IN)
        else:
            return
        scope.setdefault("state", {})[IDENTITY] = identity

    def _check_door(self, scope: Scope) -> None:
        """Let a request pass that is meant for this app.

        Raises:
            BadInput: its path leads out of where it begins, or hides something.
            NotAllowed: its sender, Host or Origin is foreign.
        """
        if ODD_PATH.search(scope["path"]):
            raise BadInput("This address holds characters that no address of this app has.")
        here = self._for_this_machine(scope)
        guarded = first_part(scope["path"]) in GUARDED
        if here and not is_loopback((scope.get("client") or ("", 0))[0]):
            raise NotAllowed(NO_TOKEN if guarded else ABROAD)
        called, origin = header(scope, b"host") or "", header(scope, b"origin")
        if not self._names.knows_host(called, here):
            raise NotAllowed(NO_HOST)
        if origin is not None and not self._names.knows_origin(origin, called, here):
            raise NotAllowed(FOREIGN)
        if (guarded or scope.get("method", "GET") not in READING) and header(scope, b"sec-fetch-site") not in OWN_SITES:
            raise NotAllowed(FOREIGN)

    def _for_this_machine(self, scope: Scope) -> bool:
        """Whether only this machine may send a request: in local mode all, but for health and for what has a token."""
        if self._session is not None or scope["path"] in HEALTH:
            return False
        with_token = bool(self._token) or header(scope, b"authorization") is not None
        return not (with_token and first_part(scope["path"]) in GUARDED)

    def _check_right(self, scope: Scope, identity: Identity) -> None:
        lacking = missing(identity.scopes, scope.get("method", "GET"), scope["path"])
        if lacking:
            raise NotAllowed(f"This token may not do that: it lacks {', '.join(lacking)}. Make another in Settings.")
        self._rates.called(identity, needed(scope.get("method", "GET"), scope["path"]))

    async def _identified(self, scope: Scope) -> Identity | None:
        """Who sends a request; None where it does not say."""
        sent = header(scope, b"authorization")
        if sent is not None:
            return await self._by_token(sent, (scope.get("client") or ("", 0))[0])
        if self._session is not None:
            claims = self._session(scope)
            return None if claims is None else await asyncio.to_thread(self._by_session, claims)
        if self._token and first_part(scope["path"]) in GUARDED:
            raise Unauthorized("The API needs a valid token: send Authorization: Bearer with GLASSDESK_API_TOKEN.")
        return Identity(None, EVERY_SCOPE, "local")

    async def _by_token(self, sent: str, address: str) -> Identity:
        self._rates.admit(address)
        token = sent.removeprefix(BEARER)
        if self._token and hmac.compare_digest(sent.encode(), f"{BEARER}{self._token}".encode()):
            return Identity(None, EVERY_SCOPE, "operator")
        found = await asyncio.to_thread(self._by_grant, token) if sent.startswith(BEARER) and token else None
        if found is None:
            self._rates.wrong(address)
            raise Unauthorized(WRONG_TOKEN)
        return found

    def _by_grant(self, token: str) -> Identity | None:
        services = self._ready()
        grant = services.tokens.find(token)
        if grant is None:
            return None
        return Identity(services.people.user(grant.user_id), grant.scopes, f"token {grant.token_id}")

    def _by_session(self, claims: Claims) -> Identity:
        user = self._ready().people.signed_in(claims)
        return Identity(user, EVERY_SCOPE, f"person {user.id}")

    def _ready(self) -> "Front":
        services = self._services()
        if services is None:
            raise Unavailable("Glassdesk is still starting. Try again in a few seconds.")
        return services


def identity_of(scope: Scope) -> Identity:
    """Who sends a request, as the guard has found out.

    Raises:
        Unauthorized: it has found nobody.
    """
    identity: Identity | None = scope.get("state", {}).get(IDENTITY)
    if identity is None:
        raise Unauthorized(SIGN_IN)
    return identity


def first_part(path: str) -> str:
    """The first part of a path; the last part of a path may be missing, or empty."""
    return path.lstrip("/").split("/", 1)[0]


async def refuse(error: GlassdeskError, scope: Scope, receive: Receive, send: Send) -> None:
    """Say why a request was not let in: as the contract has it, or to people in words."""
    if scope["type"] == "websocket":
        await receive()
        await send({"type": "websocket.close", "code": POLICY_VIOLATION, "reason": error.sentence[:120]})
        return
    answer: Response = error_response(error)
    if first_part(scope["path"]) not in GUARDED:
        answer = PlainTextResponse(error.sentence, error.http_status)
    await answer(scope, receive, send)


def error_response(error: GlassdeskError) -> JSONResponse:
    """An error as the contract has it."""
    headers: Mapping[str, str] = {"Retry-After": str(error.seconds)} if isinstance(error, TooMany) else {}
    if error.http_status == Unauthorized.http_status:
        headers = {"WWW-Authenticate": "Bearer"}
    return JSONResponse({"error": {"code": error.code, "message": error.sentence}}, error.http_status, dict(headers))
