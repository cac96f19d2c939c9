"""Presentations of a sandbox through Google's client, and what tests read of them."""

from dataclasses import dataclass
from typing import Any

from googleapiclient.discovery import build
from googleapiclient.errors import HttpError

from core.sandbox.drive.shelf import seed_id
from core.sandbox.sandbox import Sandbox
from core.users import SANDBOX_ACCOUNT

Json = dict[str, Any]
ALL: Json = {"type": "ALL"}


@dataclass(frozen=True)
class Slides:
    """The Slides API as one account calls it."""

    api: Any
    http: Any

    def new(self, title: str = "Test") -> str:
        deck_id: str = self.api.presentations().create(body={"title": title}).execute()["presentationId"]
        return deck_id

    def get(self, deck_id: str, **options: Any) -> Json:
        found: Json = self.api.presentations().get(presentationId=deck_id, **options).execute()
        return found

    def change(self, deck_id: str, *requests: Json, **more: Any) -> list[Json]:
        body = {"requests": list(requests), **more}
        answer: Json = self.api.presentations().batchUpdate(presentationId=deck_id, body=body).execute()
        replies: list[Json] = answer["replies"]
        return replies

    def refusal(self, deck_id: str, *requests: Json, **more: Any) -> str:
        try:
            self.change(deck_id, *requests, **more)
        except HttpError as error:
            assert error.resp.status == 400
            return str(error.reason)
        raise AssertionError("the change was made")

    def boxed(self, text: str = "", box: str = "text_box") -> str:
        """A presentation whose first slide has a text box."""
        deck_id = self.new()
        self.change(deck_id, shape(box), *([insert(box, text)] if text else []))
        return deck_id

    def element(self, deck_id: str, element_id: str) -> Json:
        found: Json = next(one for one in elements(self.get(deck_id)) if one["objectId"] == element_id)
        return found

    def text(self, deck_id: str, element_id: str) -> str:
        return text_of(self.element(deck_id, element_id)["shape"])


def slides_of(sandbox: Sandbox, account: str = SANDBOX_ACCOUNT) -> Slides:
    http = sandbox.http(account)
    return Slides(build("slides", "v1", http=http, cache_discovery=False, static_discovery=True), http)


def seeded(key: str) -> str:
    """The id of a seeded presentation."""
    return seed_id(key)


def elements(deck: Json) -> list[Json]:
    """What is on the slides."""
    return [one for slide in deck["slides"] for one in slide.get("pageElements", [])]


def runs(holder: Json) -> list[tuple[str, Json]]:
    """The text runs of a shape or cell: text and style."""
    found = [one["textRun"] for one in holder.get("text", {}).get("textElements", []) if "textRun" in one]
    return [(one["content"], one["style"]) for one in found]


def text_of(holder: Json) -> str:
    """The text of a shape or cell."""
    return "".join(text for text, _ in runs(holder))


def bullets(holder: Json) -> list[tuple[str, int] | None]:
    """Glyph and level of each paragraph, None for what is in no list."""
    markers = [one["paragraphMarker"] for one in holder["text"]["textElements"] if "paragraphMarker" in one]
    known = [one.get("bullet") for one in markers]
    return [(one["glyph"], one.get("nestingLevel", 0)) if one else None for one in known]


def shape(object_id: str = "", page: str = "p", kind: str = "TEXT_BOX") -> Json:
    properties = {"pageObjectId": page, "size": {"width": pt(300), "height": pt(100)}, "transform": at(20, 30)}
    return {"createShape": {"objectId": object_id, "shapeType": kind, "elementProperties": properties}}


def insert(object_id: str, text: str, index: int = 0, **more: Any) -> Json:
    return {"insertText": {"objectId": object_id, "text": text, "insertionIndex": index, **more}}


def delete(object_id: str, text_range: Json = ALL) -> Json:
    return {"deleteText": {"objectId": object_id, "textRange": text_range}}


def bold(object_id: str, text_range: Json = ALL, **more: Any) -> Json:
    style = {"style": {"bold": True}, "fields": "bold", "textRange": text_range}
    return {"updateTextStyle": {"objectId": object_id, **style, **more}}


def fixed(start: int, end: int) -> Json:
    return {"type": "FIXED_RANGE", "startIndex": start, "endIndex": end}


def pt(magnitude: float) -> Json:
    return {"magnitude": magnitude, "unit": "PT"}


def at(x: float, y: float, scale: float = 1) -> Json:
    return {"scaleX": scale, "scaleY": scale, "translateX": x, "translateY": y, "unit": "PT"}


def new_slide(layout: str = "BLANK", **more: Any) -> Json:
    return {"createSlide": {"slideLayoutReference": {"predefinedLayout": layout}, **more}}
