"""A slides server over a world of its own, and the same world through Google's client."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from shutil import copyfile
from typing import Any

from googleapiclient.discovery import build as build_api

from core.sandbox.sandbox import Sandbox
from core.users import SANDBOX_ACCOUNT
from tests.mcp_server.conftest import ZONE, Caller, build, now
from tests.sandbox.slides_world import Slides, slides_of


@dataclass(frozen=True)
class Studio:
    """A caller of the Slides tools, and what they did, read back by REST."""

    call: Caller
    slides: Slides
    sandbox: Sandbox

    def comments(self, file_id: str) -> list[dict[str, Any]]:
        """A file's comments, as Drive has them."""
        http = self.sandbox.http(SANDBOX_ACCOUNT)
        api = build_api("drive", "v3", http=http, cache_discovery=False, static_discovery=True).comments()
        found: list[dict[str, Any]] = api.list(fileId=file_id, fields="*").execute()["comments"]
        return found


def seed_world(path: Path) -> Path:
    """A seeded world that may be copied."""
    sandbox = Sandbox(path, ZONE, now)
    sandbox.open()
    sandbox.close()
    return path


@contextmanager
def studio(seeded: Path, folder: Path, **options: Any) -> Iterator[Studio]:
    copyfile(seeded, folder / "sandbox.db")
    sandbox = Sandbox(folder / "sandbox.db", ZONE, now)
    sandbox.open()
    server = build(sandbox, folder / "downloads", domains=["slides"], **options)
    yield Studio(Caller(server), slides_of(sandbox), sandbox)
    sandbox.close()
