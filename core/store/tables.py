"""The tables of app.db: conversations and their exchanges."""

from datetime import UTC, datetime
from typing import Any

from sqlalchemy import JSON, Column, Index
from sqlalchemy.orm import registry
from sqlmodel import Field, SQLModel


class Table(SQLModel, registry=registry()):
    """Base of the app's tables: their own metadata, apart from telemetry's."""


class Conversation(Table, table=True):
    """A conversation of one user. Times: aware UTC, kept as ISO text by SQLite."""

    __tablename__ = "conversation"
    __table_args__ = (Index("conversation_user_updated", "user_id", "updated_at"),)

    id: str = Field(primary_key=True)
    user_id: str
    title: str
    created_at: datetime
    updated_at: datetime


class Exchange(Table, table=True):
    """A question and its answer: one turn, as the conversation keeps it."""

    __tablename__ = "exchange"
    __table_args__ = (Index("exchange_conversation", "conversation_id", "started_at"),)

    turn_id: str = Field(primary_key=True)
    conversation_id: str
    user_id: str
    question: str
    answer: str = ""
    status: str = Field(description="running, done, failed, stopped, interrupted")
    error: str | None = None
    domain: str | None = Field(default=None, description="The specialist that answered directly")
    steps: list[dict[str, Any]] = Field(default_factory=list, sa_column=Column(JSON, nullable=False))
    items: list[dict[str, Any]] = Field(
        default_factory=list,
        sa_column=Column(JSON, nullable=False),
        description="What the models said and called, in the Agents SDK's input form",
    )
    started_at: datetime = Field(default_factory=lambda: datetime.now(UTC))
    finished_at: datetime | None = None
