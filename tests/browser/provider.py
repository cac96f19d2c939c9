"""An OpenID provider on this machine: a page of people to be, codes for one use, PKCE, signed tokens."""

import base64
import hashlib
import html
import secrets
import threading
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import urlencode

import uvicorn
from joserfc import jwt
from joserfc.jwk import RSAKey
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import HTMLResponse, JSONResponse, Response
from starlette.routing import Route

from tests.browser.ports import free_port

CLIENT_ID, CLIENT_SECRET = "glassdesk", "planted-client-secret-5b1e"
PERSON = Mapping[str, Any]


@dataclass
class Provider:
    """Who can be chosen, and what was given out.

    Attributes:
        people: the claims of each, by their subject.
    """

    url: str
    people: Mapping[str, PERSON]
    key: RSAKey = field(default_factory=lambda: RSAKey.generate_key(2048, {"kid": "one", "use": "sig", "alg": "RS256"}))
    codes: dict[str, dict[str, str]] = field(default_factory=dict)

    def app(self) -> Starlette:
        """The provider's routes."""
        return Starlette(
            routes=[
                Route("/.well-known/openid-configuration", self.metadata),
                Route("/authorize", self.authorize),
                Route("/token", self.token, methods=["POST"]),
                Route("/keys", self.keys),
            ]
        )

    async def metadata(self, request: Request) -> Response:
        return JSONResponse(
            {
                "issuer": self.url,
                "authorization_endpoint": f"{self.url}/authorize",
                "token_endpoint": f"{self.url}/token",
                "jwks_uri": f"{self.url}/keys",
                "response_types_supported": ["code"],
                "subject_types_supported": ["public"],
                "id_token_signing_alg_values_supported": ["RS256"],
                "code_challenge_methods_supported": ["S256"],
            }
        )

    async def authorize(self, request: Request) -> Response:
        """A page with everybody; each link comes back with a code."""
        asked = dict(request.query_params)
        if asked.get("client_id") != CLIENT_ID or asked.get("code_challenge_method") != "S256":
            return Response("unknown client, or no PKCE", 400)
        links = []
        for subject, claims in self.people.items():
            code = secrets.token_urlsafe(16)
            self.codes[code] = {**asked, "subject": subject}
            address = f"{asked['redirect_uri']}?{urlencode({'code': code, 'state': asked['state']})}"
            links.append(f'<p><a href="{html.escape(address)}">{html.escape(claims["name"])}</a></p>')
        return HTMLResponse("<h1>Who are you?</h1>" + "".join(links))

    async def token(self, request: Request) -> Response:
        """An identity for a code, once."""
        form = await request.form()
        asked = self.codes.pop(str(form.get("code")), None)
        sent = base64.urlsafe_b64encode(hashlib.sha256(str(form.get("code_verifier")).encode()).digest()).rstrip(b"=")
        basic = base64.b64encode(f"{CLIENT_ID}:{CLIENT_SECRET}".encode()).decode()
        if request.headers.get("authorization") != f"Basic {basic}":
            return JSONResponse({"error": "invalid_client"}, 401)
        if asked is None or sent.decode() != asked["code_challenge"]:
            return JSONResponse({"error": "invalid_grant"}, 400)
        now = int(time.time())
        claims = {
            "iss": self.url,
            "aud": CLIENT_ID,
            "sub": asked["subject"],
            "iat": now,
            "exp": now + 3600,
            "nonce": asked.get("nonce", ""),
            **self.people[asked["subject"]],
        }
        identity = jwt.encode({"alg": "RS256", "kid": "one"}, claims, self.key)
        return JSONResponse({"access_token": "planted-access-token-91c7", "token_type": "Bearer", "id_token": identity})

    async def keys(self, request: Request) -> Response:
        return JSONResponse({"keys": [self.key.as_dict(private=False)]})


@contextmanager
def provider(people: Mapping[str, PERSON]) -> Iterator[Provider]:
    """A running provider."""
    port = free_port()
    made = Provider(f"http://127.0.0.1:{port}", people)
    server = uvicorn.Server(uvicorn.Config(made.app(), port=port, log_level="warning"))
    thread = threading.Thread(target=server.run, daemon=True)
    thread.start()
    while not server.started:
        time.sleep(0.01)
    try:
        yield made
    finally:
        server.should_exit = True
        thread.join(10)
