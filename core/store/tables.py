"""The tables of app.db: conversations and their exchanges."""

from datetime import UTC, datetime
from typing import Any

from sqlalchemy import JSON, BigInteger, Column, Index
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
    account: str = Field(default="", description="The Google account that acts in it; empty: the user's default")
    created_at: datetime
    updated_at: datetime
    deleted_at: datetime | None = None


class Exchange(Table, table=True):
    """A question and its answer: one turn, as the conversation keeps it."""

    __tablename__ = "exchange"
    __table_args__ = (
        Index("exchange_conversation", "conversation_id", "started_at"),
        Index("exchange_superseded_by", "superseded_by"),
    )

    turn_id: str = Field(primary_key=True)
    conversation_id: str
    user_id: str
    account: str = Field(default="", description="The Google account that acted")
    question: str
    answer: str = ""
    status: str = Field(description="running, waiting, done, failed, stopped, interrupted")
    error: str | None = None
    domain: str | None = Field(default=None, description="The specialist that answered directly")
    steps: list[dict[str, Any]] = Field(default_factory=list, sa_column=Column(JSON, nullable=False))
    plan: list[dict[str, Any]] = Field(
        default_factory=list,
        sa_column=Column(JSON, nullable=False),
        description="The steps of the plan by which it was answered, as the events show them; empty without one",
    )
    shortened: dict[str, int] = Field(
        default_factory=dict,
        sa_column=Column(JSON, nullable=False),
        description="`turns` before it, of which `kept` reached the model whole; empty where all did",
    )
    items: list[dict[str, Any]] = Field(
        default_factory=list,
        sa_column=Column(JSON, nullable=False),
        description="What the models said and called, in the Agents SDK's input form",
    )
    files: list[dict[str, Any]] = Field(
        default_factory=list,
        sa_column=Column(JSON, nullable=False),
        description="What came with the question: name, mime, size, sha256, path",
    )
    superseded_by: str | None = Field(default=None, description="The turn in which this was asked again")
    process: str | None = Field(default=None, description="Which process runs it, or ran it last")
    started_at: datetime = Field(default_factory=lambda: datetime.now(UTC))
    finished_at: datetime | None = None


class Feedback(Table, table=True):
    """What a person thought of an answer."""

    __tablename__ = "feedback"
    __table_args__ = (Index("feedback_conversation", "conversation_id"),)

    turn_id: str = Field(primary_key=True)
    user_id: str
    conversation_id: str
    thumb: str = Field(description="up, down")
    note: str = ""
    given_at: datetime


class Approval(Table, table=True):
    """A write that a person must decide about, and what came of it.

    States: pending → approved | rejected | expired; approved → running → done | failed | unknown.
    `arguments` are what runs if it runs: the model's, or the person's edit of them.
    """

    __tablename__ = "approval"
    __table_args__ = (
        Index("approval_call", "turn_id", "call_id", unique=True),
        Index("approval_user_asked", "user_id", "asked_at"),
    )

    id: str = Field(primary_key=True)
    turn_id: str
    conversation_id: str
    user_id: str
    account: str
    call_id: str
    agent: str
    tool: str
    state: str
    summary: str
    proposed: dict[str, Any] = Field(sa_column=Column(JSON, nullable=False))
    arguments: dict[str, Any] = Field(sa_column=Column(JSON, nullable=False))
    arguments_hash: str
    reason: str | None = None
    result: str | None = None
    asked_at: datetime
    expires_at: datetime
    decided_at: datetime | None = None
    decided_by: str | None = None
    ended_at: datetime | None = None


class Parked(Table, table=True):
    """A turn that waits for a person: what it takes to go on, in this process or in a later one."""

    __tablename__ = "parked"

    turn_id: str = Field(primary_key=True)
    user_id: str
    state: dict[str, Any] = Field(sa_column=Column(JSON, nullable=False), description="The Agents SDK's run state")
    told: dict[str, Any] = Field(sa_column=Column(JSON, nullable=False), description="What the narrator keeps")
    root_span_id: str
    wait_span_id: str
    start_ns: int = Field(sa_column=Column(BigInteger, nullable=False))
    parked_ns: int = Field(sa_column=Column(BigInteger, nullable=False))
    holder: str | None = Field(default=None, description="Which process has it in hand")
    resumed: bool = Field(default=False, description="Whether it goes on there already")


class Policy(Table, table=True):
    """What a user lets a tool do without asking."""

    __tablename__ = "policy"

    user_id: str = Field(primary_key=True)
    tool: str = Field(primary_key=True)
    approval: str = Field(description="ask, always_ask, none")


class Budget(Table, table=True):
    """What a user wants to spend at most in a period of their zone. Money: 10⁻¹² USD."""

    __tablename__ = "budget"

    user_id: str = Field(primary_key=True)
    period: str = Field(primary_key=True, description="daily, weekly, monthly")
    limit_pico_usd: int = Field(sa_column=Column(BigInteger, nullable=False))
    action: str = Field(description="warn, refuse")
    set_at: datetime


class SwitchedOff(Table, table=True):
    """An agent or a tool that a user does not want to be used."""

    __tablename__ = "switched_off"

    user_id: str = Field(primary_key=True)
    kind: str = Field(primary_key=True, description="agent (by its domain), tool")
    name: str = Field(primary_key=True)
    since: datetime


class SavedSearch(Table, table=True):
    """A query line over traces that a user has kept."""

    __tablename__ = "saved_search"

    user_id: str = Field(primary_key=True)
    name: str = Field(primary_key=True)
    line: str
    saved_at: datetime
