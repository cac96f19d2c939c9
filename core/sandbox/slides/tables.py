"""What the sandbox keeps of presentations; their names and who may see them are Drive's."""

from hashlib import sha256
from typing import Any

from sqlalchemy import JSON, Column
from sqlmodel import Field, Session

from core.sandbox.slides.model import Deck
from core.sandbox.world import Table


class PresentationRow(Table, table=True):
    """What a presentation holds, and how often it was changed."""

    __tablename__ = "slides_presentation"

    file_id: str = Field(primary_key=True)
    body: dict[str, Any] = Field(sa_column=Column(JSON, nullable=False))
    changes: int = 0

    @property
    def revision(self) -> str:
        """The id of its state."""
        return sha256(f"{self.file_id} {self.changes}".encode()).hexdigest()[:22]

    def deck(self) -> Deck:
        """The presentation, to be worked on."""
        return Deck.loaded(self.body)


def save(session: Session, file_id: str, deck: Deck) -> PresentationRow:
    """Keep a presentation's new state."""
    row = session.get(PresentationRow, file_id) or PresentationRow(file_id=file_id, body={}, changes=-1)
    row.body, row.changes = deck.stored(), row.changes + 1
    session.add(row)
    return row
