"""Google's OAuth as this app speaks it: where to send a person, and what comes back; no state of its own."""

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import urlencode

import requests
from google.auth.exceptions import GoogleAuthError, RefreshError, TransportError
from google.oauth2 import id_token
from google.oauth2.credentials import Credentials
from google_auth_oauthlib.flow import Flow
from jwt.exceptions import PyJWTError
from oauthlib.oauth2.rfc6749.errors import OAuth2Error

from core.errors import GlassdeskError
from core.google.provider import GOOGLE, Client, Provider
from core.google.transport import HttpLike
from core.google.wire import WireAdapter, WireRequest

SKEW = 300
"""Seconds by which this machine's clock and Google's may differ."""
OFFLINE = "Google cannot be reached, and nothing was changed. Check the network, then try again."
LOST = "Google's answer got lost, and nothing was changed. Start again with Connect."
STRANGE = "What answered was not Google, and nothing was changed. Check the network (a sign-in page, a proxy)."
STALE = "Google does not accept this sign-in any more: it took too long, or was used before. Start again with Connect."
UNVERIFIED = "Google did not say whose account this is, so it was not connected. Start again, and allow the address."
BAD_CLIENT = (
    "Google does not accept this app's client id and secret. Check them on the Connect page; a secret that was "
    "replaced in Google Cloud must be replaced here too."
)


class SignInError(GlassdeskError):
    """A sign-in at Google did not work out; nothing was changed.

    Attributes:
        result: in a word.
    """

    code = "sign_in"
    http_status = 400

    def __init__(self, sentence: str, result: str = "failed") -> None:
        super().__init__(sentence)
        self.result = result


class Unreached(GlassdeskError):
    """Google could not be asked; nothing was changed, and it may work in a moment."""

    code = "unreached"
    http_status = 502


class Refused(GlassdeskError):
    """Google no longer accepts a sign-in (`invalid_grant`), or the app itself (`invalid_client`).

    Attributes:
        reason: Google's.
    """

    code = "refused"
    http_status = 403

    def __init__(self, sentence: str, reason: str) -> None:
        super().__init__(sentence)
        self.reason = reason


@dataclass(frozen=True)
class Tokens:
    """What Google gives.

    Attributes:
        access: the access token.
        seconds: for how long from now.
        refresh: None where Google gave none.
        scopes: as Google spells them; None where it did not say.
        identity: the id token, where one came.
    """

    access: str = field(repr=False)
    seconds: int
    refresh: str | None = field(repr=False)
    scopes: tuple[str, ...] | None
    identity: str | None = field(default=None, repr=False)


@dataclass(frozen=True)
class Asking:
    """A way to Google: where to send the person, and what to keep until they return."""

    url: str
    verifier: str = field(repr=False)


@dataclass(frozen=True)
class OAuth:
    """The protocol over one line.

    Attributes:
        provider: whom to ask.
        line: opens an HTTP object; asked for each exchange, because they are not thread-safe.
    """

    provider: Provider
    line: Callable[[], HttpLike]

    def ask(
        self, client: Client, redirect_uri: str, scopes: Sequence[str], state: str, *, hint: str, consent: bool
    ) -> Asking:
        """Where to send a person.

        Args:
            scopes: as Google spells them.
            hint: the address that is to be connected; empty: let the person choose.
            consent: whether Google must ask even for what it was allowed before, as it does not send a refresh token
                otherwise.
        """
        # oauthlib builds addresses for https only; the sandbox's page is on this machine, without
        flow = Flow.from_client_config(client.config(GOOGLE), scopes, redirect_uri=redirect_uri, state=state)
        prompts = ["consent"] * consent + ["select_account"] * (not hint)
        options = {"login_hint": hint} if hint else {}
        if prompts:
            options["prompt"] = " ".join(prompts)
        url, _ = flow.authorization_url(access_type="offline", include_granted_scopes="true", **options)
        return Asking(url.replace(GOOGLE.auth_uri, self.provider.auth_uri, 1), flow.code_verifier)

    def exchange(self, client: Client, redirect_uri: str, code: str, verifier: str) -> Tokens:
        """The tokens for a code.

        Raises:
            SignInError: Google refuses the code, or no answer came; the person starts again.
            Refused: Google does not know the app.
        """
        # No scopes: oauthlib takes it for an error when a person unticks one, unless it does not know what was asked.
        flow = Flow.from_client_config(client.config(self.provider), None, redirect_uri=redirect_uri)
        flow.code_verifier = verifier
        flow.oauth2session.mount("https://", WireAdapter(self.line()))
        try:
            found = flow.fetch_token(code=code, include_client_id=True)
        except OAuth2Error as error:
            raise code_refused(error) from None  # what it holds may quote the answer
        except requests.RequestException as error:
            raise SignInError(LOST, "lost") from error
        except ValueError as error:
            raise SignInError(STRANGE, "strange") from error
        return tokens_of(found)

    def identify(self, client: Client, tokens: Tokens) -> str:
        """The e-mail address of the account, in lower case, as Google vouches for it.

        Raises:
            SignInError: it does not, or cannot be asked.
        """
        try:
            claims = self._claims(client, tokens)
        except TransportError as error:
            raise SignInError(LOST, "lost") from error
        except (GoogleAuthError, PyJWTError, ValueError) as error:
            raise SignInError(UNVERIFIED, "unverified") from error
        email, verified = claims.get("email"), claims.get("email_verified", claims.get("verified_email"))
        if not isinstance(email, str) or "@" not in email or str(verified).lower() != "true":
            raise SignInError(UNVERIFIED, "unverified")
        return email.strip().lower()

    def refresh(self, client: Client, refresh: str) -> Tokens:
        """A new access token.

        Raises:
            Refused: Google no longer accepts the refresh token or the app.
            Unreached: it could not be asked, or has trouble; nothing was changed.
        """
        about = {"token_uri": self.provider.token_uri, "client_id": client.id, "client_secret": client.secret}
        kept = Credentials(None, refresh_token=refresh, **about)  # type: ignore[no-untyped-call]
        heard = Heard(self.line())
        try:
            kept.refresh(heard)  # type: ignore[no-untyped-call]
        except TransportError as error:
            raise Unreached(OFFLINE) from error
        except RefreshError:
            raise heard.refusal() from None  # its text may quote the answer
        return tokens_of(heard.said())

    def revoke(self, token: str) -> bool:
        """Take back at Google whatever a token stands for; whether Google did, or had done so before.

        Raises:
            Unreached: it could not be asked.
        """
        body = urlencode({"token": token}).encode()
        headers = {"content-type": "application/x-www-form-urlencoded"}
        try:
            answer = WireRequest(self.line())(self.provider.revoke_uri, "POST", body, headers)
        except TransportError as error:
            raise Unreached(OFFLINE) from error
        return answer.status in (200, 400)  # 400: it knows no such token any more

    def _claims(self, client: Client, tokens: Tokens) -> Mapping[str, Any]:
        request = WireRequest(self.line())
        if tokens.identity is None:
            answer = request(self.provider.userinfo_uri, headers={"authorization": f"Bearer {tokens.access}"})
            found = json.loads(answer.data)
            return found if isinstance(found, dict) and answer.status == 200 else {}
        claims: Mapping[str, Any] = id_token.verify_token(
            tokens.identity, request, client.id, self.provider.certs_uri, clock_skew_in_seconds=SKEW
        )
        if claims.get("iss") not in self.provider.issuers:
            raise ValueError("another issuer")
        return claims


class Heard(WireRequest):
    """Remembers the last answer, because google-auth keeps neither its status nor all of its fields."""

    def __init__(self, http: HttpLike) -> None:
        super().__init__(http)
        self._status, self._data = 0, b""

    def __call__(self, *given: Any, **named: Any) -> Any:
        """One request and its answer."""
        answer = super().__call__(*given, **named)
        self._status, self._data = answer.status, answer.data
        return answer

    def said(self) -> Mapping[str, Any]:
        """The answer's fields."""
        try:
            found = json.loads(self._data)
        except ValueError:
            return {}
        return found if isinstance(found, dict) else {}

    def refusal(self) -> GlassdeskError:
        """What a failed refresh means: only Google's own word makes it a refusal."""
        return refusal_of(str(self.said().get("error", "")))


def refusal_of(reason: str) -> GlassdeskError:
    """The error for a reason that the token endpoint gave."""
    if reason in ("invalid_grant", "unauthorized_client", "invalid_scope", "access_denied", "admin_policy_enforced"):
        return Refused("Google no longer accepts the sign-in of this account. Connect it again.", reason)
    if reason in ("invalid_client", "deleted_client"):
        return Refused(BAD_CLIENT, reason)
    return Unreached(STRANGE)


def code_refused(error: OAuth2Error) -> GlassdeskError:
    """The error for a code that Google did not take."""
    if error.error in ("invalid_client", "deleted_client", "unauthorized_client"):
        return Refused(BAD_CLIENT, error.error)
    if error.error == "invalid_grant":
        return SignInError(STALE, "stale")
    return SignInError(STRANGE, "strange")


def tokens_of(said: Mapping[str, Any]) -> Tokens:
    """The tokens of an answer.

    Raises:
        Unreached: it is none of Google's.
    """
    access, scope = said.get("access_token"), said.get("scope")
    if not isinstance(access, str) or not access:
        raise Unreached(STRANGE)
    scopes = tuple(scope.split() if isinstance(scope, str) else scope) if scope else None
    refresh, identity = said.get("refresh_token"), said.get("id_token")
    seconds = int(said.get("expires_in") or 3600)
    return Tokens(access, seconds, refresh or None, scopes, identity or None)
