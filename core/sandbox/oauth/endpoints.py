"""What programs ask of the sandbox's sign-in: tokens, revocation, identity, keys."""

import base64
import binascii
import hashlib
from collections.abc import Callable, Mapping
from urllib.parse import parse_qsl, unquote

from google.auth import jwt

from core.sandbox.calls import ApiError, Reply
from core.sandbox.oauth import identity
from core.sandbox.oauth.office import Issued, Office, Refusal, Visitor
from core.sandbox.oauth.permissions import Permissions
from core.sandbox.reasons import missing_scope, refusal
from core.sandbox.requests import Request
from core.sandbox.routes import Route

NO_STORE = {"cache-control": "no-store", "pragma": "no-cache"}
ASSERTION = "urn:ietf:params:oauth:grant-type:jwt-bearer"
TOKEN_URI = "https://oauth2.googleapis.com/token"
Form = Mapping[str, str]


class Endpoints:
    """The sign-in below the HTTP line, and the guard of the APIs behind it.

    Args:
        office: who decides.
    """

    def __init__(self, office: Office) -> None:
        self._office, self._permissions = office, Permissions()
        self._known: Mapping[tuple[str, str], Callable[[Request], Reply]] = {
            ("POST", "/token"): self._token,
            ("POST", "/revoke"): self._revoke,
            ("GET", "/v1/userinfo"): self._userinfo,
            ("GET", "/oauth2/v3/userinfo"): self._userinfo,
            ("GET", "/oauth2/v1/certs"): self._certs,
        }

    def answer(self, request: Request) -> Reply | None:
        """The sign-in's answer, None where the request is for an API."""
        endpoint = self._known.get((request.method, request.path))
        return endpoint(request) if endpoint else None

    def admit(self, request: Request) -> Visitor:
        """Whose request it is.

        Raises:
            ApiError: 401 without a token that is valid now.
        """
        visitor = self._office.visitor(bearer(request))
        if visitor is None or visitor.email not in self._office.accounts:
            raise refusal(request.path, 401, "authError")
        return visitor

    def allow(self, visitor: Visitor, route: Route, path: str) -> None:
        """Check that a visitor may use a method.

        Raises:
            ApiError: 403 where none of the scopes that would do was granted.
        """
        needed = self._permissions.needed(route.method, route.template)
        if needed is not None and not needed & visitor.scopes:
            raise missing_scope(path)

    def _token(self, request: Request) -> Reply:
        form = form_of(request)
        try:
            if form.get("grant_type") == ASSERTION:
                return self._given(self._for_robot(form.get("assertion", "")))
            app = self._app(request, form)
            if form.get("grant_type") == "authorization_code":
                challenge = challenge_of(form.get("code_verifier", ""))
                return self._given(
                    self._office.redeem(app, form.get("code", ""), form.get("redirect_uri", ""), challenge)
                )
            if form.get("grant_type") == "refresh_token":
                return self._given(self._office.renew(app, form.get("refresh_token", "")))
            raise Refusal("unsupported_grant_type", "Invalid grant_type")
        except Refusal as error:
            status = 401 if error.reason == "invalid_client" else 400
            return Reply({"error": error.reason, "error_description": error.description}, status, NO_STORE)

    def _given(self, issued: Issued) -> Reply:
        answer = {
            "access_token": issued.access,
            "expires_in": 3599,
            "scope": " ".join(issued.scopes),
            "token_type": "Bearer",
        }
        if issued.refresh:
            answer["refresh_token"] = issued.refresh
        if "openid" in issued.scopes:
            answer["id_token"] = identity.signed(self._office.world, issued, self._office.seconds())
        return Reply(answer, 200, NO_STORE)

    def _app(self, request: Request, form: Form) -> str:
        """The app that asks, by its id and secret in the form or the header."""
        name, secret = form.get("client_id", ""), form.get("client_secret", "")
        if not name:
            name, secret = basic(request)
        app = self._office.app(name)
        if app is None or app.secret != secret:
            raise Refusal("invalid_client", "The OAuth client was not found.")
        return app.id

    def _for_robot(self, assertion: str) -> Issued:
        """Tokens for a service account that acts for somebody.

        Raises:
            Refusal: it may not, or its assertion is not signed by it.
        """
        try:
            unread = jwt.decode(assertion, verify=False)  # type: ignore[no-untyped-call]
            robot = self._office.robot(str(unread.get("iss", "")))
            if robot is None:
                raise Refusal("invalid_grant", "Invalid grant: account not found")
            claims = jwt.decode(assertion, robot.public_key, audience=TOKEN_URI)  # type: ignore[no-untyped-call]
        except ValueError as error:
            raise Refusal("invalid_grant", "Invalid JWT") from error
        wanted, email = set(str(claims.get("scope", "")).split()), str(claims.get("sub", ""))
        if not wanted <= set(robot.scopes):
            raise Refusal(
                "unauthorized_client",
                "Client is unauthorized to retrieve access tokens using this method, "
                "or client not authorized for any of the scopes requested.",
            )
        if email not in self._office.accounts:
            raise Refusal("invalid_grant", "Invalid email or User ID")
        return self._office.lend(robot.email, email, wanted)

    def _revoke(self, request: Request) -> Reply:
        token = form_of(request).get("token") or (request.values().get("token") or [""])[-1]
        if self._office.revoke(token):
            return Reply({}, 200, NO_STORE)
        return Reply({"error": "invalid_token", "error_description": "Token expired or revoked"}, 400, NO_STORE)

    def _userinfo(self, request: Request) -> Reply:
        visitor = self._office.visitor(bearer(request))
        if visitor is None:
            return Reply({"error": "invalid_request", "error_description": "Invalid Credentials"}, 401, NO_STORE)
        said = identity.about(visitor.email)
        if not any(scope.endswith("email") for scope in visitor.scopes):
            said = {"sub": said["sub"]}
        return Reply(said, 200, NO_STORE)

    def _certs(self, _: Request) -> Reply:
        return Reply(dict(identity.certificates(self._office.world)), 200, {"cache-control": "public, max-age=300"})


def bearer(request: Request) -> str:
    """The access token of a request; empty where there is none."""
    kind, _, token = request.headers.get("authorization", "").partition(" ")
    return token.strip() if kind.lower() == "bearer" else ""


def basic(request: Request) -> tuple[str, str]:
    """Id and secret of the header; empty where there are none."""
    kind, _, text = request.headers.get("authorization", "").partition(" ")
    if kind.lower() != "basic":
        return "", ""
    try:
        name, _, secret = base64.b64decode(text, validate=True).decode().partition(":")
    except (binascii.Error, UnicodeDecodeError):
        return "", ""
    return unquote(name), unquote(secret)


def form_of(request: Request) -> Form:
    """The fields of a form; the last of several wins.

    Raises:
        ApiError: 400 where the body is no text.
    """
    try:
        return dict(parse_qsl(request.body.decode("ascii"), keep_blank_values=True))
    except UnicodeDecodeError as error:
        raise ApiError(400, "parseError", "Parse Error") from error


def challenge_of(verifier: str) -> str:
    """PKCE's S256 of a verifier."""
    return base64.urlsafe_b64encode(hashlib.sha256(verifier.encode()).digest()).rstrip(b"=").decode()
