"""The Slides tools."""

from typing import Annotated, Any, Literal

from pydantic import BeforeValidator, Field

from core.mcp_server.comments import Comments
from core.mcp_server.decks import Decks
from core.mcp_server.desk import BadArgument, Desk
from core.mcp_server.results_comments import CommentChange, CommentPage
from core.mcp_server.results_slides import (
    PageContent,
    PresentationChange,
    PresentationMade,
    PresentationText,
    Thumbnail,
)
from core.mcp_server.shaping import slides
from core.mcp_server.shaping.files import save

PresentationId = Annotated[
    str, BeforeValidator(slides.id_in), Field(description="A presentation_id, or its link", min_length=1)
]
PageId = Annotated[str, Field(description="A page_object_id, as get_presentation lists them", min_length=1)]
CommentId = Annotated[str, Field(description="A comment_id, as read_presentation_comments lists them", min_length=1)]
PageToken = Annotated[str | None, Field(description="next_page_token of the page before")]
Requests = Annotated[
    list[dict[str, Any]],
    Field(
        description="Requests of the Slides API, one kind each, such as {'createSlide': {'objectId': 'slide_2', "
        "'slideLayoutReference': {'predefinedLayout': 'TITLE_AND_BODY'}, 'placeholderIdMappings': "
        "[{'layoutPlaceholder': {'type': 'TITLE'}, 'objectId': 'title_2'}]}}, {'insertText': {'objectId': 'title_2', "
        "'text': 'Plan'}}, {'replaceAllText': {'containsText': {'text': 'old'}, 'replaceText': 'new'}}",
    ),
]
SLIDE_LIMIT = 1500
"""Characters of one slide's text where a whole presentation is read."""


def create_presentation(
    desk: Desk,
    title: Annotated[str, Field(description="Its name", min_length=1)] = "Untitled Presentation",
) -> PresentationMade:
    """A new presentation with one title slide."""
    made = Decks(desk).create(title)
    return PresentationMade(
        presentation_id=made["presentationId"],
        title=made["title"],
        changed=f"The presentation “{made['title']}” was created.",
        link=slides.link(made["presentationId"]),
        slides=[slides.slide(one, number, SLIDE_LIMIT) for number, one in enumerate(made.get("slides", []), 1)],
        next_step="Fill it with batch_update_presentation: insertText into the slide's holders, createSlide for more.",
    )


def get_presentation(
    desk: Desk,
    presentation_id: PresentationId,
    first_slide: Annotated[int, Field(ge=1, description="next_slide of the part before")] = 1,
) -> PresentationText:
    """A presentation in words."""
    deck = Decks(desk).get(presentation_id)
    found = deck.get("slides", [])
    if first_slide > max(1, len(found)):
        raise BadArgument("first_slide", f"the presentation has {len(found)} slides.")
    limit = min(SLIDE_LIMIT, desk.body_limit)
    told = [slides.slide(one, number, limit) for number, one in enumerate(found, 1)]
    shown = slides.fitting(told[first_slide - 1 :], desk.body_limit)
    end = first_slide + len(shown)
    return PresentationText(
        presentation_id=deck["presentationId"],
        title=deck.get("title", ""),
        link=slides.link(deck["presentationId"]),
        width=slides.points(deck.get("pageSize", {}).get("width", {})),
        height=slides.points(deck.get("pageSize", {}).get("height", {})),
        slide_count=len(found),
        slides=shown,
        next_slide=end if end <= len(found) else None,
    )


def batch_update_presentation(desk: Desk, presentation_id: PresentationId, requests: Requests) -> PresentationChange:
    """Slides, texts, shapes changed: all of it or nothing."""
    return Decks(desk).change(presentation_id, requests)


def get_page(desk: Desk, presentation_id: PresentationId, page_object_id: PageId) -> PageContent:
    """What is on a page, and where."""
    decks = Decks(desk)
    page = decks.page(presentation_id, page_object_id)
    layouts = decks.get(presentation_id, "layouts(objectId,layoutProperties(name))").get("layouts", [])
    return slides.page(presentation_id, page, slides.layout_of(page, layouts), desk.body_limit)


def get_page_thumbnail(
    desk: Desk,
    presentation_id: PresentationId,
    page_object_id: PageId,
    thumbnail_size: Annotated[
        Literal["SMALL", "MEDIUM", "LARGE"], Field(description="200, 800 or 1600 pixels wide")
    ] = "MEDIUM",
) -> Thumbnail:
    """A picture of a page, stored on this machine."""
    decks = Decks(desk)
    found = decks.thumbnail(presentation_id, page_object_id, thumbnail_size)
    data = decks.picture(found["contentUrl"])
    path = save(desk.downloads, f"slide {page_object_id} {thumbnail_size.lower()}.png", data)
    return Thumbnail(
        presentation_id=presentation_id,
        page_object_id=page_object_id,
        path=str(path),
        mime_type="image/png",
        width=found["width"],
        height=found["height"],
        size=len(data),
        link=found["contentUrl"],
        next_step="Show the person the path; the link ends after half an hour.",
    )


def read_presentation_comments(
    desk: Desk, presentation_id: PresentationId, page_token: PageToken = None
) -> CommentPage:
    """Comments with their replies."""
    return Comments(desk, presentation_id).page(page_token)


def create_presentation_comment(desk: Desk, presentation_id: PresentationId, comment_content: str) -> CommentChange:
    """A new comment."""
    return Comments(desk, presentation_id).create(comment_content)


def reply_to_presentation_comment(
    desk: Desk, presentation_id: PresentationId, comment_id: CommentId, reply_content: str
) -> CommentChange:
    """An answer to a comment."""
    return Comments(desk, presentation_id).reply(comment_id, reply_content)


def resolve_presentation_comment(desk: Desk, presentation_id: PresentationId, comment_id: CommentId) -> CommentChange:
    """A comment marked as settled."""
    return Comments(desk, presentation_id).resolve(comment_id)
