"""A desk's documents: listed, read, changed."""

import re
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from core.mcp_server.desk import BadArgument, Desk
from core.mcp_server.results_docs import DocumentChange, DocumentPage, DocumentSummary, Found
from core.mcp_server.shaping.documents import Segment, segments, utf16
from core.mcp_server.shaping.times import show

Json = dict[str, Any]
DOCUMENT = "application/vnd.google-apps.document"
FILE_FIELDS = "id,name,mimeType,modifiedTime,webViewLink,owners(displayName,emailAddress)"
AROUND = 30
"""Characters shown on each side of what was found."""


@dataclass(frozen=True)
class Papers:
    """The documents that the acting account sees."""

    desk: Desk

    def page(self, query: str, size: int, token: str | None) -> DocumentPage:
        """The documents of a Drive query, the last changed first."""
        request = self._files().list(
            q=f"{query} and mimeType = '{DOCUMENT}' and trashed = false",
            pageSize=size,
            pageToken=token,
            orderBy="modifiedTime desc",
            fields=f"nextPageToken,files({FILE_FIELDS})",
            supportsAllDrives=True,
            includeItemsFromAllDrives=True,
            corpora="allDrives",
        )
        answer = self.desk.google.execute(request)
        found = [self._summary(one) for one in answer.get("files", [])]
        return DocumentPage(documents=found, next_page_token=answer.get("nextPageToken"))

    def page_of(self, folder_id: str, size: int, token: str | None) -> DocumentPage:
        """The documents of a folder; an empty answer is checked, because Google may give it for no folder at all."""
        page = self.page(f"{quoted(folder_id)} in parents", size, token)
        if not page.documents and not token:
            self.file(folder_id, "id")
        return page

    def _summary(self, file: Json) -> DocumentSummary:
        owner: Json = next(iter(file.get("owners", [])), {})
        return DocumentSummary(
            document_id=file["id"],
            title=file["name"],
            owner=owner.get("displayName") or owner.get("emailAddress"),
            modified=show(datetime.fromisoformat(file["modifiedTime"]), self.desk.zone),
            link=str(file.get("webViewLink") or link(file["id"])),
        )

    def file(self, file_id: str, fields: str = FILE_FIELDS) -> Json:
        """What Drive knows of a file."""
        request = self._files().get(fileId=file_id, fields=fields, supportsAllDrives=True)
        return self.desk.google.execute(request)

    def document(self, document_id: str) -> Json:
        """A document with all its tabs."""
        request = self._documents().get(documentId=document_id, includeTabsContent=True)
        return self.desk.google.execute(request)

    def create(self, title: str) -> Json:
        """A new, empty document."""
        return self.desk.google.execute(self._documents().create(body={"title": title}))

    def change(self, document_id: str, requests: list[Json], revision: str | None = None) -> list[Json]:
        """Change a document: all requests or none.

        Args:
            revision: the state that the requests are meant for; another one refuses them.

        Returns:
            the replies, one a request.
        """
        control = {"writeControl": {"requiredRevisionId": revision}} if revision else {}
        body = {"requests": requests, **control}
        answer = self.desk.google.execute(self._documents().batchUpdate(documentId=document_id, body=body))
        replies: list[Json] = answer.get("replies", [])
        return replies

    def _files(self) -> Any:
        return self.desk.google.resource("drive.files")

    def _documents(self) -> Any:
        return self.desk.google.resource("docs.documents")


def quoted(text: str) -> str:
    """A text as a value of a Drive query."""
    escaped = text.replace("\\", "\\\\").replace("'", "\\'")
    return f"'{escaped}'"


def link(document_id: str) -> str:
    """Where a person opens a document."""
    return f"https://docs.google.com/document/d/{document_id}/edit"


def changed(
    document_id: str, what: str, next_step: str = "Read the document again before a change by index.", **more: Any
) -> DocumentChange:
    """What was changed, as a result."""
    return DocumentChange(document_id=document_id, changed=what, link=link(document_id), next_step=next_step, **more)


def body_of(document: Json) -> Segment:
    """The first tab's body, which indices without a tab are meant in."""
    return segments(document)[0]


def around(body: Segment, start: int, end: int) -> list[Json]:
    """The paragraphs that a range overlaps, in order.

    Raises:
        BadArgument: the range is not in the document.
    """
    if not 1 <= start < end <= body.end:
        raise BadArgument("end_index", f"the text has the indices 1 to {body.end - 1}; {start} to {end} is not in it.")
    return [one for one in body.paragraphs() if one["startIndex"] < end and start < one["endIndex"]]


def style_in(body: Segment, start: int, end: int) -> Json:
    """The text style at the beginning of a range."""
    for paragraph in around(body, start, end):
        for run in paragraph["paragraph"]["elements"]:
            if run["endIndex"] > start and "textRun" in run:
                return dict(run["textRun"].get("textStyle", {}))
    return {}


def find(segment: Segment, words: str) -> list[Found]:
    """Where words are in a segment; upper and lower case are alike."""
    return [one for element in segment.paragraphs() for one in find_in(segment, element, words)]


def find_in(segment: Segment, element: Json, words: str) -> list[Found]:
    """Where words are in one paragraph."""
    text = "".join(units(run) for run in element["paragraph"]["elements"])
    found = []
    for match in re.finditer(re.escape(words), text, re.IGNORECASE):
        begin = element.get("startIndex", 0) + utf16(text[: match.start()])
        near = text[max(0, match.start() - AROUND) : match.end() + AROUND].replace("\n", " ").strip()
        found.append(
            Found(
                tab_id=segment.tab_id,
                segment_id=segment.segment_id,
                start_index=begin,
                end_index=begin + utf16(match.group()),
                around=near,
            )
        )
    return found


def units(run: Json) -> str:
    """An element as text of its own length."""
    if "textRun" in run:
        return str(run["textRun"]["content"])
    return "\ufffc" * int(run["endIndex"] - run.get("startIndex", 0))
