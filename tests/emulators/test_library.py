"""What the tools read of a library that backlot serves: batches, decks, and what another person may not see."""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from googleapiclient.discovery import build

from core.sandbox.drive.kinds import seed_id
from core.sandbox.sandbox import Sandbox
from tests.emulators.others import ANA, BACKLOT, SAM, Library, backlot
from tests.emulators.pair import World
from tests.emulators.pair import world as world_of
from tests.mcp_server.conftest import ZONE, now

pytestmark = pytest.mark.skipif(BACKLOT is None, reason="backlot is not installed")
TIMES = {"created": "2026-11-01T09:00:00Z", "updated": "2026-11-02T09:00:00Z"}
SLIDES = ["Agenda\nNumbers", "Halo 2 💡", "Danke für eure Zeit"]
MAILS = [(f"Mail {number}", f"Text {number}: Grüße") for number in range(30)]
NO_FILE, NO_DECK = (
    f"There is no such {thing}, or this account may not see it. Search again for its current id."
    for thing in ("file", "presentation")
)
FORBIDDEN = "This account may not do that: The caller does not have permission. Ask the owner for access."
REFUSALS = [NO_FILE, FORBIDDEN, NO_DECK, FORBIDDEN, NO_DECK]
SERVICES = ["gmail", "drive", "docs", "sheets", "slides"]


def file(key: str, kind: str, owner: str, content: str | list[list[Any]]) -> dict[str, Any]:
    """A file that its owner alone may see; a grid for a spreadsheet, a text for all else."""
    about = {"source_type": "google_drive", "doc_id": key, "folder": "shared", "subtype": kind, "visibility": "private"}
    held = {"content": content} if isinstance(content, str) else {"sheets": [{"title": "Plan", "grid": content}]}
    return {**about, "title": key, **held, "author_email": owner, **TIMES}


def mail(number: int, subject: str, text: str) -> dict[str, Any]:
    about = {"source_type": "gmail", "doc_id": f"mail-{number}", "mailbox": "sam", "readers": [SAM]}
    when = f"2026-11-02T09:{number:02}:00Z"
    return {**about, "title": subject, "content": text, "author_email": ANA, "label_ids": ["INBOX"], "created": when}


CORPUS = [
    file("Deck", "presentation", SAM, "\n\n".join(SLIDES)),
    file("Ana's deck", "presentation", ANA, "Secret"),
    file("Numbers", "spreadsheet", SAM, [["a", "b"], [1, 2.5]]),
    file("Ana's numbers", "spreadsheet", ANA, [["x"]]),
    *(mail(number, *one) for number, one in enumerate(MAILS)),
]


@dataclass(frozen=True)
class Readers:
    """The tools of two people over one library."""

    library: Library
    sam: World
    ana: World

    def id(self, key: str) -> str:
        return self.library.ids[key]


@pytest.fixture(scope="module")
def readers(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Readers]:
    folder = tmp_path_factory.mktemp("library")
    with backlot(folder, CORPUS) as library:
        sam, ana = (world_of(lambda _, who=who: library.people[who], SERVICES, folder) for who in (SAM, ANA))
        yield Readers(library, sam, ana)


async def test_many_mails_come_in_batches_of_25(readers: Readers) -> None:
    wanted = [readers.id(f"mail-{number}") for number in range(len(MAILS))]
    told = await readers.sam("get_gmail_messages_content_batch", message_ids=wanted)
    assert [(one["subject"], one["body"].strip()) for one in told["messages"]] == MAILS and told["failed"] == []


async def test_a_batch_names_the_part_that_failed(readers: Readers) -> None:
    ids = [readers.id("mail-1"), "18f2abcdef012345", readers.id("mail-2")]
    told = await readers.sam("get_gmail_messages_content_batch", message_ids=ids)
    assert [one["message_id"] for one in told["messages"]] == [ids[0], ids[2]]
    assert [one["id"] for one in told["failed"]] == [ids[1]]


async def test_a_batch_of_what_another_person_has_fails_part_by_part(readers: Readers) -> None:
    ids = [readers.id("mail-1"), readers.id("mail-2")]
    told = await readers.ana("get_gmail_messages_content_batch", message_ids=ids)
    assert told["messages"] == [] and [one["id"] for one in told["failed"]] == ids


async def test_a_search_shows_its_mails_newest_first(readers: Readers) -> None:
    told = await readers.sam("search_gmail_messages", query="in:inbox", page_size=10)
    assert [one["subject"] for one in told["messages"]] == [subject for subject, _ in reversed(MAILS)][:10]


async def test_a_deck_is_told_slide_by_slide(readers: Readers) -> None:
    told = await readers.sam("get_presentation", presentation_id=readers.id("Deck"))
    assert (told["title"], told["slide_count"]) == ("Deck", 3)
    assert [" ".join(filter(None, (one["title"], one["text"]))).strip() for one in told["slides"]] == SLIDES


async def refusals(world: World, secret: str, sheet: str, other: str) -> list[object]:
    """What is said of a hidden deck, in Drive and in Slides; of none, of a hidden sheet, and of a sheet as a deck."""
    return [
        await world.outcome("get_drive_file_content", file_id=secret),
        await world.outcome("get_presentation", presentation_id=secret),
        await world.outcome("get_presentation", presentation_id="nothing"),
        await world.outcome("read_sheet_values", spreadsheet_id=sheet),
        await world.outcome("get_presentation", presentation_id=other),
    ]


async def test_a_file_of_another_person_is_not_there_in_drive_and_forbidden_in_the_editors(readers: Readers) -> None:
    secret, sheet = readers.id("Ana's deck"), readers.id("Ana's numbers")
    assert await refusals(readers.sam, secret, sheet, readers.id("Numbers")) == REFUSALS
    told = await readers.ana("get_presentation", presentation_id=secret)
    assert told["title"] == "Ana's deck"


async def test_the_sandbox_says_the_same_of_such_files(readers: Readers, tmp_path: Path) -> None:
    world = Sandbox(tmp_path / "sandbox.db", ZONE, now, (SAM, ANA))
    world.open()
    made = {
        kind: build(service, version, http=world.http(ANA), cache_discovery=False, static_discovery=True)
        for kind, service, version in (("deck", "slides", "v1"), ("book", "sheets", "v4"))
    }
    secret = made["deck"].presentations().create(body={}).execute()["presentationId"]
    sheet = made["book"].spreadsheets().create(body={}).execute()["spreadsheetId"]
    ours = world_of(world.http, SERVICES, tmp_path)
    assert await refusals(ours, secret, sheet, seed_id("budget-2026")) == REFUSALS
    world.close()


async def test_a_spreadsheet_is_read(readers: Readers) -> None:
    told = await readers.sam("read_sheet_values", spreadsheet_id=readers.id("Numbers"))
    assert [row["cells"] for row in told["rows"]] == [["a", "b"], ["1", "2.5"]]
