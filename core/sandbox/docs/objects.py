"""Requests that put something other than text into a paragraph: images, breaks, chips, footnotes."""

from urllib.parse import parse_qs, urlsplit

from core.sandbox.docs.edits import Place, insertion, refuse
from core.sandbox.docs.model import Document, points
from core.sandbox.docs.places import inside_table, paragraph
from core.sandbox.docs.text import behind_cluster, style_at, without_heading_id
from core.sandbox.docs.units import Json, Kind, Unit, Units, newline

NO_IMAGE = (
    "There was a problem retrieving the image. The provided image should be publicly accessible, "
    "within size limit, and in supported formats."
)
PICTURES = (".png", ".jpg", ".jpeg", ".gif")
LONGEST_URI = 2048
USUAL_SIZE: Json = {"height": points(150), "width": points(200)}


def put(place: Place, index: int, element: Json, *after: Unit) -> None:
    """Insert an object, in the style of its neighbourhood."""
    index = behind_cluster(place.units, index)
    style = style_at(place.units, index)
    place.splice(index, index, [Unit(Kind.OBJECT, "", style, element), *after])


def insert_page_break(document: Document, asked: Json) -> Json:
    """insertPageBreak: the break and a newline."""
    place, index = insertion(document, asked)
    in_body(place, index, "Page breaks")
    _, end = paragraph(place.units, index)
    put(place, index, {"pageBreak": {}}, newline(without_heading_id(place.units[end - 1].data)))
    return {}


def in_body(place: Place, index: int, what: str) -> None:
    """Refuse what only the body's own paragraphs may hold."""
    if place.kind != "body":
        refuse(f"{what} cannot be inserted inside a {place.kind}.")
    if inside_table(place.units, index):
        refuse(f"{what} cannot be inserted inside a table.")


def insert_section_break(document: Document, asked: Json) -> Json:
    """insertSectionBreak: a newline and the break."""
    place, index = insertion(document, asked)
    in_body(place, index, "Section breaks")
    kind = asked.get("sectionType", "")
    if kind not in ("CONTINUOUS", "NEXT_PAGE"):
        refuse("The section type must be specified.")
    _, end = paragraph(place.units, index)
    style = {"columnSeparatorStyle": "NONE", "contentDirection": "LEFT_TO_RIGHT", "sectionType": kind}
    before = newline(without_heading_id(place.units[end - 1].data))
    place.splice(index, index, [before, Unit(Kind.SECTION, data=style)])
    return {}


def insert_image(document: Document, asked: Json) -> Json:
    """insertInlineImage; a world without a network takes an address for a picture by its ending or its Drive id."""
    place, index = insertion(document, asked)
    if place.kind == "footnote":
        refuse("Inline images cannot be inserted inside a footnote.")
    uri = asked.get("uri", "")
    check_picture(uri)
    object_id = document.new_id("kix.")
    size = {**USUAL_SIZE, **asked.get("objectSize", {})}
    embedded = {
        "imageProperties": {"contentUri": f"https://lh7.example/docs/{object_id}", "sourceUri": uri},
        "size": size,
        **{f"margin{side}": points(9) for side in ("Top", "Bottom", "Left", "Right")},
    }
    place.tab.objects[object_id] = {
        "objectId": object_id,
        "inlineObjectProperties": {"embeddedObject": embedded},
    }
    put(place, index, {"inlineObjectElement": {"inlineObjectId": object_id}})
    return {"insertInlineImage": {"objectId": object_id}}


def check_picture(uri: str) -> None:
    """Refuse an address that no picture can be had from."""
    parts = urlsplit(uri)
    if len(uri) > LONGEST_URI:
        refuse("The provided URI must be at most 2 kB in length.")
    if parts.scheme not in ("http", "https") or not parts.hostname:
        refuse("Invalid image URI.")
    if not parts.path.lower().endswith(PICTURES) and not drive_id(uri):
        refuse(NO_IMAGE)


def drive_id(uri: str) -> str:
    """The file that a download address of Drive is for; empty for any other address."""
    parts = urlsplit(uri)
    if parts.hostname not in ("drive.google.com", "drive.usercontent.google.com"):
        return ""
    return parse_qs(parts.query).get("id", [""])[0]


def insert_person(document: Document, asked: Json) -> Json:
    """insertPerson."""
    place, index = insertion(document, asked)
    properties = asked.get("personProperties", {})
    if "@" not in properties.get("email", ""):
        refuse("The person properties must have a valid email.")
    put(place, index, {"person": {"personId": document.new_id("kix."), "personProperties": properties}})
    return {}


def insert_date(document: Document, asked: Json) -> Json:
    """insertDate."""
    place, index = insertion(document, asked)
    properties = dict(asked.get("dateElementProperties", {}))
    if not properties.get("timestamp"):
        refuse("The date element properties must have a timestamp.")
    properties.setdefault("displayText", properties["timestamp"][:10])
    put(place, index, {"dateElement": {"dateId": document.new_id("kix."), "dateElementProperties": properties}})
    return {}


def insert_rich_link(document: Document, asked: Json) -> Json:
    """insertRichLink."""
    place, index = insertion(document, asked)
    properties = asked.get("richLinkProperties", {})
    if not properties.get("uri"):
        refuse("The rich link properties must have a URI.")
    known = {"title": properties["uri"], **properties}
    put(place, index, {"richLink": {"richLinkId": document.new_id("kix."), "richLinkProperties": known}})
    return {}


def create_footnote(document: Document, asked: Json) -> Json:
    """createFootnote: a reference in the body, and a segment for the note."""
    place, index = insertion(document, asked)
    if place.kind != "body":
        refuse(f"Footnotes cannot be inserted inside a {place.kind}.")
    number = 1 + sum("footnoteReference" in unit.data for unit in place.units)
    note = document.new_id("kix.")
    place.tab.segments[note], place.tab.kinds[note] = footnote(), "footnote"
    put(place, index, {"footnoteReference": {"footnoteId": note, "footnoteNumber": str(number)}})
    return {"createFootnote": {"footnoteId": note}}


def footnote() -> Units:
    """A new footnote: a space, as Google makes it."""
    return [Unit(Kind.CHAR, " "), newline()]
