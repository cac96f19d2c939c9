"""Pictures of pages: background, shapes, tables, pictures' frames, lines and text, as PNG."""

from io import BytesIO
from typing import Any

from core.sandbox.docs.units import Json
from core.sandbox.slides import lettering
from core.sandbox.slides.geometry import PAGE_HEIGHT, PAGE_WIDTH, Box, box, emu
from core.sandbox.slides.looks import alignment, background, filled, inherited
from core.sandbox.slides.model import Deck, Element, Page
from core.sandbox.slides.text import Text

SIZES = {"SMALL": 200, "MEDIUM": 800, "THUMBNAIL_SIZE_UNSPECIFIED": 800, "LARGE": 1600, "WIDTH2000_PX": 2000}
"""Widths in pixels."""

PADDING = 91440
"""Between a shape's edge and its text, in EMU."""

ROUND = frozenset({"ELLIPSE", "FLOW_CHART_CONNECTOR"})
GREY, DARK = (224, 224, 224), (117, 117, 117)


def height_of(width: int) -> int:
    """The height that goes with a width, in pixels."""
    return round(width * PAGE_HEIGHT / PAGE_WIDTH)


def drawn(deck: Deck, page: Page, width: int) -> bytes:
    """A page as PNG.

    Args:
        width: pixels.
    """
    from PIL import Image, ImageDraw

    picture = Image.new("RGB", (width, height_of(width)), background(deck, page))
    painter = Painter(ImageDraw.Draw(picture), deck, width / PAGE_WIDTH)
    for element in page.elements:
        painter.element(element)
    out = BytesIO()
    picture.save(out, "PNG")
    return out.getvalue()


class Painter:
    """Draws elements.

    Args:
        canvas: Pillow's.
        scale: pixels an EMU.
    """

    def __init__(self, canvas: Any, deck: Deck, scale: float) -> None:
        self._canvas, self._deck, self._scale = canvas, deck, scale

    def element(self, one: Element) -> None:
        """Draw an element by its kind."""
        match one.kind:
            case "shape":
                self._shape(one)
            case "table":
                self._table(one)
            case "image":
                self._image(one)
            case "line":
                properties = one.body["lineProperties"]
                self._canvas.line(self._corners(box(one.frame)), *self._stroke(properties, "lineFill"))

    def _shape(self, one: Element) -> None:
        place, properties = box(one.frame), one.body["shapeProperties"]
        fill = filled(properties.get("shapeBackgroundFill", {}))
        outline, weight = self._stroke(properties.get("outline", {}), "outlineFill")
        draw = self._canvas.ellipse if one.body["shapeType"] in ROUND else self._canvas.rectangle
        if fill or outline:
            draw(self._corners(place), fill=fill, outline=outline, width=weight)
        text_style, paragraph_style = inherited(self._deck, one)
        middle = one.body["shapeType"] != "TEXT_BOX"
        paragraph_style = {**({"alignment": "CENTER"} if middle else {}), **paragraph_style}
        self._text(one.text, place, alignment(self._deck, one), text_style, paragraph_style)

    def _table(self, one: Element) -> None:
        whole = box(one.frame)
        top = whole.y
        for row, cells in zip(one.body["tableRows"], one.cells, strict=True):
            left, high = whole.x, emu(row["rowHeight"])
            for column, cell in zip(one.body["tableColumns"], cells, strict=True):
                place = Box(left, top, emu(column["columnWidth"]), high)
                fill = filled(cell.properties.get("tableCellBackgroundFill", {}))
                self._canvas.rectangle(self._corners(place), fill=fill, outline=DARK)
                self._text(cell.text, place, cell.properties.get("contentAlignment", "TOP"), {}, {})
                left += place.width
            top += high

    def _image(self, one: Element) -> None:
        place = box(one.frame)
        left, top, right, bottom = corners = self._corners(place)
        self._canvas.rectangle(corners, fill=GREY, outline=DARK)
        self._canvas.line((left, top, right, bottom), fill=DARK)
        self._canvas.line((left, bottom, right, top), fill=DARK)

    def _text(self, text: Text, place: Box, align: str, text_style: Json, paragraph_style: Json) -> None:
        room = (place.width - 2 * PADDING) * self._scale
        found = lettering.lines(text, room, self._scale, text_style, paragraph_style)
        spare = (place.height - 2 * PADDING) * self._scale - sum(line.height for line in found)
        shift = {"MIDDLE": max(0, spare / 2), "BOTTOM": max(0, spare)}.get(align, 0)
        left, top = ((at + PADDING) * self._scale for at in (place.x, place.y))
        lettering.draw(self._canvas, found, left, top + shift, room)

    def _stroke(self, properties: Json, name: str) -> tuple[Any, int]:
        """Colour (None: no line) and width in pixels."""
        color = filled(properties.get(name, {}))
        if properties.get("propertyState") == "NOT_RENDERED":
            color = None
        return color, max(1, round(emu(properties.get("weight", {})) * self._scale))

    def _corners(self, place: Box) -> tuple[float, float, float, float]:
        """Left, top, right, bottom in pixels; mirrored elements too."""
        across = sorted((place.x * self._scale, (place.x + place.width) * self._scale))
        down = sorted((place.y * self._scale, (place.y + place.height) * self._scale))
        return (across[0], down[0], across[1], down[1])
