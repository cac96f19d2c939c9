"""A file as Drive shows it."""

from pathlib import PurePath
from typing import Any

from core.sandbox.drive.access import ROLES, Access
from core.sandbox.drive.kinds import EDITORS, FOLDER, GOOGLE, view_link
from core.sandbox.drive.natives import Natives
from core.sandbox.drive.people import permission, user
from core.sandbox.drive.tables import DriveFile, DriveView

BRIEF = ("kind", "id", "name", "mimeType", "teamDriveId", "driveId")
"""What an answer holds where no `fields` were asked for."""

Json = dict[str, Any]


def resource(file: DriveFile, access: Access, view: DriveView | None, natives: Natives) -> Json:
    """The whole file resource."""
    role = access.role(file)
    body = {
        **basics(file, access),
        **times(file, access, view),
        **sharing(file, access, role),
        **content(file, natives),
        "capabilities": capabilities(file, access),
    }
    return {name: value for name, value in body.items() if value is not None}


def brief(body: Json) -> Json:
    """A file resource without `fields`."""
    return {name: body[name] for name in BRIEF if name in body}


def basics(file: DriveFile, access: Access) -> Json:
    """Names, place and links."""
    target = access.file(file.shortcut_to) if file.shortcut_to else None
    visible = bool(file.parent) and bool((above := access.file(file.parent or "")) and access.role(above))
    return {
        "kind": "drive#file",
        "id": file.id,
        "name": file.name,
        "mimeType": file.mime_type,
        "description": file.description or None,
        "parents": [file.parent] if visible else None,
        "driveId": file.drive_id,
        "teamDriveId": file.drive_id,
        "spaces": ["drive"],
        "version": str(file.version),
        "webViewLink": view_link(file.id, file.mime_type),
        "iconLink": f"https://drive-thirdparty.googleusercontent.com/16/type/{file.mime_type}",
        "trashed": access.in_trash(file),
        "explicitlyTrashed": file.trashed,
        "trashedTime": file.trashed_at or None,
        "trashingUser": user(access, file.trashed_by) if file.trashed_by else None,
        "properties": file.properties or None,
        "appProperties": file.app_properties or None,
        "shortcutDetails": shortcut(file, target),
    }


def shortcut(file: DriveFile, target: DriveFile | None) -> Json | None:
    """Where a shortcut leads."""
    if not file.shortcut_to:
        return None
    kind = {"targetMimeType": target.mime_type} if target else {}
    return {"targetId": file.shortcut_to, **kind}


def times(file: DriveFile, access: Access, view: DriveView | None) -> Json:
    """When it was made, changed, seen and shared."""
    viewed = view.viewed if view and view.viewed else None
    mine = file.modified_by == access.account
    at, by = file.shared_at.get(access.account, ["", ""])
    return {
        "createdTime": file.created,
        "modifiedTime": file.modified,
        "modifiedByMe": mine,
        "modifiedByMeTime": file.modified if mine else None,
        "lastModifyingUser": user(access, file.modified_by),
        "viewedByMe": viewed is not None,
        "viewedByMeTime": viewed,
        "starred": bool(view and view.starred),
        "sharedWithMeTime": at or None,
        "sharingUser": user(access, by) if by else None,
    }


def sharing(file: DriveFile, access: Access, role: str | None) -> Json:
    """Whose it is and who may see it; a reader is not told who else does."""
    grants, owners = access.grants(file), access.owners(file)
    writes = role is not None and ROLES.index(role) >= ROLES.index("writer")
    told = writes and file.drive_id is None
    return {
        "owners": [user(access, owner.who) for owner in owners] if file.drive_id is None else None,
        "ownedByMe": None if file.drive_id else any(owner.who == access.account for owner in owners),
        "shared": len(grants) > 1 if file.drive_id is None else None,
        "permissions": [permission(*one, access) for one in grants] if told else None,
        "permissionIds": [grant.id for grant, _, _ in grants] if writes else None,
        "writersCanShare": file.writers_can_share if file.drive_id is None else None,
        "copyRequiresWriterPermission": file.copy_restricted,
        "viewersCanCopyContent": not file.copy_restricted,
    }


def content(file: DriveFile, natives: Natives) -> Json:
    """Size, checksum and ways to get the content."""
    if file.mime_type.startswith(GOOGLE):
        native = natives.get(file.mime_type)
        kind = EDITORS.get(file.mime_type, "")
        start = f"https://docs.google.com/feeds/download/{kind}/export/Export?id={file.id}&exportFormat="
        return {"exportLinks": {target: start + target for target in native.exports} if native and kind else None}
    suffix = PurePath(file.name).suffix.removeprefix(".")
    return {
        "size": str(file.size),
        "quotaBytesUsed": str(file.size),
        "md5Checksum": file.md5,
        "headRevisionId": file.head,
        "originalFilename": file.original_name or file.name,
        "fileExtension": suffix,
        "fullFileExtension": suffix,
        "webContentLink": f"https://drive.google.com/uc?id={file.id}&export=download",
    }


def capabilities(file: DriveFile, access: Access) -> dict[str, bool]:
    """What the account may do with it."""
    role = access.role(file)
    rank = ROLES.index(role) if role else -1
    writes, comments = rank >= ROLES.index("writer"), rank >= ROLES.index("commenter")
    manages = rank >= ROLES.index("fileOrganizer")
    folder, whole = file.mime_type == FOLDER, file.parent is not None
    reads = rank >= 0 and (writes or not file.copy_restricted)
    return {
        "canAddChildren": folder and writes,
        "canComment": comments and not folder,
        "canCopy": reads and not folder,
        "canDelete": whole and rank >= ROLES.index("owner" if file.drive_id is None else "organizer"),
        "canDownload": reads and not folder,
        "canEdit": writes,
        "canListChildren": folder,
        "canModifyContent": writes,
        "canMoveItemWithinDrive": whole and writes,
        "canReadRevisions": writes and not folder,
        "canRename": whole and writes,
        "canShare": may_share(file, access),
        "canTrash": whole and manages,
        "canUntrash": whole and manages,
    }


def may_share(file: DriveFile, access: Access) -> bool:
    """Whether the account may change who sees a file."""
    if file.drive_id is not None:
        return access.at_least(file, "organizer" if file.mime_type == FOLDER else "writer")
    return access.at_least(file, "writer" if file.writers_can_share else "owner")
