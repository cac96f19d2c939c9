"""The Drive tools."""

from typing import Annotated, Literal

from pydantic import Field

from core.google.drive_query import quoted
from core.mcp_server.cabinet import Cabinet
from core.mcp_server.desk import BadArgument, Desk
from core.mcp_server.imports import bare, source_of, type_of
from core.mcp_server.incoming import from_url
from core.mcp_server.results_drive import (
    FileAccess,
    FileChange,
    FileContent,
    FilePage,
    FolderPage,
    PublicAccess,
    SavedFile,
    ShareableLink,
    Sharing,
)
from core.mcp_server.shaping import drive
from core.mcp_server.shaping.drive import DOCUMENT, FOLDER, GOOGLE, ROLE_WORDS, Json, search_query
from core.mcp_server.sharing import GiveRole, Mail, Recipient, Sharer, ShareType

FileId = Annotated[str, Field(description="A file_id from an earlier result", min_length=1)]
FolderId = Annotated[str, Field(description="file_id of a folder; root is My Drive", min_length=1)]
Token = Annotated[str | None, Field(description="next_page_token of the page before")]
DriveId = Annotated[str | None, Field(description="Only this shared drive")]
Everywhere = Annotated[bool, Field(description="With the files of shared drives")]
Corpora = Annotated[Literal["user", "domain", "drive", "allDrives"] | None, Field(description="Google's corpora")]
Ends = Annotated[str | None, Field(description="When the access ends, such as 2026-12-31; a date: at its end")]
Notify = Annotated[bool, Field(description="Whether Google mails them")]
Message = Annotated[str | None, Field(description="Text in Google's mail")]
PermissionId = Annotated[str, Field(description="A permission_id, the person's address, or anyone", min_length=1)]
SAME_NAME = 10


def search_drive_files(
    desk: Desk,
    query: Annotated[str, Field(description="Words, or Drive's query: name contains 'x' and mimeType = 'y'")],
    page_size: Annotated[int, Field(ge=1, le=100, description="Files on a page")] = 10,
    drive_id: DriveId = None,
    include_items_from_all_drives: Everywhere = True,
    corpora: Corpora = None,
    page_token: Token = None,
) -> FilePage:
    """One page of the files that a search finds."""
    cabinet, asked = Cabinet(desk), search_query(query)
    order = "modifiedTime desc" if "fullText" not in asked else None
    page = cabinet.page(
        asked,
        page_size,
        page_token,
        drive_id=drive_id,
        everywhere=include_items_from_all_drives,
        corpora=corpora,
        order=order,
    )
    return FilePage(
        query=asked,
        files=[cabinet.item(one) for one in page.get("files", [])],
        next_page_token=page.get("nextPageToken"),
        note="Google did not search all shared drives." if page.get("incompleteSearch") else None,
    )


def get_drive_file_content(
    desk: Desk,
    file_id: FileId,
    offset: Annotated[int, Field(ge=0, description="Where to go on in a long text")] = 0,
) -> FileContent:
    """The readable text of a file."""
    return Cabinet(desk).content(file_id, offset)


def get_drive_file_download_url(
    desk: Desk,
    file_id: FileId,
    export_format: Annotated[
        Literal["pdf", "docx", "xlsx", "csv", "pptx"] | None, Field(description="For Google documents")
    ] = None,
) -> SavedFile:
    """A file stored on this machine, and its link."""
    return Cabinet(desk).saved(file_id, export_format)


def list_drive_items(
    desk: Desk,
    folder_id: FolderId = "root",
    page_size: Annotated[int, Field(ge=1, le=1000, description="Files on a page")] = 100,
    drive_id: DriveId = None,
    include_items_from_all_drives: Everywhere = True,
    corpora: Corpora = None,
    page_token: Token = None,
) -> FolderPage:
    """One page of what is in a folder."""
    cabinet = Cabinet(desk)
    folder = cabinet.folder(drive_id if drive_id and folder_id == "root" else folder_id)
    page = cabinet.page(
        f"{quoted(folder['id'])} in parents and trashed = false",
        page_size,
        page_token,
        drive_id=drive_id or folder.get("driveId"),
        everywhere=include_items_from_all_drives,
        corpora=corpora or (None if folder.get("driveId") else "user"),
        order="folder,name_natural",
    )
    return FolderPage(
        folder_id=folder["id"],
        folder_name=folder["name"],
        files=[cabinet.item(one) for one in page.get("files", [])],
        next_page_token=page.get("nextPageToken"),
    )


def create_drive_file(
    desk: Desk,
    file_name: Annotated[str, Field(min_length=1, max_length=255)],
    content: Annotated[str | None, Field(description="Text of the file")] = None,
    folder_id: FolderId = "root",
    mime_type: Annotated[str, Field(description=f"Of the content; {FOLDER} makes a folder")] = "text/plain",
    fileUrl: Annotated[str | None, Field(description="Take the content from this http, https or file address")] = None,
) -> FileChange:
    """A new file with text, or with what an address holds."""
    if content is not None and fileUrl is not None:
        raise BadArgument("content", "give content or fileUrl, not both.")
    cabinet = Cabinet(desk)
    folder = cabinet.folder(folder_id)
    data = None if content is None else content.encode()
    if fileUrl is not None:
        taken = from_url(desk, fileUrl)
        data, mime_type = taken.data, taken.mime_type if mime_type == "text/plain" and taken.mime_type else mime_type
    if data is None and not mime_type.startswith(GOOGLE):
        raise BadArgument("content", "give content or fileUrl; a Google document needs neither.")
    body = {"name": file_name, "parents": [folder["id"]], "mimeType": mime_type}
    made = cabinet.create(body, data, "text/plain" if mime_type.startswith(GOOGLE) else mime_type)
    return FileChange(
        file=cabinet.item(made),
        changed=[f"{made['name']} was made in {folder['name']}" + (f", {len(data):,} bytes" if data else "")],
        next_step="share_drive_file shares it; only this account sees it so far, unless the folder is shared.",
    )


def import_to_google_doc(
    desk: Desk,
    file_name: Annotated[str, Field(min_length=1, max_length=255, description="Name of the document")],
    content: Annotated[str | None, Field(description="Text, Markdown or HTML")] = None,
    file_path: Annotated[str | None, Field(description="A file in the account's download folder")] = None,
    file_url: Annotated[str | None, Field(description="http, https or file address")] = None,
    source_format: Annotated[str | None, Field(description="md, html, txt, docx, odt, rtf; else guessed")] = None,
    folder_id: FolderId = "root",
) -> FileChange:
    """A Google document made of a text or an office file."""
    cabinet = Cabinet(desk)
    taken = source_of(desk, content, file_path, file_url)
    kind = type_of(taken, file_name, source_format)
    folder = cabinet.folder(folder_id)
    body = {"name": bare(file_name), "parents": [folder["id"]], "mimeType": DOCUMENT}
    made = cabinet.create(body, taken.data, kind)
    return FileChange(
        file=cabinet.item(made),
        changed=[f"the document {made['name']} was made in {folder['name']} from {kind}"],
        next_step="get_doc_content reads it, modify_doc_text changes it.",
    )


def get_drive_file_permissions(desk: Desk, file_id: FileId) -> FileAccess:
    """Who may see and change a file."""
    return Cabinet(desk).access(file_id)


def check_drive_file_public_access(
    desk: Desk, file_name: Annotated[str, Field(min_length=1, description="The exact name")]
) -> PublicAccess:
    """Whether the files of a name are open to anybody with the link."""
    cabinet = Cabinet(desk)
    page = cabinet.page(f"name = {quoted(file_name)} and trashed = false", SAME_NAME, None)
    found = cabinet.accesses(one["id"] for one in page.get("files", []))
    open_ones = sum(one.public for one in found)
    if not found:
        summary = f"There is no file called {file_name}. search_drive_files finds files by a part of their name."
    else:
        more = " at least" if page.get("nextPageToken") else ""
        summary = f"{open_ones} of{more} {len(found)} called {file_name} can be opened by anybody with the link."
    return PublicAccess(file_name=file_name, files=found, summary=summary)


def update_drive_file(
    desk: Desk,
    file_id: FileId,
    name: Annotated[str | None, Field(min_length=1, description="A new name")] = None,
    description: str | None = None,
    mime_type: Annotated[str | None, Field(description="Another type, for files that are no Google documents")] = None,
    add_parents: Annotated[str | None, Field(description="file_id of the folder to move it to")] = None,
    remove_parents: Annotated[str | None, Field(description="Usually left out: a move leaves the old folder")] = None,
    starred: bool | None = None,
    trashed: Annotated[bool | None, Field(description="true: into the trash; false: back")] = None,
    writers_can_share: bool | None = None,
    copy_requires_writer_permission: bool | None = None,
    properties: Annotated[dict[str, str | None] | None, Field(description="null takes a property away")] = None,
) -> FileChange:
    """A file renamed, moved, starred, thrown away or restored, or otherwise changed."""
    asked: Json = {
        "name": name,
        "description": description,
        "mimeType": mime_type,
        "starred": starred,
        "trashed": trashed,
        "writersCanShare": writers_can_share,
        "copyRequiresWriterPermission": copy_requires_writer_permission,
        "properties": properties,
    }
    body = {key: value for key, value in asked.items() if value is not None}
    cabinet = Cabinet(desk)
    before = cabinet.get(file_id)
    move, moved = cabinet.move(before, add_parents, remove_parents)
    if not body and not move:
        raise BadArgument("name", "say what shall be changed.")
    after = cabinet.update(file_id, body, **move)
    step = "update_drive_file with trashed false restores it." if trashed else "list_drive_items shows its folder."
    return FileChange(file=cabinet.item(after), changed=[*drive.changes(before, body), *moved], next_step=step)


def get_drive_shareable_link(desk: Desk, file_id: FileId) -> ShareableLink:
    """The links to a file, and who can open them."""
    cabinet = Cabinet(desk)
    file = cabinet.get(file_id, drive.ACCESS_FIELDS)
    access = cabinet.access_of(file)
    return ShareableLink(
        file=access.file,
        link=access.file.link,
        download_link=file.get("webContentLink"),
        public=access.public,
        summary=access.summary,
    )


def share_drive_file(
    desk: Desk,
    file_id: FileId,
    share_with: Annotated[str | None, Field(description="Address, or domain; none for anyone")] = None,
    role: GiveRole = "reader",
    share_type: ShareType = "user",
    send_notification: Notify = True,
    email_message: Message = None,
    expiration_time: Ends = None,
    allow_file_discovery: Annotated[bool | None, Field(description="domain, anyone: found by searching")] = None,
) -> Sharing:
    """A file shared with a person, a group, a domain, or anybody with the link."""
    sharer = Sharer(Cabinet(desk))
    who = {"domain": share_with} if share_type == "domain" else {"email": share_with}
    to = Recipient.model_validate({**who, "role": role, "share_type": share_type, "expiration_time": expiration_time})
    mail = Mail(send_notification, email_message)
    return sharer.share(sharer.cabinet.get(file_id), to, mail, bool(allow_file_discovery))


def batch_share_drive_file(
    desk: Desk,
    file_id: FileId,
    recipients: Annotated[list[Recipient], Field(min_length=1, max_length=50)],
    send_notification: Notify = True,
    email_message: Message = None,
) -> Sharing:
    """A file shared with several; each one's outcome is told."""
    sharer = Sharer(Cabinet(desk))
    return sharer.share_with_all(sharer.cabinet.get(file_id), recipients, Mail(send_notification, email_message))


def update_drive_permission(
    desk: Desk,
    file_id: FileId,
    permission_id: PermissionId,
    role: GiveRole | None = None,
    expiration_time: Annotated[str | None, Field(description="When it ends, such as 2026-12-31; or never")] = None,
) -> FileChange:
    """Another role or another end for who has access already."""
    sharer = Sharer(Cabinet(desk))
    return sharer.change(file_id, sharer.grant(file_id, permission_id), role, expiration_time)


def remove_drive_permission(desk: Desk, file_id: FileId, permission_id: PermissionId) -> FileChange:
    """Access taken away."""
    sharer = Sharer(Cabinet(desk))
    return sharer.take(file_id, sharer.grant(file_id, permission_id))


def copy_drive_file(
    desk: Desk,
    file_id: FileId,
    new_name: Annotated[str | None, Field(min_length=1, description="Copy of the old name if left out")] = None,
    parent_folder_id: FolderId = "root",
) -> FileChange:
    """A copy of a file, which this account owns."""
    cabinet = Cabinet(desk)
    source, folder = cabinet.resolved(file_id), cabinet.folder(parent_folder_id)
    body = {"name": new_name or f"Copy of {source['name']}", "parents": [folder["id"]]}
    request = cabinet.files().copy(fileId=source["id"], body=body, fields=drive.ITEM_FIELDS, supportsAllDrives=True)
    made = desk.google.execute(request)
    return FileChange(
        file=cabinet.item(made),
        changed=[f"{source['name']} was copied to {folder['name']} as {made['name']}"],
        next_step="The copy is shared with nobody yet, unless the folder is; share_drive_file shares it.",
    )


def transfer_drive_ownership(
    desk: Desk,
    file_id: FileId,
    new_owner_email: Annotated[str, Field(pattern="@", description="Somebody of the same organisation")],
    move_to_new_owners_root: Annotated[bool, Field(description="Also move it to their My Drive")] = False,
) -> FileChange:
    """A file that belongs to somebody else from now on."""
    sharer = Sharer(Cabinet(desk))
    return sharer.hand_over(sharer.cabinet.get(file_id), new_owner_email.strip(), move_to_new_owners_root)


def set_drive_file_permissions(
    desk: Desk,
    file_id: FileId,
    link_sharing: Annotated[
        Literal["off", "reader", "commenter", "writer"] | None, Field(description="What anybody with the link may do")
    ] = None,
    writers_can_share: Annotated[bool | None, Field(description="Whether editors may share it")] = None,
    copy_requires_writer_permission: Annotated[bool | None, Field(description="Keep readers from copying")] = None,
) -> FileChange:
    """The sharing settings of a file as a whole."""
    asked = {"writersCanShare": writers_can_share, "copyRequiresWriterPermission": copy_requires_writer_permission}
    body = {key: value for key, value in asked.items() if value is not None}
    if not body and link_sharing is None:
        raise BadArgument("link_sharing", "say what shall be changed.")
    sharer = Sharer(Cabinet(desk))
    before = sharer.cabinet.get(file_id)
    lines = drive.changes(before, body)
    after = sharer.cabinet.update(file_id, body) if body else before
    lines += [sharer.link_sharing(file_id, link_sharing)] if link_sharing else []
    opened = link_sharing in ROLE_WORDS
    step = f"{'get_drive_shareable_link gives the link' if opened else 'get_drive_file_permissions shows all access'}."
    return FileChange(file=sharer.cabinet.item(after), changed=lines, next_step=step)
