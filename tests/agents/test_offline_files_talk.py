"""Whole conversations about files, with approvals, over the sandbox; what was done is read back past the tools."""

import pytest

from core.google.clients import GoogleClients
from core.runtime.events import EventType
from core.users import SANDBOX_ACCOUNT
from tests.runtime.desk import SECONDS, sam, services, start
from tests.runtime.script import sent


class Talk:
    """One conversation; `asked` are the tools that a person was asked about."""

    def __init__(self, app):
        self.app, self.conversation, self.asked, self.routes = app, None, [], []

    def ask(self, question, word="approve"):
        """The answer; every write is approved, or what `word` says."""
        turn, decided = start(self.app, question, self.conversation), set()
        self.conversation = turn.conversation_id
        for event in turn.log.read(wait=SECONDS):
            waiting = event.data["approvals"] if event and event.type is EventType.WAITING else []
            for one in [one for one in waiting if one["approval_id"] not in decided and one["state"] == "pending"]:
                decided.add(one["approval_id"])
                self.asked.append(one["tool"])
                self.app.runtime.decide(sam(self.app), one["approval_id"], word)
        done = turn.wait(SECONDS)
        assert (done["status"], done["error"]) == ("done", None)
        self.routes.append(done["route"])
        return done["response"]


class Reader:
    """Reads the sandbox past the tools."""

    def __init__(self, app):
        self.google = GoogleClients(app.sandbox.http).for_account(SANDBOX_ACCOUNT)

    def file(self, name, fields="id,name,parents,trashed,permissions(emailAddress,role,type)"):
        files = self.google.resource("drive.files")
        found = self.google.execute(files.list(q=f"name = '{name}' and trashed = false", fields=f"files({fields})"))
        return found["files"][0]

    def roles(self, name):
        return {one.get("emailAddress", one["type"]): one["role"] for one in self.file(name)["permissions"]}

    def cells(self, name, area):
        values = self.google.resource("sheets.spreadsheets.values")
        return self.google.execute(values.get(spreadsheetId=self.file(name)["id"], range=area)).get("values")

    def text(self, name):
        export = self.google.resource("drive.files").export_media(fileId=self.file(name)["id"], mimeType="text/plain")
        return self.google.download(export).decode()

    def slides(self, name):
        decks = self.google.resource("slides.presentations")
        return self.google.execute(decks.get(presentationId=self.file(name)["id"]))["slides"]


@pytest.fixture(scope="module")
def app(tmp_path_factory):
    with services(tmp_path_factory.mktemp("files")) as built:
        yield built


@pytest.fixture
def talk(app):
    return Talk(app)


@pytest.fixture
def read(app):
    return Reader(app)


def test_a_file_that_drive_found_is_read_by_sheets(talk):
    assert "1. **[Budget 2026]" in talk.ask("find the budget sheet")
    assert "| 2 | 63,200 EUR |" in talk.ask("what's in B2:D5")
    assert "- Total, Left: **" in talk.ask("how much is left in the budget")
    assert "| 2 | Northgrid | omar@northgrid.example |" in talk.ask("show the sheet Tom's pipeline")
    assert talk.asked == []


def test_cells_and_rows_are_written_after_a_yes(talk, read):
    talk.ask("show the offsite planning sheet")
    talk.ask("set C5 to 13")
    assert read.cells("Offsite planning", "Dates!C5") == [["13"]]
    assert "Bus" in talk.ask("add a row Bus, 300, 320 to it")
    assert read.cells("Offsite planning", "Dates!A11:C11") == [["Bus", "300", "320"]]
    assert talk.asked == ["modify_sheet_values", "modify_sheet_values"]


def test_what_was_refused_is_not_written_and_that_is_said(talk, read):
    before = read.cells("Invoices 2026", "Open!F2")
    assert talk.ask("set F2 of the invoices to paid", "reject") == "It was not done, as you decided."
    assert read.cells("Invoices 2026", "Open!F2") == before


def test_a_document_is_made_grown_and_changed(talk, read):
    assert "Trip notes" in talk.ask("make a document called Trip notes with these notes: Acme pays the train")
    talk.ask("append Call Priya to it")
    talk.ask("replace Acme by Globex in the trip notes")
    assert [line for line in read.text("Trip notes").lstrip("\ufeff").splitlines() if line] == [
        "Globex pays the train", "Call Priya",
    ]  # fmt: skip
    assert "1\\. " not in talk.ask("what does the trip notes document say")
    assert talk.asked == ["create_doc", "batch_update_doc", "find_and_replace_doc"]


def test_comments_are_read_answered_and_resolved(talk):
    assert "**Kenji Mori**" in talk.ask("show the comments of the roadmap")
    talk.ask("reply to Kenji's comment: Thursday it is")
    talk.ask("resolve it")
    answer = talk.ask("who commented on the roadmap?")
    assert "Sam Okafor: Thursday it is" in answer
    assert answer.count("*resolved*") == 2


def test_a_file_is_shared_by_name_and_taken_back(talk, read):
    assert "ana@lumenworks.example" not in read.roles("Notes to self")
    talk.ask("share the notes to self with Ana as commenter")
    assert read.roles("Notes to self")["ana@lumenworks.example"] == "commenter"
    assert "Ana Ruiz (ana@lumenworks.example): can comment" in talk.ask("who can see it")
    assert "No, it is not public." in talk.ask("is it public")
    talk.ask("stop sharing it with Ana")
    assert "ana@lumenworks.example" not in read.roles("Notes to self")
    assert talk.asked == ["share_drive_file", "remove_drive_permission"]


def test_a_folder_is_made_and_a_file_moved_into_it_and_renamed(talk, read):
    talk.ask("make a folder called Trips")
    talk.ask("move the file scratch.txt to the Trips folder")
    talk.ask("rename it to scrap.txt")
    assert read.file("scrap.txt")["parents"] == [read.file("Trips")["id"]]
    assert "scrap.txt" in talk.ask("show files in the Trips folder")
    talk.ask("put it in the trash", "reject")
    assert not read.file("scrap.txt")["trashed"]


def test_the_second_one_of_a_folder_is_what_it_says(talk):
    listed = talk.ask("what is in the Finance folder").splitlines()
    assert "2. **[Board deck Q3]" in next(line for line in listed if line.startswith("2. "))
    assert "have access to [Board deck Q3]" in talk.ask("who can see the second one")


def test_drive_finds_the_deck_that_slides_reads(talk):
    assert "has 8 slides." in talk.ask("how many slides has the board deck")
    assert "### Agenda" in talk.ask("what's on slide 2")
    assert "is saved at" in talk.ask("show me a picture of the third slide")
    assert talk.routes[0] == "planned"


def test_a_deck_of_three_slides_is_made(talk, read):
    talk.ask("make a deck about the pilot: lamps, batteries")
    assert len(read.slides("Pilot")) == 3
    assert talk.asked == ["create_presentation", "batch_update_presentation"]


def test_the_numbers_of_a_sheet_go_out_in_a_mail(app, talk):
    talk.ask("mail Ana the Q3 numbers")
    (mail,) = sent(app, "Q3 numbers")
    assert talk.routes == ["planned"]
    assert talk.asked == ["send_gmail_message"]
    assert "Revenue" in mail["snippet"]


def test_of_two_requests_the_second_is_about_what_the_first_one_made_or_found(talk, read):
    talk.ask("make a folder called Q4 and move the warranty text to it")
    assert read.file("Warranty text, draft")["parents"] == [read.file("Q4")["id"]]
    talk.ask("find the release checklist and share it with Ana")
    assert talk.asked == ["create_drive_file", "update_drive_file", "share_drive_file"]
    assert talk.routes == ["direct", "direct"]
