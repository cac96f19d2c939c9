"""What a request refers to: pages, elements, cells, texts; and the ids of what it makes."""

import re
from typing import NoReturn

from core.sandbox.docs.edits import refuse
from core.sandbox.docs.units import Json
from core.sandbox.slides.geometry import size_of, transform_of
from core.sandbox.slides.model import Cell, Deck, Element, Page, PageType
from core.sandbox.slides.text import Text

ID = re.compile(r"\w[\w:-]*", re.ASCII)
SHORTEST, LONGEST = 5, 50


def new_id(deck: Deck, asked: str) -> str:
    """The id of something new: the one that was asked for, or a free one."""
    if not asked:
        return deck.new_id()
    if not SHORTEST <= len(asked) <= LONGEST:
        refuse(f"The object ID ({asked}) should have a length between {SHORTEST} and {LONGEST} characters, inclusive.")
    if not ID.fullmatch(asked):
        refuse(
            f"The object ID ({asked}) should start with a word character [a-zA-Z0-9_] and then followed by any number "
            "of the following characters [a-zA-Z0-9_-:]."
        )
    if asked in deck.ids():
        refuse(f"The object ID ({asked}) should be unique among all pages and page elements in the presentation.")
    return asked


def page_of(deck: Deck, page_id: str) -> Page:
    """A page."""
    page = deck.page(page_id)
    if page is None:
        missing(page_id)
    return page


def slide_of(deck: Deck, page_id: str) -> Page:
    """A slide."""
    page = page_of(deck, page_id)
    if page.kind is not PageType.SLIDE:
        refuse(f"The object ({page_id}) should be a slide.")
    return page


def element_of(deck: Deck, element_id: str, kind: str = "") -> Element:
    """An element, of one kind where the request is only for those."""
    return placed(deck, element_id, kind)[1]


def placed(deck: Deck, element_id: str, kind: str = "") -> tuple[Page, Element]:
    """An element and its page."""
    found = deck.element(element_id)
    if found is None and deck.page(element_id) is None:
        missing(element_id)
    if found is None:
        refuse(f"The object ({element_id}) should be a page element.")
    if kind and found[1].kind != kind:
        refuse(f"The object ({element_id}) is not a {kind}.")
    return found


def missing(object_id: str) -> NoReturn:
    """Say that something is not there."""
    refuse(f"The object ({object_id}) could not be found.")


def text_in(deck: Deck, asked: Json) -> tuple[Element, Text]:
    """The text that a request is about: a shape's, or a cell's."""
    object_id = asked.get("objectId", "")
    found = deck.element(object_id)
    if found is None and deck.page(object_id) is None:
        missing(object_id)
    element = found[1] if found else None
    if element is not None and element.kind == "table" and "cellLocation" in asked:
        return element, cell_of(element, asked["cellLocation"]).text
    if "cellLocation" in asked:
        refuse(f"The object ({object_id}) is not a table.")
    if element is None or element.kind != "shape":
        refuse(f"The object ({object_id}) does not allow text editing.")
    return element, element.text


def cell_of(table: Element, location: Json) -> Cell:
    """A cell of a table."""
    row, column = location.get("rowIndex", 0), location.get("columnIndex", 0)
    if not 0 <= row < len(table.cells):
        refuse(f"The row index ({row}) should be less than the number of rows ({len(table.cells)}).")
    if not 0 <= column < len(table.cells[0]):
        refuse(f"The column index ({column}) should be less than the number of columns ({len(table.cells[0])}).")
    return table.cells[row][column]


def place_for(deck: Deck, asked: Json) -> tuple[Page, Json]:
    """The page and the frame of a new element."""
    properties = asked.get("elementProperties", {})
    if not properties.get("pageObjectId"):
        refuse("The page object ID is required.")
    page = page_of(deck, properties["pageObjectId"])
    return page, {"size": size_of(properties), "transform": transform_of(properties.get("transform"))}
