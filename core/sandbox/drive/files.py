"""files: get, create, update, copy, delete, export and what belongs to them."""

from typing import Any

from sqlmodel import Session, col, select

from core.sandbox.calls import ApiError, Call, Reply
from core.sandbox.drive import content
from core.sandbox.drive.access import Access
from core.sandbox.drive.asking import Json, access_of, asked, forbidden, invalid, need, shown
from core.sandbox.drive.changes import apply, check_writable, stamped
from core.sandbox.drive.kinds import FOLDER, GOOGLE, SHORTCUT, new_id, stamp
from core.sandbox.drive.natives import Natives
from core.sandbox.drive.places import folder_for, forget, need_parent
from core.sandbox.drive.shelf import grant
from core.sandbox.drive.tables import DriveFile, DriveRevision
from core.sandbox.drive.uploads import UNKNOWN_TYPE, Incoming, Media, receive, resume

EXPORT_LIMIT = 10 * 1024 * 1024


def get_file(call: Call, natives: Natives) -> Json | Reply:
    """files.get, of the metadata or, with `alt=media`, of the content."""
    with call.world.session() as session:
        access = access_of(session, call)
        file = asked(access, call)
        if call.arg("alt") != "media":
            return shown(file, access, call, natives)
        if file.mime_type.startswith(GOOGLE):
            message = "Only files with binary content can be downloaded. Use Export with Docs Editors files."
            raise forbidden("fileNotDownloadable", message, "parameter:alt")
        need_download(access, file)
        return content.served(call, content.data_of(session, file), file.mime_type)


def need_download(access: Access, file: DriveFile) -> None:
    """Refuse readers where the owner keeps them from downloading.

    Raises:
        ApiError: 403.
    """
    if file.copy_restricted and not access.at_least(file, "writer"):
        raise forbidden("cannotDownloadFile", "This file cannot be downloaded by the user.")


def export_file(call: Call, natives: Natives) -> Reply:
    """files.export."""
    target = call.arg("mimeType")
    if not target:
        raise invalid("Required parameter: mimeType", "parameter:mimeType", "required")
    with call.world.session() as session:
        access = access_of(session, call)
        file = asked(access, call, everywhere=True)
        native = natives.get(file.mime_type)
        if native is None:
            raise forbidden("fileNotExportable", "Export only supports Docs Editors files.")
        need_download(access, file)
        export = native.exports.get(target)
        if export is None:
            raise invalid("The requested conversion is not supported.", "parameter:mimeType", "badRequest")
        data = export(session, file)
    if len(data) > EXPORT_LIMIT:
        raise forbidden("exportSizeLimitExceeded", "This file is too large to be exported.")
    return content.served(call, data, target)


def create_file(call: Call, natives: Natives) -> Json | Reply:
    """files.create, with or without content."""
    return receive(call, lambda session, call, incoming, _: created(session, call, natives, incoming))


def update_file(call: Call, natives: Natives) -> Json | Reply:
    """files.update, with or without content."""
    return receive(call, lambda session, call, incoming, file: updated(session, call, natives, incoming, file))


def resume_file(call: Call, natives: Natives) -> Json | Reply:
    """A further request of a resumable upload, for a new file or one that is there."""

    def take(session: Session, call: Call, incoming: Incoming, file_id: str) -> Json:
        if file_id:
            return updated(session, call, natives, incoming, file_id)
        return created(session, call, natives, incoming)

    return resume(call, take)


def created(session: Session, call: Call, natives: Natives, incoming: Incoming) -> Json:
    """A new file."""
    wanted, media = incoming.asked, incoming.media
    check_writable(wanted, new=True)
    access = access_of(session, call)
    folder = folder_for(access, call, wanted.get("parents"))
    file = blank(session, call, wanted, folder)
    file.mime_type = str(wanted.get("mimeType") or (media.mime_type if media else UNKNOWN_TYPE))
    file.shortcut_to = target_of(access, call, wanted) if file.mime_type == SHORTCUT else None
    session.add(file)
    session.flush()
    if file.drive_id is None:
        session.add(grant(file.id, "user", "owner", call.account))
    apply(access, file, {key: wanted[key] for key in wanted if key not in ("name", "mimeType")}, call)
    fill(session, call, natives, file, media)
    session.flush()
    return shown(file, access_of(session, call), call, natives)


def blank(session: Session, call: Call, wanted: Json, folder: DriveFile) -> DriveFile:
    """A file with nothing in it yet.

    Raises:
        ApiError: 409 for an id that is taken.
    """
    file_id = str(wanted.get("id") or new_id())
    if session.get(DriveFile, file_id) is not None:
        raise ApiError(409, "fileIdInUse", "A file already exists with the provided ID.")
    now = stamp(call.now())
    return DriveFile(
        id=file_id,
        name=str(wanted.get("name") or "Untitled"),
        mime_type=UNKNOWN_TYPE,
        parent=folder.id,
        drive_id=folder.drive_id,
        created=stamped(wanted.get("createdTime")) or now,
        modified=stamped(wanted.get("modifiedTime")) or now,
        modified_by=call.account,
        original_name=str(wanted.get("originalFilename") or wanted.get("name") or ""),
    )


def target_of(access: Access, call: Call, wanted: Json) -> str:
    """Where a new shortcut leads.

    Raises:
        ApiError: 400 where nothing is named, 404 where it cannot be seen.
    """
    target = (wanted.get("shortcutDetails") or {}).get("targetId")
    if not target:
        raise invalid("The shortcut details must include a target ID.", reason="required")
    return asked(access, call, str(target)).id


def fill(session: Session, call: Call, natives: Natives, file: DriveFile, media: Media | None) -> None:
    """Give a new file its content, or a changed one its new one.

    Raises:
        ApiError: 400 for content that cannot become what the file is.
    """
    native = natives.get(file.mime_type)
    if native is not None and media is None:
        return native.create(session, file)
    if media is None:
        data = Media(b"", file.mime_type)
        return None if file.mime_type.startswith(GOOGLE) else store(session, call, file, data)
    if not file.mime_type.startswith(GOOGLE):
        return store(session, call, file, media)
    source = media.mime_type.split(";")[0].strip().lower()
    if native is None or source not in native.imports:
        raise invalid("The requested conversion is not supported.", reason="badRequest")
    return native.imports[source](session, file, media.data)


def store(session: Session, call: Call, file: DriveFile, media: Media) -> None:
    """Keep bytes under the file's type, which may be more exact than the upload's."""
    content.put(session, file, media.data, file.mime_type, call.account, call.now())


def updated(session: Session, call: Call, natives: Natives, incoming: Incoming, file_id: str) -> Json:
    """A changed file."""
    access = access_of(session, call)
    file = asked(access, call, file_id)
    check_writable(incoming.asked, new=False)
    apply(access, file, incoming.asked, call)
    if incoming.media is not None:
        need(access, file, "writer")
        if not file.mime_type.startswith(GOOGLE) and not incoming.asked.get("mimeType"):
            file.mime_type = incoming.media.mime_type
        fill(session, call, natives, file, incoming.media)
        file.modified, file.modified_by, file.touched = stamp(call.now()), call.account, True
    session.add(file)
    session.flush()
    return shown(file, access_of(session, call), call, natives)


def copy_file(call: Call, natives: Natives) -> Json:
    """files.copy."""
    wanted = call.json()
    check_writable(wanted, new=True)
    with call.world.change() as session:
        access = access_of(session, call)
        source = asked(access, call)
        if source.mime_type == FOLDER or (source.copy_restricted and not access.at_least(source, "writer")):
            raise forbidden("cannotCopyFile", "This file cannot be copied by the user.")
        folder = folder_for(access, call, wanted.get("parents") or home_of(access, source))
        file = blank(session, call, {"name": f"Copy of {source.name}", **wanted}, folder)
        for name in ("mime_type", "description", "properties", "shortcut_to", "words"):
            setattr(file, name, getattr(source, name))
        session.add(file)
        session.flush()
        if file.drive_id is None:
            session.add(grant(file.id, "user", "owner", call.account))
        native = natives.get(file.mime_type)
        if native is not None:
            native.copy(session, source, file)
        elif source.head:
            store(session, call, file, Media(content.data_of(session, source), source.mime_type))
        session.flush()
        return shown(file, access_of(session, call), call, natives)


def home_of(access: Access, source: DriveFile) -> list[str] | None:
    """The folder of a file, where its copy may stand beside it."""
    folder = access.file(source.parent) if source.parent else None
    return [folder.id] if folder is not None and access.at_least(folder, "writer") else None


def delete_file(call: Call, natives: Natives) -> Reply:
    """files.delete: past the trash."""
    with call.world.change() as session:
        access = access_of(session, call)
        file = asked(access, call)
        need_parent(file)
        need(access, file, "owner" if file.drive_id is None else "organizer")
        forget(session, file, natives)
    return Reply(None)


def empty_trash(call: Call, natives: Natives) -> Reply:
    """files.emptyTrash."""
    with call.world.change() as session:
        access = access_of(session, call)
        trashed = session.exec(select(DriveFile).where(DriveFile.trashed, ~col(DriveFile.deleted))).all()
        for file in [one for one in trashed if one.drive_id is None and access.at_least(one, "owner")]:
            forget(session, file, natives)
    return Reply(None)


def generate_ids(call: Call, natives: Natives) -> Json:
    """files.generateIds."""
    count = call.number("count", 10, 1000)
    return {"kind": "drive#generatedIds", "space": "drive", "ids": [new_id() for _ in range(count)]}


def list_revisions(call: Call, natives: Natives) -> Json:
    """revisions.list, oldest first."""
    with call.world.session() as session:
        access = access_of(session, call)
        file = asked(access, call, everywhere=True)
        need(access, file, "writer")
        query = select(DriveRevision).where(DriveRevision.file_id == file.id).order_by(col(DriveRevision.modified))
        rows: Any = session.exec(query).all()
    return {"kind": "drive#revisionList", "revisions": [revision(row) for row in rows]}


def revision(row: DriveRevision) -> Json:
    """A revision as Drive shows it."""
    return {
        "kind": "drive#revision",
        "id": row.id,
        "mimeType": row.mime_type,
        "modifiedTime": row.modified,
        "md5Checksum": row.md5,
        "size": str(len(row.content)),
    }
