"""What the sandbox keeps of Drive: files, their contents, who may do what, comments, and mails that sharing sent."""

from typing import Any

from sqlalchemy import JSON, Column, LargeBinary
from sqlmodel import Field

from core.sandbox.world import Table


class DriveFile(Table, table=True):
    """A file, a folder, a shortcut, a Google document, or the root of a drive. Times are RFC 3339 in UTC.

    What a Google document holds is kept by the service that owns its type.
    """

    __tablename__ = "drive_file"

    id: str = Field(primary_key=True)
    name: str
    mime_type: str
    parent: str | None = Field(default=None, index=True, description="None for a root")
    drive_id: str | None = Field(default=None, description="The shared drive that it is in")
    description: str = ""
    created: str
    modified: str
    modified_by: str
    shared_at: dict[str, list[str]] = Field(
        default_factory=dict,
        sa_column=Column(JSON, nullable=False),
        description="Address → when it was shared with them, and by whom",
    )
    trashed: bool = False
    trashed_at: str = ""
    trashed_by: str = ""
    deleted: bool = Field(default=False, description="Gone for ever; a seeded file stays as a stone")
    shortcut_to: str | None = None
    writers_can_share: bool = True
    copy_restricted: bool = False
    properties: dict[str, str] = Field(default_factory=dict, sa_column=Column(JSON, nullable=False))
    app_properties: dict[str, str] = Field(default_factory=dict, sa_column=Column(JSON, nullable=False))
    original_name: str = Field(default="", description="Name of the file that was uploaded")
    head: str = Field(default="", description="The newest revision; empty for what has no bytes")
    size: int = Field(default=0, description="Bytes")
    md5: str = ""
    words: str = Field(default="", description="Its text as a search sees it")
    version: int = 1
    seed: str = Field(default="", description="Seed key; empty for what was made here")
    touched: bool = Field(default=False, description="Whether somebody changed what the seed made")


class DriveRevision(Table, table=True):
    """The bytes of a file at one time."""

    __tablename__ = "drive_revision"

    file_id: str = Field(primary_key=True)
    id: str = Field(primary_key=True)
    mime_type: str
    content: bytes = Field(sa_column=Column(LargeBinary, nullable=False))
    md5: str
    modified: str
    modified_by: str


class DriveView(Table, table=True):
    """What one account has noted of a file: its star, and when it last opened it (RFC 3339, empty: never)."""

    __tablename__ = "drive_view"

    account: str = Field(primary_key=True)
    file_id: str = Field(primary_key=True)
    starred: bool = False
    viewed: str = ""


class DrivePermission(Table, table=True):
    """Who may do what with a file and all that is below it."""

    __tablename__ = "drive_permission"

    file_id: str = Field(primary_key=True)
    id: str = Field(primary_key=True)
    kind: str = Field(description="user, group, domain or anyone")
    role: str
    who: str = Field(default="", description="Address or domain")
    expires: str = Field(default="", description="RFC 3339; empty: never")
    discoverable: bool = Field(default=False, description="Whether it is found by searching, for domain and anyone")
    pending_owner: bool = False


class SharedDrive(Table, table=True):
    """A shared drive; its root folder has the same id."""

    __tablename__ = "drive_shared"

    id: str = Field(primary_key=True)
    name: str
    created: str


class DrivePerson(Table, table=True):
    """Somebody whom Drive knows by name; a group has members."""

    __tablename__ = "drive_person"

    email: str = Field(primary_key=True)
    name: str
    members: list[str] = Field(default_factory=list, sa_column=Column(JSON, nullable=False))


class DriveComment(Table, table=True):
    """A comment on a file, with its replies."""

    __tablename__ = "drive_comment"

    id: str = Field(primary_key=True)
    file_id: str = Field(index=True)
    author: str
    content: str
    quoted: str = ""
    anchor: str = ""
    created: str
    modified: str
    resolved: bool = False
    deleted: bool = False
    replies: list[dict[str, Any]] = Field(default_factory=list, sa_column=Column(JSON, nullable=False))
    seed: str = ""


class DriveNotice(Table, table=True):
    """A mail that Google would have sent about sharing or a new owner."""

    __tablename__ = "drive_notice"

    id: int | None = Field(default=None, primary_key=True)
    file_id: str
    recipient: str
    role: str
    message: str = ""
    at: str


class DriveUpload(Table, table=True):
    """A resumable upload: what was asked, and the bytes so far; once it is complete, what it was answered with."""

    __tablename__ = "drive_upload"

    id: str = Field(primary_key=True)
    account: str
    method: str
    file_id: str = ""
    mime_type: str = ""
    asked: dict[str, Any] = Field(default_factory=dict, sa_column=Column(JSON, nullable=False))
    content: bytes = Field(default=b"", sa_column=Column(LargeBinary, nullable=False))
    answer: dict[str, Any] | None = Field(default=None, sa_column=Column(JSON, nullable=True))
