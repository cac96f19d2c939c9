"""The Docs tools that write; what they did is read back by REST."""

import io
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from googleapiclient.http import MediaIoBaseUpload

from tests.mcp_server.docs_desk import Office, office, seed_world
from tests.sandbox.docs_world import at, runs, seeded, text_of


@pytest.fixture(scope="module")
def world(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return seed_world(tmp_path_factory.mktemp("world") / "sandbox.db")


@pytest.fixture(scope="module")
def desk(world: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Office]:
    with office(world, tmp_path_factory.mktemp("office")) as one:
        yield one


def styled(desk: Office, document_id: str) -> list[tuple[str, dict[str, Any]]]:
    found = runs(desk.docs.get(document_id)["body"]["content"])
    return [(one["textRun"]["content"], one["textRun"]["textStyle"]) for one in found]


async def test_create_doc_has_its_title_and_text(desk: Office) -> None:
    result = await desk.call("create_doc", title="Notes", content="One\r\nTwo 😀")
    assert desk.docs.text(result["document_id"]) == "One\nTwo 😀\n"
    assert desk.docs.get(result["document_id"])["title"] == "Notes"
    assert result["link"].endswith(f"{result['document_id']}/edit") and result["end_index"] == 11
    empty = await desk.call("create_doc", title="Empty")
    assert desk.docs.text(empty["document_id"]) == "\n"


async def test_create_doc_puts_a_box_before_each_point_of_a_checklist(desk: Office) -> None:
    result = await desk.call(
        "create_doc", title="Trip", content="Before we go", checklist=["Tickets 🎫", " Two\nrooms ", ""]
    )
    found = desk.docs.get(result["document_id"])
    assert desk.docs.text(result["document_id"]) == "Before we go\nTickets 🎫\nTwo rooms\n"
    boxes = [
        one["paragraph"]["bullet"]["listId"] for one in found["body"]["content"] if "bullet" in one.get("paragraph", {})
    ]
    levels = found["lists"][boxes[0]]["listProperties"]["nestingLevels"]
    assert len(boxes) == 2 and levels[0]["glyphType"] == "GLYPH_TYPE_UNSPECIFIED"
    assert result["changed"] == "The document “Trip” was created with a checklist of 2."


async def test_modify_doc_text_makes_hello_bold_after_an_emoji(desk: Office) -> None:
    document_id = desk.docs.new("😀 Hello")
    (place,) = (await desk.call("inspect_doc_structure", document_id=document_id, find_text="Hello"))["found"]
    await desk.call(
        "modify_doc_text",
        document_id=document_id,
        start_index=place["start_index"],
        end_index=place["end_index"],
        bold=True,
    )
    assert (place["start_index"], place["end_index"]) == (4, 9)
    assert styled(desk, document_id) == [("😀 ", {}), ("Hello", {"bold": True}), ("\n", {})]


async def test_modify_doc_text_inserts_replaces_in_the_old_style_and_deletes(desk: Office) -> None:
    document_id = desk.docs.new("plain fat plain")
    await desk.call("modify_doc_text", document_id=document_id, start_index=7, end_index=10, bold=True)
    await desk.call(
        "modify_doc_text", document_id=document_id, start_index=7, end_index=10, text="thick 😀", italic=True
    )
    assert styled(desk, document_id)[1] == ("thick 😀", {"bold": True, "italic": True})
    result = await desk.call(
        "modify_doc_text", document_id=document_id, start_index=1, text="So: ", text_color="#ff0000"
    )
    assert (result["start_index"], result["end_index"]) == (1, 5)
    assert styled(desk, document_id)[0][1] == {
        "foregroundColor": {"color": {"rgbColor": {"red": 1.0, "green": 0.0, "blue": 0.0}}}
    }
    await desk.call("modify_doc_text", document_id=document_id, start_index=1, end_index=5, text="")
    assert desk.docs.text(document_id) == "plain thick 😀 plain\n"


async def test_modify_doc_text_can_replace_everything_up_to_the_last_newline(desk: Office) -> None:
    document_id = desk.docs.new("old\nlines")
    await desk.call("modify_doc_text", document_id=document_id, start_index=1, end_index=11, text="new")
    assert desk.docs.text(document_id) == "new\n"


async def test_modify_doc_text_sets_and_takes_away_links_sizes_and_fonts(desk: Office) -> None:
    document_id = desk.docs.new("site")
    area = {"document_id": document_id, "start_index": 1, "end_index": 5}
    await desk.call("modify_doc_text", **area, link_url="https://x.example", font_size=14, font_family="Georgia")
    ((_, style), _) = styled(desk, document_id)
    assert style["link"] == {"url": "https://x.example"} and style["fontSize"] == {"magnitude": 14, "unit": "PT"}
    assert style["weightedFontFamily"] == {"fontFamily": "Georgia"}
    await desk.call("modify_doc_text", **area, link_url="")
    assert "link" not in styled(desk, document_id)[0][1]


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        ({"start_index": 1}, "give the text to insert, or end_index"),
        ({"start_index": 1, "end_index": 3}, "nothing would change"),
        ({"start_index": 3, "end_index": 2, "bold": True}, "end_index: 2 must be greater than start_index, 3"),
        ({"start_index": 1, "end_index": 3, "text_color": "red"}, "text_color: 'red' is no colour; give it as #RRGGBB"),
        ({"start_index": 90, "text": "x"}, "Index 90 must be less than the end index of the referenced segment, 5."),
        ({"start_index": 90, "end_index": 95, "text": "x"}, "the text has the indices 1 to 4"),
    ],
)
async def test_modify_doc_text_says_what_is_wrong(desk: Office, arguments: dict[str, Any], sentence: str) -> None:
    document_id = desk.docs.new("abc")
    assert sentence in await desk.call.refusal("modify_doc_text", document_id=document_id, **arguments)
    assert desk.docs.text(document_id) == "abc\n"


async def test_find_and_replace_doc_counts_in_all_tabs(desk: Office) -> None:
    result = await desk.call(
        "find_and_replace_doc",
        document_id=seeded("offsite-agenda"),
        find_text="hotel seeblick",
        replace_text="Haus am See",
    )
    assert result["count"] == 1 and "in 1 place" in result["changed"]
    assert "Haus am See" in desk.docs.text(seeded("offsite-agenda"))
    nothing = await desk.call(
        "find_and_replace_doc",
        document_id=seeded("offsite-agenda"),
        find_text="Guitar",
        replace_text="x",
        match_case=True,
    )
    assert nothing["count"] == 0 and "was not found" in nothing["changed"]


@pytest.mark.parametrize(("index", "text"), [(1, "a\nb\none two\n"), (4, "one\na\nb\n two\n"), (8, "one two\na\nb\n")])
async def test_insert_doc_elements_makes_a_list_of_its_own_paragraphs(desk: Office, index: int, text: str) -> None:
    document_id = desk.docs.new("one two")
    items = {"element_type": "list", "list_type": "ORDERED", "text": "a\n\tb"}
    await desk.call("insert_doc_elements", document_id=document_id, index=index, **items)
    document = desk.docs.get(document_id)
    bullets = {
        text_of([one]): one["paragraph"]["bullet"].get("nestingLevel", 0)
        for one in document["body"]["content"][1:]
        if "bullet" in one["paragraph"]
    }
    assert text_of(document["body"]["content"]) == text and bullets == {"a\n": 0, "b\n": 1}


async def test_insert_doc_elements_makes_tables_and_page_breaks(desk: Office) -> None:
    document_id = desk.docs.new("ab")
    table = await desk.call(
        "insert_doc_elements", document_id=document_id, element_type="table", index=2, rows=2, columns=2
    )
    found = next(one for one in desk.docs.get(document_id)["body"]["content"] if "table" in one)
    assert (table["start_index"], table["end_index"]) == (found["startIndex"], found["endIndex"])
    await desk.call("insert_doc_elements", document_id=document_id, element_type="page_break", index=1)
    assert desk.docs.text(document_id) == "¤\na\n[|/|]b\n"
    said = await desk.call.refusal("insert_doc_elements", document_id=document_id, element_type="table", index=1)
    assert "a table needs rows and columns" in said


async def test_insert_doc_image_takes_a_web_address_or_an_image_in_drive(desk: Office) -> None:
    document_id = desk.docs.new("ab")
    source = {"image_source": "https://x.example/a.png", "index": 2, "width": 90}
    await desk.call("insert_doc_image", document_id=document_id, **source)
    (image,) = desk.docs.get(document_id)["inlineObjects"].values()
    embedded = image["inlineObjectProperties"]["embeddedObject"]
    assert embedded["size"]["width"] == {"magnitude": 90, "unit": "PT"}
    assert desk.docs.text(document_id) == "a¤b\n"
    said = await desk.call.refusal(
        "insert_doc_image", document_id=document_id, image_source=seeded("product-roadmap"), index=1
    )
    assert "Product roadmap is no image" in said
    assert "neither" in await desk.call.refusal(
        "insert_doc_image", document_id=document_id, image_source="file:///etc/passwd", index=1
    )


async def test_insert_doc_image_takes_an_image_of_drive_that_everybody_may_see(desk: Office) -> None:
    media = MediaIoBaseUpload(io.BytesIO(b"\x89PNG"), mimetype="image/png")
    image = desk.drive.files().create(body={"name": "lamp.png"}, media_body=media).execute()["id"]
    call = {"document_id": desk.docs.new("ab"), "image_source": image, "index": 2}
    assert "anyone with the link may see" in await desk.call.refusal("insert_doc_image", **call)
    desk.drive.permissions().create(fileId=image, body={"type": "anyone", "role": "reader"}).execute()
    await desk.call("insert_doc_image", **call)
    assert desk.docs.text(str(call["document_id"])) == "a¤b\n"


async def test_update_doc_headers_footers_makes_and_replaces(desk: Office) -> None:
    document_id = desk.docs.new("a")
    call = {"document_id": document_id, "section_type": "header"}
    made = await desk.call("update_doc_headers_footers", **call, content="Draft")
    again = await desk.call("update_doc_headers_footers", **call, content="Final 😀")
    assert ("created" in made["changed"], "replaced" in again["changed"]) == (True, True)
    (header,) = desk.docs.get(document_id)["headers"].values()
    assert text_of(header["content"]) == "Final 😀\n"
    said = await desk.call.refusal(
        "update_doc_headers_footers", **call, content="x", header_footer_type="FIRST_PAGE_ONLY"
    )
    assert "use DEFAULT" in said


async def test_batch_update_doc_maps_every_operation(desk: Office) -> None:
    document_id = desk.docs.new("Title\nAcme text\nitem one\nitem two")
    operations = [
        {"type": "insert_text", "end_of_segment": True, "text": "\nlast"},
        {"type": "create_bullet_list", "start_index": 17, "end_index": 34, "list_type": "ORDERED"},
        {"type": "format_text", "start_index": 7, "end_index": 11, "bold": True},
        {"type": "find_replace", "find_text": "acme", "replace_text": "Globex"},
        {"type": "update_paragraph_style", "start_index": 1, "end_index": 2, "heading_level": 1, "alignment": "CENTER"},
        {"type": "replace_text", "start_index": 1, "end_index": 6, "text": "Plan"},
        {"type": "insert_page_break", "end_of_segment": True},
        {"type": "insert_doc_tab", "title": "More"},
        {"type": "create_named_range", "start_index": 1, "end_index": 5, "name": "title"},
    ]
    result = await desk.call("batch_update_doc", document_id=document_id, operations=operations)
    document = desk.docs.get(document_id)
    first = document["body"]["content"][1]["paragraph"]["paragraphStyle"]
    assert result["count"] == 9
    assert desk.docs.text(document_id) == "Plan\nGlobex text\nitem one\nitem two\nlast¤\n\n"
    assert (first["namedStyleType"], first["alignment"]) == ("HEADING_1", "CENTER")
    assert sum("bullet" in one["paragraph"] for one in document["body"]["content"][1:]) == 2
    assert list(document["namedRanges"]) == ["title"]
    titles = [tab["tabProperties"]["title"] for tab in desk.docs.get(document_id, includeTabsContent=True)["tabs"]]
    assert titles == ["Tab 1", "More"]


async def test_batch_update_doc_edits_tables_tabs_and_chips(desk: Office) -> None:
    document_id = desk.docs.new("ab")
    desk.docs.change(document_id, {"insertTable": {"location": at(2), "rows": 1, "columns": 2}})
    tab = desk.docs.change(document_id, {"addDocumentTab": {"tabProperties": {"title": "Two"}}})
    tab_id = tab["replies"][0]["addDocumentTab"]["tabProperties"]["tabId"]
    operations = [
        {"type": "insert_table_row", "table_start_index": 3, "row": 0},
        {"type": "insert_table_column", "table_start_index": 3, "column": 1, "after": True},
        {"type": "delete_table_column", "table_start_index": 3, "column": 0},
        {"type": "insert_text", "index": 1, "text": "here", "tab_id": tab_id, "italic": True},
        {"type": "insert_person", "index": 1, "email": "ana@lumenworks.example"},
        {"type": "insert_image", "index": 1, "uri": "https://x.example/a.png"},
        {"type": "update_doc_tab", "tab_id": tab_id, "title": "Second"},
        {"type": "delete_text", "start_index": 3, "end_index": 4},
    ]
    await desk.call("batch_update_doc", document_id=document_id, operations=operations)
    second = desk.docs.get(document_id, includeTabsContent=True)["tabs"][1]
    assert desk.docs.text(document_id) == "¤¤\n[|/|]b\n"
    assert second["tabProperties"]["title"] == "Second"
    assert text_of(second["documentTab"]["body"]["content"]) == "here\n"


@pytest.mark.parametrize(
    ("operations", "sentence"),
    [
        ([{"type": "fly"}], "operations[0]: "),
        ([{}], "operations[0]: "),
        ([{"type": "insert_text", "text": "x"}], "give `index`, or `end_of_segment: true`"),
        (
            [{"type": "insert_text", "index": 1, "text": "x"}, {"type": "delete_text", "start_index": 1}],
            "operations[1]: end_index",
        ),
        ([{"type": "format_text", "start_index": 1, "end_index": 2}], "format_text changes nothing"),
        (
            [
                {"type": "insert_text", "index": 1, "text": "x"},
                {"type": "delete_text", "start_index": 1, "end_index": 99},
            ],
            "requests[1]",
        ),
    ],
)
async def test_batch_update_doc_changes_nothing_where_one_operation_is_wrong(
    desk: Office, operations: list[dict[str, Any]], sentence: str
) -> None:
    document_id = desk.docs.new("abc")
    assert sentence in await desk.call.refusal("batch_update_doc", document_id=document_id, operations=operations)
    assert desk.docs.text(document_id) == "abc\n"


async def test_create_table_with_data_fills_every_cell_in_one_step(desk: Office) -> None:
    document_id = desk.docs.new("ab")
    rows = [["Name", "😀"], ["e\u0301", ""], ["last"]]
    result = await desk.call("create_table_with_data", document_id=document_id, table_data=rows, index=2)
    assert desk.docs.text(document_id) == "a\n[Name|😀/e\u0301|/last|]b\n"
    found = next(one for one in desk.docs.get(document_id)["body"]["content"] if "table" in one)
    assert (result["start_index"], result["end_index"]) == (found["startIndex"], found["endIndex"])
    bold = [
        [
            one["content"][0]["paragraph"]["elements"][0]["textRun"]["textStyle"].get("bold", False)
            for one in row["tableCells"]
        ]
        for row in found["table"]["tableRows"]
    ]
    assert bold == [[True, True], [False, False], [False, False]]


async def test_update_paragraph_style_makes_headings_and_nested_lists(desk: Office) -> None:
    document_id = desk.docs.new("Head\none\ntwo\nrest")
    await desk.call(
        "update_paragraph_style", document_id=document_id, start_index=1, end_index=3, heading_level=2, space_below=6
    )
    await desk.call(
        "update_paragraph_style",
        document_id=document_id,
        start_index=6,
        end_index=12,
        list_type="UNORDERED",
        list_nesting_level=2,
        line_spacing=1.5,
    )
    head, one, two, rest = [part["paragraph"] for part in desk.docs.get(document_id)["body"]["content"][1:]]
    assert head["paragraphStyle"]["namedStyleType"] == "HEADING_2"
    assert [part.get("bullet", {}).get("nestingLevel") for part in (one, two, rest)] == [2, 2, None]
    assert one["paragraphStyle"]["lineSpacing"] == 150 and desk.docs.text(document_id) == "Head\none\ntwo\nrest\n"
    again = {"document_id": document_id, "start_index": 6, "end_index": 7, "list_type": "ORDERED"}
    await desk.call("update_paragraph_style", **again, list_nesting_level=0)
    changed = desk.docs.get(document_id)["body"]["content"][2]["paragraph"]
    assert "nestingLevel" not in changed["bullet"]
    said = await desk.call.refusal("update_paragraph_style", document_id=document_id, start_index=1, end_index=2)
    assert "nothing would change" in said


async def test_export_doc_to_pdf_saves_a_pdf_that_opens(desk: Office) -> None:
    result = await desk.call("export_doc_to_pdf", document_id=seeded("roadmap-ja"), pdf_filename="plan")
    data = desk.drive.files().get_media(fileId=result["file_id"]).execute()
    file = desk.drive.files().get(fileId=result["file_id"], fields="name,mimeType,size").execute()
    assert data.startswith(b"%PDF") and len(data) == result["size"] == int(file["size"])
    assert (file["name"], file["mimeType"]) == ("plan.pdf", "application/pdf")
    assert result["link"].startswith("https://drive.google.com/")
    said = await desk.call.refusal("export_doc_to_pdf", document_id=result["file_id"])
    assert "is no Google document" in said


@dataclass(frozen=True)
class Asked:
    """A document with a comment that the tool wrote."""

    document_id: str
    comment_id: str


@pytest.fixture
async def asked(desk: Office) -> Asked:
    document_id = desk.docs.new("text")
    made = await desk.call("create_document_comment", document_id=document_id, comment_content="Why?")
    return Asked(document_id, made["comment_id"])


def comment_of(desk: Office, asked: Asked) -> dict[str, Any]:
    fields = "comments(content,resolved,replies)"
    (comment,) = desk.drive.comments().list(fileId=asked.document_id, fields=fields).execute()["comments"]
    return comment


async def test_create_document_comment_writes_what_was_said(desk: Office, asked: Asked) -> None:
    assert comment_of(desk, asked)["content"] == "Why?"
    said = await desk.call.refusal("create_document_comment", document_id=asked.document_id, comment_content=" ")
    assert "say something" in said


async def test_reply_to_document_comment_answers_it(desk: Office, asked: Asked) -> None:
    await desk.call("reply_to_document_comment", **vars(asked), reply_content="So.")
    comment = comment_of(desk, asked)
    assert [one["content"] for one in comment["replies"]] == ["So."] and not comment["resolved"]


async def test_resolve_document_comment_settles_it(desk: Office, asked: Asked) -> None:
    await desk.call("resolve_document_comment", **vars(asked))
    comment = comment_of(desk, asked)
    assert comment["resolved"] and [one["action"] for one in comment["replies"]] == ["resolve"]
    said = await desk.call.refusal("resolve_document_comment", document_id=asked.document_id, comment_id="none")
    assert "There is no such" in said


async def test_modify_doc_text_of_a_document_that_may_only_be_read_says_whom_to_ask(desk: Office) -> None:
    said = await desk.call.refusal("modify_doc_text", document_id=seeded("invoice-policy"), start_index=1, text="x")
    assert "may not do that" in said
