"""The Drive tools over a world of their own, with their effects read back through Google's REST API."""

import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from shutil import copyfile
from typing import Any
from zoneinfo import ZoneInfo

import pytest
from sqlmodel import select

from core.google.clients import GoogleClients
from core.mcp_server.desk import BadArgument, Desk
from core.mcp_server.incoming import from_url, is_public
from core.sandbox.drive.kinds import DOCUMENT, FOLDER, SHORTCUT, root_id, seed_id, shared_drive_id
from core.sandbox.drive.tables import DriveNotice
from core.sandbox.faults import Fault
from core.sandbox.sandbox import Sandbox
from tests.mcp_server.conftest import ZONE, Caller, build, now
from tests.sandbox.drive_world import ANA, KENJI, OMAR, SAM, TOM, Drive, drive_of, media

FILE = seed_id("scratch")


@pytest.fixture(scope="session")
def drive_seed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("drive") / "sandbox.db"
    world = Sandbox(path, ZONE, now)
    world.open()
    world.close()
    return path


@pytest.fixture
def sandbox(drive_seed: Path, tmp_path: Path) -> Iterator[Sandbox]:
    copyfile(drive_seed, tmp_path / "sandbox.db")
    world = Sandbox(tmp_path / "sandbox.db", ZONE, now, (SAM, ANA, KENJI, TOM, OMAR))
    yield world
    world.close()


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


def names(page: dict[str, Any]) -> list[str]:
    return [one["name"] for one in page["files"]]


def stored(saved: dict[str, Any]) -> bytes:
    return Path(saved["path"]).read_bytes()


def mails(sandbox: Sandbox) -> list[tuple[str, str, str]]:
    with sandbox.world.session() as session:
        return [(one.recipient, one.role, one.message) for one in session.exec(select(DriveNotice)).all()]


class TestSearchDriveFiles:
    """search_drive_files."""

    async def test_search_drive_files_finds_words_in_names_and_texts(self, call: Caller) -> None:
        assert names(await call("search_drive_files", query="lumens kelvin")) == ["Halo 2 specification.docx"]
        assert "invoice-2041.pdf" in names(await call("search_drive_files", query="invoice-20"))

    async def test_search_drive_files_takes_drives_own_language_and_leaves_the_trash_out(self, call: Caller) -> None:
        page = await call("search_drive_files", query="mimeType = 'image/png' and 'me' in owners")
        assert names(page) == ["Passport scan.png"]
        assert page["query"] == "(mimeType = 'image/png' and 'me' in owners) and trashed = false"
        thrown = await call("search_drive_files", query="trashed = true and name contains 'logo'")
        assert names(thrown) == ["Logo 2022.png"]

    async def test_search_drive_files_finds_files_of_shared_drives(self, call: Caller) -> None:
        found = (await call("search_drive_files", query="receipts within 30 days"))["files"][0]
        assert (found["name"], found["drive_id"], found["owner"]) == (
            "Travel policy.pdf",
            shared_drive_id("company"),
            None,
        )
        mine = await call("search_drive_files", query="receipts", include_items_from_all_drives=False)
        assert names(mine) == []
        only = await call("search_drive_files", query="", drive_id=shared_drive_id("company"), page_size=50)
        assert len(names(only)) == 8

    async def test_search_drive_files_pages_with_a_token(self, call: Caller, drive: Drive) -> None:
        page = await call("search_drive_files", query="", page_size=30)
        found = names(page)
        while page["next_page_token"]:
            page = await call("search_drive_files", query="", page_size=30, page_token=page["next_page_token"])
            found += names(page)
        everywhere = {"corpora": "allDrives", "includeItemsFromAllDrives": True, "supportsAllDrives": True}
        assert sorted(found) == drive.find("trashed = false", **everywhere)

    @pytest.mark.parametrize(
        ("query", "said"),
        [
            ("name like 'budget'", "query: it does not parse at character 6"),
            ("title contains 'budget'", "query: it does not parse at character 1: there is no field title"),
            ("modifiedTime > 'yesterday'", "query: it does not parse at character 16: 'yesterday' is no date"),
            ("'x' in folder", "query: it does not parse at character 8: there is no field folder"),
        ],
    )
    async def test_search_drive_files_says_where_a_query_does_not_parse(
        self, call: Caller, query: str, said: str
    ) -> None:
        assert (await call.refusal("search_drive_files", query=query)).startswith(said)

    @pytest.mark.parametrize("words", ["don't forget", "C:\\temp \\'", "who has it in the office?", "a = b", "(", "'"])
    async def test_search_drive_files_takes_any_words(self, call: Caller, words: str) -> None:
        await call("search_drive_files", query=words)

    async def test_search_drive_files_gives_the_token_of_an_empty_page(self, call: Caller, sandbox: Sandbox) -> None:
        sandbox.faults.add(Fault("GET /drive/v3/files$", "empty_page", remaining=1))
        page = await call("search_drive_files", query="")
        assert (page["files"], bool(page["next_page_token"])) == ([], True)
        again = await call("search_drive_files", query="", page_token=page["next_page_token"])
        assert len(again["files"]) == 10


class TestListDriveItems:
    """list_drive_items."""

    async def test_list_drive_items_shows_folders_first(self, call: Caller) -> None:
        page = await call("list_drive_items")
        assert (page["folder_name"], page["folder_id"]) == ("My Drive", root_id(SAM))
        kinds = [one["kind"] for one in page["files"]]
        assert kinds[:7] == ["folder"] * 7 and "folder" not in kinds[7:]
        assert "Logo 2022.png" not in names(page)

    async def test_list_drive_items_follows_a_shortcut_into_a_shared_drive(self, call: Caller) -> None:
        page = await call("list_drive_items", folder_id=seed_id("to-brand"), page_size=2)
        assert names(page) == ["Brand guide.pdf", "lumenworks-logo.png"]
        rest = await call("list_drive_items", folder_id=seed_id("to-brand"), page_token=page["next_page_token"])
        assert (names(rest), rest["next_page_token"]) == (["press-kit.zip"], None)
        top = await call("list_drive_items", drive_id=shared_drive_id("company"))
        assert names(top) == ["Brand", "Policies"]

    async def test_list_drive_items_refuses_a_file(self, call: Caller) -> None:
        said = await call.refusal("list_drive_items", folder_id=FILE)
        assert said == "folder_id: scratch.txt is a text, not a folder."
        assert "no such file" in await call.refusal("list_drive_items", folder_id="nowhere")


class TestGetDriveFileContent:
    """get_drive_file_content."""

    @pytest.mark.parametrize(
        ("key", "words"),
        [
            ("invoice-2041", "4,860.00 EUR"),
            ("spec-halo-2", "800 lumens"),
            ("cost-model", "LED driver BP-24C\t1\t8.1"),
            ("kenji-roadmap", "バッテリー部品"),
            ("travel-policy", "Trains before planes"),
            ("to-handbook", "Fire drill"),
        ],
    )
    async def test_get_drive_file_content_reads_every_kind(self, call: Caller, key: str, words: str) -> None:
        assert words in (await call("get_drive_file_content", file_id=seed_id(key)))["text"]

    async def test_get_drive_file_content_reads_a_google_document(self, call: Caller, drive: Drive) -> None:
        made = drive.create({"name": "Plan", "mimeType": DOCUMENT}, media(b"Ship it.", "text/plain"))
        assert (await call("get_drive_file_content", file_id=made["id"]))["text"] == "Ship it."

    async def test_get_drive_file_content_reads_html_as_a_person_does(self, call: Caller, drive: Drive) -> None:
        page = b"<style>p{}</style><p>See <a href='https://x.example/a'>this</a></p>"
        made = drive.create({"name": "page.html"}, media(page, "text/html"))
        assert (await call("get_drive_file_content", file_id=made["id"]))["text"] == "See this (https://x.example/a)"

    async def test_get_drive_file_content_never_cuts_silently(self, call: Caller, drive: Drive) -> None:
        text = "".join(f"line {number}\n" for number in range(3000))
        made = drive.create({"name": "long.txt"}, media(text.encode()))
        part = await call("get_drive_file_content", file_id=made["id"])
        assert "To go on, call again with offset=8000." in part["text"]
        assert (part["characters"], part["next_offset"]) == (len(text.strip()), 8000)
        rest = await call("get_drive_file_content", file_id=made["id"], offset=24000)
        assert rest["text"].endswith("line 2999") and rest["next_offset"] is None

    async def test_get_drive_file_content_says_what_holds_no_text(self, call: Caller, drive: Drive) -> None:
        picture = await call("get_drive_file_content", file_id=seed_id("logo"))
        assert (picture["text"], picture["note"]) == (
            None,
            "A file of this kind (image) holds no text. get_drive_file_download_url saves it.",
        )
        broken = drive.create({"name": "broken.pdf"}, media(b"%PDF-nothing", "application/pdf"))
        assert "damaged" in (await call("get_drive_file_content", file_id=broken["id"]))["note"]
        said = await call.refusal("get_drive_file_content", file_id=seed_id("finance"))
        assert said == "file_id: Finance is a folder; list_drive_items shows what is in it."

    async def test_get_drive_file_content_walks_at_most_five_shortcuts(self, call: Caller, drive: Drive) -> None:
        target = FILE
        for number in range(6):
            body = {"name": f"s{number}", "mimeType": SHORTCUT, "shortcutDetails": {"targetId": target}}
            target = drive.create(body)["id"]
            if number == 4:
                assert "dentist" in (await call("get_drive_file_content", file_id=target))["text"]
        assert "more than 5 shortcuts" in await call.refusal("get_drive_file_content", file_id=target)


class TestGetDriveFileDownloadUrl:
    """get_drive_file_download_url."""

    async def test_get_drive_file_download_url_saves_byte_for_byte(self, call: Caller, drive: Drive) -> None:
        saved = await call("get_drive_file_download_url", file_id=seed_id("press-kit"))
        assert stored(saved) == drive.data(seed_id("press-kit"))
        assert (saved["filename"], saved["mime_type"]) == ("press-kit.zip", "application/zip")

    async def test_get_drive_file_download_url_exports_documents(self, call: Caller, drive: Drive) -> None:
        made = drive.create({"name": "../Plan: Q1", "mimeType": DOCUMENT}, media(b"Ship it."))
        pdf = await call("get_drive_file_download_url", file_id=made["id"])
        assert (pdf["filename"], stored(pdf)[:5]) == ("Plan_ Q1.pdf", b"%PDF-")
        word = await call("get_drive_file_download_url", file_id=made["id"], export_format="docx")
        assert word["path"].endswith(".docx")
        said = await call.refusal("get_drive_file_download_url", file_id=made["id"], export_format="xlsx")
        assert said == "export_format: a document can be saved as pdf, docx, not xlsx."
        said = await call.refusal("get_drive_file_download_url", file_id=seed_id("finance"))
        assert said == "file_id: a folder cannot be downloaded."


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
        said = await call.refusal("create_drive_file", file_name="once.txt", content="a")
        assert "unknown whether it was made" in said
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
    thread = threading.Thread(target=server.serve_forever)
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


class TestGetDriveFilePermissions:
    """get_drive_file_permissions."""

    async def test_get_drive_file_permissions_names_everybody(self, call: Caller) -> None:
        access = await call("get_drive_file_permissions", file_id=seed_id("invoice-hotel"))
        grants = {one["who"]: (one["role"], one["inherited"]) for one in access["grants"]}
        assert grants == {SAM: ("owner", False), ANA: ("writer", True)}
        assert access["summary"].endswith("Sam Okafor (owns it); Ana Ruiz (can edit).")
        assert access["public"] is False

    async def test_get_drive_file_permissions_asks_again_in_a_shared_drive(self, call: Caller) -> None:
        access = await call("get_drive_file_permissions", file_id=seed_id("logo"))
        grants = {one["who"]: one["role"] for one in access["grants"]}
        assert (grants[KENJI], grants["anyone with the link"], access["public"]) == ("writer", "reader", True)

    async def test_get_drive_file_permissions_says_what_a_reader_is_not_told(self, call: Caller) -> None:
        access = await call("get_drive_file_permissions", file_id=seed_id("driver-datasheet"))
        assert access["grants"] is None
        assert access["summary"] == "This account may open BP-24C datasheet.pdf but is not told who else may."


class TestCheckDriveFilePublicAccess:
    """check_drive_file_public_access."""

    async def test_check_drive_file_public_access_tells_open_from_closed(self, call: Caller) -> None:
        logo = await call("check_drive_file_public_access", file_name="lumenworks-logo.png")
        assert logo["summary"] == "1 of 1 called lumenworks-logo.png can be opened by anybody with the link."
        mine = await call("check_drive_file_public_access", file_name="Packing list: don't forget.txt")
        assert [one["public"] for one in mine["files"]] == [False]
        none = await call("check_drive_file_public_access", file_name="nothing")
        assert none["summary"].startswith("There is no file called nothing.")


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


class TestGetDriveShareableLink:
    """get_drive_shareable_link."""

    async def test_get_drive_shareable_link_says_who_can_open_it(self, call: Caller) -> None:
        logo = await call("get_drive_shareable_link", file_id=seed_id("logo"))
        assert logo["link"] == f"https://drive.google.com/file/d/{seed_id('logo')}/view?usp=drivesdk"
        assert logo["download_link"].endswith("&export=download")
        assert logo["public"] and "anyone with the link (can view)" in logo["summary"]
        folder = await call("get_drive_shareable_link", file_id=seed_id("private"))
        assert (folder["public"], folder["download_link"]) == (False, None)


class TestShareDriveFile:
    """share_drive_file."""

    async def test_share_drive_file_gives_access_and_says_who_was_told(
        self, call: Caller, sandbox: Sandbox, drive: Drive
    ) -> None:
        made = await call("share_drive_file", file_id=FILE, share_with=ANA, role="writer", email_message="Look!")
        assert drive.grants(FILE) == {SAM: "owner", ANA: "writer"}
        assert made["summary"] == f"scratch.txt: {ANA} can edit. Google sent them a mail."
        assert mails(sandbox) == [(ANA, "writer", "Look!")]

    async def test_share_drive_file_is_quiet_when_told_so(self, call: Caller, sandbox: Sandbox) -> None:
        made = await call("share_drive_file", file_id=FILE, share_with=TOM, send_notification=False)
        assert made["summary"].endswith("No mail was sent.")
        assert (made["shared"][0]["mail_sent"], mails(sandbox)) == (False, [])

    async def test_share_drive_file_knows_groups_domains_and_links(self, call: Caller, drive: Drive) -> None:
        await call("share_drive_file", file_id=FILE, share_with="team@lumenworks.example", share_type="group")
        await call("share_drive_file", file_id=FILE, share_with="lumenworks.example", share_type="domain")
        await call("share_drive_file", file_id=FILE, share_type="anyone", role="commenter")
        assert drive.grants(FILE) == {
            SAM: "owner",
            "team@lumenworks.example": "reader",
            "lumenworks.example": "reader",
            "anyone": "commenter",
        }

    async def test_share_drive_file_ends_at_the_end_of_a_day(self, call: Caller, drive: Drive) -> None:
        made = await call("share_drive_file", file_id=FILE, share_with=ANA, expiration_time="2026-12-24")
        assert made["shared"][0]["expires"] == "2026-12-25T00:00:00+01:00"
        ends = [one.get("expirationTime") for one in drive.get(FILE)["permissions"]]
        assert "2026-12-24T23:00:00.000Z" in ends

    async def test_share_drive_file_refuses_what_makes_no_sense(self, call: Caller, drive: Drive) -> None:
        assert "needs their address" in await call.refusal("share_drive_file", file_id=FILE, share_with="Ana")
        assert "needs their address" in await call.refusal("share_drive_file", file_id=FILE)
        assert "needs its name" in await call.refusal("share_drive_file", file_id=FILE, share_type="domain")
        past = await call.refusal("share_drive_file", file_id=FILE, share_with=ANA, expiration_time="2020-01-01")
        assert "Expiration dates must be in the future" in past
        assert drive.grants(FILE) == {SAM: "owner"}

    async def test_share_drive_file_is_not_repeated_when_the_answer_is_lost(
        self, call: Caller, sandbox: Sandbox
    ) -> None:
        sandbox.faults.add(Fault("POST .*/permissions", "lost_reply"))
        said = await call.refusal("share_drive_file", file_id=FILE, share_with=ANA)
        assert "unknown whether it was made" in said
        assert len(mails(sandbox)) == 1


class TestBatchShareDriveFile:
    """batch_share_drive_file."""

    async def test_batch_share_drive_file_reports_each_recipient(
        self, call: Caller, sandbox: Sandbox, drive: Drive
    ) -> None:
        recipients = [
            {"email": ANA, "role": "writer"},
            {"email": "nobody"},
            {"domain": "lumenworks.example", "share_type": "domain"},
            {"email": OMAR, "role": "commenter", "expiration_time": "2020-01-01"},
        ]
        made = await call("batch_share_drive_file", file_id=FILE, recipients=recipients)
        assert [(one["who"], one["role"]) for one in made["shared"]] == [
            (ANA, "writer"),
            ("lumenworks.example", "reader"),
        ]
        assert {one["who"]: one["error"][:40] for one in made["failed"]} == {
            "nobody": "share_with: a share with a user needs th",
            OMAR: "This account may not do that: Expiration",
        }
        assert made["summary"].endswith(f"Google sent them a mail. Failed: nobody, {OMAR}.")
        assert drive.grants(FILE) == {SAM: "owner", ANA: "writer", "lumenworks.example": "reader"}
        assert [one[0] for one in mails(sandbox)] == [ANA]


class TestUpdateDrivePermission:
    """update_drive_permission."""

    async def test_update_drive_permission_changes_the_role(self, call: Caller, drive: Drive) -> None:
        given = drive.share(FILE, {"type": "user", "role": "reader", "emailAddress": ANA})
        made = await call("update_drive_permission", file_id=FILE, permission_id=given["id"], role="writer")
        assert made["changed"] == ["Ana Ruiz can edit (before: can view)"]
        assert drive.grants(FILE)[ANA] == "writer"

    async def test_update_drive_permission_changes_only_the_end(self, call: Caller, drive: Drive) -> None:
        drive.share(FILE, {"type": "user", "role": "commenter", "emailAddress": ANA})
        made = await call(
            "update_drive_permission", file_id=FILE, permission_id=ANA, expiration_time="2026-12-10T12:00"
        )
        assert made["changed"] == ["Ana Ruiz can comment until 2026-12-10T12:00:00+01:00"]
        await call("update_drive_permission", file_id=FILE, permission_id=ANA, expiration_time="never")
        assert not any("expirationTime" in one for one in drive.get(FILE)["permissions"])

    async def test_update_drive_permission_names_who_has_access(self, call: Caller) -> None:
        said = await call.refusal("update_drive_permission", file_id=FILE, permission_id=ANA, role="reader")
        assert said.startswith(f"permission_id: {ANA} has no permission for this file; there are:")
        assert "which role" in await call.refusal("update_drive_permission", file_id=FILE, permission_id=SAM)


class TestRemoveDrivePermission:
    """remove_drive_permission."""

    async def test_remove_drive_permission_takes_access_away(self, call: Caller, drive: Drive) -> None:
        drive.share(FILE, {"type": "user", "role": "reader", "emailAddress": ANA})
        drive.share(FILE, {"type": "anyone", "role": "reader"})
        made = await call("remove_drive_permission", file_id=FILE, permission_id=ANA)
        assert made["changed"] == ["Ana Ruiz has no longer access by this permission (can view)"]
        await call("remove_drive_permission", file_id=FILE, permission_id="anyoneWithLink")
        assert drive.grants(FILE) == {SAM: "owner"}

    async def test_remove_drive_permission_says_that_a_folder_gives_it(self, call: Caller) -> None:
        said = await call.refusal("remove_drive_permission", file_id=seed_id("invoice-hotel"), permission_id=ANA)
        assert "Cannot update or delete an inherited permission" in said

    async def test_remove_drive_permission_lets_one_leave(self, call: Caller, drive: Drive) -> None:
        spec = seed_id("spec-halo-2")
        drive.update(spec, addParents="root", removeParents=seed_id("product"))
        made = await call("remove_drive_permission", file_id=spec, permission_id=SAM)
        assert made["changed"] == ["Sam Okafor has no longer access by this permission (can edit)"]


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


class TestTransferDriveOwnership:
    """transfer_drive_ownership."""

    async def test_transfer_drive_ownership_makes_another_the_owner(self, call: Caller, drive: Drive) -> None:
        made = await call("transfer_drive_ownership", file_id=FILE, new_owner_email=ANA, move_to_new_owners_root=True)
        assert drive.grants(FILE) == {SAM: "writer", ANA: "owner"}
        assert made["file"]["owner"] == "Ana Ruiz"
        assert made["changed"][2] == "it was moved to the new owner's My Drive"

    async def test_transfer_drive_ownership_stays_in_the_organisation(self, call: Caller, drive: Drive) -> None:
        said = await call.refusal("transfer_drive_ownership", file_id=FILE, new_owner_email=OMAR)
        assert "Consent is required" in said
        said = await call.refusal("transfer_drive_ownership", file_id=seed_id("logo"), new_owner_email=ANA)
        assert "cannot have owners" in said
        assert drive.grants(FILE) == {SAM: "owner"}


class TestSetDriveFilePermissions:
    """set_drive_file_permissions."""

    async def test_set_drive_file_permissions_opens_and_closes_the_link(self, call: Caller, drive: Drive) -> None:
        opened = await call("set_drive_file_permissions", file_id=FILE, link_sharing="reader")
        assert opened["changed"] == ["anybody with the link can view it"]
        assert drive.grants(FILE)["anyone"] == "reader"
        await call("set_drive_file_permissions", file_id=FILE, link_sharing="commenter")
        assert drive.grants(FILE)["anyone"] == "commenter"
        closed = await call("set_drive_file_permissions", file_id=FILE, link_sharing="off")
        assert closed["changed"] == ["only people with access can open the link now"]
        again = await call("set_drive_file_permissions", file_id=FILE, link_sharing="off")
        assert again["changed"] == ["the link was closed already"]
        assert drive.grants(FILE) == {SAM: "owner"}

    async def test_set_drive_file_permissions_says_who_may_share_and_copy(self, call: Caller, drive: Drive) -> None:
        made = await call(
            "set_drive_file_permissions", file_id=FILE, writers_can_share=False, copy_requires_writer_permission=True
        )
        assert made["changed"] == ["only the owner may share it", "readers may not copy or download it"]
        assert drive.get(FILE)["writersCanShare"] is False
        assert "say what" in await call.refusal("set_drive_file_permissions", file_id=FILE)


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
