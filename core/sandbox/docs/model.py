"""A document as it is worked on: tabs, each with a body, headers, footers, footnotes, lists and objects."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from hashlib import sha256
from typing import Any, Self

from core.sandbox.docs.units import Json, Kind, Unit, Units, loaded, newline, stored

BODY = ""
"""The segment id of a body."""

PT = "PT"
BASE32 = "abcdefghijklmnopqrstuvwxyz234567"


def points(magnitude: float) -> Json:
    """A length in points."""
    return {"magnitude": magnitude, "unit": PT} if magnitude else {"unit": PT}


PAGE_STYLE: Json = {
    "background": {"color": {}},
    "pageNumberStart": 1,
    **{f"margin{side}": points(72) for side in ("Top", "Bottom", "Left", "Right")},
    "pageSize": {"height": points(841.89), "width": points(595.276)},
    "marginHeader": points(36),
    "marginFooter": points(36),
    "useCustomHeaderFooterMargins": True,
}


@dataclass
class NamedRange:
    """A name for a part of a segment."""

    name: str
    segment: str
    start: int
    end: int


def empty_body() -> Units:
    """A body with one empty paragraph."""
    section = {"columnSeparatorStyle": "NONE", "contentDirection": "LEFT_TO_RIGHT", "sectionType": "CONTINUOUS"}
    return [Unit(Kind.SECTION, data=section), newline()]


@dataclass
class Tab:
    """One tab. A segment is a body (id empty), a header, a footer or a footnote; `kinds` says which of those."""

    id: str
    title: str
    parent: str = ""
    icon: str = ""
    segments: dict[str, Units] = field(default_factory=lambda: {BODY: empty_body()})
    kinds: dict[str, str] = field(default_factory=dict)
    lists: dict[str, str] = field(default_factory=dict)
    """List id → the preset of its bullets."""
    objects: dict[str, Json] = field(default_factory=dict)
    style: Json = field(default_factory=lambda: dict(PAGE_STYLE))
    ranges: dict[str, NamedRange] = field(default_factory=dict)

    @property
    def body(self) -> Units:
        """The body's units."""
        return self.segments[BODY]

    def splice(self, segment: str, start: int, end: int, units: Units) -> None:
        """Put units in the place of others; the named ranges move along."""
        self.segments[segment][start:end] = units
        grown = len(units) - (end - start)
        for key, one in list(self.ranges.items()):
            if one.segment != segment:
                continue
            one.start = moved(one.start, start, end, grown)
            one.end = moved(one.end, start, end, grown)
            if one.start >= one.end:
                del self.ranges[key]

    def stored(self) -> Json:
        """The tab as JSON."""
        plain = {name: getattr(self, name) for name in ("id", "title", "parent", "icon", "kinds", "lists", "objects")}
        segments = {key: stored(units) for key, units in self.segments.items()}
        ranges = {key: vars(one) for key, one in self.ranges.items()}
        return {**plain, "style": self.style, "segments": segments, "ranges": ranges}

    @classmethod
    def loaded(cls, data: Json) -> Self:
        """A tab from its JSON."""
        segments = {key: loaded(entries) for key, entries in data["segments"].items()}
        ranges = {key: NamedRange(**one) for key, one in data["ranges"].items()}
        return cls(**{**data, "segments": segments, "ranges": ranges})


def moved(index: int, start: int, end: int, grown: int) -> int:
    """Where a boundary is after a change between `start` and `end`."""
    if index <= start:
        return index
    return index + grown if index >= end else start


@dataclass
class Document:
    """A whole document; `serial` is how many ids it has given out."""

    tabs: list[Tab]
    serial: int = 0

    @classmethod
    def new(cls) -> Self:
        """An empty document."""
        return cls([Tab("t.0", "Tab 1")])

    def new_id(self, prefix: str) -> str:
        """An id that nothing else in the document has, such as `kix.…`, `h.…`, `t.…`."""
        self.serial += 1
        number = sha256(f"{prefix}{self.serial}".encode()).digest()
        return prefix + "".join(BASE32[byte % 32] for byte in number[:12])

    def children(self, parent: str) -> Iterator[Tab]:
        """The tabs right below one, in order; of none: the outermost."""
        return (tab for tab in self.tabs if tab.parent == parent)

    def ordered(self, parent: str = "", level: int = 0) -> Iterator[tuple[Tab, int]]:
        """All tabs as a reader meets them, with their nesting level."""
        for tab in self.children(parent):
            yield tab, level
            yield from self.ordered(tab.id, level + 1)

    def tab(self, tab_id: str) -> Tab | None:
        """A tab by its id, the first where none is named, None where there is no such tab."""
        if not tab_id:
            return next(self.ordered())[0]
        return next((tab for tab in self.tabs if tab.id == tab_id), None)

    def stored(self) -> Json:
        """The document as JSON."""
        return {"tabs": [tab.stored() for tab in self.tabs], "serial": self.serial}

    @classmethod
    def loaded(cls, data: Json) -> Self:
        """A document from its JSON."""
        return cls([Tab.loaded(tab) for tab in data["tabs"]], data["serial"])


def name_headings(document: Document) -> None:
    """Give every heading an id of its own, and take it from what is none any more."""
    seen: set[str] = set()
    for tab in document.tabs:
        for units in tab.segments.values():
            for index, unit in enumerate(units):
                if unit.kind is Kind.NEWLINE and (named := heading_named(document, unit, seen)) is not unit:
                    units[index] = named


def heading_named(document: Document, unit: Unit, seen: set[str]) -> Unit:
    """A paragraph's end with the heading id that it should have."""
    style = unit.data["style"]
    heading = style["namedStyleType"].startswith(("HEADING", "TITLE", "SUBTITLE"))
    known = style.get("headingId", "")
    if heading and known and known not in seen:
        seen.add(known)
        return unit
    if not heading and not known:
        return unit
    kept: dict[str, Any] = {name: value for name, value in style.items() if name != "headingId"}
    if heading:
        kept["headingId"] = document.new_id("h.")
        seen.add(kept["headingId"])
    return newline({**unit.data, "style": kept}, unit.style)
