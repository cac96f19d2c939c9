"""What the sandbox keeps of documents; their names and who may see them are Drive's."""

from hashlib import sha256
from typing import Any

from sqlalchemy import JSON, Column
from sqlmodel import Field, Session

from core.sandbox.docs.model import Document
from core.sandbox.world import Table


class DocumentRow(Table, table=True):
    """What a document holds, and how often it was changed."""

    __tablename__ = "docs_document"

    file_id: str = Field(primary_key=True)
    body: dict[str, Any] = Field(sa_column=Column(JSON, nullable=False))
    changes: int = 0

    @property
    def revision(self) -> str:
        """The id of its state."""
        return f"ALBJ4L{sha256(f'{self.file_id} {self.changes}'.encode()).hexdigest()[:60]}"

    def document(self) -> Document:
        """The document, to be worked on."""
        return Document.loaded(self.body)


def save(session: Session, file_id: str, document: Document) -> DocumentRow:
    """Keep a document's new state."""
    row = session.get(DocumentRow, file_id) or DocumentRow(file_id=file_id, body={}, changes=-1)
    row.body, row.changes = document.stored(), row.changes + 1
    session.add(row)
    return row
