"""The edits of a document that need to know what stands where: text replaced in its style, lists, images, headers."""

from collections.abc import Mapping
from typing import Any

from core.google.errors import GoogleError
from core.mcp_server.desk import BadArgument
from core.mcp_server.papers import Papers, around, body_of, style_in
from core.mcp_server.shaping import document_requests as requests
from core.mcp_server.shaping.documents import Segment, segments, tabs, utf16

Json = dict[str, Any]
KINDS = {"DEFAULT": "default", "FIRST_PAGE_ONLY": "firstPage", "EVEN_PAGE": "evenPage"}
DEEPEST = 5


def replace(papers: Papers, document_id: str, start: int, end: int, text: str, look: Mapping[str, Any]) -> int:
    """Put a text in the place of a range, in the style that the range began with; where it ends.

    The document's last newline cannot be deleted, so it stays.
    """
    document = papers.document(document_id)
    body = body_of(document)
    style = style_in(body, start, end)
    end = min(end, body.end - 1)
    made = [requests.delete(requests.span(start, end))] if end > start else []
    stop = start + utf16(text)
    if text:
        area = requests.span(start, stop)
        made += [requests.insert_text(requests.location(start), text), requests.restyle(area, style)]
        made += requests.format_text(area, look)
    if not made:
        raise BadArgument("end_index", "only the document's last newline is in this range, and it cannot be deleted.")
    papers.change(document_id, made, document["revisionId"])
    return stop


def insert_list(papers: Papers, document_id: str, index: int, text: str, list_type: str) -> tuple[int, int]:
    """Paragraphs of their own, as a list; where they begin and end."""
    document = papers.document(document_id)
    begin, stop = paragraph_at(body_of(document), index)
    before, after = ("" if index == begin else "\n"), ("" if index == stop and index > begin else "\n")
    lines = requests.clean(text).strip("\n")
    start = index + len(before)
    end = start + utf16(lines)
    made = [
        requests.insert_text(requests.location(index), f"{before}{lines}{after}"),
        requests.bullets(requests.span(start, end), list_type),
    ]
    papers.change(document_id, made, document["revisionId"])
    return start, end - lines.count("\t")


def paragraph_at(body: Segment, index: int) -> tuple[int, int]:
    """Where the paragraph around an index begins, and where its newline is.

    Raises:
        BadArgument: no paragraph is there.
    """
    for element in body.paragraphs():
        if element["startIndex"] <= index < element["endIndex"]:
            return element["startIndex"], element["endIndex"] - 1
    raise BadArgument("index", f"{index} is not inside a paragraph; the text has the indices 1 to {body.end - 1}.")


def make_list(
    papers: Papers, document_id: str, start: int, end: int, list_type: str, level: int | None, style: list[Json]
) -> None:
    """Make the paragraphs of a range a list; a level is written as leading tabs, which Google then takes away.

    Args:
        style: requests that follow, in the same step.
    """
    document = papers.document(document_id)
    found = around(body_of(document), start, end)
    tab_count = level or 0
    begin, stop = found[0]["startIndex"], found[-1]["endIndex"] - 1
    made: list[Json] = []
    if level is not None and any("bullet" in one["paragraph"] for one in found):
        made.append({"deleteParagraphBullets": {"range": requests.span(begin, stop + 1)}})
    for one in reversed(found) if tab_count else ():
        made.append(requests.insert_text(requests.location(one["startIndex"]), "\t" * tab_count))
    made.append(requests.bullets(requests.span(begin, stop + 1 + tab_count * len(found)), list_type))
    papers.change(document_id, [*made, *style], document["revisionId"])


def image_address(papers: Papers, source: str) -> str:
    """The address that Google fetches an image from.

    Args:
        source: a web address, or the id of an image in Drive.

    Raises:
        BadArgument: the file is no image, or one that Google cannot fetch.
    """
    if source.startswith(("http://", "https://")):
        return source
    if "/" in source or ":" in source:
        raise BadArgument("image_source", f"{source!r} is neither an http(s) address nor the id of a file in Drive.")
    file = papers.file(source, "id,name,mimeType,permissions(type)")
    if not str(file["mimeType"]).startswith("image/"):
        raise BadArgument("image_source", f"{file['name']} is no image but {file['mimeType']}.")
    if "anyone" not in [one["type"] for one in file.get("permissions", [{"type": "anyone"}])]:  # no list: not told
        raise BadArgument(
            "image_source",
            f"Google inserts only images that anyone with the link may see, and {file['name']} is not shared so. "
            "Ask the person whether it may be shared by link for this.",
        )
    return f"https://drive.google.com/uc?export=view&id={file['id']}"


def set_part(papers: Papers, document_id: str, kind: str, content: str, which: str) -> str:
    """Make a text the header or footer of a document's first tab; `created` or `replaced`.

    Args:
        kind: `header` or `footer`.
        which: `DEFAULT`, `FIRST_PAGE_ONLY` or `EVEN_PAGE`; only the first can be made through the API.
    """
    document = papers.document(document_id)
    first = next(tabs(document))[0]["documentTab"]
    part = first.get("documentStyle", {}).get(f"{KINDS[which]}{kind.capitalize()}Id")
    if part:
        papers.change(document_id, filled(document, part, content), document["revisionId"])
        return "replaced"
    if which != "DEFAULT":
        words = "first page" if which == "FIRST_PAGE_ONLY" else "even pages"
        raise BadArgument(
            "header_footer_type",
            f"this document has no {kind} of its own for the {words}, and Google lets no app make one: "
            "turn it on in the document, or use DEFAULT.",
        )
    reply = papers.change(document_id, [{f"create{kind.capitalize()}": {"type": "DEFAULT"}}])[0]
    part = reply[f"create{kind.capitalize()}"][f"{kind}Id"]
    papers.change(document_id, [requests.insert_text(requests.location(0, "", part), content)])
    return "created"


def filled(document: Json, part: str, content: str) -> list[Json]:
    """The requests that give a header or footer another text."""
    end = next(one.end for one in segments(document) if one.segment_id == part)
    old = [requests.delete(requests.span(0, end - 1, "", part))] if end > 1 else []
    return [*old, requests.insert_text(requests.location(0, "", part), content)]


def end_of_shortcut(papers: Papers, file_id: str) -> Json:
    """A file, or what a shortcut leads to."""
    for _ in range(DEEPEST):
        file = papers.file(file_id, "id,name,mimeType,size,webViewLink,shortcutDetails(targetId)")
        if "shortcutDetails" not in file:
            return file
        file_id = file["shortcutDetails"]["targetId"]
    raise GoogleError("This shortcut leads to another shortcut without an end. Search for the file itself.")
