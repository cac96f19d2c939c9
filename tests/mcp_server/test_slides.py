"""The Slides tools over a sandbox; every effect is read back through Google's client."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from PIL import Image

from core.mcp_server.server import tool_functions
from core.registry.manifests import load_catalogue
from core.runtime.summaries import summary_of
from core.sandbox.faults import Fault
from core.users import SANDBOX_ACCOUNT
from tests.mcp_server.slides_desk import Studio, seed_world, studio
from tests.sandbox.slides_world import Json, bullets, elements, insert, new_slide, pt, seeded, shape

BOARD = seeded("board-deck-q3")


@pytest.fixture(scope="module")
def world(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return seed_world(tmp_path_factory.mktemp("world") / "sandbox.db")


@pytest.fixture
def desk(world: Path, tmp_path: Path) -> Iterator[Studio]:
    with studio(world, tmp_path) as one:
        yield one


def ask(title: str = "Plan", body: str = "One\n\tTwo", page: str = "slide_two") -> list[Json]:
    """A slide with a title and a list."""
    mappings = [{"layoutPlaceholder": {"type": kind}, "objectId": f"{page}_{kind}"} for kind in ("TITLE", "BODY")]
    return [
        new_slide("TITLE_AND_BODY", objectId=page, placeholderIdMappings=mappings),
        insert(f"{page}_TITLE", title),
        insert(f"{page}_BODY", body),
        {"createParagraphBullets": {"objectId": f"{page}_BODY", "textRange": {"type": "ALL"}}},
    ]


def test_every_tool_has_its_manifest_and_function() -> None:
    manifests = {tool.name for tool in load_catalogue().domains["slides"].tools}
    assert tool_functions("slides").keys() == manifests and len(manifests) == 9


async def test_create_presentation_makes_one_and_says_where_text_goes(desk: Studio) -> None:
    made = await desk.call("create_presentation", title="Halo 2 für alle")
    (slide,) = made["slides"]
    assert [one["kind"] for one in slide["holders"]] == ["CENTERED_TITLE", "SUBTITLE"]
    assert made["link"] == f"https://docs.google.com/presentation/d/{made['presentation_id']}/edit"
    assert desk.slides.get(made["presentation_id"])["title"] == "Halo 2 für alle"
    unnamed = await desk.call("create_presentation")
    assert desk.slides.get(unnamed["presentation_id"])["title"] == "Untitled Presentation"


async def test_get_presentation_tells_each_slide_with_tables_lists_and_notes(desk: Studio) -> None:
    deck = await desk.call("get_presentation", presentation_id=BOARD)
    assert (deck["title"], deck["slide_count"], deck["next_slide"]) == ("Board deck Q3", 8, None)
    assert (deck["width"], deck["height"]) == (720.0, 405.0)
    _, agenda, numbers, _, halo, *_, last = deck["slides"]
    assert agenda["title"] == "Agenda" and agenda["text"].startswith("● Numbers of the third quarter (Ana)\n● Halo 2")
    assert "| Revenue | 412,000 | 400,000 | +3.0 % |" in numbers["text"]
    assert "Gross margin 41 %" in numbers["notes"]
    assert "\n  ○ Desk, reading corner, bedside" in halo["text"] and last["skipped"]


async def test_get_presentation_comes_in_parts_and_says_what_was_cut(world: Path, tmp_path: Path) -> None:
    with studio(world, tmp_path, body_limit=120) as desk:
        first = await desk.call("get_presentation", presentation_id=BOARD)
        assert 0 < len(first["slides"]) < 8
        seen, start = len(first["slides"]), first["next_slide"]
        while start:
            part = await desk.call("get_presentation", presentation_id=BOARD, first_slide=start)
            assert part["slides"][0]["number"] == start
            seen, start = seen + len(part["slides"]), part["next_slide"]
        assert seen == 8
        agenda = (await desk.call("get_presentation", presentation_id=BOARD, first_slide=2))["slides"][0]
        assert "[cut: characters 0 to 120 of" in agenda["text"]
        assert f"get_page with page_object_id {agenda['page_object_id']} has the rest" in agenda["text"]
        assert "has 8 slides" in await desk.call.refusal("get_presentation", presentation_id=BOARD, first_slide=9)


async def test_get_presentation_takes_a_link_too(desk: Studio) -> None:
    for link in (f"https://docs.google.com/presentation/d/{BOARD}/edit#slide=id.p", f"/presentation/u/0/d/{BOARD}"):
        assert (await desk.call("get_presentation", presentation_id=link))["presentation_id"] == BOARD


async def test_get_presentation_says_that_there_is_none(desk: Studio) -> None:
    assert "presentation" in await desk.call.refusal("get_presentation", presentation_id="nothing")


async def test_batch_update_presentation_makes_a_slide_with_text_in_one_go(desk: Studio) -> None:
    deck_id = desk.slides.new()
    done = await desk.call("batch_update_presentation", presentation_id=deck_id, requests=ask())
    assert done["created"] == [{"request": 0, "kind": "createSlide", "object_id": "slide_two"}]
    assert done["requests"] == 4 and done["replaced"] is None
    assert desk.slides.text(deck_id, "slide_two_TITLE") == "Plan\n"
    body = desk.slides.element(deck_id, "slide_two_BODY")["shape"]
    assert bullets(body) == [("●", 0), ("○", 1)]


async def test_batch_update_presentation_counts_what_it_replaced(desk: Studio) -> None:
    asked = {"replaceAllText": {"containsText": {"text": "northgrid"}, "replaceText": "Globex"}}
    done = await desk.call("batch_update_presentation", presentation_id=BOARD, requests=[asked])
    assert (done["replaced"], done["created"]) == (1, [])
    assert "Globex pilot" in str(elements(desk.slides.get(BOARD)))
    nothing = await desk.call("batch_update_presentation", presentation_id=BOARD, requests=[asked])
    assert nothing["replaced"] == 0


ONE_CELL: Json = {"rows": 1, "columns": 1, "elementProperties": {"pageObjectId": "p"}}
BAD: list[tuple[list[Json], str]] = [
    ([], "give at least one request"),
    ([{}], "requests[0] is empty; it needs one kind, such as createSlide."),
    ([{"createSlide": {}, "deleteObject": {"objectId": "i0"}}], "requests[0] holds createSlide, deleteObject"),
    ([{"addSlide": {}}], "there is no kind 'addSlide'; near to it are: "),
    (
        [{"createSlide": {"layout": "TITLE"}}],
        "createSlide has no field 'layout'; there are: insertionIndex",
    ),
    ([new_slide("TITLE_SLIDE")], "predefinedLayout cannot be 'TITLE_SLIDE'; there are: BLANK, CAPTION_ONLY, TITLE"),
    ([{"createSlide": {"insertionIndex": "1"}}], 'insertionIndex must be an integer, not "1".'),
    (
        [insert("p", "x")],
        "insertText: 'p' is a page, and a page holds no text; aim at one of its elements: i0 (",
    ),
    ([new_slide(objectId="other"), insert("other", "x")], "requests[1].insertText: 'other' is a page"),
    ([insert("nobody", "x")], "there is no object 'nobody'; get_page lists what is on a page."),
    ([shape("i0")], "the id 'i0' is taken already"),
    ([shape("my_box", page="p99")], "there is no page 'p99'; pages are: p,"),
    ([{"createTable": {"rows": 1, "columns": 1}}], "elementProperties.pageObjectId is missing"),
    (
        [{"createImage": {"url": "x", "elementProperties": {"pageObjectId": "p", "transform": {"translateX": 1}}}}],
        "transform needs scaleX and scaleY; 1 is the natural size.",
    ),
    (
        [
            {
                "createTable": {
                    "objectId": "my_table",
                    "rows": 1,
                    "columns": 1,
                    "elementProperties": {"pageObjectId": "p"},
                }
            },
            insert("my_table", "x"),
        ],
        "'my_table' is a table; say which cell, as cellLocation.",
    ),
]


@pytest.mark.parametrize(("requests", "sentence"), BAD, ids=[str(number) for number in range(len(BAD))])
async def test_batch_update_presentation_refuses_before_the_call_what_cannot_work(
    desk: Studio, requests: list[Json], sentence: str
) -> None:
    deck_id = desk.slides.new()
    before = desk.slides.get(deck_id)["revisionId"]
    desk.sandbox.faults.add(Fault("POST .*batchUpdate", "status", 500))  # what was sent would say another sentence
    assert sentence in await desk.call.refusal("batch_update_presentation", presentation_id=deck_id, requests=requests)
    assert desk.slides.get(deck_id)["revisionId"] == before


async def test_batch_update_presentation_may_use_what_the_same_batch_made(desk: Studio) -> None:
    deck_id = desk.slides.new()
    requests = [
        {"deleteObject": {"objectId": "i1"}},
        shape("i1_again"),
        insert("i1_again", "new"),
        {"duplicateObject": {"objectId": "i1_again", "objectIds": {"i1_again": "the_copy"}}},
        insert("the_copy", "very ", 0),
    ]
    done = await desk.call("batch_update_presentation", presentation_id=deck_id, requests=requests)
    assert [one["object_id"] for one in done["created"]] == ["i1_again", "the_copy"]
    assert desk.slides.text(deck_id, "the_copy") == "very new\n"


async def test_batch_update_presentation_passes_on_googles_own_reason(desk: Studio) -> None:
    deck_id = desk.slides.new()
    late = insert("i0", "x", 5)
    sentence = await desk.call.refusal("batch_update_presentation", presentation_id=deck_id, requests=[late])
    assert "The insertion index (5) should not be greater than the existing text length (0)" in sentence


async def test_batch_update_presentation_is_sent_once_when_the_answer_is_lost(desk: Studio) -> None:
    deck_id = desk.slides.new()
    desk.sandbox.faults.add(Fault("POST .*batchUpdate", "lost_reply"))
    sentence = await desk.call.refusal("batch_update_presentation", presentation_id=deck_id, requests=[new_slide()])
    assert "unknown whether it was made" in sentence
    assert len(desk.slides.get(deck_id)["slides"]) == 2


async def test_get_page_lists_elements_with_places_and_the_notes(desk: Studio) -> None:
    deck_id = desk.slides.new()
    notes = desk.slides.get(deck_id)["slides"][0]["slideProperties"]["notesPage"]
    speaker = notes["notesProperties"]["speakerNotesObjectId"]
    table = {"objectId": "my_table", "rows": 2, "columns": 1, "elementProperties": {"pageObjectId": "p"}}
    image = {"url": "https://x.example/a.png", "elementProperties": {"pageObjectId": "p", "size": {"width": pt(10)}}}
    desk.slides.change(
        deck_id,
        shape("my_box"),
        insert("my_box", "😀 Hi"),
        {"createTable": table},
        insert("my_table", "cell", cellLocation={"rowIndex": 1}),
        {"createImage": {**image, "objectId": "my_image"}},
        insert(speaker, "Smile."),
    )
    page = await desk.call("get_page", presentation_id=deck_id, page_object_id="p")
    found = {one["object_id"]: one for one in page["elements"]}
    assert (page["layout"], page["notes"], page["notes_object_id"]) == ("TITLE", "Smile.", speaker)
    box = found["my_box"]
    assert (box["text"], box["text_length"], box["shape_type"]) == ("😀 Hi", 6, "TEXT_BOX")
    assert (box["left"], box["top"], box["width"], box["height"]) == (20.0, 30.0, 300.0, 100.0)
    assert found["my_table"]["rows"] == [[""], ["cell"]]
    assert found["my_image"]["source"] == "https://x.example/a.png"
    assert found["i0"]["placeholder"] == "CENTERED_TITLE" and page["link"].endswith("#slide=id.p")


async def test_get_page_says_what_was_cut_and_that_there_is_no_such_page(world: Path, tmp_path: Path) -> None:
    with studio(world, tmp_path, body_limit=40) as desk:
        deck_id = desk.slides.boxed("word " * 100)
        page = await desk.call("get_page", presentation_id=deck_id, page_object_id="p")
        assert page["cut"] == "Of 500 characters of text 40 are shown."
        assert "There is no such slide" in await desk.call.refusal(
            "get_page", presentation_id=deck_id, page_object_id="p99"
        )


@pytest.mark.parametrize(("size", "pixels"), [("SMALL", (200, 112)), ("MEDIUM", (800, 450)), ("LARGE", (1600, 900))])
async def test_get_page_thumbnail_stores_a_picture(
    desk: Studio, tmp_path: Path, size: str, pixels: tuple[int, int]
) -> None:
    page = desk.slides.get(BOARD)["slides"][0]["objectId"]
    made = await desk.call("get_page_thumbnail", presentation_id=BOARD, page_object_id=page, thumbnail_size=size)
    folder = tmp_path / "downloads" / SANDBOX_ACCOUNT
    (path,) = folder.iterdir()
    assert (made["path"], made["size"]) == (str(path), path.stat().st_size)
    assert Image.open(path).size == (made["width"], made["height"]) == pixels
    assert made["link"].startswith("https://lh3.googleusercontent.com/")


async def test_get_page_thumbnail_fetches_nothing_from_elsewhere(desk: Studio, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("core.sandbox.slides.presentations.PICTURES", "https://googleusercontent.com.evil.example")
    sentence = await desk.call.refusal("get_page_thumbnail", presentation_id=BOARD, page_object_id=first(desk))
    assert "a place for the picture that is not its own" in sentence


def first(desk: Studio) -> Any:
    return desk.slides.get(BOARD)["slides"][0]["objectId"]


async def test_comments_of_a_presentation_are_written_read_answered_and_resolved(desk: Studio) -> None:
    deck_id = desk.slides.new()
    made = await desk.call("create_presentation_comment", presentation_id=deck_id, comment_content="Too many words 🙂")
    same = {"presentation_id": deck_id, "comment_id": made["comment_id"]}
    await desk.call("reply_to_presentation_comment", **same, reply_content="Half of them are gone.")
    before = await desk.call("read_presentation_comments", presentation_id=deck_id)
    assert (before["open"], before["comments"][0]["replies"][0]["content"]) == (1, "Half of them are gone.")
    await desk.call("resolve_presentation_comment", **same)
    after = await desk.call("read_presentation_comments", presentation_id=deck_id)
    assert (after["open"], after["comments"][0]["resolved"]) == (0, True)
    (known,) = desk.comments(deck_id)
    assert known["resolved"] and [one.get("action") for one in known["replies"]] == [None, "resolve"]


@pytest.mark.parametrize("tool", ["create_presentation_comment", "reply_to_presentation_comment"])
async def test_a_comment_says_something(desk: Studio, tool: str) -> None:
    arguments = {"create_presentation_comment": {"comment_content": " "}}.get(
        tool, {"comment_id": "x", "reply_content": ""}
    )
    assert "it is empty" in await desk.call.refusal(tool, presentation_id=BOARD, **arguments)


async def test_resolve_presentation_comment_says_that_there_is_none(desk: Studio) -> None:
    sentence = await desk.call.refusal("resolve_presentation_comment", presentation_id=BOARD, comment_id="nothing")
    assert "no such comment" in sentence


async def test_a_read_only_server_has_only_the_slides_tools_that_read(world: Path, tmp_path: Path) -> None:
    with studio(world, tmp_path, read_only=True) as desk:
        assert set(await desk.call.tools()) == {
            "get_presentation",
            "get_page",
            "get_page_thumbnail",
            "read_presentation_comments",
        }


@pytest.mark.parametrize(
    ("tool", "arguments", "sentence"),
    [
        ("create_presentation", {}, "Create the presentation “Untitled Presentation”."),
        (
            "batch_update_presentation",
            {"presentation_id": "x", "requests": [{"createSlide": {}}, {}]},
            "Change the presentation x with 2 requests: createSlide, nothing.",
        ),
        ("create_presentation_comment", {"comment_content": "Hm"}, "Comment on the presentation: “Hm”."),
    ],
)
def test_what_a_person_approves_is_one_sentence(tool: str, arguments: dict[str, Any], sentence: str) -> None:
    assert summary_of(load_catalogue(), tool, arguments) == sentence
