"""The Docs API of the sandbox, through Google's client: text, styles, lists, parts, and its refusals."""

from collections.abc import Iterator
from datetime import date
from pathlib import Path
from typing import Any

import pytest
from googleapiclient.errors import HttpError

from core.sandbox.docs.seed import seed
from core.sandbox.sandbox import Sandbox
from tests.sandbox.docs_world import Docs, Json, a_world, at, docs_of, runs, seeded, span, text_of


@pytest.fixture(scope="module")
def world(seeded: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Sandbox]:
    with a_world(seeded, tmp_path_factory.mktemp("docs")) as one:
        yield one


@pytest.fixture(scope="module")
def docs(world: Sandbox) -> Docs:
    return docs_of(world)


def insert(text: str, index: int = 1, **more: Any) -> Json:
    return {"insertText": {"location": at(index, **more), "text": text}}


def delete(start: int, end: int, **more: Any) -> Json:
    return {"deleteContentRange": {"range": span(start, end, **more)}}


def bold(start: int, end: int) -> Json:
    return {"updateTextStyle": {"range": span(start, end), "textStyle": {"bold": True}, "fields": "bold"}}


def test_a_new_document_has_a_section_and_an_empty_paragraph(docs: Docs) -> None:
    document = docs.api.documents().create(body={"title": "Plan", "body": {"content": []}}).execute()
    section, paragraph = document["body"]["content"]
    assert document["title"] == "Plan" and "tabs" not in document
    assert "startIndex" not in section and section["endIndex"] == 1
    assert (paragraph["startIndex"], paragraph["endIndex"]) == (1, 2)


def test_with_tabs_the_content_is_only_in_tabs(docs: Docs) -> None:
    document = docs.get(docs.new("a"), includeTabsContent=True)
    (tab,) = document["tabs"]
    assert "body" not in document and text_of(tab["documentTab"]["body"]["content"]) == "a\n"
    assert tab["tabProperties"] == {"tabId": "t.0", "title": "Tab 1", "index": 0}


def test_a_field_mask_with_tabs_means_tabs_and_cannot_name_the_old_fields_too(docs: Docs) -> None:
    document_id = docs.new("a")
    assert list(docs.get(document_id, fields="tabs(tabProperties)")) == ["tabs"]
    with pytest.raises(HttpError, match="field mask"):
        docs.get(document_id, fields="tabs,body")
    with pytest.raises(HttpError, match="field mask"):
        docs.get(document_id, fields="title,body", includeTabsContent=True)


def test_hello_after_an_emoji_is_made_bold_by_its_utf16_indices(docs: Docs) -> None:
    document_id = docs.new("😀 Hello")
    docs.change(document_id, bold(4, 9))
    shown = [
        (run["textRun"]["content"], run["textRun"]["textStyle"])
        for run in runs(docs.get(document_id)["body"]["content"])
    ]
    assert shown == [("😀 ", {}), ("Hello", {"bold": True}), ("\n", {})]


def test_text_takes_the_style_before_it_and_a_link_does_not_grow(docs: Docs) -> None:
    document_id = docs.new("ab")
    link = {"link": {"url": "https://x.example"}}
    docs.change(document_id, bold(1, 2), insert("B", 2))
    docs.change(document_id, {"updateTextStyle": {"range": span(3, 4), "textStyle": link, "fields": "link"}})
    docs.change(document_id, insert("c", 4))
    found = [
        (run["textRun"]["content"], run["textRun"]["textStyle"])
        for run in runs(docs.get(document_id)["body"]["content"])
    ]
    assert found[0] == ("aB", {"bold": True})
    assert found[1][0] == "b" and found[1][1]["link"] == {"url": "https://x.example"} and found[1][1]["underline"]
    assert found[2] == ("c\n", {})


def test_what_google_strips_from_text_is_stripped(docs: Docs) -> None:
    assert docs.text(docs.new("a\x00b\ue000c\x0bd\r\ne")) == "abc\x0bd\ne\n"


def test_a_split_heading_stays_a_heading_with_an_id_of_its_own(docs: Docs) -> None:
    document_id = docs.new("ab")
    style = {"namedStyleType": "HEADING_1"}
    docs.change(
        document_id,
        {"updateParagraphStyle": {"range": span(1, 2), "paragraphStyle": style, "fields": "namedStyleType"}},
    )
    docs.change(document_id, insert("\n", 2))
    _, *parts = docs.get(document_id)["body"]["content"]
    ids = {part["paragraph"]["paragraphStyle"]["headingId"] for part in parts}
    assert len(parts) == len(ids) == 2


@pytest.mark.parametrize(
    ("request_body", "message"),
    [
        (insert("x", 99), "insertText: Index 99 must be less than the end index of the referenced segment, 12."),
        (insert("x", 0), "insertText: The insertion index must be inside the bounds of an existing paragraph."),
        (
            delete(1, 12),
            "deleteContentRange: The range cannot include the newline character at the end of the segment.",
        ),
        (delete(3, 3), "deleteContentRange: The range should not be empty."),
        (delete(1, 2), "deleteContentRange: The range cannot begin or end between the two code units of a surrogate"),
        (insert("x", 1, segmentId="kix.no"), "insertText: Segment with ID kix.no was not found."),
        (insert("x", 1, tabId="t.9"), "insertText: Tab with ID t.9 not found."),
        ({"updateTextStyle": {"range": span(1, 3), "textStyle": {}}}, "updateTextStyle: At least one field must be"),
        ({"updateTextStyle": {"range": span(1, 3), "fields": "colour"}}, "updateTextStyle: Invalid field: colour"),
        ({"updateParagraphStyle": {"range": span(1, 3), "fields": "headingId"}}, "Unallowed field: headingId"),
        ({"createHeader": {}}, "createHeader: Header type not specified"),
        ({"deleteNamedRange": {}}, "deleteNamedRange: ID or name for named range must be set"),
        ({"replaceAllText": {"containsText": {"text": ""}}}, "replaceAllText: The substring to match must not be"),
        ({}, "Invalid requests[0]: No request set."),
        ({"insertInlineImage": {"location": at(1), "uri": "https://x.example/page"}}, "There was a problem retrieving"),
    ],
)
def test_a_refusal_is_in_googles_words(docs: Docs, request_body: Json, message: str) -> None:
    status, said = docs.refusal(docs.new("😀 Hello12"), request_body)
    assert status == 400 and message in said


def test_an_unknown_name_is_refused_with_its_place(docs: Docs) -> None:
    document_id = docs.new()
    status, said = docs.refusal(document_id, {"insertText": {"text": "a", "place": 1}})
    assert (status, said) == (
        400,
        "Invalid JSON payload received. Unknown name \"place\" at 'requests[0].insertText': Cannot find field.",
    )
    assert "Unknown name \"addBookmark\" at 'requests[0]'" in docs.refusal(document_id, {"addBookmark": {}})[1]
    assert "Invalid value at" in docs.refusal(document_id, insert(3))[1]  # type: ignore[arg-type]
    assert docs.refusal(document_id)[1] == "Must specify at least one request."


def test_a_batch_is_made_whole_or_not_at_all(docs: Docs) -> None:
    document_id = docs.new("abc")
    before = docs.get(document_id)
    assert docs.refusal(document_id, insert("x"), delete(1, 99))[1].startswith("Invalid requests[1].deleteContentRange")
    assert docs.get(document_id) == before


def test_a_change_meant_for_another_revision_is_refused(docs: Docs) -> None:
    document_id = docs.new("a")
    old = docs.get(document_id)["revisionId"]
    answer = docs.change(document_id, insert("b"), writeControl={"requiredRevisionId": old})
    new = answer["writeControl"]["requiredRevisionId"]
    assert new == docs.get(document_id)["revisionId"] != old
    said = docs.refusal(document_id, insert("c"), writeControl={"requiredRevisionId": old})
    assert said == (400, f"The required revision ID '{old}' does not match the latest revision.")


def test_paragraphs_merge_and_the_first_keeps_its_style(docs: Docs) -> None:
    document_id = docs.new("one\ntwo\nthree")
    style = {"namedStyleType": "HEADING_2"}
    request = {"updateParagraphStyle": {"range": span(1, 2), "paragraphStyle": style, "fields": "namedStyleType"}}
    docs.change(document_id, request, delete(3, 6))
    first = docs.get(document_id)["body"]["content"][1]["paragraph"]
    assert docs.text(document_id) == "onwo\nthree\n" and first["paragraphStyle"]["namedStyleType"] == "HEADING_2"


def test_all_occurrences_are_replaced_in_every_tab_table_and_header(docs: Docs) -> None:
    document_id = docs.new("Acme and ACME\n😀acme")
    tab = docs.change(document_id, {"addDocumentTab": {"tabProperties": {"title": "Two"}}})
    tab_id = tab["replies"][0]["addDocumentTab"]["tabProperties"]["tabId"]
    header = docs.change(document_id, {"createHeader": {"type": "DEFAULT"}})["replies"][0]["createHeader"]["headerId"]
    docs.change(document_id, insert("acme", 1, tabId=tab_id), insert("Acme", 0, segmentId=header))
    request = {"replaceAllText": {"containsText": {"text": "acme"}, "replaceText": "Globex 🌍"}}
    assert docs.change(document_id, request)["replies"] == [{"replaceAllText": {"occurrencesChanged": 5}}]
    assert docs.text(document_id) == "Globex 🌍 and Globex 🌍\n😀Globex 🌍\n"
    only = {
        "containsText": {"text": "Globex", "matchCase": True},
        "replaceText": "X",
        "tabsCriteria": {"tabIds": [tab_id]},
    }
    assert docs.change(document_id, {"replaceAllText": only})["replies"][0]["replaceAllText"] == {
        "occurrencesChanged": 1
    }
    nothing = {"replaceAllText": {"containsText": {"text": "zzz"}, "replaceText": "y"}}
    assert docs.change(document_id, nothing)["replies"] == [{"replaceAllText": {}}]


def test_leading_tabs_become_levels_and_are_gone(docs: Docs) -> None:
    document_id = docs.new("a\n\tb\n\t\tc\nd")
    docs.change(
        document_id, {"createParagraphBullets": {"range": span(1, 8), "bulletPreset": "NUMBERED_DECIMAL_NESTED"}}
    )
    document = docs.get(document_id)
    paragraphs = [one["paragraph"] for one in document["body"]["content"][1:]]
    assert docs.text(document_id) == "a\nb\nc\nd\n"
    assert [one.get("bullet", {}).get("nestingLevel", 0) for one in paragraphs] == [0, 1, 2, 0]
    assert "bullet" not in paragraphs[3]
    (levels,) = [one["listProperties"]["nestingLevels"] for one in document["lists"].values()]
    assert [one["glyphFormat"] for one in levels[:2]] == ["%0.", "%0.%1."]


def test_a_paragraph_after_a_list_of_the_same_kind_joins_it(docs: Docs) -> None:
    document_id = docs.new("a\nb\nc")
    preset = {"bulletPreset": "BULLET_DISC_CIRCLE_SQUARE"}
    docs.change(document_id, {"createParagraphBullets": {"range": span(1, 2), **preset}})
    docs.change(document_id, {"createParagraphBullets": {"range": span(3, 4), **preset}})
    docs.change(document_id, {"deleteParagraphBullets": {"range": span(1, 2)}})
    document = docs.get(document_id)
    assert len(document["lists"]) == 1
    assert ["bullet" in one["paragraph"] for one in document["body"]["content"][1:]] == [False, True, False]


def test_a_header_is_a_segment_that_starts_at_zero(docs: Docs) -> None:
    document_id = docs.new("a")
    header = docs.change(document_id, {"createHeader": {"type": "DEFAULT"}})["replies"][0]["createHeader"]["headerId"]
    footer = docs.change(document_id, {"createFooter": {"type": "DEFAULT"}})["replies"][0]["createFooter"]["footerId"]
    docs.change(document_id, insert("Head", 0, segmentId=header))
    document = docs.get(document_id)
    (paragraph,) = document["headers"][header]["content"]
    assert text_of([paragraph]) == "Head\n" and "startIndex" not in paragraph
    assert document["documentStyle"]["defaultHeaderId"] == header
    assert "Default header already exists" in docs.refusal(document_id, {"createHeader": {"type": "DEFAULT"}})[1]
    docs.change(document_id, {"deleteFooter": {"footerId": footer}})
    assert "footers" not in docs.get(document_id)
    assert (
        "page breaks"
        in docs.refusal(document_id, {"insertPageBreak": {"endOfSegmentLocation": {"segmentId": header}}})[1].lower()
    )


def test_a_named_range_moves_with_its_text_and_dies_with_it(docs: Docs) -> None:
    document_id = docs.new("Hello world")
    docs.change(document_id, {"createNamedRange": {"name": "w", "range": span(7, 12)}})
    docs.change(document_id, insert("😀", 1))
    (entry,) = docs.get(document_id)["namedRanges"]["w"]["namedRanges"]
    assert entry["ranges"] == [{"startIndex": 9, "endIndex": 14, "tabId": "t.0"}]
    docs.change(document_id, delete(8, 14))
    assert "namedRanges" not in docs.get(document_id)


def test_an_image_a_chip_and_a_break_take_one_index_each(docs: Docs) -> None:
    document_id = docs.new("ab")
    person = {"name": "Ana Ruiz", "email": "ana@lumenworks.example"}
    image = {
        "location": at(2),
        "uri": "https://x.example/a.png",
        "objectSize": {"width": {"magnitude": 9, "unit": "PT"}},
    }
    reply = docs.change(
        document_id,
        {"insertInlineImage": image},
        {"insertPerson": {"location": at(3), "personProperties": person}},
        {"insertDate": {"location": at(3), "dateElementProperties": {"timestamp": "2026-12-01T12:00:00Z"}}},
        {"insertPageBreak": {"location": at(1)}},
    )["replies"][0]
    document = docs.get(document_id)
    kinds = [next(name for name in run if not name.endswith("Index")) for run in runs(document["body"]["content"])]
    assert kinds == ["pageBreak", "textRun", "textRun", "inlineObjectElement", "dateElement", "person", "textRun"]
    image_id = reply["insertInlineImage"]["objectId"]
    embedded = document["inlineObjects"][image_id]["inlineObjectProperties"]["embeddedObject"]
    assert embedded["size"]["width"]["magnitude"] == 9
    assert embedded["imageProperties"]["sourceUri"] == "https://x.example/a.png"


def test_tabs_nest_at_most_three_deep_and_go_with_those_below(docs: Docs) -> None:
    document_id = docs.new()

    def add(parent: str = "") -> str:
        request = {"addDocumentTab": {"tabProperties": {"title": "x", **({"parentTabId": parent} if parent else {})}}}
        return docs.change(document_id, request)["replies"][0]["addDocumentTab"]["tabProperties"]["tabId"]

    first = add()
    third = add(add(first))
    assert (
        "nested more than 3"
        in docs.refusal(document_id, {"addDocumentTab": {"tabProperties": {"parentTabId": third}}})[1]
    )
    docs.change(document_id, {"deleteTab": {"tabId": first}})
    assert len(docs.get(document_id, includeTabsContent=True)["tabs"]) == 1
    assert "last tab" in docs.refusal(document_id, {"deleteTab": {"tabId": "t.0"}})[1]


def test_a_document_that_is_not_there_is_not_found_and_a_shared_one_cannot_be_changed(docs: Docs) -> None:
    with pytest.raises(HttpError) as none:
        docs.get("nothing")
    assert (none.value.resp.status, none.value.reason) == (404, "Requested entity was not found.")
    assert docs.refusal(seeded("invoice-policy"), insert("x")) == (403, "The caller does not have permission")


def test_the_seed_has_nested_tabs_chips_headers_and_a_japanese_document(docs: Docs) -> None:
    agenda = docs.get(seeded("offsite-agenda"), includeTabsContent=True)
    titles = [(tab["tabProperties"]["title"], len(tab.get("childTabs", []))) for tab in agenda["tabs"]]
    assert titles == [("Overview", 0), ("Day one", 1), ("Day two", 0)]
    nested = agenda["tabs"][1]["childTabs"][0]["tabProperties"]
    assert (nested["title"], nested["nestingLevel"]) == ("Evening", 1)
    roadmap = docs.get(seeded("product-roadmap"))
    kinds = {name for run in runs(roadmap["body"]["content"]) for name in run if not name.endswith("Index")}
    assert kinds == {"textRun", "person", "dateElement", "richLink"}
    assert [text_of(one["content"]) for one in roadmap["headers"].values()] == ["Lumenworks · Product\n"]
    assert "製品ロードマップ" in docs.text(seeded("roadmap-ja"))


def test_seeding_again_keeps_what_somebody_changed_and_renews_the_rest(sandbox: Sandbox) -> None:
    docs = docs_of(sandbox)
    docs.change(seeded("private-notes"), insert("Mine. "))
    before = docs.text(seeded("northgrid-notes"))
    seed(sandbox.world, date(2026, 12, 24))
    assert docs.text(seeded("private-notes")).startswith("Mine. ")
    assert docs.text(seeded("northgrid-notes")) != before
