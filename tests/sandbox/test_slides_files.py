"""Presentations as files: the seeded ones, their pictures, and what Drive exports, copies and imports."""

from datetime import date
from io import BytesIO
from pathlib import Path
from typing import Any

import pptx
import pytest
from googleapiclient.discovery import build
from googleapiclient.errors import HttpError
from googleapiclient.http import MediaIoBaseUpload
from PIL import Image
from pypdf import PdfReader

from core.sandbox import slides as slides_api
from core.sandbox.drive.kinds import PPTX, PRESENTATION
from core.sandbox.sandbox import Sandbox
from core.users import SANDBOX_ACCOUNT
from tests.sandbox.slides_world import Json, Slides, elements, insert, seeded, shape, slides_of, text_of

BLUE = {"pageBackgroundFill": {"solidFill": {"color": {"rgbColor": {"blue": 1}}}}}


@pytest.fixture
def slides(sandbox: Sandbox) -> Slides:
    return slides_of(sandbox)


@pytest.fixture
def files(sandbox: Sandbox) -> Any:
    http = sandbox.http(SANDBOX_ACCOUNT)
    return build("drive", "v3", http=http, cache_discovery=False, static_discovery=True).files()


def picture(slides: Slides, deck_id: str, page: str, size: str = "") -> tuple[Json, Image.Image]:
    """A thumbnail as Google describes it, and the picture behind its address."""
    options = {"thumbnailProperties_thumbnailSize": size} if size else {}
    pages = slides.api.presentations().pages()
    found = pages.getThumbnail(presentationId=deck_id, pageObjectId=page, **options).execute()
    response, content = slides.http.request(found["contentUrl"])
    assert (response.status, response["content-type"]) == (200, "image/png")
    return found, Image.open(BytesIO(content))


def paint(page: str) -> Json:
    fields = "pageBackgroundFill.solidFill.color"
    return {"updatePageProperties": {"objectId": page, "pageProperties": BLUE, "fields": fields}}


@pytest.mark.parametrize(
    ("size", "pixels"), [("SMALL", (200, 112)), ("MEDIUM", (800, 450)), ("LARGE", (1600, 900)), ("", (800, 450))]
)
def test_a_thumbnail_is_a_real_picture_of_the_size_asked_for(
    slides: Slides, size: str, pixels: tuple[int, int]
) -> None:
    found, image = picture(slides, seeded("board-deck-q3"), "SLIDES_API1233145645_1", size)
    assert (found["width"], found["height"]) == image.size == pixels
    assert image.format == "PNG" and image.getpixel((2, 2)) == (0x0B, 0x3D, 0x5C)


def test_a_picture_shows_background_shapes_and_text(slides: Slides) -> None:
    deck_id = slides.new()
    _, before = picture(slides, deck_id, "p")
    assert before.getcolors() == [(800 * 450, (255, 255, 255))]
    slides.change(deck_id, paint("p"), shape("text_box"), insert("text_box", "製品 Halo 😀"))
    _, after = picture(slides, deck_id, "p")
    assert after.getpixel((790, 440)) == (0, 0, 255)
    assert sum(count for count, color in after.getcolors(10000) if sum(color) < 200) > 50


def test_notes_have_no_thumbnail(slides: Slides) -> None:
    with pytest.raises(HttpError, match="no thumbnail"):
        picture(slides, slides.new(), "p:notes")


@pytest.mark.parametrize(("key", "count"), [("board-deck-q3", 8), ("northgrid-pitch", 6), ("offsite-welcome", 3)])
def test_the_seeded_presentations_are_there(slides: Slides, key: str, count: int) -> None:
    deck = slides.get(seeded(key))
    assert len(deck["slides"]) == count
    assert all(one.get("shape", {}).get("text") or "shape" not in one for one in elements(deck))


def test_the_deck_has_the_numbers_of_the_spreadsheet(slides: Slides) -> None:
    (table,) = [one["table"] for one in elements(slides.get(seeded("board-deck-q3"))) if "table" in one]
    revenue = [text_of(cell).strip() for cell in table["tableRows"][1]["tableCells"]]
    assert revenue == ["Revenue", "412,000", "400,000", "+3.0 %"]


def test_a_seeded_presentation_that_somebody_changed_stays_as_it_is(sandbox: Sandbox, slides: Slides) -> None:
    changed, untouched = seeded("offsite-welcome"), seeded("northgrid-pitch")
    title = elements(slides.get(changed))[0]["objectId"]
    slides.change(changed, insert(title, "Grüezi! "))
    slides_api.seed(sandbox.world, date(2026, 11, 25))
    assert slides.text(changed, title) == "Grüezi! Willkommen am See 🏔️\n"
    assert "Start on Wednesday 9 December" in str(slides.get(untouched))


def test_a_presentation_is_exported_as_text_pdf_and_powerpoint(files: Any) -> None:
    deck_id = seeded("board-deck-q3")
    text = files.export(fileId=deck_id, mimeType="text/plain").execute().decode("utf-8-sig")
    assert "Halo 2: what it brings and when (Sam)\r\n" in text and "Revenue\t412,000" in text
    assert len(PdfReader(BytesIO(files.export(fileId=deck_id, mimeType="application/pdf").execute())).pages) == 8
    made = pptx.Presentation(BytesIO(files.export(fileId=deck_id, mimeType=PPTX).execute()))
    assert len(made.slides) == 8
    assert made.slides[0].notes_slide.notes_text_frame.text.startswith("Priya opens.")


def test_a_powerpoint_file_becomes_a_presentation(files: Any, slides: Slides) -> None:
    data = files.export(fileId=seeded("northgrid-pitch"), mimeType=PPTX).execute()
    media = MediaIoBaseUpload(BytesIO(data), mimetype=PPTX)
    made = files.create(body={"name": "Pitch", "mimeType": PRESENTATION}, media_body=media, fields="id").execute()
    deck = slides.get(made["id"])
    said = [text_of(one["shape"]) for one in elements(deck) if "shape" in one]
    assert len(deck["slides"]) == 6 and "What you told us\n" in said
    assert any("table" in one for one in elements(deck))


def test_a_copy_is_a_presentation_of_its_own_and_is_found_by_its_text(files: Any, slides: Slides) -> None:
    copied = files.copy(fileId=seeded("offsite-welcome"), body={"name": "Copy"}).execute()["id"]
    title = elements(slides.get(copied))[0]["objectId"]
    slides.change(copied, insert(title, "Zaubertrank "))
    found = files.list(q="fullText contains 'Zaubertrank'", fields="files(id)").execute()["files"]
    assert [one["id"] for one in found] == [copied]
    assert "Zaubertrank" not in str(slides.get(seeded("offsite-welcome")))
    files.delete(fileId=copied).execute()
    with pytest.raises(HttpError):
        slides.get(copied)


@pytest.mark.parametrize(
    ("key", "status", "sentence"),
    [
        ("product-roadmap", 404, "Requested entity was not found."),
        ("invoice-2041", 400, "Request contains an invalid argument."),
        ("finance", 400, "Request contains an invalid argument."),
    ],
)
def test_what_is_no_presentation_is_refused_as_google_does(
    slides: Slides, key: str, status: int, sentence: str
) -> None:
    with pytest.raises(HttpError) as refused:
        slides.get(seeded(key))
    assert (refused.value.resp.status, refused.value.reason) == (status, sentence)


def test_a_powerpoint_file_must_be_converted_first(files: Any, slides: Slides) -> None:
    media = MediaIoBaseUpload(BytesIO(b"PK"), mimetype=PPTX)
    made = files.create(body={"name": "old.pptx"}, media_body=media, fields="id").execute()
    with pytest.raises(HttpError, match="must not be an Office file"):
        slides.get(made["id"])


def test_a_presentation_of_somebody_else_is_forbidden_until_it_is_shared_and_then_only_read(tmp_path: Path) -> None:
    lena = "lena@lumenworks.example"
    world = Sandbox(tmp_path / "world.db", "Europe/Berlin", accounts=(SANDBOX_ACCOUNT, lena))
    world.open()
    theirs, mine = slides_of(world, lena), slides_of(world)
    deck_id = theirs.new()
    with pytest.raises(HttpError) as refused:
        mine.get(deck_id)
    assert (refused.value.resp.status, refused.value.reason) == (403, "The caller does not have permission")
    drive = build("drive", "v3", http=world.http(lena), cache_discovery=False, static_discovery=True)
    grant = {"type": "user", "role": "reader", "emailAddress": SANDBOX_ACCOUNT}
    drive.permissions().create(fileId=deck_id, body=grant).execute()
    assert len(mine.get(deck_id)["slides"]) == 1
    with pytest.raises(HttpError, match="does not have permission"):
        mine.change(deck_id, insert("i0", "x"))
    world.close()
