"""The office of the sandbox's sign-in: who may do what, until when; every change is one transaction of the world."""

import hashlib
import json
import secrets
from collections.abc import Callable, Collection, Iterable
from dataclasses import dataclass, field
from datetime import datetime
from functools import lru_cache

from sqlmodel import Session, col, delete, select

from core.sandbox.oauth.tables import OAuthApp, OAuthCode, OAuthGrant, OAuthPage, OAuthRobot, OAuthToken
from core.sandbox.world import World

VISITOR = "SELECT email, scopes, expires FROM oauth_token WHERE digest = ? AND kind = 'access'"
ACCESS_SECONDS, CODE_SECONDS, PAGE_SECONDS = 3600, 300, 600


@dataclass(frozen=True)
class Issued:
    """Tokens as the app gets them; `refresh` is empty where it has one already."""

    access: str = field(repr=False)
    refresh: str = field(repr=False)
    email: str
    scopes: tuple[str, ...]
    app: str
    nonce: str = ""


@dataclass(frozen=True)
class Visitor:
    """Whose request it is, and with which scopes."""

    email: str
    scopes: frozenset[str]


class Refusal(Exception):
    """The token endpoint says no, with one of OAuth's reasons."""

    def __init__(self, reason: str, description: str) -> None:
        super().__init__(reason)
        self.reason, self.description = reason, description


class Office:
    """Apps, grants, codes and tokens of a world.

    Args:
        world: its file; several processes may use it.
        now: the clock, aware.
        accounts: who can sign in.
    """

    def __init__(self, world: World, now: Callable[[], datetime], accounts: Collection[str]) -> None:
        self.world, self._now, self.accounts = world, now, tuple(accounts)

    def seconds(self) -> int:
        """The time, Unix seconds."""
        return int(self._now().timestamp())

    def register(self, app: str, secret: str, redirect_uris: Iterable[str]) -> None:
        """Let an app ask; what was registered before is replaced."""
        with self.world.change() as session:
            session.merge(OAuthApp(id=app, secret=secret, redirect_uris=list(redirect_uris)))

    def employ(self, email: str, public_key: str, scopes: Iterable[str]) -> None:
        """Let a service account act for everybody, within some scopes; the key is a PEM."""
        with self.world.change() as session:
            session.merge(OAuthRobot(email=email, public_key=public_key, scopes=list(scopes)))

    def app(self, app: str) -> OAuthApp | None:
        """A registered app."""
        with self.world.session() as session:
            return session.get(OAuthApp, app)

    def robot(self, email: str) -> OAuthRobot | None:
        """A service account."""
        with self.world.session() as session:
            return session.get(OAuthRobot, email)

    def granted(self, app: str, email: str) -> frozenset[str]:
        """What somebody allows an app."""
        with self.world.session() as session:
            row = session.get(OAuthGrant, (app, email))
        return frozenset(row.scopes if row else ())

    def knows(self, app: str, email: str) -> bool:
        """Whether somebody ever answered an app in this world, even if they took it back."""
        with self.world.session() as session:
            return session.get(OAuthGrant, (app, email)) is not None

    def open_page(self, asked: dict[str, str]) -> str:
        """A secret for the form of a consent page."""
        ticket = secrets.token_urlsafe(32)
        with self.world.change() as session:
            session.exec(delete(OAuthPage).where(col(OAuthPage.expires) < self.seconds()))
            session.add(OAuthPage(digest=digest(ticket), asked=asked, expires=self.seconds() + PAGE_SECONDS))
        return ticket

    def take_page(self, ticket: str) -> dict[str, str] | None:
        """What a form's page was opened for; None where it is used, too old, or none of ours."""
        with self.world.change() as session:
            row = session.get(OAuthPage, digest(ticket))
            if row is None or row.expires < self.seconds():
                return None
            session.delete(row)
            return dict(row.asked)

    def allow(self, asked: dict[str, str], email: str, scopes: Collection[str]) -> str:
        """Note what somebody allows, and give the code for it.

        Args:
            asked: the parameters of the authorise request.
            scopes: those that were not unticked.
        """
        app, code = asked["client_id"], f"4/{secrets.token_urlsafe(32)}"
        offline = asked.get("access_type") == "offline"
        with self.world.change() as session:
            row = session.get(OAuthGrant, (app, email))
            before = set(row.scopes if row else ())
            whole = sorted(before | set(scopes))
            session.merge(OAuthGrant(app=app, email=email, scopes=whole))
            held = select(OAuthToken.digest).where(
                OAuthToken.app == app, OAuthToken.email == email, OAuthToken.kind == "refresh"
            )
            again = "consent" in asked.get("prompt", "").split()
            session.exec(delete(OAuthCode).where(col(OAuthCode.expires) < self.seconds() - CODE_SECONDS))
            session.add(
                OAuthCode(
                    digest=digest(code),
                    app=app,
                    email=email,
                    scopes=whole if asked.get("include_granted_scopes") == "true" else sorted(scopes),
                    redirect_uri=asked["redirect_uri"],
                    challenge=asked["code_challenge"],
                    nonce=asked.get("nonce", ""),
                    refreshes=offline and (again or session.exec(held).first() is None),
                    expires=self.seconds() + CODE_SECONDS,
                )
            )
        return code

    def redeem(self, app: str, code: str, redirect_uri: str, challenge: str) -> Issued:
        """Tokens for a code; one that comes a second time ends those of the first.

        Raises:
            Refusal: `invalid_grant`.
        """
        with self.world.change() as session:
            row = session.get(OAuthCode, digest(code))
            if row is None or row.app != app or row.expires < self.seconds():
                raise Refusal("invalid_grant", "Malformed auth code.")
            again = row.used
            if again:
                end(session, app, row.email)
            elif row.redirect_uri != redirect_uri:
                raise Refusal("redirect_uri_mismatch", "Bad Request")
            elif not secrets.compare_digest(row.challenge, challenge):
                raise Refusal("invalid_grant", "Invalid code verifier.")
            else:
                row.used = True
                session.add(row)
                return self._issue(session, app, row.email, row.scopes, row.refreshes, row.nonce)
        raise Refusal("invalid_grant", "Bad Request")

    def renew(self, app: str, refresh: str) -> Issued:
        """A new access token for a refresh token, with all that is granted now.

        Raises:
            Refusal: `invalid_grant`.
        """
        with self.world.change() as session:
            row = session.get(OAuthToken, digest(refresh))
            if row is None or row.kind != "refresh" or row.app != app:
                raise Refusal("invalid_grant", "Token has been expired or revoked.")
            grant = session.get(OAuthGrant, (app, row.email))
            scopes = sorted(set(row.scopes) | set(grant.scopes if grant else ()))
            return self._issue(session, app, row.email, scopes, False)

    def lend(self, app: str, email: str, scopes: Collection[str]) -> Issued:
        """Tokens without a person: to a service account, or to the app at its first start."""
        with self.world.change() as session:
            known = session.get(OAuthGrant, (app, email))
            whole = sorted({*(known.scopes if known else ()), *scopes})
            session.merge(OAuthGrant(app=app, email=email, scopes=whole))
            return self._issue(session, app, email, whole, True)

    def revoke(self, token: str) -> bool:
        """Take back all that somebody allowed an app, as Google does for any token of it; False: there is no such."""
        with self.world.change() as session:
            row = session.get(OAuthToken, digest(token))
            if row is None:
                return False
            end(session, row.app, row.email)
            return True

    def expire(self, email: str) -> None:
        """Let all access tokens of an account end now, as if an hour had passed."""
        with self.world.change() as session:
            session.exec(delete(OAuthToken).where(col(OAuthToken.email) == email, col(OAuthToken.kind) == "access"))

    def visitor(self, token: str) -> Visitor | None:
        """Whose access token this is; None where it is none, has ended or was taken back."""
        row = self.world.one(VISITOR, (digest(token),))  # before each request to an API: no session is opened for it
        if row is None or row[2] <= self.seconds():
            return None
        return Visitor(row[0], scopes_of(row[1]))

    def _issue(
        self, session: Session, app: str, email: str, scopes: Iterable[str], refreshes: bool, nonce: str = ""
    ) -> Issued:
        access = f"ya29.{secrets.token_urlsafe(32)}"
        refresh = f"1//{secrets.token_urlsafe(32)}" if refreshes else ""
        allowed = sorted(scopes)
        gone = delete(OAuthToken).where(col(OAuthToken.expires) > 0, col(OAuthToken.expires) < self.seconds())
        session.exec(gone)
        session.add(
            OAuthToken(
                digest=digest(access),
                kind="access",
                app=app,
                email=email,
                scopes=allowed,
                expires=self.seconds() + ACCESS_SECONDS,
            )
        )
        if refresh:
            session.add(
                OAuthToken(digest=digest(refresh), kind="refresh", app=app, email=email, scopes=allowed, expires=0)
            )
        return Issued(access, refresh, email, tuple(allowed), app, nonce)


def end(session: Session, app: str, email: str) -> None:
    """End a grant with all its tokens."""
    session.exec(delete(OAuthToken).where(col(OAuthToken.app) == app, col(OAuthToken.email) == email))
    session.merge(OAuthGrant(app=app, email=email, scopes=[]))


@lru_cache(maxsize=64)
def scopes_of(text: str) -> frozenset[str]:
    """Scopes as the database keeps them."""
    return frozenset(json.loads(text))


def digest(secret: str) -> str:
    """How a secret is kept."""
    return hashlib.sha256(secret.encode()).hexdigest()
