"""The Docs tools."""

import io
from typing import Annotated, Any, Literal

from googleapiclient.http import MediaIoBaseUpload
from pydantic import Field

from core.mcp_server import paper_edits, papers
from core.mcp_server.comments import Comments
from core.mcp_server.desk import BadArgument, Desk
from core.mcp_server.paper_texts import document_text, structure, table_structure
from core.mcp_server.papers import Papers, changed, quoted
from core.mcp_server.results_comments import CommentChange, CommentPage
from core.mcp_server.results_docs import (
    DocumentChange,
    DocumentPage,
    DocumentStructure,
    DocumentText,
    SavedPdf,
    TableStructure,
)
from core.mcp_server.shaping import document_requests as requests
from core.mcp_server.shaping.document_operations import all_requests
from core.mcp_server.shaping.documents import utf16

DocumentId = Annotated[str, Field(description="A document_id", min_length=1)]
Index = Annotated[int, Field(ge=1, description="Where, as inspect_doc_structure counts; the text begins at 1")]
Start = Annotated[int, Field(ge=1, description="Where the range begins")]
End = Annotated[int, Field(description="Where the range ends, not included")]
PageToken = Annotated[str | None, Field(description="next_page_token of the page before")]
Color = Annotated[str | None, Field(description="#RRGGBB")]
Points = Annotated[float | None, Field(ge=0, le=1000, description="Points")]
ListType = Literal["UNORDERED", "ORDERED"]
PDF = "application/pdf"


def search_docs(
    desk: Desk,
    query: Annotated[str, Field(description="Words of the name", min_length=1)],
    page_size: Annotated[int, Field(ge=1, le=100)] = 10,
    page_token: PageToken = None,
) -> DocumentPage:
    """Documents whose name has some words."""
    return Papers(desk).page(f"name contains {quoted(query)}", page_size, page_token)


def list_docs_in_folder(
    desk: Desk,
    folder_id: Annotated[str, Field(description="Id of a Drive folder; root is My Drive", min_length=1)] = "root",
    page_size: Annotated[int, Field(ge=1, le=1000)] = 100,
    page_token: PageToken = None,
) -> DocumentPage:
    """Documents of a folder."""
    return Papers(desk).page_of(folder_id, page_size, page_token)


def get_doc_content(
    desk: Desk,
    document_id: Annotated[str, Field(description="A document_id, or the id of an Office or text file", min_length=1)],
    offset: Annotated[int, Field(ge=0, description="next_offset of the part before")] = 0,
) -> DocumentText:
    """The text of a document with all its tabs, or of an Office file."""
    return document_text(desk, document_id, offset)


def create_doc(
    desk: Desk,
    title: Annotated[str, Field(min_length=1)],
    content: Annotated[str, Field(description="Plain text; lines become paragraphs")] = "",
    checklist: Annotated[list[str] | None, Field(description="Points to tick off, after the text")] = None,
) -> DocumentChange:
    """A new document."""
    shelf, text = Papers(desk), requests.clean(content)
    start = 1 + utf16(f"{text}\n" if text else "")
    points, boxes = requests.checklist(checklist or [], start)
    document_id = shelf.create(title)["documentId"]
    text = "\n".join(filter(None, (text, points)))
    if text:
        shelf.change(document_id, [requests.insert_text(requests.location(1), text), *boxes])
    held = f" with a checklist of {len(points.splitlines())}" if points else " with its text" if text else ", empty"
    what = f"The document “{title}” was created{held}."
    end = 1 + utf16(text)
    return changed(document_id, what, "Style it, or share its link.", title=title, start_index=1, end_index=end)


def modify_doc_text(
    desk: Desk,
    document_id: DocumentId,
    start_index: Start,
    end_index: Annotated[int | None, Field(description="End of the range, not included; none: only insert")] = None,
    text: Annotated[str | None, Field(description="Goes in the range's place; empty deletes the range")] = None,
    bold: bool | None = None,
    italic: bool | None = None,
    underline: bool | None = None,
    font_size: Annotated[int | None, Field(ge=1, le=400, description="Points")] = None,
    font_family: str | None = None,
    text_color: Color = None,
    background_color: Color = None,
    link_url: Annotated[str | None, Field(description="Empty takes a link away")] = None,
) -> DocumentChange:
    """Text inserted, replaced, deleted or formatted."""
    look = {
        "bold": bold,
        "italic": italic,
        "underline": underline,
        "font_size": font_size,
        "font_family": font_family,
        "text_color": text_color,
        "background_color": background_color,
        "link_url": link_url,
    }
    shelf = Papers(desk)
    written = requests.clean(text) if text is not None else None
    if written is not None and end_index is not None and end_index > start_index:
        end = paper_edits.replace(shelf, document_id, start_index, end_index, written, look)
        what = "The range was replaced." if written else "The range was deleted."
        return changed(document_id, what, start_index=start_index, end_index=end)
    if written:
        area = requests.span(start_index, start_index + utf16(written))
        inserted = requests.insert_text(requests.location(start_index), written)
        shelf.change(document_id, [inserted, *requests.format_text(area, look)])
        return changed(document_id, "The text was inserted.", start_index=start_index, end_index=area["endIndex"])
    if end_index is None:
        raise BadArgument("text", "give the text to insert, or end_index and what to change in the range.")
    made = requests.format_text(requests.span(start_index, end_index), look)
    if not made:
        raise BadArgument("text", "nothing would change: give text, or bold, italic, font_size and so on.")
    shelf.change(document_id, made)
    return changed(document_id, "The range was formatted.", start_index=start_index, end_index=end_index)


def find_and_replace_doc(
    desk: Desk,
    document_id: DocumentId,
    find_text: Annotated[str, Field(min_length=1)],
    replace_text: str,
    match_case: bool = False,
) -> DocumentChange:
    """Every occurrence replaced."""
    made = requests.replace_all(find_text, replace_text, match_case)
    reply = Papers(desk).change(document_id, [made])[0]
    count = reply.get("replaceAllText", {}).get("occurrencesChanged", 0)
    places = "1 place" if count == 1 else f"{count} places"
    what = f"“{find_text}” was replaced in {places}." if count else f"“{find_text}” was not found; nothing was changed."
    return changed(document_id, what, count=count)


def insert_doc_elements(
    desk: Desk,
    document_id: DocumentId,
    element_type: Literal["table", "list", "page_break"],
    index: Index,
    rows: Annotated[int | None, Field(ge=1, le=500, description="Of a table")] = None,
    columns: Annotated[int | None, Field(ge=1, le=20, description="Of a table")] = None,
    list_type: Annotated[ListType | None, Field(description="Of a list")] = None,
    text: Annotated[str | None, Field(description="Of a list: an item a line, a leading tab a level")] = None,
) -> DocumentChange:
    """An empty table, a list or a page break."""
    shelf, place = Papers(desk), requests.location(index)
    if element_type == "list":
        if not text or not text.strip():
            raise BadArgument("text", "a list needs its items, one a line.")
        start, end = paper_edits.insert_list(shelf, document_id, index, text, list_type or "UNORDERED")
        return changed(document_id, "The list was inserted.", start_index=start, end_index=end)
    if element_type == "page_break":
        shelf.change(document_id, [{"insertPageBreak": {"location": place}}])
        return changed(document_id, "A page break was inserted.", start_index=index, end_index=index + 2)
    if rows is None or columns is None:
        raise BadArgument("rows", "a table needs rows and columns.")
    shelf.change(document_id, [{"insertTable": {"location": place, "rows": rows, "columns": columns}}])
    end = index + 3 + rows * (2 * columns + 1)
    what = f"A table of {rows} rows and {columns} columns was inserted."
    return changed(document_id, what, start_index=index + 1, end_index=end)


def insert_doc_image(
    desk: Desk,
    document_id: DocumentId,
    image_source: Annotated[
        str, Field(description="A public http(s) address, or the Drive id of an image", min_length=1)
    ],
    index: Index,
    width: Annotated[int, Field(ge=0, le=2000, description="Points; 0 is the image's own")] = 0,
    height: Annotated[int, Field(ge=0, le=2000, description="Points; 0 is the image's own")] = 0,
) -> DocumentChange:
    """An image in the line of text."""
    shelf = Papers(desk)
    uri = paper_edits.image_address(shelf, image_source)
    shelf.change(document_id, [requests.image(requests.location(index), uri, width, height)])
    return changed(document_id, "The image was inserted.", start_index=index, end_index=index + 1)


def update_doc_headers_footers(
    desk: Desk,
    document_id: DocumentId,
    section_type: Literal["header", "footer"],
    content: Annotated[str, Field(min_length=1)],
    header_footer_type: Literal["DEFAULT", "FIRST_PAGE_ONLY", "EVEN_PAGE"] = "DEFAULT",
) -> DocumentChange:
    """Another header or footer."""
    text = requests.clean(content)
    done = paper_edits.set_part(Papers(desk), document_id, section_type, text, header_footer_type)
    return changed(document_id, f"The {section_type} was {done}.", "Nothing more is needed.")


def batch_update_doc(
    desk: Desk,
    document_id: DocumentId,
    operations: Annotated[
        list[dict[str, Any]],
        Field(
            min_length=1,
            max_length=200,
            description="In order, each with `type`: insert_text(index|end_of_segment, text), delete_text(start_index, "
            "end_index), replace_text(start_index, end_index, text), format_text(start_index, end_index, bold, italic, "
            "font_size, text_color, link_url …), update_paragraph_style(start_index, end_index, heading_level, "
            "alignment …), find_replace(find_text, replace_text), insert_table(index, rows, columns), "
            "insert_page_break(index), create_bullet_list(start_index, end_index, list_type), delete_bullet_list, "
            "insert_image(index, uri), insert_person(index, email), insert_table_row(table_start_index, row), "
            "delete_table_row, insert_doc_tab(title); tab_id and segment_id choose another place. Later operations "
            "see the indices that earlier ones left: work from the end to the start.",
        ),
    ],
) -> DocumentChange:
    """Several changes at once: all of them or none."""
    made = all_requests(operations)
    Papers(desk).change(document_id, made)
    count = len(operations)
    what = f"{count} operation{'' if count == 1 else 's'} were made, all together."
    return changed(document_id, what, count=count)


def inspect_doc_structure(
    desk: Desk,
    document_id: DocumentId,
    detailed: Annotated[bool, Field(description="With every run of text, chip and image")] = False,
    find_text: Annotated[str | None, Field(description="Only where these words are, with their exact indices")] = None,
    tab_id: Annotated[str | None, Field(description="Only this tab")] = None,
    from_index: Annotated[int, Field(ge=0, description="Only parts of a body that end after this index")] = 0,
) -> DocumentStructure:
    """The index map of a document."""
    return structure(desk, document_id, detailed, find_text, tab_id, from_index)


def create_table_with_data(
    desk: Desk,
    document_id: DocumentId,
    table_data: Annotated[list[list[str]], Field(min_length=1, max_length=200, description="Rows of cells")],
    index: Index,
    bold_headers: Annotated[bool, Field(description="The first row in bold")] = True,
) -> DocumentChange:
    """A table with its texts, made in one step."""
    if not any(table_data):
        raise BadArgument("table_data", "a table needs at least one cell.")
    made = requests.table_with_data(requests.location(index), table_data, bold_headers)
    Papers(desk).change(document_id, made)
    width = max(map(len, table_data))
    end = index + 3 + len(table_data) * (2 * width + 1) + sum(utf16(requests.clean(c)) for r in table_data for c in r)
    what = f"A table of {len(table_data)} rows and {width} columns was inserted and filled."
    return changed(document_id, what, start_index=index + 1, end_index=end)


def debug_table_structure(
    desk: Desk,
    document_id: DocumentId,
    table_index: Annotated[int, Field(ge=0, description="Which table, counted from 0")] = 0,
) -> TableStructure:
    """The index map of a table's cells."""
    return table_structure(desk, document_id, table_index)


def export_doc_to_pdf(
    desk: Desk,
    document_id: DocumentId,
    pdf_filename: Annotated[str | None, Field(description="The document's name if left out")] = None,
    folder_id: Annotated[str | None, Field(description="Drive folder to save in; My Drive if left out")] = None,
) -> SavedPdf:
    """A document saved to Drive as PDF."""
    shelf, files = Papers(desk), desk.google.resource("drive.files")
    source = shelf.file(document_id, "id,name,mimeType")
    if source["mimeType"] != papers.DOCUMENT:
        raise BadArgument("document_id", f"{source['name']} is no Google document but {source['mimeType']}.")
    data = desk.google.download(files.export_media(fileId=document_id, mimeType=PDF))
    name = pdf_filename or source["name"]
    name = name if name.lower().endswith(".pdf") else f"{name}.pdf"
    media = MediaIoBaseUpload(io.BytesIO(data), mimetype=PDF, resumable=True)
    body = {"name": name, "mimeType": PDF, **({"parents": [folder_id]} if folder_id else {})}
    made = desk.google.execute(
        files.create(body=body, media_body=media, fields="id,name,webViewLink,parents", supportsAllDrives=True)
    )
    return SavedPdf(
        document_id=document_id,
        file_id=made["id"],
        filename=made["name"],
        size=len(data),
        link=made["webViewLink"],
        folder_id=next(iter(made.get("parents", [])), None),
        next_step="Share the file, or attach its link to a mail.",
    )


def update_paragraph_style(
    desk: Desk,
    document_id: DocumentId,
    start_index: Start,
    end_index: End,
    heading_level: Annotated[int | None, Field(ge=0, le=6, description="0 is normal text")] = None,
    alignment: Literal["START", "CENTER", "END", "JUSTIFIED"] | None = None,
    line_spacing: Annotated[float | None, Field(ge=0.5, le=10, description="1.0 is single")] = None,
    indent_first_line: Points = None,
    indent_start: Points = None,
    indent_end: Points = None,
    space_above: Points = None,
    space_below: Points = None,
    list_type: ListType | None = None,
    list_nesting_level: Annotated[int | None, Field(ge=0, le=8)] = None,
) -> DocumentChange:
    """Paragraphs styled, or made a list."""
    look = {
        "heading_level": heading_level,
        "alignment": alignment,
        "line_spacing": line_spacing,
        "indent_first_line": indent_first_line,
        "indent_start": indent_start,
        "indent_end": indent_end,
        "space_above": space_above,
        "space_below": space_below,
    }
    shelf = Papers(desk)
    made = requests.paragraph_style(requests.span(start_index, end_index), look)
    if list_nesting_level is not None and list_type is None:
        raise BadArgument("list_nesting_level", "say which list_type, UNORDERED or ORDERED.")
    if not made and list_type is None:
        raise BadArgument("heading_level", "nothing would change: give heading_level, alignment, list_type or such.")
    if list_type is not None:  # bullets bring indents of their own, so they come before the style
        paper_edits.make_list(shelf, document_id, start_index, end_index, list_type, list_nesting_level, made)
    else:
        shelf.change(document_id, made)
    return changed(document_id, "The paragraphs were styled.", start_index=start_index, end_index=end_index)


def read_document_comments(desk: Desk, document_id: DocumentId, page_token: PageToken = None) -> CommentPage:
    """Comments with their replies."""
    return Comments(desk, document_id).page(page_token)


def create_document_comment(desk: Desk, document_id: DocumentId, comment_content: str) -> CommentChange:
    """A new comment."""
    return Comments(desk, document_id).create(comment_content)


def reply_to_document_comment(
    desk: Desk, document_id: DocumentId, comment_id: str, reply_content: str
) -> CommentChange:
    """An answer to a comment."""
    return Comments(desk, document_id).reply(comment_id, reply_content)


def resolve_document_comment(desk: Desk, document_id: DocumentId, comment_id: str) -> CommentChange:
    """A comment marked as settled."""
    return Comments(desk, document_id).resolve(comment_id)
