"""The Docs tools, one case each."""

from tests.mcp_server.every_tool.office import (
    ROADMAP,
    Json,
    Office,
    creates_comment,
    reads_comments,
    replies_to_comment,
    resolves_comment,
)
from tests.sandbox.docs_world import runs, text_of

DOCUMENT = "application/vnd.google-apps.document"


def new(office: Office, text: str) -> str:
    made = str(office.rest("docs.documents.create", body={"title": "Case"})["documentId"])
    change = {"insertText": {"location": {"index": 1}, "text": text}}
    office.rest("docs.documents.batchUpdate", documentId=made, body={"requests": [change]})
    return made


def document(office: Office, document_id: str) -> Json:
    return office.rest("docs.documents.get", documentId=document_id)


def content(office: Office, document_id: str) -> list[Json]:
    return list(document(office, document_id)["body"]["content"])


def text(office: Office, document_id: str) -> str:
    return text_of(content(office, document_id))


async def search_docs(office: Office) -> None:
    told = await office.call("search_docs", query="roadmap", page_size=50)
    kept = office.listed(f"name contains 'roadmap' and mimeType = '{DOCUMENT}' and trashed = false")
    assert {one["title"] for one in told["documents"]} == kept


async def get_doc_content(office: Office) -> None:
    one = new(office, "Grüße\n😀 bye")
    told = await office.call("get_doc_content", document_id=one)
    assert told["text"].strip() == text(office, one).strip()


async def list_docs_in_folder(office: Office) -> None:
    told = await office.call("list_docs_in_folder")
    kept = office.listed(f"'root' in parents and mimeType = '{DOCUMENT}' and trashed = false")
    assert {one["title"] for one in told["documents"]} == kept


async def create_doc(office: Office) -> None:
    made = await office.call("create_doc", title="Notes", content="One\nTwo")
    assert document(office, made["document_id"])["title"] == "Notes"
    assert text(office, made["document_id"]) == "One\nTwo\n"


async def modify_doc_text(office: Office) -> None:
    one = new(office, "😀 old")
    await office.call("modify_doc_text", document_id=one, start_index=4, end_index=7, text="new", bold=True)
    assert text(office, one) == "😀 new\n"
    styles = {run["textRun"]["content"]: run["textRun"]["textStyle"] for run in runs(content(office, one))}
    assert styles["new"]["bold"] and "bold" not in styles["😀 "]


async def find_and_replace_doc(office: Office) -> None:
    one = new(office, "Acme and ACME")
    told = await office.call("find_and_replace_doc", document_id=one, find_text="acme", replace_text="Globex")
    assert (told["count"], text(office, one)) == (2, "Globex and Globex\n")


async def insert_doc_elements(office: Office) -> None:
    one = new(office, "End")
    await office.call("insert_doc_elements", document_id=one, element_type="table", index=1, rows=1, columns=2)
    assert "[|]" in text(office, one)


async def insert_doc_image(office: Office) -> None:
    one = new(office, "ab")
    link = "https://lumenworks.example/lamp.png"
    await office.call("insert_doc_image", document_id=one, image_source=link, index=2, width=90)
    (image,) = document(office, one)["inlineObjects"].values()
    size = image["inlineObjectProperties"]["embeddedObject"]["size"]
    assert text(office, one) == "a¤b\n" and size["width"] == {"magnitude": 90, "unit": "PT"}


async def update_doc_headers_footers(office: Office) -> None:
    one = new(office, "Body")
    await office.call("update_doc_headers_footers", document_id=one, section_type="footer", content="Draft")
    (footer,) = document(office, one)["footers"].values()
    assert text_of(footer["content"]) == "Draft\n"


async def batch_update_doc(office: Office) -> None:
    one = new(office, "World")
    operations = [
        {"type": "insert_text", "index": 1, "text": "Hello "},
        {"type": "find_replace", "find_text": "World", "replace_text": "Ana"},
    ]
    await office.call("batch_update_doc", document_id=one, operations=operations)
    assert text(office, one) == "Hello Ana\n"


async def inspect_doc_structure(office: Office) -> None:
    one = new(office, "First\n😀 second")
    told = await office.call("inspect_doc_structure", document_id=one)
    kept = [(part["startIndex"], part["endIndex"]) for part in content(office, one) if "paragraph" in part]
    parts = [part for part in told["segments"][0]["parts"] if part["kind"] == "paragraph"]
    assert [(part["start_index"], part["end_index"]) for part in parts] == kept


async def create_table_with_data(office: Office) -> None:
    one = new(office, "End")
    await office.call("create_table_with_data", document_id=one, table_data=[["Who", "What"], ["Ana", "😀"]], index=1)
    assert "[Who|What/Ana|😀]" in text(office, one)


async def debug_table_structure(office: Office) -> None:
    one = new(office, "End")
    change = {"insertTable": {"rows": 2, "columns": 3, "location": {"index": 1}}}
    office.rest("docs.documents.batchUpdate", documentId=one, body={"requests": [change]})
    told = await office.call("debug_table_structure", document_id=one)
    (table,) = (part for part in content(office, one) if "table" in part)
    assert (told["start_index"], told["rows"], told["columns"]) == (table["startIndex"], 2, 3)


async def export_doc_to_pdf(office: Office) -> None:
    made = await office.call("export_doc_to_pdf", document_id=ROADMAP, pdf_filename="roadmap")
    kept = office.google.download(office.google.resource("drive.files").get_media(fileId=made["file_id"]))
    assert kept.startswith(b"%PDF") and office.file(made["file_id"])["name"] == "roadmap.pdf"


async def update_paragraph_style(office: Office) -> None:
    one = new(office, "Title\nBody")
    style = {"heading_level": 2, "alignment": "CENTER"}
    await office.call("update_paragraph_style", document_id=one, start_index=1, end_index=6, **style)
    first, second = (part["paragraph"]["paragraphStyle"] for part in content(office, one) if "paragraph" in part)
    assert (first["namedStyleType"], first["alignment"]) == ("HEADING_2", "CENTER")
    assert second["namedStyleType"] == "NORMAL_TEXT"


async def read_document_comments(office: Office) -> None:
    await reads_comments(office, "read_document_comments", "document_id", ROADMAP)


async def create_document_comment(office: Office) -> None:
    await creates_comment(office, "create_document_comment", "document_id", ROADMAP)


async def reply_to_document_comment(office: Office) -> None:
    await replies_to_comment(office, "reply_to_document_comment", "document_id", ROADMAP)


async def resolve_document_comment(office: Office) -> None:
    await resolves_comment(office, "resolve_document_comment", "document_id", ROADMAP)
