"""The methods of the Docs API: get, create, batchUpdate."""

from collections.abc import Sequence
from typing import Any

from sqlmodel import Session, select

from core.sandbox import fields
from core.sandbox.calls import Call
from core.sandbox.docs import resource, schema
from core.sandbox.docs.apply import apply
from core.sandbox.docs.edits import bad_request
from core.sandbox.docs.model import Document
from core.sandbox.docs.native import keep
from core.sandbox.docs.objects import NO_IMAGE, drive_id
from core.sandbox.docs.resource import TAB_FIELDS
from core.sandbox.docs.tables import DocumentRow
from core.sandbox.drive import editors, shelf
from core.sandbox.drive.kinds import DOCUMENT
from core.sandbox.drive.tables import DriveFile, DrivePermission
from core.sandbox.routes import Route

Found = tuple[DriveFile, DocumentRow]


def get(call: Call) -> dict[str, Any]:
    """documents.get."""
    with_tabs = wants_tabs(call)
    with call.world.session() as session:
        file, row = find(session, call)
    return resource.document(row.document(), file.id, file.name, row.revision, with_tabs)


def wants_tabs(call: Call) -> bool:
    """Whether the content is to be in `tabs`: asked for by the flag or by the field mask.

    Raises:
        ApiError: 400 where both forms are asked for at once.
    """
    mask = fields.parse(call.arg("fields")) if call.arg("fields") else {}
    flagged = call.flag("includeTabsContent")
    old = [name for name in TAB_FIELDS if name in mask]
    if old and (flagged or "tabs" in mask):
        raise bad_request(f"The field mask cannot include {old[0]} when the content of tabs is included.")
    return flagged or "tabs" in mask


def find(session: Session, call: Call) -> Found:
    """The document of a call's path.

    Raises:
        ApiError: as the editors say it.
    """
    file = editors.opened(session, call, DOCUMENT)
    return file, session.get_one(DocumentRow, file.id)


def create(call: Call) -> dict[str, Any]:
    """documents.create: only the title counts."""
    body = without_nulls(call.json())
    schema.check(body, "Document")
    title = body.get("title") or "Untitled document"
    with call.world.change() as session:
        file = shelf.add_native(session, call.account, title, DOCUMENT, when=call.now())
        document = Document.new()
        row = keep(session, file.id, document)
        return resource.document(document, file.id, title, row.revision, with_tabs=False)


def batch_update(call: Call) -> dict[str, Any]:
    """documents.batchUpdate: all requests or none."""
    body = without_nulls(call.json())
    schema.check(body, "BatchUpdateDocumentRequest")
    with call.world.change() as session:
        file, row = find(session, call)
        if not shelf.may_edit(session, call.account, file, call.now()):
            raise editors.forbidden()
        check_revision(row, body.get("writeControl", {}))
        check_pictures(session, body.get("requests", []))
        document = row.document()
        replies = apply(document, body.get("requests", []))
        row = keep(session, file.id, document)
        shelf.touch(session, file.id, call.account, call.now())
        control = {"requiredRevisionId": row.revision}
    return {"replies": replies, "writeControl": control, "documentId": file.id}


def check_pictures(session: Session, requests: Sequence[dict[str, Any]]) -> None:
    """Refuse images of Drive that not everybody may see: Google fetches them as a stranger."""
    for number, request in enumerate(requests):
        wanted = drive_id(request.get("insertInlineImage", {}).get("uri", ""))
        if wanted and not seen_by_all(session, wanted):
            raise bad_request(f"Invalid requests[{number}].insertInlineImage: {NO_IMAGE}")


def seen_by_all(session: Session, file_id: str) -> bool:
    """Whether a file is an image that anyone with the link may see."""
    file = session.get(DriveFile, file_id)
    grants = session.exec(select(DrivePermission).where(DrivePermission.file_id == file_id))
    return file is not None and file.mime_type.startswith("image/") and any(one.kind == "anyone" for one in grants)


def check_revision(row: DocumentRow, control: dict[str, Any]) -> None:
    """Refuse a change that was meant for another state; the sandbox merges none."""
    for name, words in (("requiredRevisionId", "required"), ("targetRevisionId", "target")):
        wanted = control.get(name)
        if wanted and wanted != row.revision:
            raise bad_request(f"The {words} revision ID '{wanted}' does not match the latest revision.")
    if control.get("writeMode") == "SUGGEST":
        raise bad_request("Suggestions are not part of the sandbox.")


def without_nulls(value: Any) -> Any:
    """JSON without what is null, which means that it is not there."""
    if isinstance(value, dict):
        return {name: without_nulls(inner) for name, inner in value.items() if inner is not None}
    return [without_nulls(item) for item in value] if isinstance(value, list) else value


ROUTES = (
    Route("POST", "/v1/documents", create),
    Route("GET", "/v1/documents/{id}", get),
    Route("POST", "/v1/documents/{id}:batchUpdate", batch_update),
)
