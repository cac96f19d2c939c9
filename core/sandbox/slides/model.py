"""A presentation as it is worked on: slides with their notes, layouts, masters, and the elements on each page."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from enum import StrEnum
from hashlib import sha256
from typing import Any, Self

from core.sandbox.docs.units import Json
from core.sandbox.slides.text import Text


class PageType(StrEnum):
    """What a page is for."""

    SLIDE = "SLIDE"
    LAYOUT = "LAYOUT"
    MASTER = "MASTER"
    NOTES = "NOTES"
    NOTES_MASTER = "NOTES_MASTER"


@dataclass
class Element:
    """Something on a page.

    Attributes:
        kind: `shape`, `image`, `table` or `line`.
        frame: Google's `size`, `transform`, `title`, `description`.
        body: Google's object of its kind without its texts; a table's `tableRows` hold no cells.
        text: a shape's text.
        cells: of a table, row by row: text and Google's `tableCellProperties`.
    """

    id: str
    kind: str
    frame: Json
    body: Json
    text: Text = field(default_factory=Text)
    cells: list[list["Cell"]] = field(default_factory=list)

    @property
    def placeholder(self) -> Json:
        """Google's `placeholder`, `{}` for what is none."""
        found: Json = self.body.get("placeholder", {})
        return found

    def texts(self) -> Iterator[Text]:
        """Its text, or those of its cells."""
        if self.kind == "shape":
            yield self.text
        for row in self.cells:
            yield from (cell.text for cell in row)

    def stored(self) -> Json:
        """The element as JSON."""
        cells = [[{"text": cell.text.stored(), "properties": cell.properties} for cell in row] for row in self.cells]
        plain = {name: getattr(self, name) for name in ("id", "kind", "frame", "body")}
        return {**plain, "text": self.text.stored(), "cells": cells}

    @classmethod
    def loaded(cls, data: Json) -> Self:
        """An element from its JSON."""
        cells = [[Cell(Text.loaded(cell["text"]), cell["properties"]) for cell in row] for row in data["cells"]]
        return cls(data["id"], data["kind"], data["frame"], data["body"], Text.loaded(data["text"]), cells)


@dataclass
class Cell:
    """A cell of a table."""

    text: Text = field(default_factory=Text)
    properties: Json = field(default_factory=dict)


@dataclass
class Page:
    """A page of any type.

    Attributes:
        properties: Google's `pageProperties`.
        more: Google's properties of its type, such as `slideProperties` without the notes.
        notes: a slide's page of notes.
    """

    id: str
    kind: PageType
    elements: list[Element] = field(default_factory=list)
    properties: Json = field(default_factory=dict)
    more: Json = field(default_factory=dict)
    notes: "Page | None" = None

    def stored(self) -> Json:
        """The page as JSON."""
        plain: dict[str, Any] = {"id": self.id, "kind": str(self.kind), "properties": self.properties}
        notes = self.notes.stored() if self.notes else None
        return {**plain, "more": self.more, "elements": [one.stored() for one in self.elements], "notes": notes}

    @classmethod
    def loaded(cls, data: Json) -> Self:
        """A page from its JSON."""
        elements = [Element.loaded(one) for one in data["elements"]]
        notes = cls.loaded(data["notes"]) if data["notes"] else None
        return cls(data["id"], PageType(data["kind"]), elements, data["properties"], data["more"], notes)


@dataclass
class Deck:
    """A whole presentation; `serial` is how many ids it has given out, `theme` its layouts and masters."""

    slides: list[Page]
    theme: list[Page]
    serial: int = 0

    def pages(self) -> Iterator[Page]:
        """Every page: slides, each followed by its notes, then the theme's."""
        for slide in self.slides:
            yield slide
            if slide.notes is not None:
                yield slide.notes
        yield from self.theme

    def page(self, page_id: str) -> Page | None:
        """A page by its id."""
        return next((page for page in self.pages() if page.id == page_id), None)

    def element(self, element_id: str) -> tuple[Page, Element] | None:
        """An element by its id, with its page."""
        return next(((page, one) for page in self.pages() for one in page.elements if one.id == element_id), None)

    def of_type(self, kind: PageType) -> list[Page]:
        """The theme's pages of a type."""
        return [page for page in self.theme if page.kind is kind]

    def ids(self) -> set[str]:
        """All ids that are taken."""
        return {page.id for page in self.pages()} | {one.id for page in self.pages() for one in page.elements}

    def new_id(self) -> str:
        """An id that nothing else in the presentation has."""
        self.serial += 1
        number = int.from_bytes(sha256(f"slides {self.serial}".encode()).digest()[:4], "big")
        return f"SLIDES_API{number}_{self.serial}"

    def stored(self) -> Json:
        """The presentation as JSON."""
        slides, theme = ([page.stored() for page in pages] for pages in (self.slides, self.theme))
        return {"slides": slides, "theme": theme, "serial": self.serial}

    @classmethod
    def loaded(cls, data: Json) -> Self:
        """A presentation from its JSON."""
        slides, theme = ([Page.loaded(page) for page in data[name]] for name in ("slides", "theme"))
        return cls(slides, theme, data["serial"])
