"""Files as the tools return them, and a drawer of them that answers whatever the offline assistant calls."""

import json
from collections.abc import Callable
from typing import Any

from pydantic import BaseModel

from core.agents.offline.acts import Call, Say
from core.agents.offline.model import OfflineBrain
from core.mcp_server.results_comments import Comment, CommentPage
from core.mcp_server.results_docs import (
    DocumentPage,
    DocumentStructure,
    DocumentSummary,
    DocumentText,
    Found,
)
from core.mcp_server.results_drive import FileAccess, FileItem, FilePage, FolderPage, Grant
from core.mcp_server.results_sheets import (
    SheetInfo,
    SheetRow,
    SheetValues,
    SpreadsheetInfo,
    SpreadsheetPage,
    SpreadsheetSummary,
)
from core.mcp_server.results_slides import Holder, PresentationMade, PresentationText, SlideText
from tests.agents.offline_desk import NOW, specialist_offers

WHEN = "2026-11-27T10:00:00+01:00"
KINDS = {"doc": "document", "sheet": "spreadsheet", "deck": "presentation", "folder": "folder", "pdf": "pdf"}
NAMES = {
    "doc-roadmap": "Product roadmap", "doc-agenda": "Offsite agenda", "sheet-budget": "Budget 2026",
    "sheet-q3": "Q3 numbers", "deck-board": "Board deck Q3", "folder-finance": "Finance", "folder-offsite": "Offsite",
    "pdf-contract": "Northgrid contract.pdf",
}  # fmt: skip


def file(file_id: str, owner: str = "Sam Okafor") -> FileItem:
    kind = KINDS[file_id.split("-")[0]]
    link = f"https://docs.google.com/{kind}/d/{file_id}/edit"
    return FileItem(
        file_id=file_id, name=NAMES[file_id], kind=kind, mime_type=kind, modified=WHEN, owner=owner, link=link
    )


FILES = [file(one, "Ana Ruiz" if one.startswith("sheet") else "Sam Okafor") for one in NAMES]
GRANTS = [
    Grant(permission_id="1", kind="user", who="sam@lumenworks.example", name="Sam Okafor", role="owner"),
    Grant(permission_id="2", kind="user", who="kenji@lumenworks.example", name="Kenji Mori", role="writer"),
]
ANA = Grant(permission_id="3", kind="user", who="ana@lumenworks.example", name="Ana Ruiz", role="owner")


def found(query: str) -> list[FileItem]:
    """The files of which the name has what a query asks for; a kind counts too."""
    words = [part.split("'")[1].casefold() for part in query.split(" and ") if part.startswith("name contains")]
    kinds = [
        part.rsplit(".", 1)[1].strip("'")
        for part in query.split(" and ")
        if part.startswith("mimeType = 'application/vnd")
    ]
    named = [one for one in FILES if all(word in one.name.casefold() for word in words)]
    return [one for one in named if one.kind in kinds or not kinds]


def slide(number: int) -> SlideText:
    holders = [Holder(object_id=f"h{number}", kind="CENTERED_TITLE")]
    return SlideText(number=number, page_object_id=f"p{number}", title=f"Slide {number}", text="Words", holders=holders)


def files(args: dict[str, Any]) -> FilePage:
    return FilePage(query=args["query"], files=found(args["query"]))


def listed(args: dict[str, Any]) -> FolderPage:
    return FolderPage(folder_id="root", folder_name="My Drive", files=FILES)


def access(args: dict[str, Any]) -> FileAccess:
    grants = [ANA, *GRANTS] if args["file_id"].startswith("sheet") else GRANTS
    return FileAccess(file=file(args["file_id"]), public=False, summary="", grants=grants)


def documents(args: dict[str, Any]) -> DocumentPage:
    named = [one for one in FILES if one.kind == "document" and args["query"].casefold() in one.name.casefold()]
    about = [{"document_id": one.file_id, "title": one.name, "modified": WHEN, "link": one.link} for one in named]
    return DocumentPage(documents=[DocumentSummary.model_validate(one) for one in about])


def text(args: dict[str, Any]) -> DocumentText:
    one = file(args["document_id"])
    words = "Two dates are held.\nSecond source for batteries: Ana."
    return DocumentText(
        document_id=one.file_id, title=one.name, mime_type="x", link=one.link, tabs=[], text=words, characters=52
    )


def structure(args: dict[str, Any]) -> DocumentStructure:
    place = Found(tab_id="t", segment_id="", start_index=5, end_index=9, around="the Halo lamp")
    return DocumentStructure(
        document_id=args["document_id"], title="x", link="", revision_id="", segments=[], found=[place]
    )


def spreadsheets(args: dict[str, Any]) -> SpreadsheetPage:
    sheets = [one for one in FILES if one.kind == "spreadsheet"]
    about = [{"spreadsheet_id": one.file_id, "title": one.name, "modified": WHEN, "link": one.link} for one in sheets]
    return SpreadsheetPage(spreadsheets=[SpreadsheetSummary.model_validate(one) for one in about])


def tabs(args: dict[str, Any]) -> SpreadsheetInfo:
    one = file(args["spreadsheet_id"])
    titles = ["Summary", "Tom's pipeline"] if one.file_id == "sheet-budget" else ["Quarter"]
    sheets = [SheetInfo(sheet_id=n, title=title, range=title, rows=9, columns=5) for n, title in enumerate(titles)]
    return SpreadsheetInfo(
        spreadsheet_id=one.file_id, title=one.name, locale="en", zone="x", sheets=sheets, link=one.link, next_step=""
    )


def deck(args: dict[str, Any]) -> PresentationText:
    one = file(args["presentation_id"])
    slides = [slide(1), slide(2), slide(3)]
    return PresentationText(
        presentation_id=one.file_id, title=one.name, width=1, height=1, slide_count=3, link=one.link, slides=slides
    )


def made(args: dict[str, Any]) -> PresentationMade:
    return PresentationMade(
        presentation_id="deck-new", title=args["title"], changed="Made.", link="", slides=[slide(1)], next_step=""
    )


def comments(args: dict[str, Any]) -> CommentPage:
    kenji = Comment(comment_id="c1", author="Kenji Mori", content="Summer?", created=WHEN, resolved=False, replies=[])
    tom = kenji.model_copy(update={"comment_id": "c2", "author": "Tom Becker", "content": "A price?"})
    return CommentPage(file_id=next(iter(args.values())), comments=[kenji, tom], open=2)


def values(spreadsheet_id: str) -> SheetValues:
    rows = [
        ["Department", "Plan", "Actual", "Left"],
        ["Product", "63,200 EUR", "32,130 EUR", "31,070 EUR"],
        ["Sales", "22,500 EUR", "12,000 EUR", "10,500 EUR"],
        ["Total", "85,700 EUR", "44,130 EUR", "41,570 EUR"],
    ]
    return SheetValues(
        spreadsheet_id=spreadsheet_id, title=NAMES[spreadsheet_id], sheet="Summary", range="Summary!A1:Z1000",
        first_column="A", rows=[SheetRow(row=n, cells=row) for n, row in enumerate(rows, 1)],
        link=f"https://docs.google.com/spreadsheets/d/{spreadsheet_id}/edit",
    )  # fmt: skip


READS: dict[str, Callable[[dict[str, Any]], BaseModel]] = {
    "search_drive_files": files,
    "list_drive_items": listed,
    "get_drive_file_permissions": access,
    "search_docs": documents,
    "get_doc_content": text,
    "inspect_doc_structure": structure,
    "list_spreadsheets": spreadsheets,
    "get_spreadsheet_info": tabs,
    "read_sheet_values": lambda args: values(args["spreadsheet_id"]),
    "get_presentation": deck,
    "create_presentation": made,
    "read_document_comments": comments,
    "read_spreadsheet_comments": comments,
}


class Drawer:
    """A conversation with one specialist over the drawer; `calls` are all that were made."""

    def __init__(self, mind: OfflineBrain, domain: str) -> None:
        self.mind, self.offers = mind, specialist_offers(domain)
        self.items: list[dict[str, Any]] = []
        self.calls: list[Call] = []

    def ask(self, question: str) -> str:
        """The answer, or empty where the last call is one that the drawer does not answer."""
        self.items.append({"role": "user", "content": question})
        for _ in range(9):
            acts = self.mind.decide(self.items, self.offers, NOW)
            for act in acts:
                if isinstance(act, Say):
                    self.items.append({"role": "assistant", "content": [{"type": "output_text", "text": act.text}]})
                    return act.text
                self.calls.append(act)
                if act.name not in READS:
                    self.items.pop()
                    return ""
                self.hand_back(act, READS[act.name](dict(act.args)))
        raise AssertionError("It never answers.")

    def hand_back(self, act: Call, result: BaseModel) -> None:
        number = f"call_{len(self.items)}"
        self.items += [
            {"type": "function_call", "call_id": number, "name": act.name, "arguments": json.dumps(dict(act.args))},
            {"type": "function_call_output", "call_id": number, "output": result.model_dump_json()},
        ]
