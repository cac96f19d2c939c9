"""Where files are: folders to put them in, moves, and what is below a folder."""

from collections.abc import Iterator
from typing import Any

from sqlmodel import Session, col, delete, select

from core.sandbox.calls import ApiError, Call
from core.sandbox.drive.access import Access
from core.sandbox.drive.asking import asked, forbidden, invalid
from core.sandbox.drive.kinds import FOLDER, root_id
from core.sandbox.drive.natives import Natives
from core.sandbox.drive.shelf import ensure_root
from core.sandbox.drive.tables import DriveComment, DriveFile, DrivePermission, DriveRevision, DriveView


def folder_for(access: Access, call: Call, parents: Any) -> DriveFile:
    """The folder that a new file goes to; My Drive where none is named.

    Raises:
        ApiError: 404 or 403 where it cannot be used, or where there are several.
    """
    ids = parents if isinstance(parents, list) and parents else ["root"]
    if len(ids) > 1:
        raise forbidden("cannotAddParent", "Increasing the number of parents is not allowed")
    return usable(access, call, str(ids[0]))


def usable(access: Access, call: Call, folder_id: str) -> DriveFile:
    """A folder that the account may put something into.

    Raises:
        ApiError: 404 or 403 where it may not.
    """
    if folder_id in ("root", root_id(access.account)):
        ensure_root(access.session, access.account)
    folder = asked(access, call, folder_id)
    if folder.mime_type != FOLDER:
        raise forbidden("parentNotAFolder", "The specified parent is not a folder.")
    if not access.at_least(folder, "writer"):
        raise forbidden("insufficientParentPermissions", "Insufficient permissions for the specified parent.")
    return folder


def move(access: Access, call: Call, file: DriveFile) -> None:
    """Move a file as `addParents` and `removeParents` say.

    Raises:
        ApiError: 403 where it would have two parents or none, or the account may not.
    """
    added, removed = ids_of(access, call, "addParents"), ids_of(access, call, "removeParents")
    if not (added or removed):
        return
    need_parent(file)
    if not added or len(added) > 1 or (added != [file.parent] and file.parent not in removed):
        message = "Increasing the number of parents is not allowed" if added else "A file must have one parent."
        raise forbidden("cannotAddParent" if added else "cannotRemoveLastParent", message)
    folder = usable(access, call, added[0])
    if any(place.id == file.id for place in access.line(folder)):
        raise invalid("A folder cannot be moved into itself or one of its descendants.", "parameter:addParents")
    if file.drive_id != folder.drive_id:
        change_drive(access, file, folder)
    file.parent = folder.id


def ids_of(access: Access, call: Call, name: str) -> list[str]:
    """The ids in a parameter, with `root` told."""
    ids = [one.strip() for one in call.arg(name).split(",") if one.strip()]
    return [found.id if (found := access.file(one)) else one for one in ids]


def change_drive(access: Access, file: DriveFile, folder: DriveFile) -> None:
    """Move a file into a shared drive or out of one: there it has no owner, outside it has.

    Raises:
        ApiError: 403 for a folder.
    """
    if file.mime_type == FOLDER:
        raise forbidden("teamDrivesFolderMoveInNotSupported", "Moving folders into shared drives is not supported.")
    session = access.session
    for old in access.owners(file):
        session.delete(session.get_one(DrivePermission, (file.id, old.id)))
    if folder.drive_id is None:
        owner = access.owners(folder)[0]
        session.merge(DrivePermission(**{**owner.model_dump(), "file_id": file.id, "role": "owner"}))
    file.drive_id = folder.drive_id


def below(session: Session, file: DriveFile) -> Iterator[DriveFile]:
    """A file and all that is below it, the deepest first."""
    for child in session.exec(select(DriveFile).where(DriveFile.parent == file.id)).all():
        yield from below(session, child)
    yield file


def forget(session: Session, file: DriveFile, natives: Natives) -> None:
    """Delete a file for ever, and all that is below it; of a seeded one a stone stays, so that it does not return."""
    for row in list(below(session, file)):
        native = natives.get(row.mime_type)
        if native is not None:
            native.drop(session, row)
        for table in (DriveRevision, DriveView, DrivePermission, DriveComment):
            session.exec(delete(table).where(col(table.file_id) == row.id))
        if row.seed:
            row.deleted = row.touched = True
            session.add(row)
        else:
            session.delete(row)
    session.flush()


def need_parent(file: DriveFile) -> None:
    """Refuse to change the root of a drive.

    Raises:
        ApiError: 403.
    """
    if file.parent is None:
        raise ApiError(403, "insufficientFilePermissions", "The root folder cannot be changed.")
