"""The methods of the Slides API: create, get, batchUpdate, pages.get, pages.getThumbnail; the thumbnails themselves."""

from typing import Any

from sqlmodel import Session

from core.sandbox.calls import ApiError, Call, Reply
from core.sandbox.docs import schema
from core.sandbox.docs.documents import without_nulls
from core.sandbox.docs.edits import bad_request
from core.sandbox.drive import shelf
from core.sandbox.drive.editors import forbidden, opened
from core.sandbox.drive.kinds import PRESENTATION
from core.sandbox.drive.tables import DriveFile
from core.sandbox.routes import Route
from core.sandbox.slides import resource
from core.sandbox.slides.apply import apply
from core.sandbox.slides.masks import API
from core.sandbox.slides.model import Deck, Page, PageType
from core.sandbox.slides.native import keep
from core.sandbox.slides.outline import empty_deck
from core.sandbox.slides.picture import SIZES, drawn, height_of
from core.sandbox.slides.tables import PresentationRow

PICTURES = "https://lh3.googleusercontent.com"


def get(call: Call) -> dict[str, Any]:
    """presentations.get."""
    with call.world.session() as session:
        file, row = find(session, call)
    return resource.presentation(row.deck(), file.id, file.name, row.revision)


def find(session: Session, call: Call) -> tuple[DriveFile, PresentationRow]:
    """The presentation of a call's path.

    Raises:
        ApiError: as the editors say it.
    """
    file = opened(session, call, PRESENTATION)
    return file, session.get_one(PresentationRow, file.id)


def create(call: Call) -> dict[str, Any]:
    """presentations.create: only the title counts."""
    body = without_nulls(call.json())
    schema.check(body, "Presentation", API)
    title = body.get("title") or "Untitled presentation"
    with call.world.change() as session:
        file = shelf.add_native(session, call.account, title, PRESENTATION, when=call.now())
        deck = empty_deck()
        row = keep(session, file.id, deck)
        return resource.presentation(deck, file.id, title, row.revision)


def batch_update(call: Call) -> dict[str, Any]:
    """presentations.batchUpdate: all requests or none."""
    body = without_nulls(call.json())
    schema.check(body, "BatchUpdatePresentationRequest", API)
    with call.world.change() as session:
        file, row = find(session, call)
        if not shelf.may_edit(session, call.account, file, call.now()):
            raise forbidden()
        required = body.get("writeControl", {}).get("requiredRevisionId")
        if required and required != row.revision:
            raise bad_request(f"The required revision ID '{required}' does not match the latest revision.")
        deck = row.deck()
        replies = apply(deck, body.get("requests", []))
        row = keep(session, file.id, deck)
        shelf.touch(session, file.id, call.account, call.now())
        control = {"requiredRevisionId": row.revision}
    return {"presentationId": file.id, "replies": replies, "writeControl": control}


def get_page(call: Call) -> dict[str, Any]:
    """presentations.pages.get."""
    _, page, row = page_of(call)
    return resource.page(page, row.revision)


def page_of(call: Call) -> tuple[Deck, Page, PresentationRow]:
    """The page of a call's path.

    Raises:
        ApiError: 404 where there is none.
    """
    with call.world.session() as session:
        _, row = find(session, call)
    deck = row.deck()
    page = deck.page(call.params["page"])
    if page is None:
        raise ApiError(404, "notFound", f"The page ({call.params['page']}) could not be found.")
    return deck, page, row


def get_thumbnail(call: Call) -> dict[str, Any]:
    """presentations.pages.getThumbnail."""
    _, page, row = page_of(call)
    if page.kind in (PageType.NOTES, PageType.NOTES_MASTER):
        raise bad_request(f"The page ({page.id}) is a notes page, which has no thumbnail.")
    size = call.arg("thumbnailProperties.thumbnailSize", "THUMBNAIL_SIZE_UNSPECIFIED")
    if size not in SIZES:
        raise bad_request(f"Invalid value at 'thumbnail_properties.thumbnail_size' (TYPE_ENUM), \"{size}\"")
    url = f"{PICTURES}/slides/{row.file_id}/{page.id}/{SIZES[size]}"
    return {"width": SIZES[size], "height": height_of(SIZES[size]), "contentUrl": url}


def picture(call: Call) -> Reply:
    """The picture behind a thumbnail's address."""
    deck, page, _ = page_of(call)
    return Reply(drawn(deck, page, call_width(call)), headers={"content-type": "image/png"})


def call_width(call: Call) -> int:
    """The width that an address asks for, in pixels."""
    width = call.params["width"]
    if not width.isdigit() or int(width) not in SIZES.values():
        raise ApiError(404, "notFound", "Not Found")
    return int(width)


ROUTES = (
    Route("POST", "/v1/presentations", create),
    Route("GET", "/v1/presentations/{id}", get),
    Route("POST", "/v1/presentations/{id}:batchUpdate", batch_update),
    Route("GET", "/v1/presentations/{id}/pages/{page}", get_page),
    Route("GET", "/v1/presentations/{id}/pages/{page}/thumbnail", get_thumbnail),
    Route("GET", "/slides/{id}/{page}/{width}", picture),
)
