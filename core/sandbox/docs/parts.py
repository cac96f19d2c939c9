"""Requests about the parts of a document: headers, footers, tabs, named ranges, the page."""

from core.sandbox.docs.edits import Place, mask_of, masked, place_of, refuse, span_of
from core.sandbox.docs.model import PAGE_STYLE, Document, NamedRange, Tab
from core.sandbox.docs.units import Json, Kind, Unit, length, newline

LONGEST_NAME = 256
DEEPEST_TAB = 3


def create_header(document: Document, asked: Json) -> Json:
    """createHeader."""
    return {"createHeader": {"headerId": create_part(document, asked, "Header")}}


def create_footer(document: Document, asked: Json) -> Json:
    """createFooter."""
    return {"createFooter": {"footerId": create_part(document, asked, "Footer")}}


def create_part(document: Document, asked: Json, what: str) -> str:
    """A new header or footer of the document, or of a later section; its id."""
    if asked.get("type") != "DEFAULT":
        refuse(f"{what} type not specified")
    location = asked.get("sectionBreakLocation", {})
    place, index, name = place_of(document, location), location.get("index", 0), f"default{what}Id"
    if place.kind != "body":
        refuse("The section break location must be in the body.")
    style = section_style(place, index)
    if name in style:
        refuse(f"Default {what.lower()} already exists.")
    part = document.new_id("kix.")
    place.tab.segments[part], place.tab.kinds[part] = [newline()], what.lower()
    put_style(place, index, {**style, name: part})
    return part


def section_style(place: Place, index: int) -> Json:
    """The style of the section that begins at an index; of the first it is the document's."""
    if index == 0:
        return place.tab.style
    if not 0 < index < len(place.units) or place.units[index].kind is not Kind.SECTION:
        refuse(f"The section break location is invalid: no section break is at index {index}.")
    return dict(place.units[index].data)


def put_style(place: Place, index: int, style: Json) -> None:
    """Give a section another style."""
    if index == 0:
        place.tab.style = style
    else:
        place.units[index] = Unit(Kind.SECTION, data=style)


def delete_header(document: Document, asked: Json) -> Json:
    """deleteHeader."""
    return delete_part(document, asked, "header")


def delete_footer(document: Document, asked: Json) -> Json:
    """deleteFooter."""
    return delete_part(document, asked, "footer")


def delete_part(document: Document, asked: Json, kind: str) -> Json:
    """Forget a header or footer and all references to it."""
    part = asked.get(f"{kind}Id", "")
    place = place_of(document, {"tabId": asked.get("tabId", "")})
    if place.tab.kinds.get(part) != kind:
        refuse(f"The {kind} with ID {part} was not found.")
    del place.tab.segments[part], place.tab.kinds[part]
    place.tab.style = {name: value for name, value in place.tab.style.items() if value != part}
    for index, unit in enumerate(place.units):
        if unit.kind is Kind.SECTION and part in unit.data.values():
            place.units[index] = Unit(Kind.SECTION, data={k: v for k, v in unit.data.items() if v != part})
    return {}


def style_document(document: Document, asked: Json) -> Json:
    """updateDocumentStyle."""
    names = mask_of(asked, tuple(name for name in PAGE_STYLE if name != "useCustomHeaderFooterMargins"))
    place = place_of(document, {"tabId": asked.get("tabId", "")})
    place.tab.style = {**PAGE_STYLE, **masked(place.tab.style, asked.get("documentStyle", {}), names)}
    return {}


def create_named_range(document: Document, asked: Json) -> Json:
    """createNamedRange."""
    name = asked.get("name", "")
    if not 1 <= length(name) <= LONGEST_NAME:
        refuse("The name of the named range must be between 1 and 256 characters.")
    place, start, end = span_of(document, asked.get("range", {}))
    key = document.new_id("kix.")
    place.tab.ranges[key] = NamedRange(name, place.segment, start, end)
    return {"createNamedRange": {"namedRangeId": key}}


def delete_named_range(document: Document, asked: Json) -> Json:
    """deleteNamedRange: one by its id, or all of a name."""
    key, name = asked.get("namedRangeId"), asked.get("name")
    if not key and not name:
        refuse("ID or name for named range must be set")
    found = [
        (tab, known)
        for tab in document.tabs
        for known, one in tab.ranges.items()
        if key in (known, None) or one.name == name
    ]
    if key and not found:
        refuse(f"The named range with ID {key} was not found.")
    for tab, known in found:
        if known == key or tab.ranges[known].name == name:
            del tab.ranges[known]
    return {}


def add_tab(document: Document, asked: Json) -> Json:
    """addDocumentTab."""
    asked = asked.get("tabProperties", {})
    parent = asked.get("parentTabId", "")
    if parent and document.tab(parent) is None:
        refuse(f"Tab with ID {parent} not found.")
    if parent and level_of(document, parent) + 1 >= DEEPEST_TAB:
        refuse(f"Tabs cannot be nested more than {DEEPEST_TAB} levels deep.")
    tab = Tab(
        document.new_id("t."), asked.get("title", f"Tab {len(document.tabs) + 1}"), parent, asked.get("iconEmoji", "")
    )
    siblings = list(document.children(parent))
    index = min(asked.get("index", len(siblings)), len(siblings))
    if index < 0:
        refuse(f"Tab index {index} must be greater than or equal to 0.")
    place = document.tabs.index(siblings[index]) if index < len(siblings) else len(document.tabs)
    document.tabs.insert(place, tab)
    shown = {"tabId": tab.id, "title": tab.title, "index": index, **({"parentTabId": parent} if parent else {})}
    return {"addDocumentTab": {"tabProperties": shown}}


def level_of(document: Document, tab_id: str) -> int:
    """How deep a tab is nested; the outermost are at 0."""
    return next(level for tab, level in document.ordered() if tab.id == tab_id)


def delete_tab(document: Document, asked: Json) -> Json:
    """deleteTab, with all tabs below it."""
    tab = document.tab(asked["tabId"]) if asked.get("tabId") else None
    if tab is None:
        refuse(f"Tab with ID {asked.get('tabId', '')} not found.")
    gone = {tab.id, *(below.id for below, _ in document.ordered(tab.id))}
    if len(gone) == len(document.tabs):
        refuse("Cannot delete the last tab of the document.")
    document.tabs = [one for one in document.tabs if one.id not in gone]
    return {}


def rename_tab(document: Document, asked: Json) -> Json:
    """updateDocumentTabProperties: title and icon."""
    names, new = mask_of(asked, ("tabId", "title", "iconEmoji")), asked.get("tabProperties", {})
    tab = document.tab(new["tabId"]) if new.get("tabId") else None
    if tab is None:
        refuse(f"Tab with ID {new.get('tabId', '')} not found.")
    tab.title = new.get("title", "") if "title" in names else tab.title
    tab.icon = new.get("iconEmoji", "") if "iconEmoji" in names else tab.icon
    return {}
