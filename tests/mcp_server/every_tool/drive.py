"""The Drive tools, one case each."""

from tests.mcp_server.every_tool.office import ANA, FINANCE, ROADMAP, SCRATCH, Office

DOCUMENT = "application/vnd.google-apps.document"


async def search_drive_files(office: Office) -> None:
    told = await office.call("search_drive_files", query="name contains 'invoice' and trashed = false", page_size=50)
    assert {one["name"] for one in told["files"]} == office.listed("name contains 'invoice' and trashed = false")
    assert "invoice-2041.pdf" in {one["name"] for one in told["files"]}


async def list_drive_items(office: Office) -> None:
    told = await office.call("list_drive_items", folder_id=FINANCE)
    assert {one["name"] for one in told["files"]} == office.listed(f"'{FINANCE}' in parents and trashed = false")


async def get_drive_file_content(office: Office) -> None:
    told = await office.call("get_drive_file_content", file_id=ROADMAP)
    kept = office.google.download(
        office.google.resource("drive.files").export_media(fileId=ROADMAP, mimeType="text/plain")
    )
    assert told["text"].split() == kept.decode("utf-8-sig").split() and told["file"]["name"] == "Product roadmap"


async def get_drive_file_download_url(office: Office) -> None:
    told = await office.call("get_drive_file_download_url", file_id=ROADMAP, export_format="pdf")
    kept = office.stored(told)
    assert kept.startswith(b"%PDF") and told["size"] == len(kept)


async def create_drive_file(office: Office) -> None:
    made = (await office.call("create_drive_file", file_name="note.txt", content="Grüße 😀"))["file"]
    kept = office.google.download(office.google.resource("drive.files").get_media(fileId=made["file_id"]))
    assert kept.decode() == "Grüße 😀" and office.file(made["file_id"])["mimeType"] == "text/plain"


async def import_to_google_doc(office: Office) -> None:
    made = await office.call("import_to_google_doc", file_name="Plan", content="# Plan\n\nFirst", source_format="md")
    file_id = made["file"]["file_id"]
    assert office.file(file_id)["mimeType"] == DOCUMENT
    content = office.rest("docs.documents.get", documentId=file_id)["body"]["content"]
    styles = [one["paragraph"]["paragraphStyle"]["namedStyleType"] for one in content if "paragraph" in one]
    assert styles[0] == "HEADING_1"


async def get_drive_file_permissions(office: Office) -> None:
    told = await office.call("get_drive_file_permissions", file_id=ROADMAP)
    assert {one["permission_id"]: one["role"] for one in told["grants"]} == {
        one["id"]: one["role"] for one in office.file(ROADMAP)["permissions"]
    }


async def check_drive_file_public_access(office: Office) -> None:
    one = office.new_file("for all.txt")
    office.rest("drive.permissions.create", fileId=one, body={"type": "anyone", "role": "reader"})
    told = await office.call("check_drive_file_public_access", file_name="for all.txt")
    assert [(file["file"]["file_id"], file["public"]) for file in told["files"]] == [(one, True)]


async def get_drive_shareable_link(office: Office) -> None:
    told = await office.call("get_drive_shareable_link", file_id=SCRATCH)
    kept = office.file(SCRATCH)
    assert (told["link"], told["download_link"]) == (kept["webViewLink"], kept["webContentLink"])


async def update_drive_file(office: Office) -> None:
    one = office.new_file("draft.txt")
    await office.call("update_drive_file", file_id=one, name="final.txt", starred=True, add_parents=FINANCE)
    kept = office.file(one)
    assert (kept["name"], kept["starred"], kept["parents"]) == ("final.txt", True, [FINANCE])


async def copy_drive_file(office: Office) -> None:
    made = await office.call("copy_drive_file", file_id=ROADMAP, new_name="Copy", parent_folder_id=FINANCE)
    kept = office.file(made["file"]["file_id"])
    assert (kept["name"], kept["parents"], kept["mimeType"]) == ("Copy", [FINANCE], DOCUMENT)


async def share_drive_file(office: Office) -> None:
    one = office.new_file("shared.txt")
    await office.call("share_drive_file", file_id=one, share_with=ANA, role="commenter")
    assert office.grants(one)[ANA] == "commenter"


async def batch_share_drive_file(office: Office) -> None:
    one = office.new_file("shared with two.txt")
    recipients = [{"email": ANA, "role": "writer"}, {"share_type": "domain", "domain": "lumenworks.example"}]
    await office.call("batch_share_drive_file", file_id=one, recipients=recipients, send_notification=False)
    assert office.grants(one) == {"sam@lumenworks.example": "owner", ANA: "writer", "domain": "reader"}


async def update_drive_permission(office: Office) -> None:
    one = office.new_file("upgraded.txt")
    await office.call("update_drive_permission", file_id=one, permission_id=office.granted(one), role="writer")
    assert office.grants(one)[ANA] == "writer"


async def remove_drive_permission(office: Office) -> None:
    one = office.new_file("no longer shared.txt")
    await office.call("remove_drive_permission", file_id=one, permission_id=office.granted(one))
    assert ANA not in office.grants(one)


async def transfer_drive_ownership(office: Office) -> None:
    one = office.new_file("given away.txt")
    await office.call("transfer_drive_ownership", file_id=one, new_owner_email=ANA)
    assert office.grants(one) == {ANA: "owner", "sam@lumenworks.example": "writer"}


async def set_drive_file_permissions(office: Office) -> None:
    one = office.new_file("open.txt")
    await office.call("set_drive_file_permissions", file_id=one, link_sharing="reader", writers_can_share=False)
    kept = office.file(one)
    assert office.grants(one)["anyone"] == "reader" and kept["writersCanShare"] is False
