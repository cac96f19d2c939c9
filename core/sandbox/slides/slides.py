"""Requests about slides: made, copied, moved, deleted, coloured, skipped."""

from copy import deepcopy

from core.sandbox.docs.edits import refuse
from core.sandbox.docs.units import Json
from core.sandbox.slides.masks import patched
from core.sandbox.slides.model import Deck, Element, Page, PageType
from core.sandbox.slides.targets import missing, new_id, page_of, placed, slide_of
from core.sandbox.slides.text import Text
from core.sandbox.slides.theme import NOTES_MASTER, blank, layout_named


def create_slide(deck: Deck, asked: Json) -> Json:
    """createSlide: with the placeholders of its layout."""
    at = asked.get("insertionIndex", len(deck.slides))
    if not 0 <= at <= len(deck.slides):
        refuse(f"The insertion index ({at}) should not be greater than the number of slides ({len(deck.slides)}).")
    layout = layout_named(deck, asked.get("slideLayoutReference", {}))
    if layout is None:
        refuse("The slide layout reference could not be found in the current master.")
    slide = new_slide(deck, layout, new_id(deck, asked.get("objectId", "")))
    deck.slides.insert(at, slide)
    wanted = mapped(layout, asked.get("placeholderIdMappings", []))
    for holder in layout.elements:
        if holder.placeholder["type"] != "SLIDE_NUMBER":
            slide.elements.append(from_layout(holder, new_id(deck, wanted.pop(holder.id, ""))))
    if wanted:
        refuse("The placeholder mapping refers to a placeholder that is not copied to slides.")
    return {"createSlide": {"objectId": slide.id}}


def new_slide(deck: Deck, layout: Page, slide_id: str) -> Page:
    """A slide without elements, with its page of notes."""
    slide = Page(slide_id, PageType.SLIDE, properties=blank())
    slide.more = {"layoutObjectId": layout.id, "masterObjectId": layout.more["masterObjectId"]}
    notes = Page(f"{slide_id}:notes", PageType.NOTES, properties=blank())
    master = page_of(deck, NOTES_MASTER)
    notes.elements = [from_layout(holder, deck.new_id()) for holder in master.elements]
    speaker = next(one.id for one in notes.elements if one.placeholder["type"] == "BODY")
    notes.more = {"speakerNotesObjectId": speaker}
    slide.notes = notes
    return slide


def mapped(layout: Page, mappings: list[Json]) -> dict[str, str]:
    """Ids of a layout's placeholders → the ids that their copies are to have."""
    found: dict[str, str] = {}
    for mapping in mappings:
        wanted, by_id = mapping.get("layoutPlaceholder", {}), mapping.get("layoutPlaceholderObjectId")
        kind, index = wanted.get("type"), wanted.get("index", 0)
        holder = next((one for one in layout.elements if one.id == by_id or is_holder(one, kind, index)), None)
        if holder is None:
            name = by_id or f"{kind}, index {index}"
            refuse(f"The layout placeholder ({name}) could not be found on the layout {layout.more['name']}.")
        found[holder.id] = mapping.get("objectId", "")
    return found


def is_holder(element: Element, kind: str | None, index: int) -> bool:
    """Whether an element is the placeholder of a kind; a body that is alone goes without its index."""
    known = element.placeholder
    return known["type"] == kind and (known.get("index", 0) == index or (index == 0 and known.get("index", 0) == 1))


def from_layout(holder: Element, element_id: str) -> Element:
    """A page's placeholder, as its layout has it, without text."""
    known = {name: value for name, value in holder.placeholder.items() if name != "parentObjectId"}
    body = {"shapeType": "TEXT_BOX", "shapeProperties": {}, "placeholder": {**known, "parentObjectId": holder.id}}
    return Element(element_id, "shape", deepcopy(holder.frame), body)


def delete_object(deck: Deck, asked: Json) -> Json:
    """deleteObject: a slide, or an element."""
    object_id = asked.get("objectId", "")
    page = deck.page(object_id)
    if page is not None:
        deck.slides.remove(slide_of(deck, object_id))
        return {}
    page, element = placed(deck, object_id)
    if page.kind not in (PageType.SLIDE, PageType.LAYOUT):
        refuse(f"The object ({object_id}) on a page of type {page.kind} cannot be deleted.")
    page.elements.remove(element)
    return {}


def duplicate_object(deck: Deck, asked: Json) -> Json:
    """duplicateObject: a slide behind itself, or an element on its own page."""
    object_id, wanted = asked.get("objectId", ""), dict(asked.get("objectIds", {}))
    slide = deck.page(object_id)
    if slide is not None:
        copied = copied_slide(deck, slide_of(deck, object_id), wanted)
        deck.slides.insert(deck.slides.index(slide) + 1, copied)
        made = copied.id
    else:
        page, element = placed(deck, object_id)
        made = new_id(deck, wanted.pop(object_id, ""))
        page.elements.append(copied_element(element, made))
    if wanted:
        missing(next(iter(wanted)))
    return {"duplicateObject": {"objectId": made}}


def copied_slide(deck: Deck, slide: Page, wanted: dict[str, str]) -> Page:
    """A copy of a slide, with ids of its own."""
    copied = Page.loaded(deepcopy(slide.stored()))
    copied.id = new_id(deck, wanted.pop(slide.id, ""))
    for element in copied.elements:
        element.id = new_id(deck, wanted.pop(element.id, ""))
    if copied.notes is not None:
        copied.notes.id = f"{copied.id}:notes"
        renamed = {element.id: deck.new_id() for element in copied.notes.elements}
        for element in copied.notes.elements:
            element.id = renamed[element.id]
        copied.notes.more["speakerNotesObjectId"] = renamed[copied.notes.more["speakerNotesObjectId"]]
    return copied


def copied_element(element: Element, element_id: str) -> Element:
    """A copy of an element."""
    copied = Element.loaded(deepcopy(element.stored()))
    copied.id = element_id
    return copied


def move_slides(deck: Deck, asked: Json) -> Json:
    """updateSlidesPosition: the index counts the slides as they are before the move."""
    ids, at = asked.get("slideObjectIds", []), asked.get("insertionIndex", 0)
    moving = [slide_of(deck, one) for one in ids]
    if not moving or len(set(ids)) != len(ids):
        refuse("The slide object IDs should not be empty or have duplicates.")
    if [page for page in deck.slides if page in moving] != moving:
        refuse("The slide object IDs should be in the existing presentation order.")
    if not 0 <= at <= len(deck.slides):
        refuse(f"The insertion index ({at}) should not be greater than the number of slides ({len(deck.slides)}).")
    before = [page for page in deck.slides[:at] if page not in moving]
    after = [page for page in deck.slides[at:] if page not in moving]
    deck.slides = [*before, *moving, *after]
    return {}


def update_page(deck: Deck, asked: Json) -> Json:
    """updatePageProperties."""
    page = page_of(deck, asked.get("objectId", ""))
    new, fields = asked.get("pageProperties", {}), asked.get("fields", "")
    page.properties = patched(page.properties, new, fields, "PageProperties")
    if "solidFill" in page.properties.get("pageBackgroundFill", {}):
        page.properties["pageBackgroundFill"].pop("propertyState", None)
    return {}


def update_slide(deck: Deck, asked: Json) -> Json:
    """updateSlideProperties: only whether it is skipped may be changed."""
    slide = slide_of(deck, asked.get("objectId", ""))
    changed = patched(slide.more, asked.get("slideProperties", {}), asked.get("fields", ""), "SlideProperties")
    if {name for name in changed if changed[name] != slide.more.get(name)} - {"isSkipped"}:
        refuse("Only the field isSkipped of slide properties can be updated.")
    slide.more = changed
    return {}


def speaker_notes(slide: Page) -> Text:
    """The text that a slide's speaker reads."""
    elements = slide.notes.elements if slide.notes else []
    return next((one.text for one in elements if one.placeholder.get("type") == "BODY"), Text())
