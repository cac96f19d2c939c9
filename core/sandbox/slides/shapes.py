"""Requests about shapes, pictures and lines: made, placed, filled, described, put in front."""

from urllib.parse import urlsplit

from core.sandbox.docs.edits import refuse
from core.sandbox.docs.text import matcher
from core.sandbox.docs.units import Json
from core.sandbox.slides.geometry import composed, transform_of
from core.sandbox.slides.masks import patched
from core.sandbox.slides.model import Deck, Element
from core.sandbox.slides.targets import element_of, new_id, place_for, placed
from core.sandbox.slides.writing import elements_on

FILLED: Json = {
    "shapeBackgroundFill": {"solidFill": {"color": {"themeColor": "LIGHT2"}, "alpha": 1}},
    "outline": {
        "outlineFill": {"solidFill": {"color": {"themeColor": "DARK2"}, "alpha": 1}},
        "weight": {"magnitude": 9525, "unit": "EMU"},
        "dashStyle": "SOLID",
        "propertyState": "RENDERED",
    },
}
"""How a new shape looks that is no text box."""

NO_IMAGE = (
    "There was a problem retrieving the image. The provided image should be publicly accessible, within size limit, "
    "and in supported formats."
)
LONGEST_URL = 2048


def create_shape(deck: Deck, asked: Json) -> Json:
    """createShape."""
    kind = asked.get("shapeType", "TYPE_UNSPECIFIED")
    if kind in ("TYPE_UNSPECIFIED", "CUSTOM"):
        refuse("The shape type is required.")
    page, frame = place_for(deck, asked)
    body: Json = {"shapeType": kind, "shapeProperties": {} if kind == "TEXT_BOX" else dict(FILLED)}
    page.elements.append(Element(new_id(deck, asked.get("objectId", "")), "shape", frame, body))
    return {"createShape": {"objectId": page.elements[-1].id}}


def create_image(deck: Deck, asked: Json) -> Json:
    """createImage; the sandbox keeps the address and fetches nothing."""
    page, frame = place_for(deck, asked)
    element = Element(new_id(deck, asked.get("objectId", "")), "image", frame, image(asked.get("url", "")))
    page.elements.append(element)
    return {"createImage": {"objectId": element.id}}


def image(url: str) -> Json:
    """Google's Image of an address."""
    parts = urlsplit(url)
    if parts.scheme not in ("http", "https") or not parts.hostname or len(url) > LONGEST_URL:
        refuse(NO_IMAGE)
    return {"contentUrl": url, "sourceUrl": url, "imageProperties": {}}


def replace_image(deck: Deck, asked: Json) -> Json:
    """replaceImage."""
    element_of(deck, asked.get("imageObjectId", ""), "image").body = image(asked.get("url", ""))
    return {}


def replace_shapes(deck: Deck, asked: Json) -> Json:
    """replaceAllShapesWithImage: each shape whose text has something in it."""
    criteria = asked.get("containsText", {})
    if not criteria.get("text"):
        refuse("The match text should not be empty.")
    pattern, body = matcher(criteria), image(asked.get("imageUrl", ""))
    found = [one for one in elements_on(deck, asked.get("pageObjectIds", [])) if one.kind == "shape"]
    hit = [one for one in found if pattern.search(one.text.plain)]
    for element in hit:
        page, _ = placed(deck, element.id)
        page.elements[page.elements.index(element)] = Element(deck.new_id(), "image", element.frame, dict(body))
    return {"replaceAllShapesWithImage": {"occurrencesChanged": len(hit)} if hit else {}}


def create_line(deck: Deck, asked: Json) -> Json:
    """createLine."""
    category = asked.get("category") or asked.get("lineCategory") or "STRAIGHT"
    if category == "LINE_CATEGORY_UNSPECIFIED":
        refuse("The line category is required.")
    page, frame = place_for(deck, asked)
    properties = {"lineFill": FILLED["outline"]["outlineFill"], "weight": FILLED["outline"]["weight"]}
    body = {"lineProperties": {**properties, "dashStyle": "SOLID"}, "lineType": line_type(category)}
    element = Element(new_id(deck, asked.get("objectId", "")), "line", frame, {**body, "lineCategory": category})
    page.elements.append(element)
    return {"createLine": {"objectId": element.id}}


def line_type(category: str) -> str:
    """The type of a new line of a category."""
    return {"STRAIGHT": "STRAIGHT_LINE", "BENT": "BENT_CONNECTOR_3", "CURVED": "CURVED_CONNECTOR_3"}[category]


def transform(deck: Deck, asked: Json) -> Json:
    """updatePageElementTransform."""
    element = element_of(deck, asked.get("objectId", ""))
    mode, new = asked.get("applyMode"), transform_of(asked.get("transform", {}))
    if mode not in ("ABSOLUTE", "RELATIVE"):
        refuse("The apply mode is required.")
    old = element.frame["transform"]
    element.frame = {**element.frame, "transform": new if mode == "ABSOLUTE" else composed(new, old)}
    return {}


def update_shape(deck: Deck, asked: Json) -> Json:
    """updateShapeProperties."""
    return update(deck, asked, "shape", "shapeProperties", "ShapeProperties")


def update_image(deck: Deck, asked: Json) -> Json:
    """updateImageProperties."""
    return update(deck, asked, "image", "imageProperties", "ImageProperties")


def update_line(deck: Deck, asked: Json) -> Json:
    """updateLineProperties."""
    return update(deck, asked, "line", "lineProperties", "LineProperties")


def update(deck: Deck, asked: Json, kind: str, name: str, message: str) -> Json:
    """Change the properties of an element of one kind."""
    element = element_of(deck, asked.get("objectId", ""), kind)
    changed = patched(element.body[name], asked.get(name, {}), asked.get("fields", ""), message)
    element.body = {**element.body, name: changed}
    return {}


def describe(deck: Deck, asked: Json) -> Json:
    """updatePageElementAltText: what is not given stays."""
    element = element_of(deck, asked.get("objectId", ""))
    given: Json = {name: asked[name] for name in ("title", "description") if name in asked}
    element.frame = {name: value for name, value in {**element.frame, **given}.items() if value != ""}
    return {}


def reorder(deck: Deck, asked: Json) -> Json:
    """updatePageElementsZOrder."""
    found = [placed(deck, one) for one in asked.get("pageElementObjectIds", [])]
    if not found or any(page is not found[0][0] for page, _ in found):
        refuse("All the page elements should be on the same page.")
    page, moving = found[0][0], [element for _, element in found]
    chosen = [one for one in page.elements if one in moving]
    rest = [one for one in page.elements if one not in moving]
    first = page.elements.index(chosen[0])
    match asked.get("operation"):
        case "BRING_TO_FRONT":
            at = len(rest)
        case "SEND_TO_BACK":
            at = 0
        case "BRING_FORWARD":
            at = min(first + 1, len(rest))
        case "SEND_BACKWARD":
            at = max(first - 1, 0)
        case _:
            refuse("The operation is required.")
    page.elements = [*rest[:at], *chosen, *rest[at:]]
    return {}
