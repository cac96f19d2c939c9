"""The Slides API of the sandbox, through Google's client: slides, text, shapes, tables, and its refusals."""

from typing import Any

import pytest
from googleapiclient.errors import HttpError
from hypothesis import given, settings
from hypothesis import strategies as st

from core.sandbox.docs.units import length
from core.sandbox.sandbox import Sandbox
from core.sandbox.slides.text import Text
from tests.sandbox.slides_world import (
    ALL,
    Json,
    Slides,
    at,
    bold,
    bullets,
    delete,
    elements,
    fixed,
    insert,
    new_slide,
    pt,
    runs,
    shape,
    slides_of,
    text_of,
)


@pytest.fixture
def slides(sandbox: Sandbox) -> Slides:
    return slides_of(sandbox)


def test_a_new_presentation_has_one_title_slide_and_all_layouts(slides: Slides) -> None:
    deck = slides.get(slides.new("Plan"))
    (slide,) = deck["slides"]
    assert (deck["title"], slide["objectId"]) == ("Plan", "p")
    kinds = [(one["objectId"], one["shape"]["placeholder"]["type"]) for one in slide["pageElements"]]
    assert kinds == [("i0", "CENTERED_TITLE"), ("i1", "SUBTITLE")]
    assert [one["layoutProperties"]["name"] for one in deck["layouts"]][:3] == [
        "TITLE",
        "SECTION_HEADER",
        "TITLE_AND_BODY",
    ]
    assert len(deck["layouts"]) == 11 and deck["masters"][0]["objectId"] == "simple-light-2"
    assert deck["pageSize"]["width"] == {"magnitude": 9144000, "unit": "EMU"}


def test_a_slide_gets_the_placeholders_of_its_layout_under_the_ids_asked_for(slides: Slides) -> None:
    deck_id = slides.new()
    mappings = [
        {"layoutPlaceholder": {"type": "TITLE", "index": 0}, "objectId": "my_title"},
        {"layoutPlaceholder": {"type": "BODY", "index": 0}, "objectId": "my_body"},
    ]
    made = slides.change(
        deck_id,
        new_slide("TITLE_AND_BODY", objectId="slide_two", insertionIndex=0, placeholderIdMappings=mappings),
        insert("my_title", "Why"),
        insert("my_body", "Because"),
    )
    assert made == [{"createSlide": {"objectId": "slide_two"}}, {}, {}]
    deck = slides.get(deck_id)
    assert [one["objectId"] for one in deck["slides"]] == ["slide_two", "p"]
    assert (slides.text(deck_id, "my_title"), slides.text(deck_id, "my_body")) == ("Why\n", "Because\n")


def test_speaker_notes_are_written_through_their_own_id(slides: Slides) -> None:
    deck_id = slides.new()
    notes = slides.get(deck_id)["slides"][0]["slideProperties"]["notesPage"]
    speaker = notes["notesProperties"]["speakerNotesObjectId"]
    assert (notes["objectId"], speaker) == ("p:notes", "i3")
    slides.change(deck_id, insert(speaker, "Smile."))
    page = slides.api.presentations().pages().get(presentationId=deck_id, pageObjectId="p").execute()
    (body,) = [one for one in page["slideProperties"]["notesPage"]["pageElements"] if one["objectId"] == speaker]
    assert text_of(body["shape"]) == "Smile.\n"


def test_hello_after_an_emoji_is_made_bold_by_its_utf16_indices(slides: Slides) -> None:
    deck_id = slides.boxed("😀 Hello")
    slides.change(deck_id, bold("text_box", fixed(3, 8)))
    box = slides.element(deck_id, "text_box")["shape"]
    assert runs(box) == [("😀 ", {}), ("Hello", {"bold": True}), ("\n", {})]
    marks = [(one.get("startIndex", 0), one["endIndex"]) for one in box["text"]["textElements"]]
    assert marks == [(0, 9), (0, 3), (3, 8), (8, 9)]


def test_an_insertion_never_splits_what_a_reader_sees_as_one_character(slides: Slides) -> None:
    deck_id = slides.boxed("👨‍👩‍👧!")
    slides.change(deck_id, insert("text_box", "x", 3))
    assert slides.text(deck_id, "text_box") == "👨‍👩‍👧x!\n"


def test_all_text_can_go_and_merged_paragraphs_keep_the_first_ones_style(slides: Slides) -> None:
    deck_id = slides.boxed("one\ntwo")
    centred = {"style": {"alignment": "CENTER"}, "fields": "alignment", "textRange": fixed(0, 1)}
    slides.change(deck_id, {"updateParagraphStyle": {"objectId": "text_box", **centred}})
    slides.change(deck_id, delete("text_box", fixed(2, 5)))
    box = slides.element(deck_id, "text_box")["shape"]
    assert text_of(box) == "onwo\n"
    assert box["text"]["textElements"][0]["paragraphMarker"]["style"]["alignment"] == "CENTER"
    slides.change(deck_id, delete("text_box"))
    assert "text" not in slides.element(deck_id, "text_box")["shape"]


def test_tabs_become_levels_of_a_numbered_list(slides: Slides) -> None:
    deck_id = slides.boxed("a\n\tb\n\tc\nd")
    asked = {"objectId": "text_box", "textRange": ALL, "bulletPreset": "NUMBERED_DIGIT_ALPHA_ROMAN"}
    slides.change(deck_id, {"createParagraphBullets": asked})
    box = slides.element(deck_id, "text_box")["shape"]
    assert bullets(box) == [("1.", 0), ("a.", 1), ("b.", 1), ("2.", 0)]
    assert text_of(box) == "a\nb\nc\nd\n" and len(box["text"]["lists"]) == 1
    slides.change(deck_id, {"deleteParagraphBullets": {"objectId": "text_box", "textRange": fixed(0, 1)}})
    assert bullets(slides.element(deck_id, "text_box")["shape"]) == [None, ("a.", 1), ("b.", 1), ("1.", 0)]


def test_a_link_brings_its_look(slides: Slides) -> None:
    deck_id = slides.boxed("site")
    link = {"style": {"link": {"url": "https://x.example"}}, "fields": "link", "textRange": ALL}
    slides.change(deck_id, {"updateTextStyle": {"objectId": "text_box", **link}})
    (_, style), *_ = runs(slides.element(deck_id, "text_box")["shape"])
    assert style["link"] == {"url": "https://x.example"} and style["underline"]


def test_text_is_replaced_on_slides_and_in_tables_and_counted(slides: Slides) -> None:
    deck_id = slides.boxed("Acme and ACME")
    table = {"objectId": "the_table", "rows": 1, "columns": 1, "elementProperties": {"pageObjectId": "p"}}
    slides.change(deck_id, {"createTable": table}, insert("the_table", "acme", cellLocation={}))
    asked = {"containsText": {"text": "Acme", "matchCase": False}, "replaceText": "Globex 💡"}
    assert slides.change(deck_id, {"replaceAllText": asked}) == [{"replaceAllText": {"occurrencesChanged": 3}}]
    assert slides.text(deck_id, "text_box") == "Globex 💡 and Globex 💡\n"
    strict = {"containsText": {"text": "GLOBEX", "matchCase": True}, "replaceText": "", "pageObjectIds": ["p"]}
    assert slides.change(deck_id, {"replaceAllText": strict}) == [{"replaceAllText": {}}]


def test_a_table_grows_and_shrinks_and_its_cells_are_filled(slides: Slides) -> None:
    deck_id = slides.new()
    size = {"width": pt(400), "height": pt(60)}
    table = {"objectId": "the_table", "rows": 2, "columns": 2, "elementProperties": {"pageObjectId": "p", "size": size}}
    slides.change(deck_id, {"createTable": table})
    grey = {"tableCellBackgroundFill": {"solidFill": {"color": {"themeColor": "LIGHT2"}}}}
    slides.change(
        deck_id,
        insert("the_table", "b2", cellLocation={"rowIndex": 1, "columnIndex": 1}),
        {"insertTableRows": {"tableObjectId": "the_table", "cellLocation": {"rowIndex": 0}, "number": 2}},
        {"insertTableColumns": {"tableObjectId": "the_table", "cellLocation": {}, "insertRight": True, "number": 1}},
        {"deleteTableRow": {"tableObjectId": "the_table", "cellLocation": {"rowIndex": 0}}},
        {
            "updateTableCellProperties": {
                "objectId": "the_table",
                "tableRange": {"location": {"rowIndex": 2}, "rowSpan": 1, "columnSpan": 3},
                "tableCellProperties": grey,
                "fields": "tableCellBackgroundFill.solidFill.color",
            }
        },
    )
    shown = slides.element(deck_id, "the_table")["table"]
    assert (shown["rows"], shown["columns"]) == (3, 3)
    assert [[text_of(cell) for cell in row["tableCells"]] for row in shown["tableRows"]][2] == ["", "", "b2\n"]
    assert all("tableCellBackgroundFill" in cell["tableCellProperties"] for cell in shown["tableRows"][2]["tableCells"])


def test_elements_move_by_relative_transforms_in_any_unit(slides: Slides) -> None:
    deck_id = slides.boxed()
    moved = {"objectId": "text_box", "applyMode": "RELATIVE", "transform": at(10, 0, 2)}
    slides.change(deck_id, {"updatePageElementTransform": moved})
    assert slides.element(deck_id, "text_box")["transform"] == {
        "scaleX": 2,
        "scaleY": 2,
        "translateX": 50 * 12700,
        "translateY": 60 * 12700,
        "unit": "EMU",
    }


def test_slides_are_copied_moved_skipped_coloured_and_deleted(slides: Slides) -> None:
    deck_id = slides.boxed("copy me")
    made = slides.change(
        deck_id,
        new_slide(objectId="blank_one"),
        {"duplicateObject": {"objectId": "p", "objectIds": {"p": "copied", "text_box": "copied_box"}}},
        {"updateSlidesPosition": {"slideObjectIds": ["copied"], "insertionIndex": 3}},
        {
            "updateSlideProperties": {
                "objectId": "copied",
                "slideProperties": {"isSkipped": True},
                "fields": "isSkipped",
            }
        },
        {
            "updatePageProperties": {
                "objectId": "copied",
                "pageProperties": {"pageBackgroundFill": {"solidFill": {"color": {"rgbColor": {"red": 1}}}}},
                "fields": "pageBackgroundFill.solidFill.color",
            }
        },
        {"deleteObject": {"objectId": "blank_one"}},
    )
    assert made[1] == {"duplicateObject": {"objectId": "copied"}}
    deck = slides.get(deck_id)
    assert [one["objectId"] for one in deck["slides"]] == ["p", "copied"]
    copied = deck["slides"][1]
    assert copied["slideProperties"]["isSkipped"] and slides.text(deck_id, "copied_box") == "copy me\n"
    assert copied["pageProperties"]["pageBackgroundFill"]["solidFill"]["color"] == {"rgbColor": {"red": 1}}
    ids = [one["objectId"] for one in elements(deck)]
    assert len(set(ids)) == len(ids)


def test_a_shape_is_filled_a_line_drawn_and_a_shape_becomes_a_picture(slides: Slides) -> None:
    deck_id = slides.new()
    properties = {"pageObjectId": "p", "size": {"width": pt(100), "height": pt(0)}}
    blue = {"shapeBackgroundFill": {"solidFill": {"color": {"rgbColor": {"blue": 1}}}}}
    made = slides.change(
        deck_id,
        shape("logo_box", kind="ELLIPSE"),
        insert("logo_box", "{{logo}}"),
        {
            "updateShapeProperties": {
                "objectId": "logo_box",
                "shapeProperties": blue,
                "fields": "shapeBackgroundFill.solidFill.color",
            }
        },
        {"createLine": {"category": "STRAIGHT", "elementProperties": properties}},
        {"updatePageElementAltText": {"objectId": "logo_box", "title": "Logo"}},
    )
    logo = slides.element(deck_id, "logo_box")
    fill = logo["shape"]["shapeProperties"]["shapeBackgroundFill"]["solidFill"]
    assert (logo["title"], fill["color"]) == ("Logo", {"rgbColor": {"blue": 1}})
    assert slides.element(deck_id, made[3]["createLine"]["objectId"])["line"]["lineType"] == "STRAIGHT_LINE"
    asked = {"containsText": {"text": "{{logo}}"}, "imageUrl": "https://x.example/logo.png"}
    changed = slides.change(deck_id, {"replaceAllShapesWithImage": asked})
    assert changed == [{"replaceAllShapesWithImage": {"occurrencesChanged": 1}}]
    assert [one["image"]["sourceUrl"] for one in elements(slides.get(deck_id)) if "image" in one] == [asked["imageUrl"]]


REFUSED: list[tuple[Json, str]] = [
    ({}, "Invalid requests[0]: No request set."),
    (insert("p", "x"), "insertText: The object (p) does not allow text editing."),
    (insert("nobody", "x"), "insertText: The object (nobody) could not be found."),
    (insert("text_box", "x", 9), "The insertion index (9) should not be greater than the existing text length (5)."),
    (insert("text_box", "x", cellLocation={}), "The object (text_box) is not a table."),
    (delete("i0"), "deleteText: The startIndex 0 must be less than the endIndex 0"),
    (bold("i0"), "updateTextStyle: The object (i0) has no text."),
    (bold("text_box", fixed(0, 7)), "The end index (7) should not be greater than the existing text length (6)."),
    (bold("text_box", fields=""), "At least one field must be listed in 'fields'."),
    (bold("text_box", fields="bolder"), "Invalid field: bolder"),
    (new_slide(objectId="text_box"), "The object ID (text_box) should be unique among all pages and page elements"),
    (new_slide(objectId="abc"), "should have a length between 5 and 50 characters"),
    (new_slide(objectId="no blank"), "should start with a word character"),
    (new_slide(insertionIndex=3), "The insertion index (3) should not be greater than the number of slides (1)."),
    (new_slide("TITLE_SLIDE"), "Invalid value at 'requests[0].createSlide.slideLayoutReference.predefinedLayout'"),
    ({"makeSlide": {}}, "Unknown name \"makeSlide\" at 'requests[0]'"),
    ({"createSlide": {}, "deleteObject": {}}, "More than one request set."),
    ({"deleteObject": {"objectId": "p2"}}, "The object (p2) should be a slide."),
    ({"createImage": {"url": "file:///x.png", "elementProperties": {"pageObjectId": "p"}}}, "retrieving the image"),
    (
        {"updatePageElementTransform": {"objectId": "i0", "applyMode": "ABSOLUTE", "transform": {"translateX": 5}}},
        "The transform matrix is not invertible.",
    ),
    ({"replaceAllText": {"containsText": {"text": ""}}}, "The match text should not be empty."),
]


@pytest.mark.parametrize(("request_", "sentence"), REFUSED, ids=[str(number) for number in range(len(REFUSED))])
def test_what_cannot_be_done_is_refused_in_googles_words(slides: Slides, request_: Json, sentence: str) -> None:
    assert sentence in slides.refusal(slides.boxed("Hello"), request_)


def test_a_batch_is_done_wholly_or_not_at_all(slides: Slides) -> None:
    deck_id = slides.boxed("Hello")
    assert "Invalid requests[1].insertText" in slides.refusal(deck_id, insert("text_box", "x"), insert("p", "y"))
    assert slides.text(deck_id, "text_box") == "Hello\n"
    assert slides.refusal(deck_id) == "Must specify at least one request."


def test_a_write_for_another_revision_is_refused(slides: Slides) -> None:
    deck_id = slides.boxed("Hello")
    old = slides.get(deck_id)["revisionId"]
    control = {"writeControl": {"requiredRevisionId": old}}
    slides.change(deck_id, insert("text_box", "x"), **control)
    assert "does not match the latest revision" in slides.refusal(deck_id, insert("text_box", "y"), **control)


def test_what_is_not_there_is_not_found(slides: Slides) -> None:
    with pytest.raises(HttpError) as none:
        slides.get("nothing")
    assert (none.value.resp.status, none.value.reason) == (404, "Requested entity was not found.")
    with pytest.raises(HttpError) as page:
        slides.api.presentations().pages().get(presentationId=slides.new(), pageObjectId="nowhere").execute()
    assert page.value.resp.status == 404


WORDS = st.text(st.sampled_from(list("ab \n\té👍🏽e\u0301製")), max_size=8)
EDITS = st.lists(st.tuples(st.integers(0, 40), st.integers(0, 40), WORDS), max_size=8)


@given(WORDS.filter(bool), EDITS)
@settings(max_examples=60, deadline=None)
def test_any_edits_keep_a_texts_indices_right(start: str, edits: list[tuple[int, int, str]]) -> None:
    text = Text()
    text.insert(0, start)
    for first, second, word in edits:
        size = max(1, len(text.units))
        if word:
            text.insert(first % size, word)
        elif text.units and first % size < second % size:
            text.delete(*text.span(fixed(first % size, second % size), "x"))
    found: Any = text.shown().get("textElements", [])
    pieces = [one for one in found if "textRun" in one]
    position = 0
    for one in pieces:
        assert one.get("startIndex", 0) == position
        position = one["endIndex"]
        assert position - one.get("startIndex", 0) == length(one["textRun"]["content"])
    assert "".join(one["textRun"]["content"] for one in pieces) == (f"{text.plain}\n" if pieces else "")
    assert Text.loaded(text.stored()).shown() == text.shown()
