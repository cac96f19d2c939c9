"""The Docs tools that read, over the seeded world; it is Tuesday 1 December 2026, 09:00 in Berlin."""

import io
from collections.abc import Iterator
from pathlib import Path

import docx
import pytest
from googleapiclient.http import MediaIoBaseUpload

from tests.mcp_server.conftest import ZONE
from tests.mcp_server.docs_desk import Office, office, seed_world
from tests.sandbox.docs_world import at, seeded

DOCX = "application/vnd.openxmlformats-officedocument.wordprocessingml.document"


@pytest.fixture(scope="module")
def world(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return seed_world(tmp_path_factory.mktemp("world") / "sandbox.db")


@pytest.fixture(scope="module")
def desk(world: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Office]:
    with office(world, tmp_path_factory.mktemp("office")) as one:
        yield one


async def test_search_docs_finds_documents_by_their_name_and_pages(desk: Office) -> None:
    found = (await desk.call("search_docs", query="roadmap"))["documents"]
    assert {"Product roadmap"} <= {one["title"] for one in found}
    assert all(one["link"].startswith("https://docs.google.com/document/d/") for one in found)
    assert found[0]["modified"].endswith("+01:00")
    for number in range(3):
        desk.docs.new(title=f"Jon's \\ page {number}")
    first = await desk.call("search_docs", query="Jon's \\ page", page_size=2)
    second = await desk.call("search_docs", query="Jon's \\ page", page_size=2, page_token=first["next_page_token"])
    assert (len(first["documents"]), len(second["documents"]), second["next_page_token"]) == (2, 1, None)


async def test_list_docs_in_folder_lists_only_documents_of_the_folder(desk: Office) -> None:
    here = (await desk.call("list_docs_in_folder"))["documents"]
    assert "Notes to self" in {one["title"] for one in here}
    assert "Product roadmap" not in {one["title"] for one in here}
    product = (await desk.call("list_docs_in_folder", folder_id=seeded("product")))["documents"]
    assert {"Product roadmap", "Weekly product meeting"} <= {one["title"] for one in product}
    assert "There is no such file" in await desk.call.refusal("list_docs_in_folder", folder_id="nothing")


async def test_get_doc_content_has_every_tab_with_its_title_and_the_text_of_chips(desk: Office) -> None:
    result = await desk.call("get_doc_content", document_id=seeded("offsite-agenda"))
    assert [(one["title"], one["level"]) for one in result["tabs"]] == [
        ("Overview", 0),
        ("Day one", 0),
        ("Evening", 1),
        ("Day two", 0),
    ]
    assert "= Tab: Overview =" in result["text"] and "== Tab: Evening ==" in result["text"]
    assert "Jonas Weber <jonas@hotel-seeblick.example>" in result["text"]
    assert "| 11:00 | Where we stand | Priya |" in result["text"]
    roadmap = (await desk.call("get_doc_content", document_id=seeded("product-roadmap")))["text"]
    assert "Next review: Thursday 3 December" in roadmap and "[header of Tab 1] Lumenworks · Product" in roadmap
    assert "# Product roadmap" in roadmap and "1. Halo 2 in " in roadmap and "  - Kenji's team" in roadmap
    assert "Q3 numbers (https://docs.google.com/spreadsheets/d/" in roadmap


async def test_get_doc_content_says_a_cut_and_goes_on_at_the_offset(world: Path, tmp_path: Path) -> None:
    with office(world, tmp_path, body_limit=200) as desk:
        document_id = desk.docs.new("".join(f"line {number}\n" for number in range(80)))
        parts, offset = "", 0
        while offset is not None:
            result = await desk.call("get_doc_content", document_id=document_id, offset=offset)
            whole = result["text"].split("\n[cut:")[0]
            parts += whole.split("]\n", 1)[-1] if "the end]" in whole else whole
            offset = result["next_offset"]
        assert parts == "".join(f"line {number}\n" for number in range(80)).strip()
        first = await desk.call("get_doc_content", document_id=document_id)
        assert "get_doc_content with offset 200" in first["text"]


async def test_get_doc_content_reads_word_and_text_files_and_says_who_reads_others(desk: Office) -> None:
    word, out = docx.Document(), io.BytesIO()
    word.add_paragraph("Liebe Grüße aus Word")
    table = word.add_table(1, 2)
    table.rows[0].cells[0].text, table.rows[0].cells[1].text = "a", "b"
    word.save(out)

    def upload(name: str, kind: str, data: bytes) -> str:
        media = MediaIoBaseUpload(io.BytesIO(data), mimetype=kind)
        return desk.drive.files().create(body={"name": name}, media_body=media).execute()["id"]

    result = await desk.call("get_doc_content", document_id=upload("brief.docx", DOCX, out.getvalue()))
    assert result["text"] == "Liebe Grüße aus Word\n| a | b |" and result["title"] == "brief.docx"
    text = await desk.call("get_doc_content", document_id=upload("a.txt", "text/plain", "Füße".encode()))
    assert text["text"] == "Füße" and text["tabs"] == []
    broken = upload("broken.docx", DOCX, b"no zip")
    assert "no Word file that can be read" in await desk.call.refusal("get_doc_content", document_id=broken)
    zipped = upload("a.zip", "application/zip", b"PK")
    assert "get_drive_file_content" in await desk.call.refusal("get_doc_content", document_id=zipped)


async def test_get_doc_content_follows_a_shortcut(desk: Office) -> None:
    body = {
        "name": "Roadmap, here",
        "mimeType": "application/vnd.google-apps.shortcut",
        "shortcutDetails": {"targetId": seeded("product-roadmap")},
    }
    shortcut = desk.drive.files().create(body=body).execute()["id"]
    result = await desk.call("get_doc_content", document_id=shortcut)
    assert (result["document_id"], result["title"]) == (seeded("product-roadmap"), "Product roadmap")


async def test_get_doc_content_says_what_is_not_there(desk: Office) -> None:
    said = await desk.call.refusal("get_doc_content", document_id="nothing")
    assert said.startswith("There is no such file")


async def test_inspect_doc_structure_gives_indices_in_utf16_units(desk: Office) -> None:
    document_id = desk.docs.new("😀 Hello\n\nnext")
    (body,) = (await desk.call("inspect_doc_structure", document_id=document_id, detailed=True))["segments"]
    shown = [(one["start_index"], one["end_index"], one["text"]) for one in body["parts"]]
    assert shown == [(0, 1, ""), (1, 10, "😀 Hello"), (10, 11, ""), (11, 16, "next")]
    assert body["parts"][1]["runs"][0]["text"] == "😀 Hello⏎" and body["end_index"] == 16


async def test_inspect_doc_structure_finds_the_exact_indices_of_words(desk: Office) -> None:
    document_id = desk.docs.new("😀 Hello, HELLO")
    desk.docs.change(document_id, {"insertTable": {"location": at(1), "rows": 1, "columns": 1}})
    desk.docs.change(document_id, {"insertText": {"location": at(5), "text": "👩‍🔬hello"}})
    result = await desk.call("inspect_doc_structure", document_id=document_id, find_text="hello")
    places = [(one["start_index"], one["end_index"]) for one in result["found"]]
    assert places[0] == (10, 15) and len(places) == 3 and result["segments"] == []
    content = desk.docs.get(document_id)["body"]["content"]
    (last,) = content[-1]["paragraph"]["elements"]
    start = last["startIndex"]
    assert places[1:] == [(start + 3, start + 8), (start + 10, start + 15)]


async def test_inspect_doc_structure_says_what_it_leaves_out_and_how_to_go_on(world: Path, tmp_path: Path) -> None:
    with office(world, tmp_path, body_limit=400) as desk:
        first = await desk.call("inspect_doc_structure", document_id=seeded("offsite-agenda"))
        assert "from_index" in first["left_out"]
        words = first["left_out"].split()
        tab, index = words[words.index("tab_id") + 1], int(words[-1].rstrip("."))
        rest = await desk.call(
            "inspect_doc_structure", document_id=seeded("offsite-agenda"), tab_id=tab, from_index=index
        )
        assert rest["segments"][0]["parts"][0]["start_index"] == index
        assert "there is no tab t.9" in await desk.call.refusal(
            "inspect_doc_structure", document_id=seeded("offsite-agenda"), tab_id="t.9"
        )


async def test_debug_table_structure_says_where_text_goes_in(desk: Office) -> None:
    result = await desk.call("debug_table_structure", document_id=seeded("northgrid-notes"))
    assert (result["rows"], result["columns"], result["tables"]) == (5, 4, 1)
    cell = next(one for one in result["cells"] if (one["row"], one["column"]) == (2, 3))
    assert cell["text"] == "failed"
    request = {"insertText": {"location": at(cell["insert_index"]), "text": "not "}}
    desk.docs.change(seeded("northgrid-notes"), request)
    assert "not failed" in desk.docs.text(seeded("northgrid-notes"))
    said = await desk.call.refusal("debug_table_structure", document_id=seeded("northgrid-notes"), table_index=3)
    assert "has 1 table" in said


async def test_read_document_comments_has_replies_and_times_in_the_persons_zone(desk: Office) -> None:
    document_id = desk.docs.new("text")
    comments, replies = desk.drive.comments(), desk.drive.replies()
    made = comments.create(fileId=document_id, body={"content": "Why?"}, fields="id").execute()
    replies.create(fileId=document_id, commentId=made["id"], body={"content": "So."}, fields="id").execute()
    (comment,) = (await desk.call("read_document_comments", document_id=document_id))["comments"]
    assert (comment["content"], comment["resolved"], comment["author"]) == ("Why?", False, "Sam Okafor")
    assert [one["content"] for one in comment["replies"]] == ["So."]
    assert comment["created"].endswith("+01:00") and ZONE == "Europe/Berlin"
