"""Requests about text: put in, taken out, replaced, styled, made a list."""

from collections.abc import Iterator
from typing import Any

from core.sandbox.docs.bullets import in_list, out_of_list
from core.sandbox.docs.edits import refuse
from core.sandbox.docs.paragraphs import leading_tabs
from core.sandbox.docs.places import newlines
from core.sandbox.docs.text import DROPPED, matcher, matches
from core.sandbox.docs.units import Json, Kind, newline, restyled, text_units
from core.sandbox.slides.masks import patched, paths
from core.sandbox.slides.model import Deck, Element, PageType
from core.sandbox.slides.targets import page_of, text_in
from core.sandbox.slides.text import Text, documents_preset

LINK_LOOK: Json = {"underline": True, "foregroundColor": {"opaqueColor": {"themeColor": "HYPERLINK"}}}
ALL: Json = {"type": "ALL"}


def insert_text(deck: Deck, asked: Json) -> Json:
    """insertText."""
    _, text = text_in(deck, asked)
    text.insert(asked.get("insertionIndex", 0), asked.get("text", ""))
    return {}


def delete_text(deck: Deck, asked: Json) -> Json:
    """deleteText."""
    element, text = text_in(deck, asked)
    if not text.units:
        refuse("The startIndex 0 must be less than the endIndex 0")
    text.delete(*text.span(asked.get("textRange", {}), element.id))
    return {}


def replace_all(deck: Deck, asked: Json) -> Json:
    """replaceAllText: within paragraphs, on the slides, or on some pages."""
    criteria = asked.get("containsText", {})
    if not criteria.get("text"):
        refuse("The match text should not be empty.")
    pattern = matcher(criteria)
    new, count = asked.get("replaceText", ""), 0
    for element in elements_on(deck, asked.get("pageObjectIds", [])):
        for text in element.texts():
            count += replace_in(text, pattern, new)
    return {"replaceAllText": {"occurrencesChanged": count} if count else {}}


def elements_on(deck: Deck, page_ids: list[str]) -> Iterator[Element]:
    """The elements of some pages; of none named: of all slides and layouts."""
    shown = (PageType.SLIDE, PageType.LAYOUT)
    pages = [page_of(deck, one) for one in page_ids] or [page for page in deck.pages() if page.kind in shown]
    for page in pages:
        if page.kind in (PageType.NOTES, PageType.MASTER, PageType.NOTES_MASTER):
            refuse(f"The page ({page.id}) should not be a notes page or a master page.")
        yield from page.elements


def replace_in(text: Text, pattern: Any, new: str) -> int:
    """Replace in one text, from its end, so that what was found stays where it is."""
    found = list(matches(text.units, pattern))
    for start, end in reversed(found):
        style = text.units[start].style
        stop = next(at for at in range(start, len(text.units)) if text.units[at].kind is Kind.NEWLINE)
        written = text_units(DROPPED.sub("", new), style, text.units[stop].data)
        text.units[start:end] = list(written)
    if len(text.units) == 1:
        text.units = []
    return len(found)


def style_text(deck: Deck, asked: Json) -> Json:
    """updateTextStyle."""
    element, text = text_in(deck, asked)
    start, end = text.span(asked.get("textRange", ALL), element.id)
    new, fields = asked.get("style", {}), asked.get("fields", "")
    if any(path[0] == "link" for path in paths(fields, "TextStyle")):
        new, fields = linked(new, fields)
    for index in range(start, end):
        style = patched(dict(text.units[index].style), new, fields, "TextStyle")
        text.units[index] = restyled(text.units[index], {name: one for name, one in style.items() if one != {}})
    return {}


def linked(new: Json, fields: str) -> tuple[Json, str]:
    """A link brings its look with it, and takes it away again, unless the request says another."""
    named = {name.strip().split(".")[0] for name in fields.split(",")}
    look = [name for name in LINK_LOOK if name not in named and "*" not in named]
    worn = {name: LINK_LOOK[name] for name in look} if new.get("link") else {}
    return {**new, **worn}, ",".join([fields, *look])


def style_paragraphs(deck: Deck, asked: Json) -> Json:
    """updateParagraphStyle: all paragraphs that the range overlaps."""
    element, text = text_in(deck, asked)
    start, end = text.span(asked.get("textRange", ALL), element.id)
    for index in newlines(text.units, start, end):
        unit = text.units[index]
        style = patched(unit.data["style"], asked.get("style", {}), asked.get("fields", ""), "ParagraphStyle")
        text.units[index] = newline({**unit.data, "style": style}, unit.style)
    return {}


def create_bullets(deck: Deck, asked: Json) -> Json:
    """createParagraphBullets: leading tabs become levels, and are gone."""
    element, text = text_in(deck, asked)
    preset = documents_preset(asked.get("bulletPreset") or "BULLET_DISC_CIRCLE_SQUARE")
    ends = list(newlines(text.units, *text.span(asked.get("textRange", ALL), element.id)))
    list_id = list_before(text, ends[0], preset) or deck.new_id()
    text.lists[list_id] = preset
    for index in reversed(ends):
        begin = beginning(text, index)
        tabs = leading_tabs(text.units[begin:index])
        unit = text.units[index]
        level = tabs + unit.data.get("bullet", {}).get("level", 0)
        text.units[index] = newline(listed(unit.data, list_id, level), unit.style)
        del text.units[begin : begin + tabs]
    return {}


def listed(data: Any, list_id: str, level: int) -> Json:
    """A paragraph's data as a member of a list."""
    made = in_list(data, list_id, level)
    return {**made, "bullet": {"list_id": list_id, "level": made["bullet"]["level"]}}


def beginning(text: Text, index: int) -> int:
    """Where the paragraph begins that ends at an index."""
    return next((at + 1 for at in range(index - 1, -1, -1) if text.units[at].kind is Kind.NEWLINE), 0)


def list_before(text: Text, index: int, preset: str) -> str | None:
    """The list of the paragraph before, where it has the same preset."""
    begin = beginning(text, index)
    bullet = text.units[begin - 1].data.get("bullet") if begin else None
    return str(bullet["list_id"]) if bullet and text.lists[bullet["list_id"]] == preset else None


def delete_bullets(deck: Deck, asked: Json) -> Json:
    """deleteParagraphBullets."""
    element, text = text_in(deck, asked)
    for index in newlines(text.units, *text.span(asked.get("textRange", ALL), element.id)):
        unit = text.units[index]
        if "bullet" in unit.data:
            text.units[index] = newline(out_of_list(unit.data), unit.style)
    return {}
