"""The table of app.db about MCP servers that people have added."""

from datetime import datetime
from typing import Any

from sqlalchemy import JSON, Column, Index
from sqlmodel import Field

from core.store.tables import Table


class AddedServer(Table, table=True):
    """An MCP server that a user has added, and what it said of its tools when it was last asked."""

    __tablename__ = "added_server"
    __table_args__ = (Index("added_server_domain", "user_id", "domain", unique=True),)

    id: str = Field(primary_key=True)
    user_id: str
    domain: str = Field(description="Its name among the user's domains; their tools' names begin with it")
    title: str
    description: str = Field(description="What it is for: the person's words, else the server's")
    own_words: bool = Field(description="Whether the description is the person's")
    shown: str = Field(description="What may be seen of where it is")
    sealed: str = Field(description="Where it is, with headers and variables: JSON that only the vault opens")
    public_only: bool = Field(
        description="Whether it must not be in the app's own network: no administrator has added it"
    )
    tools: list[dict[str, Any]] = Field(sa_column=Column(JSON, nullable=False))
    left_out: dict[str, str] = Field(sa_column=Column(JSON, nullable=False), description="Tool → why it is not used")
    reading: dict[str, str] = Field(
        sa_column=Column(JSON, nullable=False), description="Tool that the user says only reads → its digest then"
    )
    changed: dict[str, str] = Field(
        sa_column=Column(JSON, nullable=False), description="Tool that was marked and has changed since → when"
    )
    added_at: datetime
    seen_at: datetime | None = Field(default=None, description="When it last answered")
    problem: str = Field(default="", description="Why it could not be reached when it was last asked")
    version: int = Field(default=1, description="Counts every change of the row")
