"""Slides for a model: texts, what can be written into, and where things are."""

import re
from collections.abc import Iterator, Sequence
from typing import Any

from core.mcp_server.results_slides import Holder, PageContent, PageElement, SlideText
from core.mcp_server.shaping.text import cut

Json = dict[str, Any]
POINT = 12700
TITLES = ("TITLE", "CENTERED_TITLE")
KINDS = ("shape", "table", "image", "line", "video", "sheetsChart", "wordArt", "elementGroup", "speakerSpotlight")
LINKED = re.compile(r"/presentation/(?:u/\d+/)?d/([\w-]+)")
REST = "get_page with page_object_id {page} has the rest"


def link(presentation_id: str, page_id: str = "") -> str:
    """Where a person opens a presentation, at one of its slides."""
    return f"https://docs.google.com/presentation/d/{presentation_id}/edit{f'#slide=id.{page_id}' if page_id else ''}"


def id_in(text: Any) -> Any:
    """The id in a presentation's link; anything else stays as it is."""
    found = LINKED.search(text) if isinstance(text, str) else None
    return found[1] if found else text


def slide(item: Json, number: int, limit: int) -> SlideText:
    """A slide in words.

    Args:
        number: its place, from 1.
        limit: characters of its text, and of its notes.
    """
    parts = list(elements(item))
    titles = [text_of(one["shape"]) for one in parts if placeholder(one) in TITLES]
    others = [text for one in parts if placeholder(one) not in TITLES and (text := said(one))]
    rest = REST.format(page=item["objectId"])
    notes = notes_of(item)[0]
    return SlideText(
        number=number,
        page_object_id=item["objectId"],
        title=next((text for text in titles if text), None),
        text=cut("\n".join(others), limit, rest=rest),
        notes=cut(notes, limit, rest=rest) if notes else None,
        skipped=bool(item.get("slideProperties", {}).get("isSkipped")),
        holders=[holder(one) for one in parts if "shape" in one or "table" in one],
    )


def fitting(found: Sequence[SlideText], limit: int) -> list[SlideText]:
    """The first slides, as many as one result may hold, one at least.

    Args:
        limit: characters.
    """
    size = 0
    for number, one in enumerate(found):
        size += len(one.text) + len(one.notes or "") + len(one.title or "")
        if number and size > limit:
            return list(found[:number])
    return list(found)


def elements(page: Json) -> Iterator[Json]:
    """What is on a page; groups are opened."""
    for one in page.get("pageElements", []):
        yield one
        yield from elements({"pageElements": one.get("elementGroup", {}).get("children", [])})


def holder(element: Json) -> Holder:
    """Something that takes text."""
    if "table" in element:
        return Holder(object_id=element["objectId"], kind="TABLE")
    known = element["shape"]
    return Holder(object_id=element["objectId"], kind=placeholder(element) or known.get("shapeType", "SHAPE"))


def placeholder(element: Json) -> str | None:
    """The type of a placeholder, None for what is none."""
    found: str | None = element.get("shape", {}).get("placeholder", {}).get("type")
    return found


def said(element: Json) -> str:
    """The text of an element: of a shape, or of a table with bars between cells."""
    if "table" in element:
        return "\n".join(f"| {' | '.join(one_line(cell) for cell in row)} |" for row in cells(element["table"]))
    if "shape" in element:
        return text_of(element["shape"])
    return str(element.get("wordArt", {}).get("renderedText", ""))


def one_line(text: str) -> str:
    """A cell's text in one line."""
    return text.replace("\n", " / ").replace("|", "\\|")


def cells(table: Json) -> list[list[str]]:
    """The texts of a table, row by row."""
    return [[text_of(cell) for cell in row.get("tableCells", [])] for row in table.get("tableRows", [])]


def text_of(thing: Json) -> str:
    """The text of a shape or cell: bullets as their glyphs, two spaces a level; line breaks kept."""
    written = ""
    for part in thing.get("text", {}).get("textElements", []):
        bullet = part.get("paragraphMarker", {}).get("bullet")
        if bullet is not None:
            written += "  " * bullet.get("nestingLevel", 0) + f"{bullet.get('glyph', '-')} "
        written += part.get("textRun", {}).get("content", "") or part.get("autoText", {}).get("content", "")
    return written.replace("\v", "\n").rstrip("\n")


def text_length(shape: Json) -> int:
    """UTF-16 units of a text."""
    return max((part.get("endIndex", 0) for part in shape.get("text", {}).get("textElements", [])), default=0)


def notes_of(page: Json) -> tuple[str, str | None]:
    """A slide's speaker notes, and the id of what they are in."""
    notes = page.get("slideProperties", {}).get("notesPage", {})
    speaker = notes.get("notesProperties", {}).get("speakerNotesObjectId")
    found = [one for one in elements(notes) if one["objectId"] == speaker]
    return (text_of(found[0].get("shape", {})) if found else "", speaker)


def page(presentation_id: str, item: Json, layout: str | None, limit: int) -> PageContent:
    """A page with what is on it.

    Args:
        limit: characters of all texts together; those behind it are left out, which is said.
    """
    shown, left, longest = [], limit, 0
    for one in elements(item):
        made = element(one, max(0, left))
        shown.append(made)
        size = len(said(one))
        left, longest = left - size, longest + size
    notes, notes_id = notes_of(item)
    return PageContent(
        presentation_id=presentation_id,
        page_object_id=item["objectId"],
        page_type=item.get("pageType", "SLIDE"),
        layout=layout,
        background=fill(item.get("pageProperties", {}).get("pageBackgroundFill", {})),
        notes=cut(notes, limit) if notes else None,
        notes_object_id=notes_id,
        elements=shown,
        cut=f"Of {longest:,} characters of text {limit:,} are shown." if left < 0 else None,
        link=link(presentation_id, item["objectId"]),
    )


def element(item: Json, limit: int) -> PageElement:
    """An element with its place."""
    kind = next((name for name in KINDS if name in item), "element")
    body = item.get(kind, {})
    left, top, width, height = box(item)
    long = len(said(item)) > limit
    return PageElement(
        object_id=item["objectId"],
        kind=kind,
        shape_type=body.get("shapeType"),
        placeholder=placeholder(item),
        text=cut(text_of(body), limit) if kind == "shape" else None,
        text_length=text_length(body) if kind == "shape" else None,
        rows=cells(body) if kind == "table" and not long else None,
        source=body.get("sourceUrl") or body.get("contentUrl") or body.get("url"),
        description=item.get("description") or item.get("title"),
        left=left,
        top=top,
        width=width,
        height=height,
    )


def box(item: Json) -> tuple[float, float, float, float]:
    """Left, top, width, height in points; shear is left out."""
    transform, size = item.get("transform", {}), item.get("size", {})
    factor = 1 if transform.get("unit") == "PT" else POINT
    left, top = (round(transform.get(name, 0) / factor, 1) for name in ("translateX", "translateY"))
    wide = points(size.get("width", {})) * abs(transform.get("scaleX", 1))
    high = points(size.get("height", {})) * abs(transform.get("scaleY", 1))
    return left, top, round(wide, 1), round(high, 1)


def points(dimension: Json) -> float:
    """A length in points."""
    magnitude = float(dimension.get("magnitude", 0))
    return magnitude if dimension.get("unit") == "PT" else round(magnitude / POINT, 1)


def fill(value: Json) -> str | None:
    """A fill's colour, None where it is inherited."""
    color = value.get("solidFill", {}).get("color")
    if color is None:
        return None
    if "themeColor" in color:
        return str(color["themeColor"])
    parts = color.get("rgbColor", {})
    return "#" + "".join(f"{round(255 * parts.get(name, 0)):02X}" for name in ("red", "green", "blue"))


def layout_of(item: Json, layouts: Sequence[Json]) -> str | None:
    """The name of a slide's layout."""
    wanted = item.get("slideProperties", {}).get("layoutObjectId")
    found = [one.get("layoutProperties", {}).get("name") for one in layouts if one["objectId"] == wanted]
    return next(iter(found), None)
