"""The Drive tools that read, over a world of their own."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from core.filetext import text_of
from core.sandbox.drive.kinds import DOCUMENT, SHORTCUT, root_id, seed_id, shared_drive_id
from core.sandbox.faults import Fault
from core.sandbox.sandbox import Sandbox
from tests.mcp_server.conftest import Caller, build
from tests.mcp_server.drive_desk import names, own_world, stored
from tests.sandbox.drive_world import ANA, KENJI, SAM, Drive, drive_of, media

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

    async def test_search_drive_files_asks_again_when_google_asks_to_slow_down(
        self, call: Caller, sandbox: Sandbox
    ) -> None:
        sandbox.faults.add(Fault("GET /drive/v3/files$", reason="userRateLimitExceeded", remaining=1))
        assert names(await call("search_drive_files", query="name = 'scratch.txt'")) == ["scratch.txt"]

    async def test_search_drive_files_says_where_the_api_is_switched_on(self, call: Caller, sandbox: Sandbox) -> None:
        sandbox.faults.add(Fault("GET /drive/v3/files$", reason="accessNotConfigured"))
        said = await call.refusal("search_drive_files", query="x")
        assert said.startswith("The Google Drive API is not enabled for this app. Enable it at https://console.")

    async def test_search_drive_files_says_which_permission_is_missing(self, call: Caller, sandbox: Sandbox) -> None:
        sandbox.faults.add(Fault("GET /drive/v3/files$", reason="insufficientPermissions"))
        said = await call.refusal("search_drive_files", query="x")
        assert said == (
            "This account has not allowed the app to do that with Google Drive (missing: drive). "
            "Connect it again and allow it."
        )

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

    async def test_get_drive_file_content_reads_the_first_sheet_and_says_so(self, call: Caller) -> None:
        book = await call("get_drive_file_content", file_id=seed_id("invoices-2026"))
        assert "2041" in book["text"]
        assert book["note"] == "Only the first sheet; read_sheet_values reads the others."

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

    async def test_get_drive_file_download_url_makes_an_excel_file_of_a_sheet(self, call: Caller) -> None:
        saved = await call("get_drive_file_download_url", file_id=seed_id("invoices-2026"))
        assert (saved["filename"][-5:], "2041" in (text_of(stored(saved), saved["mime_type"]) or "")) == (".xlsx", True)
        table = await call("get_drive_file_download_url", file_id=seed_id("invoices-2026"), export_format="csv")
        assert b"2041" in stored(table)


class TestGetDriveFilePermissions:
    """get_drive_file_permissions."""

    async def test_get_drive_file_permissions_names_everybody(self, call: Caller) -> None:
        access = await call("get_drive_file_permissions", file_id=seed_id("invoice-hotel"))
        grants = {one["who"]: (one["role"], one["inherited"]) for one in access["grants"]}
        assert grants == {SAM: ("owner", False), ANA: ("writer", True)}
        assert access["summary"] == "Anzahlung Hotel Seeblick.pdf: Sam Okafor (owns it); Ana Ruiz (can edit)."
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


class TestGetDriveShareableLink:
    """get_drive_shareable_link."""

    async def test_get_drive_shareable_link_says_who_can_open_it(self, call: Caller) -> None:
        logo = await call("get_drive_shareable_link", file_id=seed_id("logo"))
        assert logo["link"] == f"https://drive.google.com/file/d/{seed_id('logo')}/view?usp=drivesdk"
        assert logo["download_link"].endswith("&export=download")
        assert logo["public"] and "anyone with the link (can view)" in logo["summary"]
        folder = await call("get_drive_shareable_link", file_id=seed_id("private"))
        assert (folder["public"], folder["download_link"]) == (False, None)
