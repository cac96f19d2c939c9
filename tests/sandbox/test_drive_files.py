"""Files of the sandbox's Drive: read, made, changed, moved, copied, deleted."""

from collections.abc import Iterator
from pathlib import Path
from shutil import copyfile

import pytest
from googleapiclient.http import MediaIoBaseDownload

from core.filetext import text_of
from core.sandbox.drive.kinds import DOCUMENT, FOLDER, SHORTCUT, root_id, seed_id, shared_drive_id
from core.sandbox.sandbox import Sandbox
from tests.sandbox.conftest import WEDNESDAY
from tests.sandbox.drive_world import ANA, KENJI, SAM, TOM, Drive, drive_of, media, refused


@pytest.fixture
def sandbox(seeded: Path, tmp_path: Path) -> Iterator[Sandbox]:
    copyfile(seeded, tmp_path / "sandbox.db")
    world = Sandbox(tmp_path / "sandbox.db", "Europe/Berlin", lambda: WEDNESDAY, (SAM, ANA, KENJI, TOM))
    yield world
    world.close()


@pytest.fixture
def drive(sandbox: Sandbox) -> Drive:
    return drive_of(sandbox)


def test_a_file_shows_what_drive_shows(drive: Drive):
    file = drive.get(seed_id("invoice-2041"))
    shown = {key: file[key] for key in ("name", "mimeType", "parents", "ownedByMe", "shared", "trashed", "starred")}
    assert shown == {
        "name": "invoice-2041.pdf",
        "mimeType": "application/pdf",
        "parents": [seed_id("invoices")],
        "ownedByMe": False,
        "shared": True,
        "trashed": False,
        "starred": False,
    }
    assert file["owners"][0]["emailAddress"] == ANA
    assert file["webViewLink"] == f"https://drive.google.com/file/d/{file['id']}/view?usp=drivesdk"
    assert file["size"].isdigit()


def test_without_fields_an_answer_is_short(drive: Drive):
    assert drive.api.files().get(fileId=seed_id("scratch")).execute() == {
        "kind": "drive#file",
        "id": seed_id("scratch"),
        "name": "scratch.txt",
        "mimeType": "text/plain",
    }


def test_root_is_the_accounts_own_drive(drive: Drive):
    assert drive.get("root", "id,name,mimeType") == {"id": root_id(SAM), "name": "My Drive", "mimeType": FOLDER}


def test_a_file_of_a_shared_drive_is_not_found_by_who_does_not_ask_for_those(drive: Drive):
    logo = seed_id("logo")
    refusal = (404, "notFound", f"File not found: {logo}.")
    assert refused(lambda: drive.get(logo, supportsAllDrives=False)) == refusal
    assert drive.get(logo, "driveId")["driveId"] == shared_drive_id("company")
    assert refused(lambda: drive.get("nothing")) == (404, "notFound", "File not found: nothing.")


def test_content_comes_whole_or_in_ranges(drive: Drive, tmp_path: Path):
    whole = drive.data(seed_id("invoice-2041"))
    assert "4,860.00 EUR" in (text_of(whole, "application/pdf") or "")
    target = tmp_path / "parts.pdf"
    with target.open("wb") as file:
        request = drive.api.files().get_media(fileId=seed_id("invoice-2041"))
        download = MediaIoBaseDownload(file, request, chunksize=500)
        steps = 0
        done = False
        while not done:
            _, done = download.next_chunk()
            steps += 1
    assert target.read_bytes() == whole
    assert steps == -(-len(whole) // 500)


def test_ranges_answer_206_and_416(sandbox: Sandbox):
    url = f"https://www.googleapis.com/drive/v3/files/{seed_id('scratch')}?alt=media"
    http = sandbox.http(SAM)
    response, data = http.request(url, headers={"Range": "bytes=5-7"})
    assert (response.status, response["content-range"], data) == (206, "bytes 5-7/53", b"the")
    response, data = http.request(url, headers={"Range": "bytes=-8"})
    assert (response.status, data) == (206, b"r Priya.")
    response, _ = http.request(url, headers={"Range": "bytes=100-"})
    assert (response.status, response["content-range"]) == (416, "bytes */53")


def test_google_documents_are_exported_and_not_downloaded(drive: Drive):
    file = drive.create({"name": "Plan", "mimeType": DOCUMENT}, media(b"# Plan\n\nShip it.", "text/markdown"))
    files = drive.api.files()
    assert refused(lambda: drive.data(file["id"])) == (
        403,
        "fileNotDownloadable",
        "Only files with binary content can be downloaded. Use Export with Docs Editors files.",
    )
    text = files.export(fileId=file["id"], mimeType="text/plain").execute()
    assert "Ship it." in text.decode()
    assert files.export(fileId=file["id"], mimeType="application/pdf").execute().startswith(b"%PDF-")
    assert refused(lambda: files.export(fileId=file["id"], mimeType="image/png").execute())[1] == "badRequest"
    assert refused(lambda: files.export(fileId=seed_id("scratch"), mimeType="text/plain").execute()) == (
        403,
        "fileNotExportable",
        "Export only supports Docs Editors files.",
    )


def test_what_is_not_writable_is_refused(drive: Drive):
    assert refused(lambda: drive.create({"name": "x", "owners": []}))[1] == "fieldNotWritable"
    assert refused(lambda: drive.update(seed_id("scratch"), {"parents": ["root"]}))[1] == "fieldNotWritable"
    assert refused(lambda: drive.create({"name": "x", "parents": [seed_id("scratch")]}))[1] == "parentNotAFolder"
    assert (
        refused(lambda: drive.update(seed_id("kenji-roadmap"), {"trashed": True}))[1] == "insufficientFilePermissions"
    )


def test_a_readers_star_is_their_own(sandbox: Sandbox, drive: Drive):
    assert drive.update(seed_id("driver-datasheet"), {"starred": True})["starred"]
    assert not drive_of(sandbox, ANA).get(seed_id("invoice-2041"))["starred"]
    assert refused(lambda: drive.update(seed_id("driver-datasheet"), {"name": "mine"}))[0] == 403


def test_names_properties_and_descriptions_change(drive: Drive):
    changed = drive.update(seed_id("scratch"), {"name": "notes.txt", "properties": {"a": "1", "b": "2"}})
    assert (changed["name"], changed["properties"], changed["modifiedByMe"]) == (
        "notes.txt",
        {"a": "1", "b": "2"},
        True,
    )
    assert changed["modifiedTime"] == "2026-11-18T09:30:00.000Z"
    assert drive.update(seed_id("scratch"), {"properties": {"a": None}})["properties"] == {"b": "2"}


def test_a_file_is_moved_by_adding_and_removing_a_parent(drive: Drive):
    file, folder = seed_id("scratch"), seed_id("private")
    assert refused(lambda: drive.update(file, addParents=folder)) == (
        403,
        "cannotAddParent",
        "Increasing the number of parents is not allowed",
    )
    assert drive.update(file, addParents=folder, removeParents="root")["parents"] == [folder]
    assert refused(lambda: drive.update(folder, addParents=folder, removeParents="root"))[0] == 400


def test_a_file_moved_into_a_shared_drive_has_no_owner(drive: Drive):
    moved = drive.update(seed_id("scratch"), addParents=seed_id("policies"), removeParents="root")
    assert moved["driveId"] == shared_drive_id("company")
    assert "owners" not in moved
    assert KENJI in drive.grants(seed_id("scratch"))


def test_a_folder_in_the_trash_takes_what_is_in_it_along(drive: Drive):
    drive.update(seed_id("private"), {"trashed": True})
    inside = drive.get(seed_id("passport"))
    assert (inside["trashed"], inside["explicitlyTrashed"]) == (True, False)
    assert "Passport scan.png" in drive.find("trashed = true")
    drive.update(seed_id("private"), {"trashed": False})
    assert not drive.get(seed_id("passport"))["trashed"]


def test_deleting_is_for_owners_and_for_ever(sandbox: Sandbox, drive: Drive):
    drive.api.files().delete(fileId=seed_id("private")).execute()
    assert refused(lambda: drive.get(seed_id("passport")))[0] == 404
    assert refused(lambda: drive.api.files().delete(fileId=seed_id("kenji-roadmap")).execute())[0] == 403
    sandbox.open()
    assert refused(lambda: drive.get(seed_id("passport")))[0] == 404


def test_emptying_the_trash_deletes_what_is_in_it(drive: Drive):
    assert drive.find("trashed = true") == ["Logo 2022.png", "Plan for last year.txt"]
    drive.api.files().emptyTrash().execute()
    assert drive.find("trashed = true") == []


def test_a_copy_is_the_copiers_own(sandbox: Sandbox, drive: Drive):
    copied = drive.api.files().copy(fileId=seed_id("logo"), supportsAllDrives=True, body={"parents": ["root"]})
    made = copied.execute()
    assert made["name"] == "Copy of lumenworks-logo.png"
    assert drive.data(made["id"]) == drive.data(seed_id("logo"))
    assert drive.grants(made["id"]) == {SAM: "owner"}
    folder = drive.api.files().copy(fileId=seed_id("private"))
    assert refused(folder.execute) == (403, "cannotCopyFile", "This file cannot be copied by the user.")


def test_a_copied_document_has_the_same_text(drive: Drive):
    file = drive.create({"name": "Plan", "mimeType": DOCUMENT}, media(b"Ship it.", "text/plain"))
    made = drive.api.files().copy(fileId=file["id"], body={"name": "Plan B"}).execute()
    text = drive.api.files().export(fileId=made["id"], mimeType="text/plain").execute()
    assert (made["name"], "Ship it." in text.decode()) == ("Plan B", True)


def test_a_shortcut_leads_to_its_target(drive: Drive):
    details = drive.get(seed_id("to-handbook"))["shortcutDetails"]
    assert details == {"targetId": seed_id("handbook"), "targetMimeType": "application/pdf"}
    made = drive.create({"name": "s", "mimeType": SHORTCUT, "shortcutDetails": {"targetId": seed_id("logo")}})
    assert made["shortcutDetails"]["targetMimeType"] == "image/png"
    assert refused(lambda: drive.create({"name": "s", "mimeType": SHORTCUT}))[0] == 400


def test_ids_made_before_are_used_once(drive: Drive):
    one = drive.api.files().generateIds(count=3).execute()["ids"][0]
    assert drive.create({"id": one, "name": "x"})["id"] == one
    assert refused(lambda: drive.create({"id": one, "name": "x"}))[1] == "fileIdInUse"


def test_readers_cannot_download_what_the_owner_protects(sandbox: Sandbox, drive: Drive):
    drive.share(seed_id("scratch"), {"type": "user", "role": "reader", "emailAddress": ANA})
    drive.update(seed_id("scratch"), {"copyRequiresWriterPermission": True})
    ana = drive_of(sandbox, ANA)
    assert refused(lambda: ana.data(seed_id("scratch")))[1] == "cannotDownloadFile"
    assert not ana.get(seed_id("scratch"))["capabilities"]["canDownload"]
    assert refused(lambda: ana.api.files().copy(fileId=seed_id("scratch")).execute())[1] == "cannotCopyFile"


def test_about_and_shared_drives(drive: Drive):
    about = drive.api.about()
    assert refused(lambda: about.get().execute())[1] == "required"
    known = about.get(fields="user,importFormats,exportFormats").execute()
    assert known["user"]["emailAddress"] == SAM
    assert DOCUMENT in known["importFormats"]["text/markdown"]
    assert "application/pdf" in known["exportFormats"][DOCUMENT]
    drives = drive.api.drives().list().execute()["drives"]
    assert [one["name"] for one in drives] == ["Lumenworks Company"]
    assert drive.api.drives().get(driveId=drives[0]["id"]).execute()["name"] == "Lumenworks Company"
    assert refused(lambda: drive.api.drives().get(driveId="none").execute())[0] == 404
