"""A docs server over a world of its own, and the same world through Google's client."""

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
from tests.sandbox.docs_world import Docs, docs_of


@dataclass(frozen=True)
class Office:
    """A caller of the Docs tools, and what they did, read back by REST."""

    call: Caller
    docs: Docs
    sandbox: Sandbox

    @property
    def drive(self) -> Any:
        http = self.sandbox.http(SANDBOX_ACCOUNT)
        return build_api("drive", "v3", http=http, cache_discovery=False, static_discovery=True)


def seed_world(path: Path) -> Path:
    """A seeded world that may be copied."""
    sandbox = Sandbox(path, ZONE, now)
    sandbox.open()
    sandbox.close()
    return path


@contextmanager
def office(seeded: Path, folder: Path, **options: Any) -> Iterator[Office]:
    copyfile(seeded, folder / "sandbox.db")
    sandbox = Sandbox(folder / "sandbox.db", ZONE, now)
    sandbox.open()
    server = build(sandbox, folder / "downloads", domains=["docs"], **options)
    yield Office(Caller(server), docs_of(sandbox), sandbox)
    sandbox.close()
