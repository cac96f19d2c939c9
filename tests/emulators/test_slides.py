"""The Slides tools read the same of the sandbox and of backlot, and are refused in the same words.

Where they differ, Google's documentation says who is right: a text there has its indices, of which backlot gives none;
a new presentation is 16:9, backlot's are 4:3; backlot has no `pages`, no writes, no thumbnails.
"""

from collections.abc import Iterator
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

import pytest
from googleapiclient.discovery import build

from core.google.clients import GoogleClients
from core.google.errors import GoogleError
from core.google.patience import Patience
from core.mcp_server.server import build_server
from core.registry.manifests import load_catalogue
from core.sandbox.sandbox import Sandbox
from core.users import SANDBOX_ACCOUNT
from tests.emulators.others import BACKLOT, Library, backlot
from tests.mcp_server.conftest import ZONE, Caller, now
from tests.sandbox.slides_world import insert, new_slide, seeded, shape, slides_of

pytestmark = pytest.mark.skipif(BACKLOT is None, reason="backlot is not installed")
AVA, LENA = "ava.chen@acme.com", "lena@lumenworks.example"


@pytest.fixture(scope="module")
def other(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Library]:
    with backlot(tmp_path_factory.mktemp("backlot")) as running:
        yield running


@pytest.fixture
def sandbox(tmp_path: Path) -> Iterator[Sandbox]:
    world = Sandbox(tmp_path / "sandbox.db", ZONE, now, accounts=(SANDBOX_ACCOUNT, LENA))
    world.open()
    yield world
    world.close()


def caller(transport: Any, folder: Path) -> Caller:
    clients = GoogleClients(transport, Patience(sleep=lambda _: None))
    options: dict[str, Any] = {"account": SANDBOX_ACCOUNT, "zone": ZoneInfo(ZONE), "downloads": folder, "now": now}
    return Caller(build_server(load_catalogue(), ["slides"], clients, **options))


def files(http: Any) -> list[dict[str, Any]]:
    """What somebody has in Drive."""
    drive = build("drive", "v3", http=http, cache_discovery=False, static_discovery=True)
    found: list[dict[str, Any]] = drive.files().list(pageSize=100).execute()["files"]
    return found


async def test_get_presentation_reads_the_same_of_both(other: Library, sandbox: Sandbox, tmp_path: Path) -> None:
    http, slides = other.people[AVA], slides_of(sandbox)
    theirs, ours = caller(lambda _: http, tmp_path), caller(sandbox.http, tmp_path)
    decks = [one for one in files(http) if is_deck(one)]
    assert len(decks) >= 2
    for deck in decks:
        read = await theirs("get_presentation", presentation_id=deck["id"])
        copied = slides.new(read["title"])
        slides.change(copied, {"deleteObject": {"objectId": "p"}})
        for number, slide in enumerate(read["slides"]):
            page, box = f"page_{number}", f"box_{number}"
            slides.change(copied, new_slide(objectId=page), shape(box, page), insert(box, slide["text"]))
        own = await ours("get_presentation", presentation_id=copied)
        assert (own["title"], own["slide_count"]) == (deck["name"], read["slide_count"])
        assert [told(one) for one in own["slides"]] == [told(one) for one in read["slides"]]


def is_deck(file: dict[str, Any]) -> bool:
    return str(file["mimeType"]).endswith("presentation")


def told(slide: dict[str, Any]) -> tuple[Any, ...]:
    """What a slide says, without ids."""
    return slide["number"], slide["title"], slide["text"], slide["notes"], [one["kind"] for one in slide["holders"]]


@pytest.mark.parametrize(
    ("kind", "key"),
    [
        ("application/vnd.google-apps.document", "product-roadmap"),
        ("application/pdf", "invoice-2041"),
        ("application/vnd.google-apps.folder", "finance"),
        ("", "nothing"),
    ],
)
async def test_get_presentation_of_what_is_none_is_refused_alike(
    other: Library, sandbox: Sandbox, tmp_path: Path, kind: str, key: str
) -> None:
    http = other.people[AVA]
    theirs, ours = caller(lambda _: http, tmp_path), caller(sandbox.http, tmp_path)
    wrong = next((one["id"] for one in files(http) if one["mimeType"] == kind), "nothing")
    refusal = await theirs.refusal("get_presentation", presentation_id=wrong)
    assert await ours.refusal("get_presentation", presentation_id=seeded(key) if kind else "nothing") == refusal


def test_a_batch_of_presentations_has_them_all_and_says_what_is_missing(other: Library, sandbox: Sandbox) -> None:
    http = other.people[AVA]
    known = [one["id"] for one in files(http) if is_deck(one)]
    for way, ids in ((lambda _: http, known), (sandbox.http, [seeded("board-deck-q3"), seeded("offsite-welcome")])):
        google = GoogleClients(way, Patience(sleep=lambda _: None)).for_account(SANDBOX_ACCOUNT)
        presentations = google.resource("slides.presentations")
        answers = google.batch({one: presentations.get(presentationId=one) for one in [*ids, "nothing"]})
        assert [answers[one]["presentationId"] for one in ids] == ids
        missing = answers["nothing"]
        assert isinstance(missing, GoogleError) and missing.status == 404


async def test_get_presentation_that_is_hidden_is_refused_alike(
    other: Library, sandbox: Sandbox, tmp_path: Path
) -> None:
    decks = {who: {one["id"] for one in files(other.people[who]) if is_deck(one)} for who in other.people}
    everything = set().union(*decks.values())
    blind = next((who for who, seen in decks.items() if seen < everything), None)
    if blind is None:
        pytest.skip("everybody sees every presentation of this corpus")
    theirs = caller(lambda _: other.people[blind], tmp_path)
    refusal = await theirs.refusal("get_presentation", presentation_id=min(everything - decks[blind]))
    private = slides_of(sandbox, LENA).new()
    assert await caller(sandbox.http, tmp_path).refusal("get_presentation", presentation_id=private) == refusal
