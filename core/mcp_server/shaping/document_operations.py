"""The simple operations of `batch_update_doc`, each checked and made into requests to the Docs API."""

from collections.abc import Mapping
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, TypeAdapter, ValidationError

from core.mcp_server.desk import BadArgument
from core.mcp_server.shaping import document_requests as requests
from core.mcp_server.shaping.documents import utf16

Json = dict[str, Any]
Index = Annotated[int, Field(ge=0)]
Length = Annotated[float, Field(ge=0)]


class Operation(BaseModel):
    """What all operations may say: the tab (the first if left out) and the segment (the body if left out)."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    tab_id: str = ""
    segment_id: str = ""

    @property
    def place(self) -> tuple[str, str]:
        """Tab and segment."""
        return self.tab_id, self.segment_id

    def requests(self) -> list[Json]:
        """The requests that it stands for."""
        raise NotImplementedError


class At(Operation):
    """An operation at an index, or at the end of the segment."""

    index: Index | None = None
    end_of_segment: bool = False

    def located(self, body: Json) -> Json:
        """A request's body with its place."""
        if self.end_of_segment:
            return {**body, "endOfSegmentLocation": requests.where(*self.place)}
        if self.index is None:
            raise BadArgument("operations", "give `index`, or `end_of_segment: true`.")
        return {**body, "location": requests.location(self.index, *self.place)}


class Over(Operation):
    """An operation on a range; its end is not part of it."""

    start_index: Index
    end_index: Index

    @property
    def span(self) -> Json:
        """The range."""
        return requests.span(self.start_index, self.end_index, *self.place)


class TextLook(Operation):
    """How text may look; what is left out stays as it is."""

    bold: bool | None = None
    italic: bool | None = None
    underline: bool | None = None
    strikethrough: bool | None = None
    font_size: Annotated[float, Field(ge=1, le=400)] | None = None
    font_family: str | None = None
    text_color: str | None = None
    background_color: str | None = None
    link_url: str | None = None


class InsertText(At, TextLook):
    """Text, and how it looks where it has an index."""

    type: Literal["insert_text"]
    text: Annotated[str, Field(min_length=1)]

    def requests(self) -> list[Json]:
        """The text, then its look."""
        text = requests.clean(self.text)
        made: list[Json] = [{"insertText": self.located({"text": text})}]
        if self.index is not None and not self.end_of_segment:
            area = requests.span(self.index, self.index + utf16(text), *self.place)
            made += requests.format_text(area, self.model_dump())
        return made


class DeleteText(Over):
    """Nothing in the place of a range."""

    type: Literal["delete_text"]

    def requests(self) -> list[Json]:
        """The deletion."""
        return [requests.delete(self.span)]


class ReplaceText(Over):
    """Another text in the place of a range."""

    type: Literal["replace_text"]
    text: str

    def requests(self) -> list[Json]:
        """The deletion, then the text."""
        text = requests.clean(self.text)
        written = [requests.insert_text(requests.location(self.start_index, *self.place), text)] if text else []
        return [requests.delete(self.span), *written]


class FormatText(Over, TextLook):
    """Another look for a range."""

    type: Literal["format_text"]

    def requests(self) -> list[Json]:
        """The look."""
        return need(
            requests.format_text(self.span, self.model_dump()), "format_text", "bold, italic, font_size or such"
        )


class StyleParagraph(Over):
    """Another style for the paragraphs of a range."""

    type: Literal["update_paragraph_style"]
    heading_level: Annotated[int, Field(ge=0, le=6)] | None = None
    alignment: Literal["START", "CENTER", "END", "JUSTIFIED", "LEFT", "RIGHT"] | None = None
    line_spacing: Annotated[float, Field(ge=0.5, le=10)] | None = None
    indent_first_line: Length | None = None
    indent_start: Length | None = None
    indent_end: Length | None = None
    space_above: Length | None = None
    space_below: Length | None = None

    def requests(self) -> list[Json]:
        """The style."""
        made = requests.paragraph_style(self.span, self.model_dump())
        return need(made, "update_paragraph_style", "heading_level, alignment or such")


class MakeList(Over):
    """Bullets or numbers for the paragraphs of a range."""

    type: Literal["create_bullet_list"]
    list_type: Literal["UNORDERED", "ORDERED"] = "UNORDERED"

    def requests(self) -> list[Json]:
        """The bullets."""
        return [requests.bullets(self.span, self.list_type)]


class DropList(Over):
    """No bullets for the paragraphs of a range."""

    type: Literal["delete_bullet_list"]

    def requests(self) -> list[Json]:
        """The end of the bullets."""
        return [{"deleteParagraphBullets": {"range": self.span}}]


class InsertTable(At):
    """An empty table."""

    type: Literal["insert_table"]
    rows: Annotated[int, Field(ge=1, le=500)]
    columns: Annotated[int, Field(ge=1, le=20)]

    def requests(self) -> list[Json]:
        """The table."""
        return [{"insertTable": self.located({"rows": self.rows, "columns": self.columns})}]


class InsertBreak(At):
    """A page break."""

    type: Literal["insert_page_break"]

    def requests(self) -> list[Json]:
        """The break."""
        return [{"insertPageBreak": self.located({})}]


class InsertSection(At):
    """A section break."""

    type: Literal["insert_section_break"]
    section_type: Literal["NEXT_PAGE", "CONTINUOUS"] = "NEXT_PAGE"

    def requests(self) -> list[Json]:
        """The break."""
        return [{"insertSectionBreak": self.located({"sectionType": self.section_type})}]


class InsertImage(At):
    """An image from a public address."""

    type: Literal["insert_image"]
    uri: Annotated[str, Field(pattern=r"^https?://")]
    width: Length = 0
    height: Length = 0

    def requests(self) -> list[Json]:
        """The image."""
        size = {k: requests.points(v) for k, v in (("width", self.width), ("height", self.height)) if v}
        return [{"insertInlineImage": self.located({"uri": self.uri, **({"objectSize": size} if size else {})})}]


class InsertPerson(At):
    """A person chip."""

    type: Literal["insert_person"]
    email: Annotated[str, Field(pattern="@")]

    def requests(self) -> list[Json]:
        """The chip."""
        return [{"insertPerson": self.located({"personProperties": {"email": self.email}})}]


class FindReplace(Operation):
    """Another text for every occurrence."""

    type: Literal["find_replace"]
    find_text: Annotated[str, Field(min_length=1)]
    replace_text: str
    match_case: bool = False

    def requests(self) -> list[Json]:
        """The replacement."""
        return [requests.replace_all(self.find_text, self.replace_text, self.match_case, self.tab_id)]


class InCell(Operation):
    """A row or column next to a cell, or that of a cell."""

    type: Literal["insert_table_row", "insert_table_column", "delete_table_row", "delete_table_column"]
    table_start_index: Index
    row: Index = 0
    column: Index = 0
    after: bool = True

    def requests(self) -> list[Json]:
        """The change of the table."""
        start = requests.location(self.table_start_index, *self.place)
        cell = {"tableStartLocation": start, "rowIndex": self.row, "columnIndex": self.column}
        names = {
            "insert_table_row": ("insertTableRow", {"insertBelow": self.after}),
            "insert_table_column": ("insertTableColumn", {"insertRight": self.after}),
            "delete_table_row": ("deleteTableRow", {}),
            "delete_table_column": ("deleteTableColumn", {}),
        }
        name, side = names[self.type]
        return [{name: {"tableCellLocation": cell, **side}}]


class NameRange(Over):
    """A name for a range."""

    type: Literal["create_named_range"]
    name: Annotated[str, Field(min_length=1, max_length=256)]

    def requests(self) -> list[Json]:
        """The name."""
        return [{"createNamedRange": {"name": self.name, "range": self.span}}]


class AddTab(Operation):
    """A new tab."""

    type: Literal["insert_doc_tab"]
    title: Annotated[str, Field(min_length=1)]
    index: Index | None = None
    parent_tab_id: str = ""

    def requests(self) -> list[Json]:
        """The tab."""
        known = {"title": self.title, "index": self.index, "parentTabId": self.parent_tab_id or None}
        return [{"addDocumentTab": {"tabProperties": {k: v for k, v in known.items() if v is not None}}}]


class DeleteTab(Operation):
    """No such tab any more, nor those below it."""

    type: Literal["delete_doc_tab"]

    def requests(self) -> list[Json]:
        """The deletion."""
        return [{"deleteTab": {"tabId": self.tab_id}}]


class RenameTab(Operation):
    """Another title for a tab."""

    type: Literal["update_doc_tab"]
    title: Annotated[str, Field(min_length=1)]

    def requests(self) -> list[Json]:
        """The title."""
        return [
            {
                "updateDocumentTabProperties": {
                    "tabProperties": {"tabId": self.tab_id, "title": self.title},
                    "fields": "title",
                }
            }
        ]


AnyOperation = Annotated[
    InsertText
    | DeleteText
    | ReplaceText
    | FormatText
    | StyleParagraph
    | MakeList
    | DropList
    | InsertTable
    | InsertBreak
    | InsertSection
    | InsertImage
    | InsertPerson
    | FindReplace
    | InCell
    | NameRange
    | AddTab
    | DeleteTab
    | RenameTab,
    Field(discriminator="type"),
]
READER: TypeAdapter[Operation] = TypeAdapter(AnyOperation)


def need(made: list[Json], kind: str, what: str) -> list[Json]:
    """Requests, of which there must be some.

    Raises:
        BadArgument: there are none.
    """
    if not made:
        raise BadArgument("operations", f"{kind} changes nothing; give {what}.")
    return made


def operation(number: int, data: Mapping[str, Any]) -> Operation:
    """One operation.

    Raises:
        BadArgument: names its number, the field, and what is accepted.
    """
    try:
        return READER.validate_python({name: value for name, value in data.items() if value is not None})
    except ValidationError as error:
        first = error.errors()[0]
        place = ".".join(str(part) for part in first["loc"][1:])
        problem = f"{place}: {first['msg']}" if place else first["msg"]
        raise BadArgument(f"operations[{number}]", problem) from error


def all_requests(operations: list[Json]) -> list[Json]:
    """All operations as requests, in order."""
    return [request for number, data in enumerate(operations) for request in operation(number, data).requests()]
