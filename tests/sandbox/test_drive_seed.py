"""The seeded Drive: what is there, and how it moves along with the days."""

from datetime import timedelta
from pathlib import Path
from shutil import copyfile
from typing import Any

from core.filetext import readable, text_of
from core.sandbox.drive.kinds import FOLDER, GOOGLE, seed_id
from core.sandbox.sandbox import Sandbox
from tests.sandbox.conftest import WEDNESDAY, berlin
from tests.sandbox.drive_world import Drive, drive_of


def next_day(path: Path) -> Sandbox:
    world = Sandbox(path, "Europe/Berlin", lambda: WEDNESDAY + timedelta(days=1))
    world.open()
    return world


def test_all_files_can_be_opened(sandbox: Sandbox):
    drive = drive_of(sandbox)
    options = {"includeItemsFromAllDrives": True, "supportsAllDrives": True, "corpora": "allDrives"}
    files = drive.api.files().list(fields="*", pageSize=1000, **options).execute()["files"]
    assert len(files) >= 55
    for file in files:
        if not file["mimeType"].startswith(GOOGLE):
            data = drive.data(file["id"])
            assert len(data) == int(file["size"]) > 0
            assert not readable(file["mimeType"]) or text_of(data, file["mimeType"])


def test_files_are_dated_back_from_today(seeded: Path, tmp_path: Path):
    path = copyfile(seeded, tmp_path / "sandbox.db")
    before = drive_of(berlin(path)).get(seed_id("invoice-2041"))["modifiedTime"]
    world = next_day(path)
    assert (before, drive_of(world).get(seed_id("invoice-2041"))["modifiedTime"]) == (
        "2026-11-17T08:20:00.000Z",
        "2026-11-18T08:20:00.000Z",
    )
    world.close()


def test_what_somebody_changed_stays_through_the_night(seeded: Path, tmp_path: Path):
    path = copyfile(seeded, tmp_path / "sandbox.db")
    today = berlin(path)
    drive: Drive = drive_of(today)
    drive.update(seed_id("scratch"), {"name": "mine.txt"})
    drive.api.files().delete(fileId=seed_id("flat")).execute()
    made = drive.create({"name": "New folder", "mimeType": FOLDER})
    today.close()
    world = next_day(path)
    later = drive_of(world)
    assert later.get(seed_id("scratch"))["name"] == "mine.txt"
    assert later.find("name contains 'Rental'") == []
    assert later.get(made["id"])["name"] == "New folder"
    world.close()


def comments(world: Sandbox, key: str) -> list[dict[str, Any]]:
    return drive_of(world).api.comments().list(fileId=seed_id(key), fields="*").execute()["comments"]


def test_people_have_commented_and_a_comment_that_was_answered_keeps_its_date(seeded: Path, tmp_path: Path):
    path = copyfile(seeded, tmp_path / "sandbox.db")
    today = berlin(path)
    first, second = comments(today, "product-roadmap")
    assert (first["author"]["displayName"], first["replies"][0]["author"]["displayName"]) == (
        "Kenji Mori",
        "Chloé Martin",
    )
    assert (first["resolved"], second["resolved"]) == (False, True)
    answered = {"fileId": seed_id("product-roadmap"), "commentId": first["id"], "fields": "id"}
    drive_of(today).api.replies().create(**answered, body={"content": "Yes"}).execute()
    today.close()
    world = next_day(path)
    kept, moved = comments(world, "product-roadmap")
    assert (kept["createdTime"], [one["content"] for one in kept["replies"]][1:]) == (first["createdTime"], ["Yes"])
    assert moved["createdTime"][:10] == "2026-11-10" != second["createdTime"][:10]
    world.close()
