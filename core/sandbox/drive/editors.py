"""Files as Google's editors open them: Docs, Sheets and Slides share their ids with Drive, but not its answers."""

from sqlmodel import Session

from core.sandbox.calls import ApiError, Call
from core.sandbox.drive.access import Access
from core.sandbox.drive.kinds import DOCUMENT, DOCX, EDITORS, PPTX, PRESENTATION, SPREADSHEET, XLSX
from core.sandbox.drive.tables import DriveFile

OFFICE = {
    DOCUMENT: (DOCX, "application/msword"),
    SPREADSHEET: (XLSX, "application/vnd.ms-excel"),
    PRESENTATION: (PPTX, "application/vnd.ms-powerpoint"),
}
NO_OFFICE = "This operation is not supported for this document. The document must not be an Office file."


def opened(session: Session, call: Call, own: str) -> DriveFile:
    """The file of a call's path, which an editor is to open.

    Args:
        own: the type that the editor opens.

    Raises:
        ApiError: 404 where there is none or it is another editor's, 400 where it is an Office file or anything else,
            403 where the account may not see it. The type is looked at first, and Drive alone says 404 for a file
            that an account may not see.
    """
    access = Access(session, call.account, call.now())
    file = access.file(call.params["id"])
    if file is None or (file.mime_type in EDITORS and file.mime_type != own):
        raise ApiError(404, "notFound", "Requested entity was not found.")
    if file.mime_type in OFFICE[own]:
        raise ApiError(400, "failedPrecondition", NO_OFFICE)
    if file.mime_type != own:
        raise ApiError(400, "badRequest", "Request contains an invalid argument.")
    if not access.role(file):
        raise forbidden()
    return file


def forbidden() -> ApiError:
    """403, as the editors say it."""
    return ApiError(403, "forbidden", "The caller does not have permission")
