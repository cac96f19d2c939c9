"""Presentations written as outlines: what a slide says, turned into the requests that make it."""

from collections.abc import Iterator, Sequence

from pydantic import BaseModel, ConfigDict

from core.sandbox.docs.units import Json
from core.sandbox.slides.apply import apply
from core.sandbox.slides.model import Deck, Page
from core.sandbox.slides.theme import layout_named, new_deck, rgb

TABLE_TOP, LEFT, WIDE = 1152475, 311700, 8520600


class Outline(BaseModel):
    """A slide.

    Attributes:
        body: one entry a paragraph; two leading spaces make it a level deeper.
        right: the second column.
        table: rows of cells; the first one is its head.
        box: a text in a filled shape at the bottom.
        picture: address of an image.
        background: colour such as `#0B3D5C`; its text is then white.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    layout: str = "TITLE_AND_BODY"
    title: str = ""
    subtitle: str = ""
    body: list[str] = []
    right: list[str] = []
    bullets: bool = True
    table: list[list[str]] = []
    box: str = ""
    picture: str = ""
    background: str = ""
    notes: str = ""
    skipped: bool = False


def empty_deck() -> Deck:
    """A new presentation: one title slide, as Google makes it."""
    deck = new_deck()
    layout = layout_named(deck, {"predefinedLayout": "TITLE"})
    if layout is not None:
        mappings = [
            {"layoutPlaceholderObjectId": f"{layout.id}_i{at}", "objectId": f"slide_{name}"}
            for at, name in enumerate(("title", "subtitle"))
        ]
        reference = {"layoutId": layout.id}
        apply(deck, [{"createSlide": {"slideLayoutReference": reference, "placeholderIdMappings": mappings}}])
        rename(deck.slides[0])
    return deck


def rename(slide: Page) -> None:
    """Give a first slide the ids that Google gives it."""
    slide.id = "p"
    for number, element in enumerate(slide.elements):
        element.id = f"i{number}"
    if slide.notes is not None:
        slide.notes.id = "p:notes"
        for number, element in enumerate(slide.notes.elements, 2):
            element.id = f"i{number}"
        slide.notes.more["speakerNotesObjectId"] = slide.notes.elements[-1].id


def written(outlines: Sequence[Outline]) -> Deck:
    """A presentation with these slides."""
    deck = new_deck()
    for outline in outlines:
        add(deck, outline)
    return deck


def add(deck: Deck, outline: Outline) -> None:
    """Put a slide at the end."""
    apply(deck, [{"createSlide": {"slideLayoutReference": {"predefinedLayout": outline.layout}}}])
    slide = deck.slides[-1]
    requests = [*texts(slide, outline), *extras(slide, outline)]
    if outline.background:
        requests += coloured(slide, outline)
    if requests:
        apply(deck, requests)


def texts(slide: Page, outline: Outline) -> Iterator[Json]:
    """What fills the placeholders, and the notes."""
    holders = {(one.placeholder["type"], one.placeholder.get("index", 0)): one.id for one in slide.elements}
    kinds = {kind: object_id for (kind, _), object_id in reversed(holders.items())}
    title = kinds.get("CENTERED_TITLE", kinds.get("TITLE"))
    bodies = [object_id for (kind, _), object_id in sorted(holders.items()) if kind == "BODY"]
    columns = [outline.body, outline.right] if len(bodies) > 1 else [outline.body]
    for object_id, lines in ((title, [outline.title]), (kinds.get("SUBTITLE"), [outline.subtitle])):
        if object_id and any(lines):
            yield inserted(object_id, lines[0])
    for object_id, lines in zip(bodies, columns, strict=False):
        if lines:
            yield inserted(object_id, "\n".join(map(tabbed, lines)))
            if outline.bullets:
                yield {"createParagraphBullets": {"objectId": object_id, "textRange": {"type": "ALL"}}}
    if outline.notes and slide.notes is not None:
        yield inserted(slide.notes.more["speakerNotesObjectId"], outline.notes)


def tabbed(line: str) -> str:
    """A line whose leading spaces are tabs, which become levels of a list."""
    text = line.lstrip(" ")
    return "\t" * ((len(line) - len(text)) // 2) + text


def inserted(object_id: str, text: str, **more: object) -> Json:
    """A request that writes."""
    return {"insertText": {"objectId": object_id, "text": text, **more}}


def extras(slide: Page, outline: Outline) -> Iterator[Json]:
    """A table, a box, a picture, and whether the slide is skipped."""
    if outline.table:
        yield from tabled(slide, outline.table)
    if outline.box:
        shape = {"shapeType": "ROUND_RECTANGLE", "elementProperties": place(slide, LEFT, 4300000, WIDE, 560000)}
        yield {"createShape": {**shape, "objectId": f"{slide.id}_box"}}
        yield inserted(f"{slide.id}_box", outline.box)
    if outline.picture:
        properties = place(slide, 5300000, 1152475, 3500000, 2600000)
        yield {"createImage": {"url": outline.picture, "elementProperties": properties}}
    if outline.skipped:
        slide_properties = {"objectId": slide.id, "slideProperties": {"isSkipped": True}, "fields": "isSkipped"}
        yield {"updateSlideProperties": slide_properties}


def tabled(slide: Page, rows: Sequence[Sequence[str]]) -> Iterator[Json]:
    """A table with its cells; the head is bold."""
    name, columns = f"{slide.id}_table", len(rows[0])
    properties = place(slide, LEFT, TABLE_TOP, WIDE, 400000 * len(rows))
    yield {"createTable": {"objectId": name, "rows": len(rows), "columns": columns, "elementProperties": properties}}
    for row, cells in enumerate(rows):
        for column, text in enumerate(cells):
            if not text:
                continue
            where = {"rowIndex": row, "columnIndex": column}
            yield inserted(name, text, cellLocation=where)
            style = {"bold": row == 0, "fontSize": {"magnitude": 14, "unit": "PT"}}
            yield {
                "updateTextStyle": {"objectId": name, "cellLocation": where, "style": style, "fields": "bold,fontSize"}
            }


def place(slide: Page, x: int, y: int, width: int, height: int) -> Json:
    """Google's PageElementProperties, in EMU."""
    size = {"width": {"magnitude": width, "unit": "EMU"}, "height": {"magnitude": height, "unit": "EMU"}}
    transform = {"scaleX": 1, "scaleY": 1, "translateX": x, "translateY": y, "unit": "EMU"}
    return {"pageObjectId": slide.id, "size": size, "transform": transform}


def coloured(slide: Page, outline: Outline) -> Iterator[Json]:
    """A background, and white text on it."""
    fill = {"solidFill": {"color": {"rgbColor": rgb(outline.background)}}}
    yield {
        "updatePageProperties": {
            "objectId": slide.id,
            "pageProperties": {"pageBackgroundFill": fill},
            "fields": "pageBackgroundFill.solidFill.color",
        }
    }
    said = {"TITLE": outline.title, "CENTERED_TITLE": outline.title, "SUBTITLE": outline.subtitle}
    white = {"foregroundColor": {"opaqueColor": {"themeColor": "LIGHT1"}}}
    for element in slide.elements:
        if said.get(element.placeholder["type"]):
            yield {"updateTextStyle": {"objectId": element.id, "style": white, "fields": "foregroundColor"}}
