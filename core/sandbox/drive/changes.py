"""Changes of a file's metadata: which fields may be written, by whom, and what they do."""

from typing import Any

from dateutil.parser import isoparse

from core.sandbox.calls import Call
from core.sandbox.drive.access import Access
from core.sandbox.drive.asking import Json, forbidden, invalid, need
from core.sandbox.drive.kinds import GOOGLE, stamp
from core.sandbox.drive.places import move, need_parent
from core.sandbox.drive.resource import may_share
from core.sandbox.drive.tables import DriveFile, DriveView

WRITABLE = frozenset(
    {
        *("name", "mimeType", "description", "starred", "trashed", "properties", "appProperties", "modifiedTime"),
        *("viewedByMeTime", "writersCanShare", "copyRequiresWriterPermission", "originalFilename", "contentHints"),
        *("viewersCanCopyContent", "folderColorRgb", "contentRestrictions", "kind"),
    }
)
WRITABLE_ONCE = WRITABLE | {"id", "parents", "createdTime", "shortcutDetails"}
OWN = frozenset({"starred", "viewedByMeTime", "kind"})
"""What each account notes for itself."""


def check_writable(wanted: Json, new: bool) -> None:
    """Refuse fields that nobody may write.

    Raises:
        ApiError: 403, as Drive says it.
    """
    if not new and "parents" in wanted:
        message = (
            "The parents field is not directly writable in update requests. Use the addParents and removeParents "
            "parameters instead."
        )
        raise forbidden("fieldNotWritable", message)
    if set(wanted) - (WRITABLE_ONCE if new else WRITABLE):
        raise forbidden("fieldNotWritable", "The resource body includes fields which are not directly writable.")


def apply(access: Access, file: DriveFile, wanted: Json, call: Call) -> None:
    """Change a file's metadata and place.

    Raises:
        ApiError: 400 or 403 where that is not allowed.
    """
    note(access, file, wanted)
    if not set(wanted) - OWN and not (call.arg("addParents") or call.arg("removeParents")):
        return
    need(access, file, "writer")  # before it is moved: a folder of one's own would give what one lacks
    move(access, call, file)
    if "trashed" in wanted:
        throw(access, file, bool(wanted["trashed"]), call)
    rename(file, wanted)
    merge_properties(file, wanted)
    restrict(access, file, wanted)
    file.version += 1
    file.touched = True
    if set(wanted) & {"name", "description", "mimeType", "properties", "appProperties"}:
        file.modified, file.modified_by = stamped(wanted.get("modifiedTime")) or stamp(call.now()), call.account
    elif "modifiedTime" in wanted:
        file.modified = stamped(wanted["modifiedTime"])
    access.session.add(file)


def note(access: Access, file: DriveFile, wanted: Json) -> None:
    """Keep what the account notes for itself."""
    if not set(wanted) & OWN - {"kind"}:
        return
    key = (access.account, file.id)
    view = access.session.get(DriveView, key) or DriveView(account=access.account, file_id=file.id)
    view.starred = bool(wanted.get("starred", view.starred))
    view.viewed = stamped(wanted.get("viewedByMeTime")) or view.viewed
    access.session.add(view)


def rename(file: DriveFile, wanted: Json) -> None:
    """Change name, description and type.

    Raises:
        ApiError: 400 where a Google document would become something else.
    """
    file.name = str(wanted.get("name") or file.name)
    if "description" in wanted:
        file.description = str(wanted["description"] or "")
    mime_type = str(wanted.get("mimeType") or file.mime_type)
    if mime_type != file.mime_type and GOOGLE in mime_type + file.mime_type:
        raise invalid("The requested conversion is not supported.", reason="badRequest")
    file.mime_type = mime_type


def merge_properties(file: DriveFile, wanted: Json) -> None:
    """Set properties; null takes one away."""
    for name, field in (("properties", "properties"), ("appProperties", "app_properties")):
        given: dict[str, Any] = wanted.get(name) or {}
        merged = {**getattr(file, field), **given}
        setattr(file, field, {key: str(value) for key, value in merged.items() if value is not None})


def restrict(access: Access, file: DriveFile, wanted: Json) -> None:
    """Say who may share or copy.

    Raises:
        ApiError: 403 where the account may not say so.
    """
    asked = set(wanted) & {"writersCanShare", "copyRequiresWriterPermission", "viewersCanCopyContent"}
    if asked and not may_share(file, access):
        raise forbidden()
    if "writersCanShare" in wanted:
        if file.drive_id is not None or not access.at_least(file, "owner"):
            raise forbidden()
        file.writers_can_share = bool(wanted["writersCanShare"])
    if "copyRequiresWriterPermission" in wanted:
        file.copy_restricted = bool(wanted["copyRequiresWriterPermission"])
    elif "viewersCanCopyContent" in wanted:
        file.copy_restricted = not wanted["viewersCanCopyContent"]


def throw(access: Access, file: DriveFile, trashed: bool, call: Call) -> None:
    """Put a file into the trash, or take it out.

    Raises:
        ApiError: 403 where the account may not.
    """
    need_parent(file)
    need(access, file, "owner" if file.drive_id is None else "fileOrganizer")
    file.trashed = trashed
    file.trashed_at, file.trashed_by = (stamp(call.now()), call.account) if trashed else ("", "")


def stamped(value: Any) -> str:
    """A time that was given, as Drive stores it; empty where none was.

    Raises:
        ApiError: 400 where it is no time.
    """
    if not value:
        return ""
    try:
        return stamp(isoparse(str(value)))
    except ValueError as error:
        raise invalid(f"Invalid value for: Invalid format: {value!r}") from error
