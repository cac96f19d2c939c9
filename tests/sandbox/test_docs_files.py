"""Documents as Drive's files: exported, imported, copied, found by their text, deleted."""

import io
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import docx
import pytest
from googleapiclient.discovery import build
from googleapiclient.errors import HttpError
from googleapiclient.http import MediaIoBaseUpload
from pypdf import PdfReader

from core.sandbox.sandbox import Sandbox
from core.users import SANDBOX_ACCOUNT
from tests.sandbox.docs_world import Docs, a_world, docs_of, runs, seeded, text_of

DOCUMENT = "application/vnd.google-apps.document"
DOCX = "application/vnd.openxmlformats-officedocument.wordprocessingml.document"
MARKDOWN = """# Plan

First **bold** and [a link](https://x.example).

- one
  - nested
- two

1. first

| a | b |
| --- | --- |
| 1 | 😀 |
"""


@pytest.fixture(scope="module")
def world(seeded: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Sandbox]:
    with a_world(seeded, tmp_path_factory.mktemp("docs")) as one:
        yield one


@pytest.fixture(scope="module")
def docs(world: Sandbox) -> Docs:
    return docs_of(world)


@pytest.fixture(scope="module")
def drive(world: Sandbox) -> Any:
    http = world.http(SANDBOX_ACCOUNT)
    return build("drive", "v3", http=http, cache_discovery=False, static_discovery=True)


def upload(drive: Any, data: bytes, kind: str) -> str:
    media = MediaIoBaseUpload(io.BytesIO(data), mimetype=kind)
    body = {"name": "Imported", "mimeType": DOCUMENT}
    file_id: str = drive.files().create(body=body, media_body=media).execute()["id"]
    return file_id


def export(drive: Any, file_id: str, kind: str) -> bytes:
    data: bytes = drive.files().export(fileId=file_id, mimeType=kind).execute()
    return data


def test_markdown_becomes_headings_lists_links_and_tables(docs: Docs, drive: Any) -> None:
    document = docs.get(upload(drive, MARKDOWN.encode(), "text/markdown"))
    content = document["body"]["content"]
    assert text_of(content) == "Plan\nFirst bold and a link.\none\nnested\ntwo\nfirst\n[a|b/1|😀]\n"
    styles = {run["textRun"]["content"]: run["textRun"]["textStyle"] for run in runs(content) if "textRun" in run}
    assert styles["bold"] == {"bold": True} and styles["a link"]["link"] == {"url": "https://x.example"}
    paragraphs = [one["paragraph"] for one in content if "paragraph" in one]
    levels = [one["bullet"].get("nestingLevel", 0) for one in paragraphs if "bullet" in one]
    assert paragraphs[0]["paragraphStyle"]["namedStyleType"] == "HEADING_1" and levels == [0, 1, 0, 0]
    assert len(document["lists"]) == 2


def test_markdown_comes_back_as_it_went_in(drive: Any) -> None:
    file_id = upload(drive, MARKDOWN.encode(), "text/markdown")
    first = export(drive, file_id, "text/markdown")
    again = export(drive, upload(drive, first, "text/markdown"), "text/markdown")
    assert first == again and b"| 1 | \xf0\x9f\x98\x80 |" in first and b"**bold**" in first


def test_html_and_plain_text_are_imported(docs: Docs, drive: Any) -> None:
    page = b"<h2>Head</h2><p>Some <b>bold</b> text</p><ul><li>one</li></ul>"
    assert docs.text(upload(drive, page, "text/html")) == "Head\nSome bold text\none\n"
    assert docs.text(upload(drive, "Füße\r\nzwei".encode(), "text/plain")) == "Füße\nzwei\n"
    assert docs.text(upload(drive, b"", "text/plain")) == "\n"


def test_a_word_file_is_imported_and_exported_with_its_table(docs: Docs, drive: Any) -> None:
    word = docx.Document(io.BytesIO(export(drive, seeded("northgrid-notes"), DOCX)))
    assert word.paragraphs[0].style.name == "Title" and word.tables[0].rows[2].cells[3].text == "failed"
    out = io.BytesIO()
    word.save(out)
    text = docs.text(upload(drive, out.getvalue(), DOCX))
    assert "50 %|412|377|failed" in text and "Cause found by Kenji" in text


def test_plain_text_begins_with_a_mark_and_has_crlf(docs: Docs, drive: Any) -> None:
    text = export(drive, docs.new("one\ntwo"), "text/plain").decode()
    assert text == "\ufeffone\r\ntwo"


@pytest.mark.parametrize("key", ["product-roadmap", "roadmap-ja", "offsite-agenda", "halo-names"])
def test_a_pdf_opens_and_says_what_the_document_says(drive: Any, key: str) -> None:
    reader = PdfReader(io.BytesIO(export(drive, seeded(key), "application/pdf")))
    text = "".join(page.extract_text() for page in reader.pages)
    assert len(text) > 200 and {"product-roadmap": "Firmware 4.2", "offsite-agenda": "Evening"}.get(key, "") in text


def test_html_is_escaped(docs: Docs, drive: Any) -> None:
    assert b"&lt;script&gt;" in export(drive, docs.new("<script>"), "text/html")


def test_a_copy_has_the_text_and_a_life_of_its_own(docs: Docs, drive: Any) -> None:
    copy = drive.files().copy(fileId=seeded("private-notes"), body={"name": "Copy"}).execute()["id"]
    docs.change(copy, {"insertText": {"location": {"index": 1}, "text": "New. "}})
    assert docs.text(copy) == "New. " + docs.text(seeded("private-notes"))
    assert docs.get(copy)["title"] == "Copy"


def test_a_document_is_found_by_what_was_written_into_it(docs: Docs, drive: Any) -> None:
    document_id = docs.new("The walrus sings")
    found = drive.files().list(q="fullText contains 'walrus'").execute()["files"]
    assert [one["id"] for one in found] == [document_id]
    docs.change(document_id, {"replaceAllText": {"containsText": {"text": "walrus"}, "replaceText": "seal"}})
    assert drive.files().list(q="fullText contains 'walrus'").execute()["files"] == []


def test_a_file_that_is_no_document_is_refused_and_a_deleted_one_is_gone(docs: Docs, drive: Any) -> None:
    media = MediaIoBaseUpload(io.BytesIO(b"x"), mimetype="text/plain")
    plain = drive.files().create(body={"name": "a.txt"}, media_body=media).execute()["id"]
    with pytest.raises(HttpError, match="Request contains an invalid argument"):
        docs.get(plain)
    document_id = docs.new("x")
    drive.files().delete(fileId=document_id).execute()
    with pytest.raises(HttpError, match="Requested entity was not found"):
        docs.get(document_id)


def test_a_new_document_made_by_drive_is_empty(docs: Docs, drive: Any) -> None:
    file_id = drive.files().create(body={"name": "From Drive", "mimeType": DOCUMENT}).execute()["id"]
    assert docs.text(file_id) == "\n" and docs.get(file_id)["title"] == "From Drive"


def test_an_image_of_drive_can_be_inserted_only_where_everybody_may_see_it(docs: Docs, drive: Any) -> None:
    media = MediaIoBaseUpload(io.BytesIO(b"\x89PNG\r\n"), mimetype="image/png")
    image = drive.files().create(body={"name": "a.png"}, media_body=media).execute()["id"]
    request = {"insertInlineImage": {"location": {"index": 1}, "uri": f"https://drive.google.com/uc?id={image}"}}
    document_id = docs.new("x")
    assert "There was a problem retrieving the image." in docs.refusal(document_id, request)[1]
    drive.permissions().create(fileId=image, body={"type": "anyone", "role": "reader"}).execute()
    docs.change(document_id, request)
    assert docs.text(document_id) == "¤x\n"
