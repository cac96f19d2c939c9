"""What the words in a slot of a form mean: things that were shown, names to look up, ranges, rows, values."""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from rapidfuzz import fuzz

from core.a1 import quote
from core.agents.offline.holes import bare
from core.agents.offline.shown import Item, Shown, resolve
from core.agents.offline.times import Times
from core.google.drive_query import quoted
from core.registry.forms import Asked, Forms
from core.registry.references import References

QUOTES = ' "“”„«»「」'
ADDRESS = re.compile(r"[\w.+-]+@[\w-]+(?:\.[\w-]+)+")
LINK = re.compile(r"https?://[^\s()<>]+?(?:/d/|/folders/|[?&]id=)([\w-]{6,})[^\s()<>]*")
NAMED_LINK = re.compile(r"(?:\[([^\]]*)\]\()?(https?://[^\s()<>]+)")
LISTED = re.compile(r"\s*(?:,|;|\band\b|\bund\b|\bet\b|\by\b|&)\s*", re.IGNORECASE)
NUMBER = re.compile(r"-?\d{1,3}(?:,\d{3})+(?:\.\d+)?|-?\d+(?:\.\d+)?")
HEADER = re.compile(r"(?:the )?(?:first row|header(?: row)?)", re.IGNORECASE)
KINDS = {
    "folder": "folder", "ordner": "folder", "dossier": "folder", "carpeta": "folder",
    "doc": "document", "document": "document", "dokument": "document", "documento": "document",
    "sheet": "spreadsheet", "spreadsheet": "spreadsheet", "tabelle": "spreadsheet", "workbook": "spreadsheet",
    "deck": "presentation", "presentation": "presentation", "slides": "presentation", "pdf": "pdf",
}  # fmt: skip
GOOGLE = "application/vnd.google-apps."
TYPES = {kind: f"{GOOGLE}{kind}" for kind in ("folder", "document", "spreadsheet", "presentation")}
TYPES["pdf"] = "application/pdf"
PATHS = {"docs": "/document/d/", "sheets": "/spreadsheets/d/", "slides": "/presentation/d/"}
CLOSE = 84


class Named(str):
    """A name to look up; `kind` is what it was said to be (folder, document, …), or empty."""

    __slots__ = ("kind",)
    kind: str

    def __new__(cls, name: str, kind: str = "") -> "Named":
        """A name with a kind."""
        made = super().__new__(cls, name)
        made.kind = kind
        return made

    @property
    def query(self) -> str:
        """As Drive's query language asks for it: every word begins a word of the name, and it is of the kind."""
        kind = [f"mimeType = {quoted(TYPES[self.kind])}"] if self.kind in TYPES else []
        return " and ".join([*(f"name contains {quoted(word)}" for word in self.split()), *kind])


class Words(str):
    """What a person wants to have written; `heading` is its beginning, for a title."""

    __slots__ = ()

    @property
    def heading(self) -> str:
        """At most 60 characters of the first line."""
        first = re.split(r"[\n.!?;:,]", self.strip(), maxsplit=1)[0].strip()
        short = first[:60].rsplit(" ", 1)[0] if len(first) > 60 else first
        return upper(short) or "Notes"


@dataclass(frozen=True)
class Reader:
    """Reads the slots of a request.

    Attributes:
        shown: what was shown before.
        links: files of the domain that earlier answers lead to, the newest first.
    """

    forms: Forms
    references: References
    times: Times
    shown: Shown | None
    links: Sequence[Item] = ()

    def read(self, asked: Asked) -> dict[str, Any]:
        """Slot → what it means. A thing is an item that was shown, a `Named`, or None where it cannot be told."""
        return {slot: self._meaning(slot, words) for slot, words in asked.words.items()}

    def implied(self) -> Item | None:
        """The file that was spoken of last."""
        item = self._focus()
        return self.links[0] if item is None and self.links else item

    def _focus(self) -> Item | None:
        if self.shown is None:
            return None
        only = self.shown.items[0] if len(self.shown.items) == 1 else None
        item = self.shown.focus or only
        if item is None and self.shown.items and self.shown.name != "file":
            item = self.shown.items[0]
        return item if item and item.get("file_id") else None

    def _meaning(self, slot: str, words: str) -> Any:
        of_its_own: dict[str, Callable[[], Any]] = {
            "file": lambda: self.thing(words, slot),
            "folder": lambda: self.thing(words, slot),
            "comment": lambda: self.comment(words),
            "slide": lambda: self._number(words),
            "n": lambda: self.times.number(words),
            "role": lambda: self.forms.value(slot, words),
            "format": lambda: self.forms.value(slot, words),
            "colour": lambda: self.forms.value(slot, words),
            "gone": lambda: Named(self.forms.name(words), kind_of(words)),
            "name": lambda: Named(self.forms.name(words), kind_of(words)),
        }
        if slot in of_its_own:
            return of_its_own[slot]()
        return PLAIN[slot](words) if slot in PLAIN else words.strip().strip(QUOTES)

    def thing(self, words: str, slot: str) -> Item | Named | None:
        """An item that was shown or whose address was given, or a name; None: it refers to nothing that was shown."""
        if link := LINK.search(words):
            return {"file_id": link[1], "name": "", "link": link[0]}
        if self.forms.refers(words):
            return self.implied()
        name = Named(self.forms.name(words), "folder" if slot == "folder" else kind_of(words))
        if self.shown and all("file_id" in item for item in self.shown.items):
            item, place = resolve(words, self.shown, self.references)
            if place and not self._left(words, place):
                return item
            fits = [item for item in self.shown.items if self.shown.kind.about(item, name, self.shown.kind.text)]
            if len(fits) == 1 and self.shown.name == "file" and fits_kind(fits[0], name.kind):
                return fits[0]
        return name

    def comment(self, words: str) -> Item | None:
        """One of the comments that were shown: by its place, its author, or because it is the only one."""
        if self.shown is None or self.shown.name != "comment":
            return None
        item, place = resolve(words, self.shown, self.references)
        if place:
            return item
        said = [bare(word) for word in words.split()]
        theirs = [one for one in self.shown.items if any(self.shown.kind.about(one, word, ["author"]) for word in said)]
        return theirs[0] if len(theirs) == 1 else self.shown.focus

    def _number(self, words: str) -> int | None:
        digits = re.search(r"\d+", words)
        said = [word for word in words.casefold().split() if word in self.references.ordinals]
        return int(digits[0]) if digits else self.references.ordinals[said[0]] if said else None

    def _left(self, words: str, place: tuple[int, int]) -> str:
        rest = f"{words[: place[0]]} {words[place[1] :]}"
        return re.sub(rf"\b(?:{self.forms.file.kinds}|{self.forms.file.articles}|ones?|comments?|slides?)\b", "", rest,
                      flags=re.IGNORECASE).strip()  # fmt: skip


def somebody(words: str) -> str:
    """An address, or a name to look up."""
    address = ADDRESS.search(words)
    return address[0] if address else Named(words.strip(QUOTES))


def titled(words: str) -> str:
    """A title without the article before it."""
    return upper(re.sub(r"^(?:the|our|my|an?) ", "", words.strip().strip(QUOTES)))


def upper(words: str) -> str:
    """Words with a capital letter at the beginning."""
    return words[:1].upper() + words[1:]


def names(words: str) -> list[str]:
    """`Ana, Kenji and Tom` apart."""
    return [one for part in LISTED.split(words) if (one := part.strip(QUOTES + ".!?"))]


def kind_of(words: str) -> str:
    """The kind that is said of a thing, such as `folder`; empty where none is."""
    said = [bare(word).casefold() for word in words.split()]
    return next((KINDS[one] for word in said for one in (word, word.rstrip("s")) if one in KINDS), "")


def fits_kind(item: Item, kind: str) -> bool:
    """Whether an item is of a kind; one that does not say is."""
    return not kind or item.get("kind") in (None, kind)


def area(words: str) -> str:
    """A1 notation of `cells B2 to D5`, `column B` or `row 1`."""
    if HEADER.fullmatch(words.strip()):
        return "1:1"
    text = re.sub(r"^(?:the )?(?:cells?|range|fields?|columns?|rows?) ", "", words.strip(), flags=re.IGNORECASE)
    text = re.sub(r"\s*(?::|-|–|\bto\b|\bbis\b|\bthrough\b)\s*", ":", text, flags=re.IGNORECASE).upper()
    return text if ":" in text or re.fullmatch(r"\$?[A-Z]+\$?\d+", text) else f"{text}:{text}"


def cells(words: str) -> list[Any]:
    """Values that stand apart by commas, bars or tabs; otherwise one."""
    apart = next((mark for mark in ("|", "\t", ";", ", ") if mark in words), ",")
    return [cell(part) for part in words.split(apart)]


def cell(words: str) -> Any:
    """A number where it is one, else text."""
    text = words.strip().strip(QUOTES)
    if not NUMBER.fullmatch(text):
        return text
    plain = text.replace(",", "")
    return float(plain) if "." in plain else int(plain)


PLAIN: Mapping[str, Callable[[str], Any]] = {
    "people": lambda words: [somebody(one) for one in names(words)],
    "person": somebody,
    "part": str.casefold,
    "a1": area,
    "row": lambda words: [cells(words)],
    "value": lambda words: [[cell(words)]],
    "title": titled,
    "said": lambda words: Words(words.strip().strip(QUOTES)),
    "tabs": names,
}
"""Slots whose meaning is in their words alone."""


def place(sheet: object, cells_said: object) -> str | None:
    """The range of a sheet, None where neither is said."""
    parts = [quote(str(sheet))] if sheet else []
    return "!".join([*parts, *([str(cells_said)] if cells_said else [])]) or None


def links_in(texts: Sequence[str], domain: str) -> list[Item]:
    """A domain's files to which texts lead, in order."""
    part = PATHS.get(domain, "")
    found = [(match[1] or "", match[2]) for text in texts for match in NAMED_LINK.finditer(text)]
    files = [(name, LINK.search(link)) for name, link in found if part in link]
    return [
        {"file_id": link[1], "name": re.sub(r"\\(.)", r"\1", name), "link": link[0]} for name, link in files if link
    ]


def matching(name: str, items: Sequence[Item], fields: Sequence[str]) -> list[Item]:
    """The items that bear a name: the very same, else those with all of its words, else those that are like it."""
    kind = name.kind if isinstance(name, Named) else ""
    items = [item for item in items if fits_kind(item, kind)]
    same = [item for item in items if any(str(item.get(f) or "").casefold() == name.casefold() for f in fields)]
    words = [re.compile(rf"(?<![^\W_]){re.escape(word)}", re.IGNORECASE) for word in name.split()]
    about = [item for item in items if all(word.search(text_of(item, fields)) for word in words)]
    like = [item for item in items if any(fuzz.ratio(name.casefold(), part) >= CLOSE for part in parts(item, fields))]
    return same or about or like


def text_of(item: Mapping[str, Any], fields: Sequence[str]) -> str:
    """The words of some fields."""
    return " ".join(str(item.get(field) or "") for field in fields)


def parts(item: Mapping[str, Any], fields: Sequence[str]) -> list[str]:
    """The fields, and each of their words."""
    texts = [str(item.get(field) or "").casefold() for field in fields]
    return [*texts, *(word for text in texts for word in text.split())]
