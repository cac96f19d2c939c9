"""What the Drive tools return."""

from typing import Literal

from pydantic import Field

from core.mcp_server.results import Result

Role = Literal["reader", "commenter", "writer", "fileOrganizer", "organizer", "owner"]


class FileItem(Result):
    """A file or folder as a list shows it. `modified` is RFC 3339 in the user's zone; `size` in bytes."""

    file_id: str
    name: str
    kind: str = Field(description="document, spreadsheet, presentation, folder, shortcut, pdf, image, text, ...")
    mime_type: str
    modified: str
    owner: str | None = Field(default=None, description="None in a shared drive")
    shared: bool | None = None
    starred: bool = False
    trashed: bool = False
    size: int | None = Field(default=None, description="None for Google documents and folders")
    folder_id: str | None = None
    drive_id: str | None = Field(default=None, description="Set for a file of a shared drive")
    target_id: str | None = Field(default=None, description="Where a shortcut leads")
    link: str


class FilePage(Result):
    """One page of a search, and the query that Drive was asked."""

    query: str
    files: list[FileItem]
    next_page_token: str | None = None
    note: str | None = None


class FolderPage(Result):
    """One page of what is in a folder: folders first, then files by name."""

    folder_id: str
    folder_name: str
    files: list[FileItem]
    next_page_token: str | None = None


class FileContent(Result):
    """The readable text of a file; a cut is said in it. `text` is None where the file holds none: `note` says why."""

    file: FileItem
    text: str | None
    characters: int = Field(description="Of the whole text")
    next_offset: int | None = Field(default=None, description="Where to go on, when the text was cut")
    note: str | None = None


class SavedFile(Result):
    """A file that was stored on this machine."""

    file: FileItem
    filename: str
    mime_type: str
    size: int
    sha256: str
    path: str
    link: str = Field(description="Opens the file in Google Drive")


class Grant(Result):
    """Who may do what with a file. `expires` is RFC 3339 in the user's zone."""

    permission_id: str
    kind: Literal["user", "group", "domain", "anyone"]
    who: str = Field(description="Address, domain, or `anyone with the link`")
    name: str | None = None
    role: Role
    expires: str | None = None
    inherited: bool = Field(default=False, description="Comes from a folder or shared drive above")


class FileAccess(Result):
    """Who may see a file. `grants` is None where the account is not told."""

    file: FileItem
    public: bool
    summary: str
    grants: list[Grant] | None
    writers_can_share: bool | None = None
    readers_can_copy: bool = True


class PublicAccess(Result):
    """The files of a name, and whether anybody with the link may open them."""

    file_name: str
    files: list[FileAccess]
    summary: str


class ShareableLink(Result):
    """The links to a file, and who can open them."""

    file: FileItem
    link: str
    download_link: str | None
    public: bool
    summary: str


class FileChange(Result):
    """What was done to a file, and what one may do next."""

    file: FileItem
    changed: list[str]
    next_step: str


class ShareOutcome(Result):
    """What became of one share: its permission, or why there is none."""

    who: str
    role: str
    permission_id: str | None = None
    expires: str | None = None
    mail_sent: bool = False
    error: str | None = None


class Sharing(Result):
    """A file that was shared, with each recipient's outcome."""

    file: FileItem
    shared: list[ShareOutcome]
    failed: list[ShareOutcome]
    summary: str
