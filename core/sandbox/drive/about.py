"""about and drives: the account, what Drive can convert, and the shared drives."""

from sqlmodel import col, func, select

from core.sandbox.calendar.pages import decode, encode
from core.sandbox.calls import ApiError, Call
from core.sandbox.drive.access import Access
from core.sandbox.drive.asking import Json, access_of, need_fields
from core.sandbox.drive.natives import Natives
from core.sandbox.drive.people import user
from core.sandbox.drive.tables import DriveFile, SharedDrive

QUOTA = 30 * 1024**3


def get_about(call: Call, natives: Natives) -> Json:
    """about.get."""
    need_fields(call)
    with call.world.session() as session:
        access = access_of(session, call)
        who = user(access, call.account)
        used = session.exec(select(func.sum(DriveFile.size)).where(col(DriveFile.drive_id).is_(None))).one() or 0
    sources: dict[str, list[str]] = {}
    for native in natives.values():
        for source in native.imports:
            sources.setdefault(source, []).append(native.mime_type)
    quota = {"limit": str(QUOTA), "usage": str(used), "usageInDrive": str(used), "usageInDriveTrash": "0"}
    return {
        "kind": "drive#about",
        "user": who,
        "storageQuota": quota,
        "importFormats": sources,
        "exportFormats": {native.mime_type: list(native.exports) for native in natives.values()},
        "maxUploadSize": str(5 * 1024**4),
        "canCreateDrives": True,
        "appInstalled": True,
    }


def list_drives(call: Call, natives: Natives) -> Json:
    """drives.list."""
    with call.world.session() as session:
        access = access_of(session, call)
        rows = session.exec(select(SharedDrive).order_by(col(SharedDrive.name))).all()
        seen = [drive(row, access, call) for row in rows if role_in(row, access)]
    size = call.number("pageSize", 10, 100)
    start = (decode("drives", call.arg("pageToken")) or 0) if call.arg("pageToken") else 0
    answer: Json = {"kind": "drive#driveList", "drives": seen[start : start + size]}
    return answer | ({"nextPageToken": encode("drives", start + size)} if start + size < len(seen) else {})


def get_drive(call: Call, natives: Natives) -> Json:
    """drives.get."""
    with call.world.session() as session:
        access = access_of(session, call)
        row = session.get(SharedDrive, call.params["drive"])
        if row is None or role_in(row, access) is None:
            message = f"Shared drive not found: {call.params['drive']}"
            raise ApiError(404, "notFound", message, location="parameter:driveId")
        return drive(row, access, call)


def role_in(row: SharedDrive, access: Access) -> str | None:
    """The account's role in a shared drive."""
    root = access.file(row.id)
    return access.role(root) if root else None


def drive(row: SharedDrive, access: Access, call: Call) -> Json:
    """A shared drive in the answer to a call: all of it where `fields` choose, otherwise a few fields."""
    root = access.file(row.id)
    writes, manages = (root is not None and access.at_least(root, role) for role in ("writer", "organizer"))
    whole = {
        "kind": "drive#drive",
        "id": row.id,
        "name": row.name,
        "createdTime": row.created,
        "hidden": False,
        "capabilities": {"canAddChildren": writes, "canManageMembers": manages, "canRenameDrive": manages},
    }
    return whole if call.arg("fields") else {name: whole[name] for name in ("kind", "id", "name")}
