"""What Drive asks of documents: make, copy, forget, export, import."""

from sqlmodel import Session

from core.sandbox.docs import exports, imports
from core.sandbox.docs.model import Document
from core.sandbox.docs.tables import DocumentRow, save
from core.sandbox.drive import shelf
from core.sandbox.drive.kinds import DOCUMENT
from core.sandbox.drive.natives import Native
from core.sandbox.drive.tables import DriveFile


def create(session: Session, file: DriveFile) -> None:
    """An empty document."""
    keep(session, file.id, Document.new())


def copy(session: Session, old: DriveFile, new: DriveFile) -> None:
    """What another document holds."""
    keep(session, new.id, session.get_one(DocumentRow, old.id).document())


def drop(session: Session, file: DriveFile) -> None:
    """Forget what a document holds."""
    row = session.get(DocumentRow, file.id)
    if row is not None:
        session.delete(row)


def keep(session: Session, file_id: str, document: Document) -> DocumentRow:
    """Keep a document, and let it be found by its text."""
    row = save(session, file_id, document)
    shelf.index(session, file_id, exports.plain(document))
    return row


NATIVE = Native(
    mime_type=DOCUMENT,
    create=create,
    copy=copy,
    drop=drop,
    exports={kind: exports.exporter(form) for kind, form in exports.FORMATS.items()},
    imports={kind: imports.importer(form) for kind, form in imports.FORMATS.items()},
)
