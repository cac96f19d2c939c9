"""What the Docs tools return."""

from typing import Literal

from pydantic import Field

from core.mcp_server.results import Result


class DocumentSummary(Result):
    """A document as a list shows it. `modified` is RFC 3339 in the user's zone."""

    document_id: str
    title: str
    owner: str | None = None
    modified: str
    link: str


class DocumentPage(Result):
    """One page of documents, the last changed first."""

    documents: list[DocumentSummary]
    next_page_token: str | None = None


class TabInfo(Result):
    """A tab; `level` 0 is outermost. Its text ends before `end_index`."""

    tab_id: str
    title: str
    level: int
    end_index: int


class DocumentText(Result):
    """The text of a document (all its tabs, headers, footers and footnotes) or of an Office file.

    A cut is said in the text; `next_offset` goes on there.
    """

    document_id: str
    title: str
    mime_type: str
    link: str
    tabs: list[TabInfo]
    text: str
    characters: int
    next_offset: int | None = None


class DocumentChange(Result):
    """What was changed in a document. `end_index` is where the last insertion ended, before any later change."""

    document_id: str
    title: str | None = None
    changed: str
    link: str
    count: int | None = Field(default=None, description="Places or operations that were changed")
    start_index: int | None = None
    end_index: int | None = None
    next_step: str


class SavedPdf(Result):
    """A PDF that was saved to Drive. Size in bytes."""

    document_id: str
    file_id: str
    filename: str
    size: int
    link: str
    folder_id: str | None
    next_step: str


class RunPart(Result):
    """Text in one style, or a chip, image or break, and its indices."""

    start_index: int
    end_index: int
    text: str
    style: str = ""


class Part(Result):
    """A paragraph, table or break of a document, and its indices (UTF-16 units, as all Docs tools take them)."""

    kind: Literal["paragraph", "table", "section_break"]
    start_index: int
    end_index: int
    style: str = Field(default="", description="Named style, and the list that it is in")
    text: str
    runs: list[RunPart] = Field(default_factory=list)


class SegmentMap(Result):
    """A tab's body, or a header, footer or footnote, with the indices of its parts."""

    tab_id: str
    segment_id: str = Field(description="Empty for the body")
    title: str
    end_index: int
    parts: list[Part]


class Found(Result):
    """Where some words are."""

    tab_id: str
    segment_id: str
    start_index: int
    end_index: int
    around: str


class DocumentStructure(Result):
    """The index map of a document. `left_out` says which parts are not shown and how to see them."""

    document_id: str
    title: str
    link: str
    revision_id: str
    segments: list[SegmentMap]
    found: list[Found] = Field(default_factory=list)
    left_out: str | None = None


class CellMap(Result):
    """A table's cell: text goes in at `insert_index`; its text is from there to `end_index`."""

    row: int
    column: int
    insert_index: int
    end_index: int
    text: str


class TableStructure(Result):
    """The index map of one table. `tables` is how many the document has."""

    document_id: str
    table_index: int
    tables: int
    tab_id: str
    start_index: int
    end_index: int
    rows: int
    columns: int
    cells: list[CellMap]
    next_step: str
