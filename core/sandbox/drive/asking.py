"""Which file a call is about, what its account needs to be, and Drive's refusals."""

from collections.abc import Callable
from typing import Any

from sqlmodel import Session

from core.sandbox.calls import ApiError, Call
from core.sandbox.drive.access import Access
from core.sandbox.drive.natives import Natives
from core.sandbox.drive.resource import brief, resource
from core.sandbox.drive.shelf import not_found
from core.sandbox.drive.tables import DriveFile, DriveView

Json = dict[str, Any]
Taker = Callable[[Session, Call, Natives], Json]


def access_of(session: Session, call: Call) -> Access:
    """The files as the call's account sees them now."""
    return Access(session, call.account, call.now())


def asked(access: Access, call: Call, file_id: str = "", everywhere: bool = False) -> DriveFile:
    """The file of a call's path, or another one.

    Args:
        everywhere: whether the method finds files of shared drives without `supportsAllDrives`.

    Raises:
        ApiError: 404 where there is none, the account may not see it, or it is in a shared drive and the call did not
            say that it knows of those.
    """
    file_id = file_id or call.params["file"]
    file = access.file(file_id)
    if file is None or access.role(file) is None:
        raise not_found(file_id)
    if file.drive_id and not (everywhere or knows_shared_drives(call)):
        raise not_found(file_id)
    return file


def knows_shared_drives(call: Call) -> bool:
    """Whether a call is made for files of shared drives too."""
    return call.flag("supportsAllDrives") or call.flag("supportsTeamDrives")


def need(access: Access, file: DriveFile, role: str) -> None:
    """Refuse who has less than a role.

    Raises:
        ApiError: 403, as Drive says it.
    """
    if not access.at_least(file, role):
        raise forbidden()


def forbidden(
    reason: str = "insufficientFilePermissions",
    message: str = "The user does not have sufficient permissions for this file.",
    location: str = "",
) -> ApiError:
    """403, as Drive says it."""
    return ApiError(403, reason, message, location=location)


def invalid(message: str, location: str = "", reason: str = "invalid") -> ApiError:
    """400, as Drive says it."""
    return ApiError(400, reason, message, location=location)


def need_fields(call: Call) -> None:
    """Refuse a call without `fields`, as the methods do that have no default for it.

    Raises:
        ApiError: 400.
    """
    if not call.arg("fields"):
        raise invalid("The 'fields' parameter is required for this method.", "parameter:fields", "required")


def shown(file: DriveFile, access: Access, call: Call, natives: Natives) -> Json:
    """A file in the answer to a call: all of it where `fields` choose, otherwise a few fields."""
    view = access.session.get(DriveView, (access.account, file.id))
    body = resource(file, access, view, natives)
    return body if call.arg("fields") else brief(body)
