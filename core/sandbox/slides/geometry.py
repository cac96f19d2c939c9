"""Lengths, sizes and transforms of page elements, in English Metric Units (12,700 a point)."""

from dataclasses import dataclass
from typing import Any

from core.sandbox.docs.edits import refuse
from core.sandbox.docs.units import Json

POINT = 12700
PAGE_WIDTH, PAGE_HEIGHT = 9144000, 5143500
USUAL = 3000000
"""Width and height of an element that is made without a size."""

PARTS = ("scaleX", "scaleY", "shearX", "shearY", "translateX", "translateY")


@dataclass(frozen=True)
class Box:
    """Where an element is on its page, in EMU; rotation and shear are left out."""

    x: float
    y: float
    width: float
    height: float


def emu(dimension: Json) -> float:
    """A length in EMU."""
    magnitude = float(dimension.get("magnitude", 0))
    return magnitude * POINT if dimension.get("unit") == "PT" else magnitude


def length(value: float) -> Json:
    """A length as Google writes it."""
    return {"magnitude": tidy(value), "unit": "EMU"} if value else {"unit": "EMU"}


def tidy(value: float) -> float | int:
    """A number without a fraction that says nothing."""
    rounded = round(value, 4)
    return int(rounded) if rounded == int(rounded) else rounded


def size_of(asked: Json) -> Json:
    """The size of a new element.

    Raises:
        Refused: it has no extent.
    """
    size = asked.get("size", {})
    width, height = (emu(size[name]) if name in size else USUAL for name in ("width", "height"))
    if width < 0 or height < 0 or width + height == 0:
        refuse("The width and height of the page element must be greater than 0.")
    return {"width": length(width), "height": length(height)}


def transform_of(asked: Json | None) -> Json:
    """A transform in EMU.

    Raises:
        Refused: nothing would be seen of what it is applied to.
    """
    if asked is None:
        return {"scaleX": 1, "scaleY": 1, "unit": "EMU"}
    factor = POINT if asked.get("unit") == "PT" else 1
    moved = {name: asked.get(name, 0) * factor for name in ("translateX", "translateY")}
    found = {**{name: asked.get(name, 0) for name in PARTS}, **moved}
    if found["scaleX"] * found["scaleY"] == found["shearX"] * found["shearY"]:
        refuse("The transform matrix is not invertible.")
    return written(found)


def written(parts: dict[str, Any]) -> Json:
    """A transform as Google writes it: nothing that is 0."""
    return {**{name: tidy(parts[name]) for name in PARTS if parts[name]}, "unit": "EMU"}


def composed(outer: Json, inner: Json) -> Json:
    """The transform that applies one after another (the inner first)."""
    a, b = ({name: transform.get(name, 0) for name in PARTS} for transform in (outer, inner))
    return written(
        {
            "scaleX": a["scaleX"] * b["scaleX"] + a["shearX"] * b["shearY"],
            "shearX": a["scaleX"] * b["shearX"] + a["shearX"] * b["scaleY"],
            "translateX": a["scaleX"] * b["translateX"] + a["shearX"] * b["translateY"] + a["translateX"],
            "shearY": a["shearY"] * b["scaleX"] + a["scaleY"] * b["shearY"],
            "scaleY": a["shearY"] * b["shearX"] + a["scaleY"] * b["scaleY"],
            "translateY": a["shearY"] * b["translateX"] + a["scaleY"] * b["translateY"] + a["translateY"],
        }
    )


def frame(x: float, y: float, width: float, height: float) -> Json:
    """Size and transform of an element, in EMU."""
    moved = {"translateX": x, "translateY": y}
    size = {"width": length(width), "height": length(height)}
    transform = written({**dict.fromkeys(PARTS, 0), "scaleX": 1, "scaleY": 1, **moved})
    return {"size": size, "transform": transform}


def box(placed: Json) -> Box:
    """Where an element is.

    Args:
        placed: its `size` and `transform`.
    """
    size, transform = placed["size"], placed["transform"]
    return Box(
        transform.get("translateX", 0),
        transform.get("translateY", 0),
        emu(size["width"]) * transform.get("scaleX", 0),
        emu(size["height"]) * transform.get("scaleY", 0),
    )
