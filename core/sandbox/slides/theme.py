"""The theme of new presentations: its master, layouts and notes master, and what pages take from them."""

from functools import cache
from typing import Any

from pydantic import BaseModel, ConfigDict

from core.datafile import read_data
from core.sandbox.docs.model import points
from core.sandbox.docs.units import Json, newline
from core.sandbox.slides.geometry import frame
from core.sandbox.slides.model import Deck, Element, Page, PageType
from core.sandbox.slides.text import Text
from core.settings import ROOT

FILE = ROOT / "data" / "sandbox" / "slides" / "theme.yaml"
NOTES_MASTER = "n"


class Holder(BaseModel):
    """A placeholder of the theme."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    type: str
    index: int = 0
    at: tuple[int, int, int, int]
    size: int = 0
    align: str = ""
    center: bool = False
    color: str = "DARK1"


class Layout(BaseModel):
    """A layout of the theme."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    name: str
    display: str
    placeholders: list[Holder]


class Theme(BaseModel):
    """The whole theme."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    master: str
    name: str
    colors: dict[str, str]
    placeholders: list[Holder]
    layouts: list[Layout]
    number: Holder
    notes: list[Holder]


@cache
def theme() -> Theme:
    """The theme, read once."""
    return Theme.model_validate(read_data(FILE))


def new_deck() -> Deck:
    """A presentation without slides."""
    known = theme()
    master = Page(known.master, PageType.MASTER, holders(known.master, [*known.placeholders, known.number], ""))
    master.more = {"displayName": known.name}
    master.properties = {
        "pageBackgroundFill": {"solidFill": {"color": {"themeColor": "LIGHT1"}, "alpha": 1}},
        "colorScheme": {"colors": [{"type": name, "color": rgb(code)} for name, code in known.colors.items()]},
    }
    layouts = [layout(f"p{number}", one) for number, one in enumerate(known.layouts, 2)]
    notes = Page(NOTES_MASTER, PageType.NOTES_MASTER, holders(NOTES_MASTER, known.notes, ""), blank())
    return Deck([], [master, *layouts, notes])


def layout(page_id: str, plan: Layout) -> Page:
    """A layout of a new presentation."""
    known = theme()
    page = Page(page_id, PageType.LAYOUT, properties=blank())
    page.elements = holders(page_id, [*plan.placeholders, known.number], known.master)
    page.more = {"masterObjectId": known.master, "name": plan.name, "displayName": plan.display}
    return page


def blank() -> Json:
    """The properties of a page that shows what lies below it."""
    return {"pageBackgroundFill": {"propertyState": "INHERIT"}}


def holders(page_id: str, plans: list[Holder], parent: str) -> list[Element]:
    """The placeholders of a page of the theme."""
    return [holder(f"{page_id}_i{number}", plan, parent) for number, plan in enumerate(plans)]


def holder(element_id: str, plan: Holder, parent: str) -> Element:
    """A placeholder that says how text in it looks."""
    known: Json = {"type": plan.type, **({"index": plan.index} if plan.index else {})}
    if parent:
        known["parentObjectId"] = parent_of(plan)
    shape: Json = {"shapeType": "TEXT_BOX", "shapeProperties": {}, "placeholder": known}
    if plan.align:
        shape["shapeProperties"] = {"contentAlignment": plan.align}
    return Element(element_id, "shape", frame(*plan.at), shape, look(plan) if plan.size else Text())


def look(plan: Holder) -> Text:
    """An empty paragraph in the look of a placeholder."""
    style = {"fontSize": points(plan.size), "foregroundColor": {"opaqueColor": {"themeColor": plan.color}}}
    alignment = "CENTER" if plan.center else "START"
    paragraph = {"direction": "LEFT_TO_RIGHT", "alignment": alignment, "lineSpacing": 115}
    return Text([newline({"style": paragraph}, style)])


def parent_of(plan: Holder) -> str:
    """The master's placeholder that one of a layout follows."""
    known = theme()
    kinds = [one.type for one in (*known.placeholders, known.number)]
    wanted = plan.type if plan.type in kinds else {"CENTERED_TITLE": "TITLE"}.get(plan.type, "BODY")
    return f"{known.master}_i{kinds.index(wanted)}"


def rgb(code: str) -> Json:
    """A colour such as `#4285F4` as Google writes it: parts that are 0 are left out."""
    parts = {name: int(code[at : at + 2], 16) / 255 for name, at in (("red", 1), ("green", 3), ("blue", 5))}
    return {name: round(value, 8) for name, value in parts.items() if value}


def layout_named(deck: Deck, reference: dict[str, Any]) -> Page | None:
    """The layout that a reference means; BLANK where it says none."""
    layouts = deck.of_type(PageType.LAYOUT)
    if "layoutId" in reference:
        return next((page for page in layouts if page.id == reference["layoutId"]), None)
    name = reference.get("predefinedLayout", "BLANK")
    return next((page for page in layouts if page.more["name"] == name), None)
