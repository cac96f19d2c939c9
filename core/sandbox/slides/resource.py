"""Presentations and pages as Google shows them."""

from core.sandbox.docs.units import Json
from core.sandbox.slides.geometry import PAGE_HEIGHT, PAGE_WIDTH, length
from core.sandbox.slides.model import Deck, Element, Page, PageType

MORE = {
    PageType.SLIDE: "slideProperties",
    PageType.LAYOUT: "layoutProperties",
    PageType.MASTER: "masterProperties",
    PageType.NOTES: "notesProperties",
}
"""Where Google keeps what only pages of a type have."""


def presentation(deck: Deck, file_id: str, title: str, revision: str) -> Json:
    """A whole presentation."""
    shown: Json = {
        "presentationId": file_id,
        "pageSize": {"width": length(PAGE_WIDTH), "height": length(PAGE_HEIGHT)},
        "slides": [page(one, revision) for one in deck.slides],
        "title": title,
        "masters": [page(one, revision) for one in deck.of_type(PageType.MASTER)],
        "layouts": [page(one, revision) for one in deck.of_type(PageType.LAYOUT)],
        "locale": "en",
        "revisionId": revision,
        "notesMaster": page(deck.of_type(PageType.NOTES_MASTER)[0], revision),
    }
    return {name: value for name, value in shown.items() if value != []}


def page(one: Page, revision: str) -> Json:
    """A page; a slide's notes are in its properties."""
    shown: Json = {"objectId": one.id, "pageType": str(one.kind), "revisionId": revision}
    if one.elements:
        shown["pageElements"] = [element(each) for each in one.elements]
    if one.kind in MORE:
        notes = {"notesPage": page(one.notes, revision)} if one.notes else {}
        shown[MORE[one.kind]] = {**one.more, **notes}
    return {**shown, "pageProperties": one.properties}


def element(one: Element) -> Json:
    """An element."""
    body = table(one) if one.kind == "table" else dict(one.body)
    if one.kind == "shape" and one.text.units:
        body["text"] = one.text.shown()
    return {"objectId": one.id, **one.frame, one.kind: body}


def table(one: Element) -> Json:
    """A table with its cells."""
    rows = [
        {**row, "tableCells": [cell(one, at, column) for column in range(len(one.cells[at]))]}
        for at, row in enumerate(one.body["tableRows"])
    ]
    return {
        "rows": len(one.cells),
        "columns": len(one.cells[0]),
        "tableRows": rows,
        "tableColumns": one.body["tableColumns"],
    }


def cell(one: Element, row: int, column: int) -> Json:
    """A cell; an index of 0 is left out."""
    known = one.cells[row][column]
    place = {name: at for name, at in (("rowIndex", row), ("columnIndex", column)) if at}
    shown: Json = {"location": place, "rowSpan": 1, "columnSpan": 1, "tableCellProperties": known.properties}
    return {**shown, **({"text": known.text.shown()} if known.text.units else {})}
