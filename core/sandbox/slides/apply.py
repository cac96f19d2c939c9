"""A batch of requests, carried out one after another on a presentation."""

from collections.abc import Callable, Mapping, Sequence

from core.sandbox.docs.edits import Refused, bad_request
from core.sandbox.docs.units import Json
from core.sandbox.slides import grids, shapes, slides, writing
from core.sandbox.slides.model import Deck

REQUESTS: Mapping[str, Callable[[Deck, Json], Json]] = {
    "createSlide": slides.create_slide,
    "deleteObject": slides.delete_object,
    "duplicateObject": slides.duplicate_object,
    "updateSlidesPosition": slides.move_slides,
    "updatePageProperties": slides.update_page,
    "updateSlideProperties": slides.update_slide,
    "createShape": shapes.create_shape,
    "createImage": shapes.create_image,
    "replaceImage": shapes.replace_image,
    "replaceAllShapesWithImage": shapes.replace_shapes,
    "createLine": shapes.create_line,
    "updatePageElementTransform": shapes.transform,
    "updatePageElementAltText": shapes.describe,
    "updatePageElementsZOrder": shapes.reorder,
    "updateShapeProperties": shapes.update_shape,
    "updateImageProperties": shapes.update_image,
    "updateLineProperties": shapes.update_line,
    "createTable": grids.create_table,
    "insertTableRows": grids.insert_rows,
    "insertTableColumns": grids.insert_columns,
    "deleteTableRow": grids.delete_row,
    "deleteTableColumn": grids.delete_column,
    "updateTableCellProperties": grids.update_cells,
    "updateTableColumnProperties": grids.update_columns,
    "updateTableRowProperties": grids.update_rows,
    "insertText": writing.insert_text,
    "deleteText": writing.delete_text,
    "replaceAllText": writing.replace_all,
    "updateTextStyle": writing.style_text,
    "updateParagraphStyle": writing.style_paragraphs,
    "createParagraphBullets": writing.create_bullets,
    "deleteParagraphBullets": writing.delete_bullets,
}


def apply(deck: Deck, requests: Sequence[Json]) -> list[Json]:
    """Carry out a batch; the replies, one a request.

    The presentation may be half changed where a request is refused: the caller drops it then.

    Raises:
        ApiError: 400, as Google says it, with the request's number and kind.
    """
    if not requests:
        raise bad_request("Must specify at least one request.")
    return [one(deck, number, request) for number, request in enumerate(requests)]


def one(deck: Deck, number: int, request: Json) -> Json:
    """Carry out one request."""
    if len(request) != 1:
        problem = "No request set." if not request else "More than one request set."
        raise bad_request(f"Invalid requests[{number}]: {problem}")
    ((kind, asked),) = request.items()
    if kind not in REQUESTS:
        raise bad_request(f"Invalid requests[{number}].{kind}: This request is not part of the sandbox.")
    try:
        return REQUESTS[kind](deck, asked)
    except Refused as refused:
        raise bad_request(f"Invalid requests[{number}].{kind}: {refused}") from refused
