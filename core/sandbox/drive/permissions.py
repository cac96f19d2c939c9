"""permissions: who may see and change a file, and Drive's rules about giving and taking that."""

import re
from datetime import datetime, timedelta
from typing import Any

from dateutil.parser import isoparse
from sqlmodel import Session

from core.sandbox.calendar.pages import decode, encode
from core.sandbox.calls import ApiError, Call, Reply
from core.sandbox.drive.access import ROLES, Access, Found
from core.sandbox.drive.asking import Json, access_of, asked, forbidden, invalid
from core.sandbox.drive.kinds import FOLDER, root_id, stamp
from core.sandbox.drive.natives import Natives
from core.sandbox.drive.people import permission
from core.sandbox.drive.resource import may_share
from core.sandbox.drive.shelf import ensure_root, grant
from core.sandbox.drive.tables import DriveFile, DriveNotice, DrivePermission

KINDS = ("user", "group", "domain", "anyone")
BRIEF = ("kind", "id", "type", "role")
"""What an answer holds where no `fields` were asked for."""

ADDRESS = re.compile(r"[^@\s]+@[^@\s]+\.[^@\s.]+")
DOMAIN = re.compile(r"[\w-]+(\.[\w-]+)+")


def list_permissions(call: Call, natives: Natives) -> Json:
    """permissions.list."""
    with call.world.session() as session:
        access = access_of(session, call)
        file = asked(access, call)
        if not access.at_least(file, "writer"):
            raise forbidden()
        found = [shown(call, one, access) for one in access.grants(file)]
    size = call.number("pageSize", 100, 100)
    start = (decode("grants", call.arg("pageToken")) or 0) if call.arg("pageToken") else 0
    answer: Json = {"kind": "drive#permissionList", "permissions": found[start : start + size]}
    return answer | ({"nextPageToken": encode("grants", start + size)} if start + size < len(found) else {})


def get_permission(call: Call, natives: Natives) -> Json:
    """permissions.get."""
    with call.world.session() as session:
        access = access_of(session, call)
        file = asked(access, call)
        if not access.at_least(file, "writer"):
            raise forbidden()
        return shown(call, one_of(access, file, call), access)


def shown(call: Call, found: Found, access: Access) -> Json:
    """A grant in the answer to a call: all of it where `fields` choose, otherwise a few fields."""
    body = permission(*found, access)
    return body if call.arg("fields") else {name: body[name] for name in BRIEF}


def one_of(access: Access, file: DriveFile, call: Call) -> Found:
    """The grant of a call's path.

    Raises:
        ApiError: 404 where there is none.
    """
    wanted = call.params["permission"]
    found = next((one for one in access.grants(file) if one[0].id == wanted), None)
    if found is None:
        raise ApiError(404, "notFound", f"Permission not found: {wanted}.", location="parameter:permissionId")
    return found


def create_permission(call: Call, natives: Natives) -> Json:
    """permissions.create."""
    body = call.json()
    kind, role, who = target_of(body)
    with call.world.change() as session:
        access = access_of(session, call)
        file = asked(access, call)
        check_role(access, file, kind, role, call)
        given = grant(file.id, kind, role, who, bool(body.get("allowFileDiscovery")))
        given.expires = expiry(body.get("expirationTime"), kind, role, call.now())
        if role == "owner":
            hand_over(session, access, file, who, call)
        else:
            known = session.get(DrivePermission, (file.id, given.id))
            if known is not None and ROLES.index(known.role) > ROLES.index(role):
                given.role = known.role
        session.merge(given)
        tell(session, file, given, call)
        changed(session, file)
        access = access_of(session, call)
        return shown(call, next(one for one in access.grants(file) if one[0].id == given.id), access)


def target_of(body: Json) -> tuple[str, str, str]:
    """The kind, role and address or domain that a body names.

    Raises:
        ApiError: 400 where something is missing or makes no sense.
    """
    for name in ("type", "role"):
        if not body.get(name):
            raise invalid(f"The permission {name} field is required.", f"parameter:permission.{name}", "required")
    kind, role = str(body["type"]), str(body["role"])
    if kind not in KINDS:
        raise invalid("The specified type is invalid.", "parameter:permission.type")
    if role not in ROLES:
        raise invalid("The specified role is invalid.", "parameter:permission.role")
    field, pattern = {"domain": ("domain", DOMAIN), "anyone": ("", DOMAIN)}.get(kind, ("emailAddress", ADDRESS))
    who = str(body.get(field) or "") if field else ""
    if field and not pattern.fullmatch(who):
        message = f"The specified {field} is invalid or not applicable for the given permission type."
        raise invalid(message, f"parameter:permission.{field}")
    return kind, role, who.lower()


def check_role(access: Access, file: DriveFile, kind: str, role: str, call: Call) -> None:
    """Refuse what the account may not give, or nobody on such a file.

    Raises:
        ApiError: 403 or 400.
    """
    if not may_share(file, access):
        raise forbidden()
    if file.parent is None and file.drive_id is None:
        raise forbidden("cannotShareRootFolder", "The root folder cannot be shared.")
    drive_role = role in ("organizer", "fileOrganizer")
    if drive_role and not (file.drive_id and file.mime_type == FOLDER):
        raise forbidden("invalidSharingRequest", f"The role {role} is only valid for shared drives.")
    if role != "owner":
        return
    if file.drive_id is not None:
        raise forbidden("ownerOnTeamDriveItemNotSupported", "Files within a shared drive cannot have owners.")
    if kind != "user":
        raise invalid("Only a user can be an owner.", "parameter:permission.type")
    if not call.flag("transferOwnership"):
        message = "The transferOwnership parameter must be enabled when the permission role is 'owner'."
        raise forbidden("forbidden", message, "parameter:transferOwnership")
    if not access.at_least(file, "owner"):
        raise forbidden()


def hand_over(session: Session, access: Access, file: DriveFile, who: str, call: Call) -> None:
    """Make the owner a writer, because somebody else becomes the owner.

    Raises:
        ApiError: 403 where the new owner belongs to another organisation, which would have to consent.
    """
    if who.split("@")[1] != call.account.split("@")[1]:
        message = "Consent is required to transfer ownership of a file to another user."
        raise forbidden("consentRequiredForOwnershipTransfer", message)
    for old in access.owners(file):
        old.role = "writer"
        session.add(old)
    if call.flag("moveToNewOwnersRoot"):
        file.parent = ensure_root(session, who).id
    elif file.parent == root_id(call.account):
        file.shared_at = {**file.shared_at, call.account: [stamp(call.now()), who]}
    session.flush()


def expiry(value: Any, kind: str, role: str, now: datetime) -> str:
    """When a grant ends, as it is stored.

    Raises:
        ApiError: 400 where it is no time, 403 where Drive allows none or not this one.
    """
    if not value:
        return ""
    try:
        when = isoparse(str(value))
        when = when if when.tzinfo else when.replace(tzinfo=now.tzinfo)
    except ValueError as error:
        raise invalid("Invalid value for: expirationTime", "parameter:permission.expirationTime") from error
    if kind not in ("user", "group") or role == "owner":
        raise forbidden("cannotSetExpiration", "Expiration dates cannot be set on this item.")
    if when <= now:
        raise forbidden("expirationDatesMustBeInTheFuture", "Expiration dates must be in the future.")
    if when > now + timedelta(days=366):
        message = "Expiration dates cannot be more than a year in the future."
        raise forbidden("expirationDateTooFarInTheFuture", message)
    return stamp(when)


def tell(session: Session, file: DriveFile, given: DrivePermission, call: Call) -> None:
    """Note whom the file was shared with, and the mail that goes out unless the call says no; a new owner always
    gets one.
    """
    if given.kind not in ("user", "group"):
        return
    now = stamp(call.now())
    file.shared_at = {given.who: [now, call.account], **file.shared_at}
    if given.role == "owner" or call.flag("sendNotificationEmail", True):
        message = call.arg("emailMessage")
        session.add(DriveNotice(file_id=file.id, recipient=given.who, role=given.role, message=message, at=now))


def update_permission(call: Call, natives: Natives) -> Json:
    """permissions.update: of the role and the expiry."""
    body = call.json()
    if set(body) - {"role", "expirationTime", "kind", "pendingOwner"}:
        raise forbidden("fieldNotWritable", "The resource body includes fields which are not directly writable.")
    if not body.get("role"):
        raise invalid("The permission role field is required.", "parameter:permission.role", "required")
    role = str(body["role"])
    if role not in ROLES:
        raise invalid("The specified role is invalid.", "parameter:permission.role")
    with call.world.change() as session:
        access = access_of(session, call)
        file = asked(access, call)
        found, _, inherited = one_of(access, file, call)
        check_role(access, file, found.kind, role, call)
        need_own(file, found, inherited)
        if role == "owner":
            hand_over(session, access, file, found.who, call)
        found.role = role
        ends = expiry(body.get("expirationTime"), found.kind, role, call.now())
        found.expires = "" if call.flag("removeExpiration") else ends or found.expires
        session.add(found)
        changed(session, file)
        access = access_of(session, call)
        return shown(call, one_of(access, file, call), access)


def need_own(file: DriveFile, found: DrivePermission, inherited: str | None) -> None:
    """Refuse to change a grant that comes from a folder above, or the owner's.

    Raises:
        ApiError: 403.
    """
    if inherited is not None:
        reason = "cannotModifyInheritedTeamDrivePermission" if file.drive_id else "cannotModifyInheritedPermission"
        where = " on a shared drive item" if file.drive_id else ""
        raise forbidden(reason, f"Cannot update or delete an inherited permission{where}.")
    if found.role == "owner":
        raise forbidden("cannotRemoveOwner", "The owner of a file cannot be removed.")


def delete_permission(call: Call, natives: Natives) -> Reply:
    """permissions.delete; everybody may give their own grant back."""
    with call.world.change() as session:
        access = access_of(session, call)
        file = asked(access, call)
        found, _, inherited = one_of(access, file, call)
        if not (may_share(file, access) or (found.kind == "user" and found.who == call.account)):
            raise forbidden()
        need_own(file, found, inherited)
        session.delete(found)
        changed(session, file)
    return Reply(None)


def changed(session: Session, file: DriveFile) -> None:
    """Note that a file is not as it was seeded."""
    file.version += 1
    file.touched = True
    session.add(file)
    session.flush()
