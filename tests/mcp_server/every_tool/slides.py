"""The Slides tools, one case each."""

from io import BytesIO

from PIL import Image

from tests.mcp_server.every_tool.office import (
    BOARD,
    Json,
    Office,
    creates_comment,
    reads_comments,
    replies_to_comment,
    resolves_comment,
)
from tests.sandbox.slides_world import elements, insert, shape, text_of


def deck(office: Office, presentation_id: str) -> Json:
    return office.rest("slides.presentations.get", presentationId=presentation_id)


def new(office: Office) -> str:
    """A presentation whose first slide has a box with a text."""
    made = str(office.rest("slides.presentations.create", body={"title": "Case"})["presentationId"])
    page = deck(office, made)["slides"][0]["objectId"]
    body = {"requests": [shape("text_box", page), insert("text_box", "Lamps")]}
    office.rest("slides.presentations.batchUpdate", presentationId=made, body=body)
    return made


async def create_presentation(office: Office) -> None:
    made = await office.call("create_presentation", title="Halo 2")
    assert deck(office, made["presentation_id"])["title"] == "Halo 2"


async def get_presentation(office: Office) -> None:
    told = await office.call("get_presentation", presentation_id=BOARD)
    assert [one["page_object_id"] for one in told["slides"]] == [
        one["objectId"] for one in deck(office, BOARD)["slides"]
    ]


async def batch_update_presentation(office: Office) -> None:
    one = new(office)
    requests = [{"replaceAllText": {"containsText": {"text": "Lamps"}, "replaceText": "Lights 💡"}}]
    await office.call("batch_update_presentation", presentation_id=one, requests=requests)
    (box,) = (part for part in elements(deck(office, one)) if part["objectId"] == "text_box")
    assert text_of(box["shape"]) == "Lights 💡\n"


async def get_page(office: Office) -> None:
    one = new(office)
    page = deck(office, one)["slides"][0]
    told = await office.call("get_page", presentation_id=one, page_object_id=page["objectId"])
    kept = office.rest("slides.presentations.pages.get", presentationId=one, pageObjectId=page["objectId"])
    assert {part["object_id"] for part in told["elements"]} == {part["objectId"] for part in kept["pageElements"]}


async def get_page_thumbnail(office: Office) -> None:
    page = deck(office, BOARD)["slides"][2]["objectId"]
    told = await office.call("get_page_thumbnail", presentation_id=BOARD, page_object_id=page, thumbnail_size="SMALL")
    picture = Image.open(BytesIO(office.stored(told)))
    assert picture.format == "PNG" and picture.size == (told["width"], told["height"])
    assert picture.width == 200 and len(picture.convert("RGB").getcolors(1 << 24)) > 1


async def read_presentation_comments(office: Office) -> None:
    await reads_comments(office, "read_presentation_comments", "presentation_id", BOARD)


async def create_presentation_comment(office: Office) -> None:
    await creates_comment(office, "create_presentation_comment", "presentation_id", BOARD)


async def reply_to_presentation_comment(office: Office) -> None:
    await replies_to_comment(office, "reply_to_presentation_comment", "presentation_id", BOARD)


async def resolve_presentation_comment(office: Office) -> None:
    await resolves_comment(office, "resolve_presentation_comment", "presentation_id", BOARD)
