"""A person's way to Google and back: begun in one request, finished in another, in whatever process that arrives."""

import json
import secrets
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from urllib.parse import urlencode, urlsplit, urlunsplit

from core.errors import BadInput, StorageError
from core.google.app_client import AppClient
from core.google.oauth import (
    BAD_CLIENT,
    LOST,
    STALE,
    STRANGE,
    UNVERIFIED,
    OAuth,
    Refused,
    SignInError,
    Tokens,
    Unreached,
)
from core.google.provider import Client
from core.google.scopes import Scopes, names_of
from core.google.signins import ATTENTION, CONNECTED, CONSENT, SignIns
from core.google.vault import Vault
from core.store.account_tables import GoogleConnection, GoogleConsent
from core.store.connections import Connections
from core.store.consents import SECONDS, Consents, digest_of
from core.users import User

NO_CLIENT = (
    "This app is not registered at Google yet. On the Connect page, an administrator finds how to make a client, "
    "and uploads its client_secret.json."
)
UNKNOWN = "This sign-in was not begun here, or not by you. Open the Connect page, and start again."
USED = "This sign-in was finished before. Open the Connect page to see your accounts."
LATE = "This sign-in took longer than ten minutes. Open the Connect page, and start again."
NO_REFRESH = "Google gave no lasting access. Remove this app at myaccount.google.com/permissions, then connect again."
RESULTS: Mapping[str, str] = {
    "ok": "Connected.",
    "some": "Connected, without what you unticked. The tools that need it say so.",
    "denied": "You did not allow anything, so nothing was changed. Connect again whenever you like.",
    "other": "You chose another account than the one to connect, so nothing was changed. Try again with that account, "
    "or connect the other one as a further account.",
    "failed": "Google did not let the sign-in pass, and nothing was changed. Try again.",
    "disk": "The sign-in could not be saved: the disk may be full. What was connected before still is. Free some "
    "space, then connect again.",
    "client": BAD_CLIENT,
    "lost": LOST,
    "stale": STALE,
    "strange": STRANGE,
    "unverified": UNVERIFIED,
    "no_refresh": NO_REFRESH,
}
"""What a page says of each result that it finds in its address."""
HOME = "/connect"


@dataclass(frozen=True)
class Returned:
    """Where a person goes when they are back from Google.

    Attributes:
        location: the page that they left, with the result, the service and the access in its query.
        result: what came of it, see `RESULTS`.
        email: the account that was connected; empty where none was.
    """

    location: str
    result: str
    service: str
    email: str = ""


@dataclass(frozen=True)
class Connecting:
    """Begins and finishes connections.

    Attributes:
        base: scheme, host and port at which browsers reach this app.
    """

    consents: Consents
    connections: Connections
    vault: Vault
    oauth: OAuth
    client: AppClient
    scopes: Scopes
    signins: SignIns
    base: str
    clock: Callable[[], float] = time.time

    @property
    def redirect_uri(self) -> str:
        """Where Google sends people back to; must be registered there."""
        return f"{self.base}/oauth/callback"

    def begin(self, user: User, service: str, write: bool, return_to: str = HOME, email: str = "") -> str:
        """Where to send a person so that they allow what a service needs.

        Args:
            service: empty: what the account had before, to connect it again.
            write: whether reading alone will not do.
            return_to: path (and query) of the page that they leave.
            email: the account that is to have it; empty: let the person choose, for a first or a further account.

        Raises:
            BadInput: there is no such service, or the app is not registered at Google.
            StorageError: nothing could be kept.
        """
        client = self._client()
        row = self.connections.get(user.id, email) if email else None
        scopes = self._wanted(service, write, row)
        state = secrets.token_urlsafe(32)
        asking = self.oauth.ask(
            client,
            self.redirect_uri,
            self.scopes.urls(scopes),
            state,
            hint=email,
            consent=row is None or row.state != CONNECTED or row.kind != CONSENT,
        )
        now = int(self.clock())
        consent = GoogleConsent(
            digest=digest_of(state),
            user_id=user.id,
            service=service,
            write=write,
            email=email,
            scopes=list(scopes),
            redirect_uri=self.redirect_uri,
            return_to=local(return_to),
            verifier=self.vault.seal(asking.verifier),
            expires=now + SECONDS,
        )
        self.consents.keep(consent, now)
        return asking.url

    def finish(self, user: User, said: Mapping[str, str]) -> Returned:
        """Take what a person brings back from Google.

        Args:
            said: the query of the callback.

        Raises:
            SignInError: nobody began this, or it was finished before, or it took too long.
            StorageError: it could not be kept; where nothing was used up yet, loading the address again goes on.
        """
        state = said.get("state", "")
        consent = self.consents.find(state) if state else None
        if consent is None or consent.user_id != user.id:
            raise SignInError(UNKNOWN)
        if consent.used is not None:
            raise SignInError(USED)
        verifier = self.vault.open(consent.verifier)
        if not self.consents.take(state, int(self.clock())):
            raise SignInError(LATE if consent.expires < self.clock() else USED)
        if said.get("error") == "access_denied":
            return returned(consent, "denied")
        if "error" in said or not said.get("code"):
            return returned(consent, "failed")
        try:
            return self._connected(user, consent, said["code"], verifier)
        except SignInError as error:
            return returned(consent, error.result)
        except StorageError:
            return returned(consent, "disk")
        except Refused:
            return returned(consent, "client")
        except Unreached:
            return returned(consent, "lost")

    def store(self, user_id: str, email: str, client: Client, tokens: Tokens, asked: Sequence[str]) -> GoogleConnection:
        """Keep a connection that Google has granted.

        Args:
            asked: names of scopes, for an answer that does not say what was granted.

        Raises:
            SignInError: there is no refresh token, here or there.
            StorageError: it could not be kept; what was there before still is.
        """
        known = self.connections.get(user_id, email)
        kept = dict(self.signins.kept(known)) if known and known.kind == CONSENT else {}
        refresh = tokens.refresh or (kept.get("refresh_token") if kept.get("client_id") == client.id else None)
        if not refresh:
            raise SignInError(NO_REFRESH, "no_refresh")
        sealed = {"refresh_token": refresh, "token": tokens.access, "client_id": client.id}
        app = self.client.current()
        if app is None or app.id != client.id:
            sealed["client_secret"] = client.secret  # it was imported, and came with a client of its own
        granted = list(names_of(tokens.scopes) if tokens.scopes is not None else asked)
        row = GoogleConnection(
            user_id=user_id,
            email=email,
            kind=CONSENT,
            sealed=self.vault.seal(json.dumps(sealed)),
            scopes=granted,
            wanted=granted,
            expires=int(self.clock()) + tokens.seconds,
            state=CONNECTED,
            connected=int(self.clock()),
        )
        kept_row = self.connections.keep(row)
        self.signins.drop(user_id, email)
        return kept_row

    def _connected(self, user: User, consent: GoogleConsent, code: str, verifier: str) -> Returned:
        client = self._client()
        tokens = self.oauth.exchange(client, consent.redirect_uri, code, verifier)
        email = self.oauth.identify(client, tokens)
        if consent.email and email != consent.email:
            self._let_go(user, email, tokens)
            return returned(consent, "other")
        row = self.store(user.id, email, client, tokens, consent.scopes)
        missing = [scope for scope in consent.scopes if scope not in self.scopes.closed(row.scopes)]
        return returned(consent, "some" if missing else "ok", email)

    def _let_go(self, user: User, email: str, tokens: Tokens) -> None:
        """Give back what nobody will use, unless the same account is connected: Google would end that too."""
        if self.connections.get(user.id, email) or self.connections.held_by_others(user.id, email):
            return
        try:
            self.oauth.revoke(tokens.refresh or tokens.access)
        except Unreached:
            return  # it is kept nowhere here, and ends by itself

    def _wanted(self, service: str, write: bool, row: GoogleConnection | None) -> tuple[str, ...]:
        asked = set(self.scopes.of(service, write)) if service else set()
        if row is not None and (row.state == ATTENTION or not service):
            asked |= {*row.wanted, *row.scopes}
        if not asked:
            raise BadInput("Choose a Google service to connect, such as Gmail.")
        return tuple(sorted(asked))

    def _client(self) -> Client:
        client = self.client.current()
        if client is None:
            raise BadInput(NO_CLIENT)
        client.takes(self.redirect_uri)
        return client


def returned(consent: GoogleConsent, result: str, email: str = "") -> Returned:
    """The way back, with what came of it: a word, never an address or a secret."""
    parts = urlsplit(consent.return_to)
    access = "write" if consent.write else "read"
    said = urlencode({"connect": result, "service": consent.service, "access": access})
    query = "&".join(part for part in (parts.query, said) if part)
    return Returned(urlunsplit(parts._replace(query=query)), result, consent.service, email)


def local(path: str) -> str:
    """A path of this app; anything that could lead elsewhere becomes the Connect page."""
    plain = path.isprintable() and "\\" not in path
    parts = urlsplit(path) if plain else None
    if parts is None or parts.scheme or parts.netloc or not path.startswith("/") or path.startswith("//"):
        return HOME
    return urlunsplit(parts._replace(fragment=""))
