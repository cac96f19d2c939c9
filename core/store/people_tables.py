"""The tables of app.db about people: who they are, and their API tokens."""

from datetime import datetime

from sqlalchemy import JSON, Column, Index
from sqlmodel import Field

from core.store.tables import Table


class Person(Table, table=True):
    """Somebody who may use the app; what administrators set of them."""

    __tablename__ = "person"
    __table_args__ = (Index("person_email", "email"),)

    id: str = Field(primary_key=True)
    email: str = Field(description="Verified by the provider, in lower case; empty for the local user")
    name: str
    role: str = Field(description="person, administrator")
    zone: str | None = Field(default=None, description="IANA name; NULL: the app's")
    read_only: bool = False
    created_at: datetime
    seen_at: datetime
    disabled_at: datetime | None = None


class ApiToken(Table, table=True):
    """A token of a person; only its SHA-256 is kept."""

    __tablename__ = "api_token"
    __table_args__ = (Index("api_token_user", "user_id"),)

    id: str = Field(primary_key=True)
    user_id: str
    name: str
    digest: str = Field(unique=True)
    scopes: list[str] = Field(sa_column=Column(JSON, nullable=False))
    created_at: datetime
    used_at: datetime | None = None
