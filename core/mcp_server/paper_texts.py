"""Documents and Office files as text, and documents as maps of their indices."""

from io import BytesIO
from typing import Any
from zipfile import BadZipFile

import docx
from docx.table import Table as WordTable

from core.google.errors import GoogleError
from core.mcp_server.desk import BadArgument, Desk
from core.mcp_server.paper_edits import end_of_shortcut
from core.mcp_server.papers import DOCUMENT, Papers, find, link
from core.mcp_server.results_docs import DocumentStructure, DocumentText, Part, SegmentMap, TableStructure
from core.mcp_server.shaping.documents import Segment, cells, part, segments, tab_list, text_of
from core.mcp_server.shaping.text import cut, decode, html_to_text

Json = dict[str, Any]
WORD = "application/vnd.openxmlformats-officedocument.wordprocessingml.document"
ELSEWHERE = {
    "application/vnd.google-apps.spreadsheet": "a spreadsheet: read_sheet_values reads it",
    "application/vnd.google-apps.presentation": "a presentation: get_presentation reads it",
    "application/vnd.google-apps.folder": "a folder: list_docs_in_folder lists its documents",
}
LARGEST = 20_000_000
"""Bytes of a file that is read."""


def document_text(desk: Desk, document_id: str, offset: int) -> DocumentText:
    """The text of a document or file from an offset on, at most a result's size."""
    shelf = Papers(desk)
    file = end_of_shortcut(shelf, document_id)
    document = shelf.document(file["id"]) if file["mimeType"] == DOCUMENT else None
    text = text_of(document) if document else file_text(desk, file)
    end = offset + desk.body_limit
    rest = "Call get_doc_content with offset {offset} for what follows."
    return DocumentText(
        document_id=file["id"],
        title=document["title"] if document else file["name"],
        mime_type=file["mimeType"],
        link=link(file["id"]) if document else str(file.get("webViewLink", "")),
        tabs=tab_list(document) if document else [],
        text=cut(text, desk.body_limit, offset, rest),
        characters=len(text),
        next_offset=end if end < len(text) else None,
    )


def file_text(desk: Desk, file: Json) -> str:
    """The text of a file that is no Google document.

    Raises:
        BadArgument: it has no text that can be read here.
    """
    kind = str(file["mimeType"])
    if kind in ELSEWHERE:
        raise BadArgument("document_id", f"{file['name']} is {ELSEWHERE[kind]}.")
    if kind != WORD and not kind.startswith("text/"):
        raise BadArgument("document_id", f"{file['name']} is {kind}; get_drive_file_content may read it.")
    if int(file.get("size", 0)) > LARGEST:
        raise BadArgument("document_id", f"{file['name']} is too large to read ({int(file['size']):,} bytes).")
    data = desk.google.download(
        desk.google.resource("drive.files").get_media(fileId=file["id"], supportsAllDrives=True)
    )
    if kind == WORD:
        return word_text(data, str(file["name"]))
    return html_to_text(decode(data, None)) if kind == "text/html" else decode(data, None)


def word_text(data: bytes, name: str) -> str:
    """The text of a Word file: paragraphs, and tables row by row."""
    try:
        items = list(docx.Document(BytesIO(data)).iter_inner_content())
    except (BadZipFile, KeyError, ValueError) as error:
        raise GoogleError(f"{name} is no Word file that can be read. Open it in Word, or convert it.") from error
    return "\n".join(word_lines(item) for item in items)


def word_lines(item: Any) -> str:
    """A paragraph or table of a Word file."""
    if isinstance(item, WordTable):
        return "\n".join("| " + " | ".join(cell.text for cell in row.cells) + " |" for row in item.rows)
    return str(item.text)


def structure(
    desk: Desk, document_id: str, detailed: bool, words: str | None, tab_id: str | None, from_index: int
) -> DocumentStructure:
    """The index map of a document, or only where some words are.

    Raises:
        BadArgument: there is no such tab.
    """
    document = Papers(desk).document(document_id)
    chosen = [one for one in segments(document) if tab_id in (None, one.tab_id)]
    if not chosen:
        known = ", ".join(one.tab_id for one in tab_list(document))
        raise BadArgument("tab_id", f"there is no tab {tab_id}; there are: {known}.")
    shown, left_out = ([], None) if words else maps(chosen, detailed, from_index, desk.body_limit)
    return DocumentStructure(
        document_id=document_id,
        title=document["title"],
        link=link(document_id),
        revision_id=document["revisionId"],
        segments=shown,
        found=[one for segment in chosen for one in find(segment, words)] if words else [],
        left_out=left_out,
    )


def maps(some: list[Segment], detailed: bool, from_index: int, limit: int) -> tuple[list[SegmentMap], str | None]:
    """The maps of segments within a size, and words about what is left out.

    Args:
        limit: characters of texts in all.
    """
    found, room, left_out = list[SegmentMap](), limit, None
    for segment in some:
        parts: list[Part] = []
        for element in segment.content:
            if not segment.segment_id and element["endIndex"] <= from_index:
                continue
            made = part(element, segment.lists, detailed)
            room -= weight(made)
            if room < 0 and (parts or found):
                left_out = left_out or rest_of(segment, made)
                break
            parts.append(made)
        if parts or room >= 0:
            found.append(shown(segment, parts))
    return found, left_out


def shown(segment: Segment, parts: list[Part]) -> SegmentMap:
    """A segment's map."""
    return SegmentMap(
        tab_id=segment.tab_id,
        segment_id=segment.segment_id,
        title=segment.title,
        end_index=segment.end,
        parts=parts,
    )


def weight(made: Part) -> int:
    """About how many characters a part takes of a result."""
    return len(made.text) + 40 + sum(len(run.text) + 40 for run in made.runs)


def rest_of(segment: Segment, first: Part) -> str:
    """Words about what is left out."""
    return (
        f"Parts of “{segment.title}” from index {first.start_index} on, and what follows, are not shown. "
        f"Call again with tab_id {segment.tab_id} and from_index {first.start_index}."
    )


def table_structure(desk: Desk, document_id: str, table_index: int) -> TableStructure:
    """The index map of a table; tables are counted through all tabs.

    Raises:
        BadArgument: there is no such table.
    """
    document = Papers(desk).document(document_id)
    found = [(segment, table) for segment in segments(document) for table in segment.tables()]
    if table_index >= len(found):
        count = f"{len(found)} table{'' if len(found) == 1 else 's'}" if found else "no table"
        raise BadArgument(
            "table_index", f"the document has {count}; {table_index} is not one of them (0 is the first)."
        )
    segment, table = found[table_index]
    return TableStructure(
        document_id=document_id,
        table_index=table_index,
        tables=len(found),
        tab_id=segment.tab_id,
        start_index=table["startIndex"],
        end_index=table["endIndex"],
        rows=table["table"]["rows"],
        columns=table["table"]["columns"],
        cells=cells(table),
        next_step="Fill cells from the last to the first, so that no index moves under you.",
    )
