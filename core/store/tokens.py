"""API tokens: made, shown once, found again by their hash, revoked; every call names its user."""

import hashlib
import secrets
import uuid
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from enum import StrEnum

from sqlalchemy import Engine, delete, func, update
from sqlmodel import col, select

from core.errors import BadInput, NotFound
from core.store.people_tables import ApiToken
from core.store.sessions import reading, writing

PREFIX = "gdk_"
MOST_TOKENS = 50
NAME_LENGTH = 60
USE_NOTED = timedelta(minutes=1)
"""A token in steady use is written about this often at most."""


class Scope(StrEnum):
    """What a token may be used for."""

    CHAT = "chat"
    READ_TRACES = "read_traces"
    WRITE_TRACES = "write_traces"
    MCP = "mcp"


EVERY_SCOPE = frozenset(Scope)


@dataclass(frozen=True)
class Grant:
    """Whose token it is, and for what."""

    token_id: str
    user_id: str
    scopes: frozenset[Scope]


class Tokens:
    """All API tokens of the app database."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine

    def make(self, user_id: str, name: str, scopes: Collection[Scope]) -> tuple[ApiToken, str]:
        """Make a token.

        Returns:
            What is kept of it, and the token itself, which is never seen again.

        Raises:
            BadInput: it has no name or no scope, or there are too many.
        """
        label = " ".join(name.split())
        if not label or len(label) > NAME_LENGTH:
            raise BadInput(f"A token needs a name of at most {NAME_LENGTH} characters, such as the program's.")
        if not scopes:
            raise BadInput("A token needs something that it may do. Choose at least one.")
        if self.count(user_id) >= MOST_TOKENS:
            raise BadInput(f"There are {MOST_TOKENS} tokens, which is the most. Revoke one first.")
        token = PREFIX + secrets.token_urlsafe(32)
        row = ApiToken(
            id=uuid.uuid4().hex,
            user_id=user_id,
            name=label,
            digest=digest_of(token),
            scopes=sorted(scopes),
            created_at=datetime.now(UTC),
        )
        with writing(self._engine) as session:
            session.add(row)
        return row, token

    def find(self, token: str) -> Grant | None:
        """What a token grants, None where it is not or no longer known; notes that it was used.

        It is looked up by its hash, so that how long that takes tells nothing about the tokens there are.
        """
        now = datetime.now(UTC)
        with reading(self._engine) as session:
            row = session.exec(select(ApiToken).where(ApiToken.digest == digest_of(token))).first()
        if row is None:
            return None
        if row.used_at is None or aware(row.used_at) < now - USE_NOTED:
            with writing(self._engine) as session:
                session.execute(update(ApiToken).where(col(ApiToken.id) == row.id).values(used_at=now))
        return Grant(row.id, row.user_id, frozenset(Scope(scope) for scope in row.scopes))

    def of_user(self, user_id: str) -> Sequence[ApiToken]:
        """The user's tokens, the newest first."""
        query = select(ApiToken).where(ApiToken.user_id == user_id).order_by(col(ApiToken.created_at).desc())
        with reading(self._engine) as session:
            return session.exec(query).all()

    def count(self, user_id: str) -> int:
        """How many tokens the user has."""
        with reading(self._engine) as session:
            return session.exec(select(func.count()).where(ApiToken.user_id == user_id)).one()

    def revoke(self, user_id: str, token_id: str) -> None:
        """Make a token worthless, at once.

        Raises:
            NotFound: there is none of this id that belongs to the user.
        """
        change = delete(ApiToken).where(col(ApiToken.id) == token_id, col(ApiToken.user_id) == user_id)
        with writing(self._engine) as session:
            if not getattr(session.execute(change), "rowcount", 0):
                raise NotFound("There is no such token. It may have been revoked before.")


def digest_of(token: str) -> str:
    """What is kept of a token; it is long and random, so that a plain hash cannot be turned back."""
    return hashlib.sha256(token.encode()).hexdigest()


def aware(at: datetime) -> datetime:
    """A time of the database, which SQLite gives back without its zone."""
    return at if at.tzinfo else at.replace(tzinfo=UTC)
