"""How things on a slide look: what they say themselves, and what they take from layout and master."""

from collections.abc import Iterator, Mapping
from typing import Any

from core.sandbox.docs.units import Json
from core.sandbox.slides.model import Deck, Element, Page
from core.sandbox.slides.theme import theme

Color = tuple[int, int, int]
ROLES = {"TEXT1": "DARK1", "TEXT2": "DARK2", "BACKGROUND1": "LIGHT1", "BACKGROUND2": "LIGHT2"}
WHITE: Color = (255, 255, 255)


def color(value: Json) -> Color:
    """Google's OpaqueColor as red, green, blue."""
    if "themeColor" in value:
        name = str(value["themeColor"])
        code = theme().colors.get(ROLES.get(name, name), "#000000")
        return (int(code[1:3], 16), int(code[3:5], 16), int(code[5:7], 16))
    parts = value.get("rgbColor", {})
    red, green, blue = (round(255 * min(1, max(0, parts.get(name, 0)))) for name in ("red", "green", "blue"))
    return (red, green, blue)


def filled(fill: Json) -> Color | None:
    """The colour of a fill, None where nothing is filled."""
    if fill.get("propertyState") == "NOT_RENDERED" or "solidFill" not in fill:
        return None
    return color(fill["solidFill"].get("color", {}))


def background(deck: Deck, page: Page) -> Color:
    """The colour behind a page: its own, its layout's or its master's."""
    parents = (page.id, page.more.get("layoutObjectId", ""), page.more.get("masterObjectId", ""))
    for one in (deck.page(page_id) for page_id in parents if page_id):
        found = filled(one.properties.get("pageBackgroundFill", {})) if one else None
        if found:
            return found
    return WHITE


def line_before(deck: Deck, element: Element) -> Iterator[Element]:
    """An element, its placeholder on the layout, and that one's on the master."""
    here: Element | None = element
    while here is not None:
        yield here
        found = deck.element(here.placeholder.get("parentObjectId", ""))
        here = found[1] if found else None


def inherited(deck: Deck, element: Element) -> tuple[Json, Json]:
    """The text style and the paragraph style that an element's text begins from."""
    text: Json = {}
    paragraph: Json = {}
    for one in reversed(list(line_before(deck, element))[1:]):
        if one.text.units:
            text |= one.text.units[-1].style
            paragraph |= one.text.units[-1].data["style"]
    return text, paragraph


def alignment(deck: Deck, element: Element) -> str:
    """Where an element's text stands: TOP, MIDDLE or BOTTOM."""
    for one in line_before(deck, element):
        found = one.body.get("shapeProperties", {}).get("contentAlignment")
        if found:
            return str(found)
    return "TOP" if element.body.get("shapeType") == "TEXT_BOX" else "MIDDLE"


def points_of(style: Mapping[str, Any]) -> float:
    """The size of text, in points."""
    return float(style.get("fontSize", {}).get("magnitude", 14))


def ink(style: Mapping[str, Any]) -> Color:
    """The colour of text."""
    return color(style.get("foregroundColor", {}).get("opaqueColor", {"themeColor": "DARK1"}))
