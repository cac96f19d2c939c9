"""Slides of a presentation: the one that is meant, and the requests that make new ones."""

import re
from collections.abc import Mapping
from typing import Any

Json = dict[str, Any]
MOST = 20
"""Slides that are made at once."""
APART = re.compile(r"\s*(?:[;\n]|,(?! and\b)|,? and(?= \w))\s*")


def pages_of(result: Mapping[str, Any], slots: Mapping[str, Any]) -> Json:
    """The slide that is meant in a presentation that was read, and what fills one that was just made."""
    pages = result.get("slides")
    if not isinstance(pages, list):
        return {}
    number = slots.get("slide")
    place = (number - 1 if number > 0 else number) if isinstance(number, int) else None
    inside = place is not None and -len(pages) <= place < len(pages)
    page = pages[place] if inside and place is not None else None
    return {"page": page, "pages": filled(pages, slots) if "changed" in result else slots.get("pages")}


def filled(pages: list[Json], slots: Mapping[str, Any]) -> list[Json]:
    """Requests that write the title on the first slide, and add the others with their titles."""
    titles = [line for line in APART.split(str(slots.get("lines") or "")) if line]
    count = min(int(slots.get("n") or len(titles) + 1), MOST)
    titles = (titles + [""] * count)[: max(count - 1, 0)]
    holder = next((one for one in pages[0].get("holders", []) if "TITLE" in one["kind"]), None) if pages else None
    first = [written(holder["object_id"], str(slots.get("title") or ""))] if holder else []
    return [*first, *(request for number, title in enumerate(titles, 2) for request in slide(f"page{number}", title))]


def added(title: str, body: str) -> list[Json]:
    """Requests that add one slide at the end."""
    words = re.sub(r"\W+", "_", title.casefold(), flags=re.ASCII)[:30].strip("_") or "slide"
    return slide(f"new_{words}", title, body) if title else []


def slide(name: str, title: str, body: str = "") -> list[Json]:
    """Requests that make a slide with a title and a body."""
    ids = {"TITLE": f"{name}_title", "BODY": f"{name}_body"}
    holders = [{"layoutPlaceholder": {"type": kind}, "objectId": made} for kind, made in ids.items()]
    layout = {"predefinedLayout": "TITLE_AND_BODY"}
    made = {"createSlide": {"objectId": name, "slideLayoutReference": layout, "placeholderIdMappings": holders}}
    return [made, *(written(ids[kind], text) for kind, text in (("TITLE", title), ("BODY", body)) if text)]


def written(holder: str, text: str) -> Json:
    """A request that writes into a holder."""
    return {"insertText": {"objectId": holder, "text": text}}
