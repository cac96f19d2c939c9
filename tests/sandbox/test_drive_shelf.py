"""What other services find on Drive's shelf."""

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from sqlmodel import Session

from core.sandbox.calls import ApiError
from core.sandbox.drive import shelf
from core.sandbox.drive.kinds import DOCUMENT, root_id
from core.sandbox.world import World

SAM, ANA, TOM = "sam@lumenworks.example", "ana@lumenworks.example", "tom@lumenworks.example"
NOW = datetime(2026, 11, 18, 9, 30, tzinfo=UTC)


@pytest.fixture
def session(tmp_path: Path) -> Iterator[Session]:
    world = World(tmp_path / "world.db", "Europe/Berlin")
    world.create()
    with world.change() as session:
        yield session
    world.close()


def test_a_new_file_is_its_makers_alone(session: Session):
    file = shelf.add_native(session, SAM, "Notes", DOCUMENT, when=NOW)
    assert file.parent == root_id(SAM)
    assert shelf.find(session, SAM, file.id, NOW).id == file.id
    assert shelf.may_edit(session, SAM, file, NOW)
    with pytest.raises(ApiError) as refused:
        shelf.find(session, ANA, file.id, NOW)
    assert (refused.value.status, refused.value.message) == (404, f"File not found: {file.id}.")


def test_shared_files_are_seen_by_role(session: Session):
    file = shelf.add_native(session, SAM, "Budget", DOCUMENT, when=NOW, share={ANA: "writer", TOM: "commenter"})
    assert shelf.may_edit(session, ANA, file, NOW)
    assert not shelf.may_edit(session, TOM, file, NOW)
    assert shelf.may_comment(session, TOM, file, NOW)


def test_a_seed_dates_anew_what_nobody_changed(session: Session):
    shelf.add_native(session, SAM, "Roadmap", DOCUMENT, seed_key="roadmap", when=NOW)
    later = NOW + timedelta(days=1)
    again = shelf.add_native(session, SAM, "Roadmap", DOCUMENT, seed_key="roadmap", when=later)
    assert (again.modified, again.touched) == ("2026-11-19T09:30:00.000Z", False)
    shelf.touch(session, again.id, ANA, later)
    kept = shelf.add_native(session, SAM, "Roadmap", DOCUMENT, seed_key="roadmap", when=later + timedelta(days=1))
    assert (kept.modified, kept.modified_by, kept.touched) == ("2026-11-19T09:30:00.000Z", ANA, True)
