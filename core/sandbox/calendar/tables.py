"""What the sandbox keeps of calendars: calendars, who sees them, events, and the mails that changes sent."""

from typing import Any

from sqlalchemy import JSON, Column
from sqlmodel import Field

from core.sandbox.world import Table


class CalendarRow(Table, table=True):
    """A calendar. A person's own has their address as its id."""

    __tablename__ = "calendar"

    id: str = Field(primary_key=True)
    summary: str
    description: str = ""
    zone: str


class AccessRow(Table, table=True):
    """What one account may see of a calendar, and how its list shows it."""

    __tablename__ = "calendar_access"

    account: str = Field(primary_key=True)
    calendar_id: str = Field(primary_key=True)
    role: str
    listed: bool = True
    color_id: str = "1"
    position: int = 0


class EventRow(Table, table=True):
    """An event, a recurring event, or an exception of one.

    `body` is the event resource without what is computed; its times are UTC with the event's own zone.
    `first` and `last` (seconds since 1970, `last` None: endless) bound all its occurrences.
    """

    __tablename__ = "calendar_event"

    calendar_id: str = Field(primary_key=True)
    id: str = Field(primary_key=True)
    change: int = Field(index=True, description="Grows with every change in the world; ETag and sync token")
    body: dict[str, Any] = Field(sa_column=Column(JSON, nullable=False))
    updated: str
    cancelled: bool = False
    first: int = Field(index=True)
    last: int | None = None
    series_id: str | None = Field(default=None, index=True, description="Set for an exception")
    original: str = Field(default="", description="Which occurrence an exception replaces: 20261201T090000Z or a date")
    seed: str = Field(default="", description="Seed key; empty for what was made here")
    touched: bool = Field(default=False, description="Whether somebody changed what the seed made")


class NoticeRow(Table, table=True):
    """A mail that Google would have sent to guests about a change."""

    __tablename__ = "calendar_notice"

    id: int | None = Field(default=None, primary_key=True)
    calendar_id: str
    event_id: str
    what: str = Field(description="created, updated or cancelled")
    recipients: list[str] = Field(sa_column=Column(JSON, nullable=False))
    at: str
