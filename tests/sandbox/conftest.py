"""A sandbox world on a real file, and Google's client on top of it."""

from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from shutil import copyfile
from typing import Any

import pytest
from googleapiclient.discovery import build

from core.sandbox.sandbox import Sandbox
from core.users import SANDBOX_ACCOUNT

WEDNESDAY = datetime(2026, 11, 18, 9, 30, tzinfo=UTC)


def berlin(path: Path) -> Sandbox:
    return Sandbox(path, "Europe/Berlin", lambda: WEDNESDAY)


def calendar_of(sandbox: Sandbox, account: str = SANDBOX_ACCOUNT, timeout: float = 20.0) -> Any:
    http = sandbox.http(account, timeout)
    return build("calendar", "v3", http=http, cache_discovery=False, static_discovery=True)


@pytest.fixture(scope="session")
def seeded(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("world") / "sandbox.db"
    world = berlin(path)
    world.open()
    world.close()
    return path


@pytest.fixture
def sandbox(seeded: Path, tmp_path: Path) -> Iterator[Sandbox]:
    copyfile(seeded, tmp_path / "sandbox.db")
    world = berlin(tmp_path / "sandbox.db")
    world.open()
    yield world
    world.close()


@pytest.fixture
def calendar(sandbox: Sandbox) -> Any:
    return calendar_of(sandbox)
