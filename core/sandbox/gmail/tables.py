"""The mailbox in SQLite: raw messages with what a search needs, labels, drafts, filters, history."""

from typing import Any

from sqlalchemy import JSON
from sqlmodel import Field

from core.sandbox.world import Table


class MessageRow(Table, table=True):
    """One mail. `*_words` are normalised (see `words.py`); `raw` is last, so that a search never reads it."""

    __tablename__ = "gmail_message"
    id: str = Field(primary_key=True)
    account: str = Field(index=True)
    thread_id: str = Field(index=True)
    history_id: int = 0
    internal_ms: int = Field(index=True)
    size: int
    snippet: str
    subject: str
    message_id: str = Field(index=True)
    has_attachment: bool
    seed_key: str | None = None
    touched: bool = False
    links: str
    from_words: str
    to_words: str
    cc_words: str
    bcc_words: str
    subject_words: str
    file_words: str
    list_words: str
    delivered_words: str
    all_words: str
    raw: bytes


class MessageLabelRow(Table, table=True):
    """A label on a mail; system and user labels alike."""

    __tablename__ = "gmail_message_label"
    message_id: str = Field(primary_key=True)
    label_id: str = Field(primary_key=True, index=True)


class LabelRow(Table, table=True):
    """A label that the user made."""

    __tablename__ = "gmail_label"
    account: str = Field(primary_key=True)
    id: str = Field(primary_key=True)
    name: str
    message_visibility: str = "show"
    label_visibility: str = "labelShow"
    color: dict[str, str] | None = Field(default=None, sa_type=JSON)


class DraftRow(Table, table=True):
    """A draft; its text is a message that an update replaces."""

    __tablename__ = "gmail_draft"
    id: str = Field(primary_key=True)
    account: str = Field(index=True)
    message_id: str = Field(index=True)


class FilterRow(Table, table=True):
    """A filter in Google's own terms."""

    __tablename__ = "gmail_filter"
    id: str = Field(primary_key=True)
    account: str = Field(index=True)
    criteria: dict[str, Any] = Field(sa_type=JSON)
    action: dict[str, Any] = Field(sa_type=JSON)


class HistoryRow(Table, table=True):
    """A change of the mailbox; its id is the historyId. `kind` is Google's: `messagesAdded`, `labelsRemoved`, …"""

    __tablename__ = "gmail_history"
    __table_args__ = {"sqlite_autoincrement": True}  # noqa: RUF012
    id: int | None = Field(default=None, primary_key=True)
    account: str = Field(index=True)
    message_id: str
    thread_id: str
    kind: str
    labels: list[str] = Field(sa_type=JSON)


class UploadRow(Table, table=True):
    """A resumable upload that was opened and has not had its content yet."""

    __tablename__ = "gmail_upload"
    id: str = Field(primary_key=True)
    account: str
    metadata_json: dict[str, Any] = Field(sa_type=JSON)


class PlantedRow(Table, table=True):
    """Which seeds a mailbox has had, so that a deleted one does not return; `day` is what it is dated by."""

    __tablename__ = "gmail_seed"
    account: str = Field(primary_key=True)
    key: str = Field(primary_key=True)
    day: str
