"""What the Slides tools return. Lengths are points; a slide is 720 by 405 of them unless it says otherwise."""

from pydantic import Field

from core.mcp_server.results import Result


class Holder(Result):
    """Something that text can be written into. `kind` is TITLE, BODY, TEXT_BOX, TABLE and the like."""

    object_id: str
    kind: str


class SlideText(Result):
    """A slide in words. `holders` take text; a cut is said in the text."""

    number: int
    page_object_id: str
    title: str | None
    text: str
    notes: str | None = None
    skipped: bool = False
    holders: list[Holder] = Field(default_factory=list)


class PresentationText(Result):
    """A presentation, slide by slide, from `first_slide` on; `next_slide` is where to go on."""

    presentation_id: str
    title: str
    link: str
    width: float
    height: float
    slide_count: int
    slides: list[SlideText]
    next_slide: int | None = None


class PresentationMade(Result):
    """A new presentation with its first slide."""

    presentation_id: str
    title: str
    changed: str
    link: str
    slides: list[SlideText]
    next_step: str


class Created(Result):
    """What a request made."""

    request: int = Field(description="Its place in the list, from 0")
    kind: str
    object_id: str


class PresentationChange(Result):
    """What a batch did."""

    presentation_id: str
    changed: str
    requests: int
    created: list[Created]
    replaced: int | None = Field(default=None, description="Places where text or shapes were replaced")
    link: str
    next_step: str


class PageElement(Result):
    """Something on a page.

    `kind` is shape, table, image, line or such; `text_length` counts UTF-16 units with the last newline, as indices
    do.
    """

    object_id: str
    kind: str
    shape_type: str | None = None
    placeholder: str | None = None
    text: str | None = None
    text_length: int | None = None
    rows: list[list[str]] | None = None
    source: str | None = None
    description: str | None = None
    left: float
    top: float
    width: float
    height: float


class PageContent(Result):
    """A page with what is on it, from back to front."""

    presentation_id: str
    page_object_id: str
    page_type: str
    layout: str | None = None
    background: str | None = Field(default=None, description="#RRGGBB or a theme colour")
    notes: str | None = None
    notes_object_id: str | None = Field(default=None, description="Speaker notes are written into it")
    elements: list[PageElement]
    cut: str | None = None
    link: str


class Thumbnail(Result):
    """A picture of a page, stored on this machine. Size in bytes; the link is good for half an hour."""

    presentation_id: str
    page_object_id: str
    path: str
    mime_type: str
    width: int
    height: int
    size: int
    link: str
    next_step: str
