"""A copy of the shared world for tests that change it, and what they read of its Drive."""

import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

from sqlmodel import select

from core.sandbox.drive.tables import DriveNotice
from core.sandbox.sandbox import Sandbox
from tests.mcp_server.conftest import ZONE, now
from tests.sandbox.drive_world import ANA, KENJI, OMAR, SAM, TOM


@contextmanager
def own_world(shared: Sandbox, folder: Path) -> Iterator[Sandbox]:
    """A world like the shared one, in which several people have accounts."""
    path = folder / "sandbox.db"
    with closing(sqlite3.connect(shared.world.path)) as source, closing(sqlite3.connect(path)) as target:
        source.backup(target)
    world = Sandbox(path, ZONE, now, (SAM, ANA, KENJI, TOM, OMAR))
    world.faults.clear()
    yield world
    world.close()


def names(page: dict[str, Any]) -> list[str]:
    """The names of the files on a page."""
    return [one["name"] for one in page["files"]]


def stored(saved: dict[str, Any]) -> bytes:
    """The bytes of a file that was saved."""
    return Path(saved["path"]).read_bytes()


def mails(sandbox: Sandbox) -> list[tuple[str, str, str]]:
    """Whom Google mailed about sharing, their role, and the text."""
    with sandbox.world.session() as session:
        return [(one.recipient, one.role, one.message) for one in session.exec(select(DriveNotice)).all()]
