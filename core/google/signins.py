"""The sign-ins that are in use: access tokens in memory, renewed silently, by one at a time, and stored before use."""

import json
import threading
import time
import uuid
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from core.google.errors import GoogleError
from core.google.needs import NONE, ConnectNeeded
from core.google.oauth import BAD_CLIENT, OAuth, Refused, Tokens, Unreached
from core.google.provider import Client
from core.google.robot import Robot
from core.google.scopes import Scopes, names_of
from core.google.vault import Vault
from core.store.account_tables import GoogleConnection
from core.store.connections import Connections

EARLY = 120
"""Seconds before its end from which a token is no longer used; it may be on its way for a while, and clocks differ."""
SEEN = 30.0
"""Seconds after which it is looked up whether another process has changed or disconnected the account."""
LEASE = 45
"""Seconds after which somebody else may renew: longer than the longest answer of Google is waited for."""
PAUSE = 0.05
CONNECTED, ATTENTION = "connected", "needs_attention"
CONSENT, ROBOT = "consent", "service_account"
GONE = "The account {email} is not connected any more. Connect it on the Connect page, or choose another account."
AGAIN = (
    "Google no longer accepts the sign-in of {email}: it was taken back, or has expired. "
    "Connect the account again on the Connect page."
)
OTHER_CLIENT = "The account {email} was connected with another Google client. Connect it again on the Connect page."
DELEGATE = (
    "The service account may not act for {email}. In the Admin console, under Security → API controls → Domain-wide "
    "delegation, add its client id {client} with all permissions that the Connect page lists."
)


@dataclass(frozen=True)
class SignIn:
    """A sign-in as it is held in memory.

    Attributes:
        until: Unix seconds up to which the token is used.
        granted: what Google has granted, covered permissions included.
        version: of what is stored.
        seen: monotonic seconds at which it was looked up.
        lacking: tool → what it lacks, filled when it is asked.
    """

    token: str = field(repr=False)
    until: float
    granted: frozenset[str]
    version: int
    seen: float
    lacking: dict[str, tuple[str, ...]] = field(default_factory=dict)


@dataclass(frozen=True)
class Kit:
    """What it takes to renew a sign-in."""

    connections: Connections
    vault: Vault
    oauth: OAuth
    client: Callable[[], Client | None]
    robot: Robot | None
    scopes: Scopes
    clock: Callable[[], float] = time.time


class SignIns:
    """All sign-ins of the process. Safe for any threads, beside any other processes."""

    def __init__(self, kit: Kit) -> None:
        self._kit, self._holder = kit, uuid.uuid4().hex
        self._held: dict[tuple[str, str], SignIn] = {}
        self._gates: dict[tuple[str, str], threading.Lock] = {}
        self._lock = threading.Lock()

    def token(self, user_id: str, email: str) -> str:
        """An access token that is valid now; from memory, but for once an hour.

        Raises:
            ConnectNeeded: the account is not connected, or must be connected again.
            GoogleError: Google cannot be asked for a new one; nothing was sent yet, so trying again is safe.
            StorageError: a new one could not be stored.
        """
        held = self._held.get((user_id, email))
        if held and self._kit.clock() < held.until and time.monotonic() - held.seen < SEEN:
            return held.token
        return self._usable(user_id, email, refused=None).token

    def renewed(self, user_id: str, email: str, refused: str) -> str:
        """Another access token, because Google did not take this one.

        Raises:
            As `token`.
        """
        return self._usable(user_id, email, refused).token

    def lacking(self, user_id: str, email: str, tool: str) -> tuple[str, ...]:
        """The permissions that a tool lacks; looked up again before it is said that there are any.

        Raises:
            As `token`.
        """
        key = (user_id, email)
        held = self._held.get(key)
        if held is None or self._kit.clock() >= held.until or time.monotonic() - held.seen >= SEEN:
            held = self._usable(user_id, email, refused=None)
        lacks = self._lacks(held, tool)
        return self._lacks(self._looked_up(*key, held), tool) if lacks else ()

    def drop(self, user_id: str, email: str) -> None:
        """Forget what is in memory: it was changed or disconnected."""
        with self._lock:
            self._held.pop((user_id, email), None)

    def drop_user(self, user_id: str) -> None:
        """Forget what is in memory of a user."""
        with self._lock:
            self._held = {key: held for key, held in self._held.items() if key[0] != user_id}

    def kept(self, row: GoogleConnection) -> Mapping[str, Any]:
        """What is sealed of a connection.

        Raises:
            VaultError: the key does not open it.
        """
        found: Mapping[str, Any] = json.loads(self._kit.vault.open(row.sealed))
        return found

    def client_of(self, email: str, kept: Mapping[str, Any]) -> Client:
        """The client that a refresh token belongs to: its own, or the app's.

        Raises:
            Refused: it belongs to a client that the app has no longer.
        """
        if kept.get("client_secret"):
            return Client(kept["client_id"], kept["client_secret"])
        client = self._kit.client()
        if client is None or client.id != kept.get("client_id"):
            raise Refused(OTHER_CLIENT.format(email=email), "other_client")
        return client

    def _lacks(self, held: SignIn, tool: str) -> tuple[str, ...]:
        if tool not in held.lacking:
            held.lacking[tool] = self._kit.scopes.missing(tool, held.granted)
        return held.lacking[tool]

    def _looked_up(self, user_id: str, email: str, held: SignIn) -> SignIn:
        row = self._connected(user_id, email)
        return held if row.version == held.version else self._hold(row)

    def _usable(self, user_id: str, email: str, refused: str | None) -> SignIn:
        with self._gate(user_id, email):
            return self._fresh(user_id, email, refused)

    def _fresh(self, user_id: str, email: str, refused: str | None) -> SignIn:
        """The stored token where it is still good; else a new one, by whoever gets the lease first."""
        deadline = time.monotonic() + LEASE
        while True:
            row, now = self._connected(user_id, email), int(self._kit.clock())
            held = self._hold(row)
            if held.token and held.token != refused and now < held.until:
                return held
            if self._kit.connections.lease(user_id, email, row.version, self._holder, now, LEASE):
                self._renew(row)
                refused = None
                continue
            if time.monotonic() > deadline:
                raise GoogleError("Google did not answer in time. Try again in a minute.", reason="timeout")
            time.sleep(PAUSE)

    def _renew(self, row: GoogleConnection) -> None:
        """Ask Google, and store what it says before anybody uses it."""
        kit, kept = self._kit, self.kept(row)
        try:
            tokens = self._asked(row, kept)
        except Refused as error:
            self._refused(row, error)
        except Unreached as error:
            kit.connections.release(row.user_id, row.email, self._holder)
            raise GoogleError(error.sentence, reason="noNetwork", transient=True) from None
        else:
            sealed = json.dumps(
                {**kept, "token": tokens.access, "refresh_token": tokens.refresh or kept["refresh_token"]}
            )
            kit.connections.release(
                row.user_id,
                row.email,
                self._holder,
                sealed=kit.vault.seal(sealed),
                expires=int(kit.clock()) + tokens.seconds,
                scopes=list(row.scopes if tokens.scopes is None else names_of(tokens.scopes)),
            )

    def _asked(self, row: GoogleConnection, kept: Mapping[str, Any]) -> Tokens:
        if row.kind == ROBOT:
            if self._kit.robot is None:
                raise Refused(GONE.format(email=row.email), "no_service_account")
            return self._kit.robot.lend(row.email, self._kit.scopes.urls(self._kit.scopes.all()))
        return self._kit.oauth.refresh(self.client_of(row.email, kept), kept["refresh_token"])

    def _refused(self, row: GoogleConnection, error: Refused) -> None:
        """Note what has come to an end; where it is the app that Google does not accept, nothing has."""
        if error.sentence == BAD_CLIENT:
            self._kit.connections.release(row.user_id, row.email, self._holder)
            raise ConnectNeeded(error.sentence, row.email) from None
        reason = self._reason(row, error)
        self._kit.connections.release(row.user_id, row.email, self._holder, state=ATTENTION, reason=reason)
        self.drop(row.user_id, row.email)
        raise ConnectNeeded(reason, row.email) from None

    def _reason(self, row: GoogleConnection, error: Refused) -> str:
        if row.kind == ROBOT and self._kit.robot is not None:
            return DELEGATE.format(email=row.email, client=self._kit.robot.client_id)
        return error.sentence if error.reason == "other_client" else AGAIN.format(email=row.email)

    def _connected(self, user_id: str, email: str) -> GoogleConnection:
        row = self._kit.connections.get(user_id, email)
        if row is None:
            self.drop(user_id, email)
            raise ConnectNeeded(GONE.format(email=email) if email else NONE, email)
        if row.state != CONNECTED:
            self.drop(user_id, email)
            raise ConnectNeeded(row.reason, email)
        return row

    def _hold(self, row: GoogleConnection) -> SignIn:
        key = (row.user_id, row.email)
        known = self._held.get(key)
        token = known.token if known and known.version == row.version else str(self.kept(row).get("token") or "")
        granted = self._kit.scopes.closed(row.scopes)
        held = SignIn(token, row.expires - EARLY, granted, row.version, time.monotonic())
        with self._lock:
            self._held[key] = held
        return held

    def _gate(self, user_id: str, email: str) -> threading.Lock:
        with self._lock:
            return self._gates.setdefault((user_id, email), threading.Lock())
