"""A desk's presentations: read, changed, pictured."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlsplit

from googleapiclient.http import HttpRequest

from core.errors import BadInput
from core.mcp_server.desk import Desk
from core.mcp_server.results_slides import Created, PresentationChange
from core.mcp_server.shaping.slide_requests import PLACED, Known, aimed, checked
from core.mcp_server.shaping.slides import link

Json = dict[str, Any]
PICTURES = "googleusercontent.com"
KINDS = "shape(shapeType,placeholder(type)),table(rows),image(contentUrl),line(lineType),elementGroup"
ELEMENTS = f"pageElements(objectId,{KINDS})"
NOTES = "slideProperties(notesPage(objectId,pageElements(objectId,shape(shapeType))))"
IDS = (
    f"slides(objectId,{ELEMENTS},{NOTES}),layouts(objectId,{ELEMENTS}),masters(objectId,{ELEMENTS}),"
    f"notesMaster(objectId,{ELEMENTS})"
)
"""What says where a batch may be aimed."""


@dataclass(frozen=True)
class Decks:
    """The presentations that the acting account sees."""

    desk: Desk

    def create(self, title: str) -> Json:
        """A new presentation."""
        return self.desk.google.execute(self._presentations().create(body={"title": title}))

    def get(self, presentation_id: str, fields: str | None = None) -> Json:
        """A whole presentation, or some fields of it."""
        request = self._presentations().get(presentationId=presentation_id, fields=fields)
        return self.desk.google.execute(request)

    def page(self, presentation_id: str, page_id: str) -> Json:
        """A page."""
        request = self._pages().get(presentationId=presentation_id, pageObjectId=page_id)
        return self.desk.google.execute(request)

    def change(self, presentation_id: str, requests: Sequence[Json]) -> PresentationChange:
        """Send a batch that can work.

        Raises:
            BadArgument: it cannot, and was not sent.
        """
        checked(requests)
        aimed(requests, Known.of(self.get(presentation_id, IDS)))
        body = {"requests": list(requests)}
        answer = self.desk.google.execute(self._presentations().batchUpdate(presentationId=presentation_id, body=body))
        return changed(presentation_id, requests, answer.get("replies", []))

    def thumbnail(self, presentation_id: str, page_id: str, size: str) -> Json:
        """Where a picture of a page is, and how large it is."""
        request = self._pages().getThumbnail(
            presentationId=presentation_id,
            pageObjectId=page_id,
            thumbnailProperties_thumbnailSize=size,
            thumbnailProperties_mimeType="PNG",
        )
        return self.desk.google.execute(request)

    def picture(self, url: str) -> bytes:
        """What is behind a thumbnail's address.

        Raises:
            BadInput: the address is not one of Google's.
        """
        parts = urlsplit(url)
        if parts.scheme != "https" or not (parts.hostname or "").endswith(f".{PICTURES}"):
            raise BadInput("Google named a place for the picture that is not its own, so it was not fetched.")
        request = HttpRequest(None, lambda _, content: content, url, methodId="slides.presentations.pages.picture")
        return self.desk.google.download(request)

    def _presentations(self) -> Any:
        return self.desk.google.resource("slides.presentations")

    def _pages(self) -> Any:
        return self.desk.google.resource("slides.presentations.pages")


def changed(presentation_id: str, requests: Sequence[Json], replies: Sequence[Json]) -> PresentationChange:
    """What a batch did, from Google's replies."""
    created, replaced = [], None
    for number, reply in enumerate(replies):
        for kind, answer in reply.items():
            if "objectId" in answer:
                created.append(Created(request=number, kind=kind, object_id=answer["objectId"]))
    counted = [kind for request in requests for kind in request if kind.startswith("replaceAll")]
    if counted:
        replaced = sum(answer.get("occurrencesChanged", 0) for reply in replies for answer in reply.values())
    return PresentationChange(
        presentation_id=presentation_id,
        changed=sentence(requests, replaced),
        requests=len(requests),
        created=created,
        replaced=replaced,
        link=link(presentation_id),
        next_step=next_step(created),
    )


def sentence(requests: Sequence[Json], replaced: int | None) -> str:
    """What was done, in words."""
    kinds = [kind for request in requests for kind in request]
    counts = {kind: kinds.count(kind) for kind in kinds}
    done = ", ".join(kind if count == 1 else f"{count} × {kind}" for kind, count in counts.items())
    found = "" if replaced is None else f" {replaced} places were replaced."
    return f"All requests were carried out: {done}.{found}"


def next_step(created: Sequence[Created]) -> str:
    """What may follow."""
    if any(one.kind == "createSlide" for one in created):
        return "get_page with the new slide's id lists its placeholders; insertText fills them."
    if any(one.kind in PLACED for one in created):
        return "The ids in `created` can be used in a further batch."
    return "get_page_thumbnail shows how the slide looks now."
