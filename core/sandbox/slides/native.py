"""What Drive asks of presentations: make, copy, forget, export, import."""

from sqlmodel import Session

from core.sandbox.drive import shelf
from core.sandbox.drive.kinds import PPTX, PRESENTATION
from core.sandbox.drive.natives import Native
from core.sandbox.drive.tables import DriveFile
from core.sandbox.slides import exports
from core.sandbox.slides.imports import from_pptx
from core.sandbox.slides.model import Deck
from core.sandbox.slides.outline import empty_deck
from core.sandbox.slides.tables import PresentationRow, save


def create(session: Session, file: DriveFile) -> None:
    """A presentation with one title slide."""
    keep(session, file.id, empty_deck())


def copy(session: Session, old: DriveFile, new: DriveFile) -> None:
    """What another presentation holds."""
    keep(session, new.id, session.get_one(PresentationRow, old.id).deck())


def drop(session: Session, file: DriveFile) -> None:
    """Forget what a presentation holds."""
    row = session.get(PresentationRow, file.id)
    if row is not None:
        session.delete(row)


def take(session: Session, file: DriveFile, data: bytes) -> None:
    """What a PowerPoint file holds."""
    keep(session, file.id, from_pptx(data))


def keep(session: Session, file_id: str, deck: Deck) -> PresentationRow:
    """Keep a presentation, and let it be found by its text."""
    row = save(session, file_id, deck)
    shelf.index(session, file_id, exports.plain(deck))
    return row


NATIVE = Native(
    mime_type=PRESENTATION,
    create=create,
    copy=copy,
    drop=drop,
    exports={kind: exports.exporter(form) for kind, form in exports.FORMATS.items()},
    imports={PPTX: take},
)
