"""Whatever is asked of a presentation, the answer is a reply or a refusal, and what is shown has Google's shape."""

from copy import deepcopy
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core.sandbox.calls import ApiError
from core.sandbox.docs import schema
from core.sandbox.slides import exports, resource
from core.sandbox.slides.apply import REQUESTS, apply
from core.sandbox.slides.masks import API
from core.sandbox.slides.model import Deck
from core.sandbox.slides.outline import Outline, written
from core.sandbox.slides.picture import drawn

START = written(
    [
        Outline(layout="TITLE", title="Head 😀", subtitle="sub", background="#102030", notes="say"),
        Outline(title="List", body=["one", "  two", "three"], box="box", picture="https://x.example/a.png"),
        Outline(layout="TITLE_ONLY", title="Table", table=[["a", "b"], ["1", "2"]]),
    ]
)
IDS = [*(page.id for page in START.slides), *(one.id for page in START.slides for one in page.elements)]
OTHERS = ["p2", "simple-light-2", "n", f"{IDS[0]}:notes", "new_object", "x", "nobody_here", ""]
ID = st.sampled_from([*IDS, *IDS, *OTHERS])
TEXT = st.text("aé😀\n\t\v\u0301\x00", max_size=4)
MASKS = ["*", "bold", "link", "alignment", "title", "", "no", "isSkipped", "columnWidth", "outline.weight", "lineFill"]
NUMBERS = {
    "integer": st.integers(-2, 6),
    "number": st.sampled_from([0, 1, 2, -1, 0.5, 500000]),
    "boolean": st.booleans(),
}
ADDRESS = st.sampled_from(["https://x.example/a.png", "file:///etc/passwd", ""])


def message(name: str, depth: int = 0) -> Any:
    """Bodies of a message of the API; what is deep inside is left out."""
    fields = schema.schemas(API)[name].get("properties", {})
    known = {field: value(field, inner, depth) for field, inner in fields.items()}
    return st.fixed_dictionaries({}, optional={field: one for field, one in known.items() if one is not None})


def value(field: str, inner: Any, depth: int) -> Any:
    """Values of a field; None for what is not tried."""
    if "$ref" in inner:
        return message(inner["$ref"], depth + 1) if depth < 5 else None
    if "enum" in inner:
        return st.sampled_from(inner["enum"])
    if inner["type"] in NUMBERS:
        return NUMBERS[inner["type"]]
    if inner["type"] == "array":
        items = value(field.removesuffix("s"), inner["items"], depth)
        return st.lists(items, max_size=3) if items is not None else None
    if inner["type"] == "object":
        return st.dictionaries(ID, ID, max_size=2)
    return text(field)


def text(field: str) -> Any:
    """Values of a field of text."""
    if field.lower().endswith("id"):
        return ID
    if field == "fields":
        return st.sampled_from(MASKS)
    return ADDRESS if "url" in field.lower() else TEXT


def requests(kind: str) -> Any:
    """Requests of a kind."""
    name = schema.schemas(API)["Request"]["properties"][kind]["$ref"]
    return message(name).map(lambda asked: {kind: asked})


def whole(deck: Deck) -> None:
    """Hold a presentation against what must be true of any."""
    ids = [*(page.id for page in deck.pages()), *(one.id for page in deck.pages() for one in page.elements)]
    assert len(set(ids)) == len(ids)
    shown = resource.presentation(deck, "file", "title", "revision")
    schema.check(shown, "Presentation", API)
    assert resource.presentation(Deck.loaded(deepcopy(deck.stored())), "file", "title", "revision") == shown
    exports.plain(deck)
    for slide in deck.slides:
        assert drawn(deck, slide, 200).startswith(b"\x89PNG")


def tried(deck: Deck, request: Any) -> Deck:
    """A presentation after a request, or as it was where that is refused."""
    changed = deepcopy(deck)
    schema.check({"requests": [request]}, "BatchUpdatePresentationRequest", API)
    try:
        (reply,) = apply(changed, [request])
    except ApiError as error:
        assert error.status == 400 and error.message.startswith("Invalid requests[0]")
        return deck
    schema.check(reply, "Response", API)
    whole(changed)
    return changed


@pytest.mark.parametrize("kind", sorted(REQUESTS))
@settings(max_examples=10, deadline=None)
@given(st.data())
def test_any_request_is_answered_and_leaves_a_whole_presentation(kind: str, data: st.DataObject) -> None:
    tried(START, data.draw(requests(kind)))


@settings(max_examples=20, deadline=None)
@given(st.lists(st.sampled_from(sorted(REQUESTS)).flatmap(requests), min_size=2, max_size=8))
def test_any_requests_in_a_row_leave_a_whole_presentation(several: list[Any]) -> None:
    deck = START
    for request in several:
        deck = tried(deck, request)


def test_the_presentation_at_the_start_is_whole() -> None:
    whole(START)
