"""What the sandbox keeps of a spreadsheet: its cells in the engine's own form, and the rest beside."""

from typing import Any

from sqlalchemy import JSON, Column, LargeBinary
from sqlmodel import Field

from core.sandbox.world import Table


class BookRow(Table, table=True):
    """The content of a spreadsheet; its name, owner and dates are its Drive file's."""

    __tablename__ = "sheets_book"

    file_id: str = Field(primary_key=True)
    cells: bytes = Field(sa_column=Column(LargeBinary, nullable=False), description="IronCalc's own form: sparse")
    about: dict[str, Any] = Field(sa_column=Column(JSON, nullable=False), description="Sheets, rules, locale, zone")
    mark: str = Field(default="", description="Of the seed that made it")
