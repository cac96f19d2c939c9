"""The Drive tools that make and change files; their effects are read back through Google's REST API."""

import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

import pytest

from core.google.clients import GoogleClients
from core.mcp_server.desk import BadArgument, Desk
from core.mcp_server.incoming import from_url, is_public
from core.sandbox.drive.kinds import DOCUMENT, FOLDER, root_id, seed_id
from core.sandbox.faults import Fault
from core.sandbox.sandbox import Sandbox
from tests.mcp_server.conftest import ZONE, Caller, build, now
from tests.mcp_server.drive_desk import own_world
from tests.sandbox.drive_world import OMAR, SAM, Drive, drive_of

FILE = seed_id("scratch")


@pytest.fixture
def sandbox(shared_world: Sandbox, tmp_path: Path) -> Iterator[Sandbox]:
    with own_world(shared_world, tmp_path) as world:
        yield world


@pytest.fixture
def drive(sandbox: Sandbox) -> Drive:
    """Google's client, to read effects back."""
    return drive_of(sandbox)


@pytest.fixture
def call(sandbox: Sandbox, tmp_path: Path) -> Caller:
    return Caller(build(sandbox, tmp_path / "downloads", domains=["drive"]))


@pytest.fixture
def downloads(tmp_path: Path) -> Path:
    """The account's own folder."""
    folder = tmp_path / "downloads" / SAM
    folder.mkdir(parents=True)
    return folder


class TestCreateDriveFile:
    """create_drive_file."""

    async def test_create_drive_file_makes_a_file_with_text(self, call: Caller, drive: Drive) -> None:
        made = await call("create_drive_file", file_name="notes.md", content="# Ä 😀", mime_type="text/markdown")
        assert drive.data(made["file"]["file_id"]).decode() == "# Ä 😀"
        assert made["changed"] == ["notes.md was made in My Drive, 9 bytes"]
        assert (made["file"]["mime_type"], made["file"]["folder_id"]) == ("text/markdown", root_id(SAM))

    async def test_create_drive_file_makes_folders_and_documents(self, call: Caller, drive: Drive) -> None:
        brand = {"folder_id": seed_id("brand")}
        folder = await call("create_drive_file", file_name="Photos", mime_type=FOLDER, **brand)
        assert drive.get(folder["file"]["file_id"])["parents"] == [seed_id("brand")]
        document = await call("create_drive_file", file_name="Plan", content="Ship it.", mime_type=DOCUMENT)
        text = drive.api.files().export(fileId=document["file"]["file_id"], mimeType="text/plain").execute()
        assert "Ship it." in text.decode()

    async def test_create_drive_file_takes_files_only_from_its_own_folder(
        self, call: Caller, drive: Drive, downloads: Path
    ) -> None:
        (downloads / "in.txt").write_bytes(b"\x00\r\nx")
        own = (downloads / "in.txt").as_uri()
        made = await call("create_drive_file", file_name="in.txt", fileUrl=own)
        assert drive.data(made["file"]["file_id"]) == b"\x00\r\nx"
        for place in ("file:///etc/passwd", "file:///../../etc/passwd", f"file://{downloads}/../x"):
            assert "files are taken only from" in await call.refusal("create_drive_file", file_name="x", fileUrl=place)
        missing = await call.refusal("create_drive_file", file_name="x", fileUrl=f"file://{downloads}/none")
        assert missing.startswith("fileUrl: there is no file none in")
        assert drive.find("name = 'x'") == []

    async def test_create_drive_file_asks_no_address_inside(self, call: Caller) -> None:
        for url in ("http://127.0.0.1:1/x", "http://localhost/x", "http://169.254.169.254/latest", "http://[::1]/"):
            said = await call.refusal("create_drive_file", file_name="x", fileUrl=url)
            assert "is not on the public internet" in said
        assert "begins with https://" in await call.refusal("create_drive_file", file_name="x", fileUrl="ftp://a/b")

    async def test_create_drive_file_wants_content(self, call: Caller) -> None:
        assert "give content" in await call.refusal("create_drive_file", file_name="x")
        both = {"content": "a", "fileUrl": "https://x.example"}
        assert "not both" in await call.refusal("create_drive_file", file_name="x", **both)
        refused = await call.refusal(
            "create_drive_file", file_name="x", content="a", folder_id=seed_id("kenji-roadmap")
        )
        assert "not a folder" in refused

    async def test_create_drive_file_is_sent_once_when_the_answer_is_lost(
        self, call: Caller, sandbox: Sandbox, drive: Drive
    ) -> None:
        sandbox.faults.add(Fault("PUT /upload/drive/v3/files$", "lost_reply", remaining=1))
        await call("create_drive_file", file_name="once.txt", content="a")
        assert drive.find("name = 'once.txt'") == ["once.txt"]


class Web(BaseHTTPRequestHandler):
    """A web server with a page, a redirect and an error."""

    def do_GET(self) -> None:
        if self.path == "/moved":
            self.send_response(302)
            self.send_header("Location", "/page.html?a=1")
            self.end_headers()
        elif self.path == "/page.html?a=1":
            self.send_response(200)
            self.send_header("Content-Type", "text/html; charset=utf-8")
            self.end_headers()
            self.wfile.write("<p>grüße</p>".encode())
        else:
            self.send_response(302 if self.path == "/secret" else 404)
            self.send_header("Location", "file:///etc/passwd")
            self.end_headers()

    def log_message(self, *_: Any) -> None:
        """Stay quiet."""


@pytest.fixture
def web() -> Iterator[str]:
    server = HTTPServer(("127.0.0.1", 0), Web)
    thread = threading.Thread(target=server.serve_forever, args=(0.01,))
    thread.start()
    yield f"http://127.0.0.1:{server.server_port}"
    server.shutdown()
    thread.join()
    server.server_close()


class TestWebAddresses:
    """What create_drive_file and import_to_google_doc fetch."""

    def desk(self, sandbox: Sandbox, tmp_path: Path) -> Desk:
        return Desk(GoogleClients(sandbox.http).for_account(SAM), ZoneInfo(ZONE), tmp_path, now)

    def test_a_page_is_fetched_through_redirects(self, sandbox: Sandbox, tmp_path: Path, web: str) -> None:
        taken = from_url(self.desk(sandbox, tmp_path), f"{web}/moved", allowed=lambda _: True)
        assert (taken.data.decode(), taken.mime_type, taken.name) == ("<p>grüße</p>", "text/html", "page.html")

    @pytest.mark.parametrize(("path", "said"), [("/none", "answered 404"), ("/secret", "leads on and on")])
    def test_what_is_no_page_is_refused(self, sandbox: Sandbox, tmp_path: Path, web: str, path: str, said: str) -> None:
        with pytest.raises(BadArgument, match=said):
            from_url(self.desk(sandbox, tmp_path), f"{web}{path}", allowed=lambda _: True)

    @pytest.mark.parametrize(
        ("address", "public"),
        [("8.8.8.8", True), ("10.0.0.1", False), ("::ffff:127.0.0.1", False), ("fe80::1", False), ("224.0.0.1", False)],
    )
    def test_only_the_internet_is_public(self, address: str, public: bool) -> None:
        assert is_public(address) is public


class TestImportToGoogleDoc:
    """import_to_google_doc."""

    @pytest.mark.parametrize(
        ("content", "options"),
        [
            ("# Title\n\nA **bold** word", {}),
            ("<h1>Title</h1><p>A <b>bold</b> word</p>", {}),
            ("Title\nA bold word", {"source_format": "txt"}),
        ],
    )
    async def test_import_to_google_doc_reads_text_in_its_format(
        self, call: Caller, drive: Drive, content: str, options: dict[str, str]
    ) -> None:
        made = await call("import_to_google_doc", file_name="Plan", content=content, **options)
        assert (made["file"]["name"], made["file"]["kind"]) == ("Plan", "document")
        text = drive.api.files().export(fileId=made["file"]["file_id"], mimeType="text/plain").execute().decode()
        assert text.strip("\ufeff").split() == ["Title", "A", "bold", "word"]

    async def test_import_to_google_doc_reads_a_word_file(self, call: Caller, drive: Drive, downloads: Path) -> None:
        (downloads / "spec.docx").write_bytes(drive.data(seed_id("spec-halo-2")))
        made = await call("import_to_google_doc", file_name="Spec", file_path="spec.docx", folder_id=seed_id("product"))
        text = drive.api.files().export(fileId=made["file"]["file_id"], mimeType="text/plain").execute().decode()
        assert "800 lumens" in text
        assert drive.get(made["file"]["file_id"])["parents"] == [seed_id("product")]

    async def test_import_to_google_doc_wants_one_source_of_a_known_kind(self, call: Caller) -> None:
        assert "exactly one" in await call.refusal("import_to_google_doc", file_name="x")
        both = {"content": "a", "file_path": "b"}
        assert "exactly one" in await call.refusal("import_to_google_doc", file_name="x", **both)
        said = await call.refusal("import_to_google_doc", file_name="x", content="a", source_format="xyz")
        assert said.startswith("source_format: xyz is none of md")
        said = await call.refusal("import_to_google_doc", file_name="x", file_path="~/.ssh/id_rsa")
        assert "files are taken only from" in said


class TestUpdateDriveFile:
    """update_drive_file."""

    async def test_update_drive_file_renames_and_describes(self, call: Caller, drive: Drive) -> None:
        made = await call(
            "update_drive_file", file_id=FILE, name="notes.txt", description="mine", properties={"a": "1"}
        )
        assert made["changed"] == ["renamed from scratch.txt to notes.txt", "description set", "properties set"]
        file = drive.get(FILE)
        assert (file["name"], file["description"], file["properties"]) == ("notes.txt", "mine", {"a": "1"})
        await call("update_drive_file", file_id=FILE, properties={"a": None})
        assert "properties" not in drive.get(FILE)

    async def test_update_drive_file_moves_out_of_the_old_folder(self, call: Caller, drive: Drive) -> None:
        made = await call("update_drive_file", file_id=FILE, add_parents=seed_id("private"))
        assert made["changed"] == ["moved to Private"]
        assert drive.get(FILE)["parents"] == [seed_id("private")]
        said = await call.refusal("update_drive_file", file_id=FILE, add_parents=f"{seed_id('sales')},root")
        assert "one folder only" in said
        assert "say where" in await call.refusal("update_drive_file", file_id=FILE, remove_parents="root")

    async def test_update_drive_file_throws_away_and_restores(self, call: Caller, drive: Drive) -> None:
        thrown = await call("update_drive_file", file_id=FILE, trashed=True, starred=True)
        assert sorted(thrown["changed"]) == ["moved to the trash", "starred"]
        assert (drive.get(FILE)["trashed"], drive.get(FILE)["starred"]) == (True, True)
        await call("update_drive_file", file_id=FILE, trashed=False)
        assert drive.get(FILE)["trashed"] is False

    async def test_update_drive_file_changes_settings(self, call: Caller, drive: Drive) -> None:
        await call("update_drive_file", file_id=FILE, writers_can_share=False, copy_requires_writer_permission=True)
        file = drive.get(FILE)
        assert (file["writersCanShare"], file["copyRequiresWriterPermission"]) == (False, True)

    async def test_update_drive_file_says_what_is_not_allowed(self, call: Caller) -> None:
        said = await call.refusal("update_drive_file", file_id=seed_id("kenji-roadmap"), trashed=True)
        assert said.startswith("This account may not do that: The user does not have sufficient permissions")
        assert "say what shall be changed" in await call.refusal("update_drive_file", file_id=FILE)
        assert "no such file" in await call.refusal("update_drive_file", file_id="nothing", name="x")


class TestCopyDriveFile:
    """copy_drive_file."""

    async def test_copy_drive_file_copies_into_a_folder(self, call: Caller, drive: Drive) -> None:
        made = await call(
            "copy_drive_file",
            file_id=seed_id("to-handbook"),
            new_name="Old book.pdf",
            parent_folder_id=seed_id("private"),
        )
        file = drive.get(made["file"]["file_id"])
        assert (file["name"], file["parents"], file["ownedByMe"]) == ("Old book.pdf", [seed_id("private")], True)
        assert drive.data(file["id"]) == drive.data(seed_id("handbook"))
        plain = await call("copy_drive_file", file_id=seed_id("logo"))
        assert plain["changed"] == ["lumenworks-logo.png was copied to My Drive as Copy of lumenworks-logo.png"]


async def test_every_call_knows_of_shared_drives(call: Caller) -> None:
    """A file of a shared drive is found by each tool that takes a file."""
    logo = seed_id("logo")
    assert (await call("copy_drive_file", file_id=logo, parent_folder_id=seed_id("brand")))["file"]["drive_id"]
    await call("update_drive_file", file_id=logo, name="logo.png", add_parents=seed_id("policies"))
    await call("share_drive_file", file_id=logo, share_with=OMAR)
    await call("update_drive_permission", file_id=logo, permission_id=OMAR, role="commenter")
    await call("remove_drive_permission", file_id=logo, permission_id=OMAR)
    await call("set_drive_file_permissions", file_id=logo, link_sharing="off")
    await call("get_drive_file_download_url", file_id=logo)
    assert await call("get_drive_shareable_link", file_id=logo)
