"""Whether a batch for a presentation can work, before it is sent: Google refuses all of it for one fault."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from core.mcp_server.desk import BadArgument
from core.mcp_server.shaping import request_schema
from core.mcp_server.shaping.slides import elements, holder

Json = dict[str, Any]
TEXT = frozenset(
    {
        "insertText",
        "deleteText",
        "updateTextStyle",
        "updateParagraphStyle",
        "createParagraphBullets",
        "deleteParagraphBullets",
    }
)
"""Requests that are about the text of one element."""

PLACED = {
    "createShape": "shape",
    "createImage": "image",
    "createTable": "table",
    "createLine": "line",
    "createVideo": "video",
    "createSheetsChart": "chart",
}
"""Requests that put something on a page."""

BOX = (
    "create a TEXT_BOX on it with createShape first and write into that, or give the placeholders of a new slide ids "
    "of their own by placeholderIdMappings in createSlide"
)


@dataclass
class Known:
    """What a presentation holds while a batch is read: pages with what takes text on them, elements by their kinds."""

    pages: dict[str, list[str]] = field(default_factory=dict)
    kinds: dict[str, str] = field(default_factory=dict)

    @classmethod
    def of(cls, presentation: Json) -> "Known":
        """What there is before the batch."""
        known = cls()
        for name in ("slides", "layouts", "masters"):
            for page in presentation.get(name, []):
                known.add_page(page, takes_text=name == "slides")
        notes = presentation.get("notesMaster", {})
        if notes:
            known.add_page(notes, takes_text=False)
        return known

    def forget(self, object_id: str) -> None:
        """Note that something is gone; its id may be used again."""
        self.pages.pop(object_id, None)
        self.kinds.pop(object_id, None)

    def add_page(self, page: Json, takes_text: bool) -> None:
        """Note a page, its elements and its notes."""
        found = list(elements(page))
        holders = [holder(one) for one in found if "shape" in one or "table" in one] if takes_text else []
        self.pages[page["objectId"]] = [f"{one.object_id} ({one.kind})" for one in holders]
        for one in found:
            kind = next((name for name in ("shape", "table", "image", "line") if name in one), "element")
            self.kinds[one["objectId"]] = kind
        notes = page.get("slideProperties", {}).get("notesPage")
        if notes:
            self.add_page(notes, takes_text=False)


def checked(requests: Sequence[Json]) -> None:
    """Refuse what is no request of the Slides API.

    Raises:
        BadArgument: names the request and says what would be right.
    """
    if not requests:
        raise BadArgument("requests", "give at least one request, such as {'createSlide': {}}.")
    messages = request_schema.messages("slides", "v1")
    kinds = list(messages["Request"]["properties"])
    for number, request in enumerate(requests):
        if not request:
            raise BadArgument("requests", f"requests[{number}] is empty; it needs one kind, such as createSlide.")
        if len(request) > 1:
            several = ", ".join(request)
            raise BadArgument("requests", f"requests[{number}] holds {several}; each needs an entry of its own.")
        kind = next(iter(request))
        if kind not in kinds:
            near = request_schema.hint(kind, kinds)
            raise BadArgument("requests", f"requests[{number}]: there is no kind {kind!r}; {near}.")
        request_schema.check(request, "Request", f"requests[{number}]", messages)


def aimed(requests: Sequence[Json], known: Known) -> None:
    """Refuse what is aimed at something that is not there, or that cannot take it.

    Raises:
        BadArgument: names the request and what it could be aimed at.
    """
    for number, request in enumerate(requests):
        ((kind, asked),) = request.items()
        place = f"requests[{number}].{kind}"
        if kind in TEXT:
            check_text(place, asked, known)
        elif kind in PLACED:
            check_place(place, asked.get("elementProperties", {}), known)
        elif kind == "deleteObject":
            known.forget(asked.get("objectId", ""))
        for made, what in created(kind, asked, known):
            if made in known.pages or made in known.kinds:
                raise BadArgument("requests", f"{place}: the id {made!r} is taken already; choose another one.")
            if what == "page":
                known.pages[made] = []
            else:
                known.kinds[made] = what


def check_text(place: str, asked: Json, known: Known) -> None:
    """Text goes into a shape, or into a table's cell."""
    target = asked.get("objectId", "")
    if target in known.pages:
        holders = known.pages[target]
        where = f"aim at one of its elements: {', '.join(holders)}; or {BOX}" if holders else BOX
        raise BadArgument("requests", f"{place}: {target!r} is a page, and a page holds no text; {where}.")
    kind = known.kinds.get(target)
    if kind is None:
        raise BadArgument("requests", f"{place}: there is no object {target!r}; get_page lists what is on a page.")
    if kind == "table" and "cellLocation" not in asked:
        raise BadArgument("requests", f"{place}: {target!r} is a table; say which cell, as cellLocation.")
    if kind in ("image", "line", "video", "chart"):
        raise BadArgument("requests", f"{place}: {target!r} is of kind {kind}, which holds no text.")


def check_place(place: str, properties: Json, known: Known) -> None:
    """A new element needs a page that there is, and a transform that shows it."""
    page = properties.get("pageObjectId")
    if page not in known.pages:
        slides = ", ".join(list(known.pages)[:20])
        said = f"there is no page {page!r}" if page else "elementProperties.pageObjectId is missing"
        raise BadArgument("requests", f"{place}: {said}; pages are: {slides}.")
    transform = properties.get("transform")
    if transform is not None and not (transform.get("scaleX") and transform.get("scaleY")):
        sheared = transform.get("shearX") and transform.get("shearY")
        if not sheared:
            raise BadArgument("requests", f"{place}: transform needs scaleX and scaleY; 1 is the natural size.")


def created(kind: str, asked: Json, known: Known) -> Iterator[tuple[str, str]]:
    """The ids that a request gives to what it makes, with their kinds."""
    if kind == "createSlide":
        yield from ((one["objectId"], "shape") for one in asked.get("placeholderIdMappings", []) if "objectId" in one)
    if kind == "createSlide" and asked.get("objectId"):
        yield asked["objectId"], "page"
    elif kind in PLACED and asked.get("objectId"):
        yield asked["objectId"], PLACED[kind]
    elif kind == "duplicateObject":
        for old, new in asked.get("objectIds", {}).items():
            yield new, "page" if old in known.pages else known.kinds.get(old, "element")
    elif kind == "groupObjects" and asked.get("groupObjectId"):
        yield asked["groupObjectId"], "element"
