"""A batch of requests, carried out one after another on a document."""

from collections.abc import Callable, Mapping, Sequence

from core.sandbox.docs import grids, objects, paragraphs, parts, text
from core.sandbox.docs.edits import Refused, bad_request
from core.sandbox.docs.model import Document, name_headings
from core.sandbox.docs.units import Json

REQUESTS: Mapping[str, Callable[[Document, Json], Json]] = {
    "insertText": text.insert_text,
    "deleteContentRange": text.delete_range,
    "replaceAllText": text.replace_all,
    "updateTextStyle": text.style_text,
    "updateParagraphStyle": paragraphs.style_paragraphs,
    "createParagraphBullets": paragraphs.create_bullets,
    "deleteParagraphBullets": paragraphs.delete_bullets,
    "insertTable": grids.insert_table,
    "insertTableRow": grids.insert_row,
    "insertTableColumn": grids.insert_column,
    "deleteTableRow": grids.delete_row,
    "deleteTableColumn": grids.delete_column,
    "updateTableCellStyle": grids.style_cells,
    "updateTableRowStyle": grids.style_rows,
    "updateTableColumnProperties": grids.style_columns,
    "insertPageBreak": objects.insert_page_break,
    "insertSectionBreak": objects.insert_section_break,
    "insertInlineImage": objects.insert_image,
    "insertPerson": objects.insert_person,
    "insertDate": objects.insert_date,
    "insertRichLink": objects.insert_rich_link,
    "createFootnote": objects.create_footnote,
    "createHeader": parts.create_header,
    "createFooter": parts.create_footer,
    "deleteHeader": parts.delete_header,
    "deleteFooter": parts.delete_footer,
    "updateDocumentStyle": parts.style_document,
    "createNamedRange": parts.create_named_range,
    "deleteNamedRange": parts.delete_named_range,
    "addDocumentTab": parts.add_tab,
    "deleteTab": parts.delete_tab,
    "updateDocumentTabProperties": parts.rename_tab,
}


def apply(document: Document, requests: Sequence[Json]) -> list[Json]:
    """Carry out a batch; the replies, one a request.

    The document may be half changed where a request is refused: the caller drops it then.

    Raises:
        ApiError: 400, as Google says it, with the request's number and kind.
    """
    if not requests:
        raise bad_request("Must specify at least one request.")
    replies = [one(document, number, request) for number, request in enumerate(requests)]
    name_headings(document)
    return replies


def one(document: Document, number: int, request: Json) -> Json:
    """Carry out one request."""
    if len(request) != 1:
        problem = "No request set." if not request else "More than one request set."
        raise bad_request(f"Invalid requests[{number}]: {problem}")
    ((kind, asked),) = request.items()
    if kind not in REQUESTS:
        raise bad_request(f"Invalid requests[{number}].{kind}: This request is not part of the sandbox.")
    try:
        return REQUESTS[kind](document, asked)
    except Refused as refused:
        raise bad_request(f"Invalid requests[{number}].{kind}: {refused}") from refused
