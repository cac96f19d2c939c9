"""What Docs, Sheets and Slides say of files that are not theirs to open."""

from collections.abc import Iterator
from io import BytesIO
from pathlib import Path
from shutil import copyfile
from typing import Any

import pytest
from googleapiclient.discovery import build
from googleapiclient.errors import HttpError
from googleapiclient.http import MediaIoBaseUpload

from core.sandbox.drive.kinds import DOCX, PPTX, XLSX, seed_id
from core.sandbox.sandbox import Sandbox
from core.users import SANDBOX_ACCOUNT
from tests.sandbox.conftest import berlin

LENA = "lena@lumenworks.example"
VERSIONS = {"docs": "v1", "sheets": "v4", "slides": "v1", "drive": "v3"}
OWN = {"docs": "document", "sheets": "spreadsheet", "slides": "presentation"}
OFFICE = {"docs": DOCX, "sheets": XLSX, "slides": PPTX}
SEEDED = {"docs": "product-roadmap", "sheets": "budget-2026", "slides": "board-deck-q3"}


@pytest.fixture(scope="module")
def world(seeded: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Sandbox]:
    opened = berlin(Path(copyfile(seeded, tmp_path_factory.mktemp("editors") / "sandbox.db")))
    opened.open()
    yield opened
    opened.close()


def api(world: Sandbox, service: str, account: str = SANDBOX_ACCOUNT) -> Any:
    http = world.http(account)
    return build(service, VERSIONS[service], http=http, cache_discovery=False, static_discovery=True)


def said(world: Sandbox, service: str, file_id: str) -> tuple[int, str]:
    """How an editor refuses to open a file."""
    google = api(world, service)
    request = {
        "docs": lambda: google.documents().get(documentId=file_id),
        "sheets": lambda: google.spreadsheets().get(spreadsheetId=file_id),
        "slides": lambda: google.presentations().get(presentationId=file_id),
    }[service]()
    with pytest.raises(HttpError) as refused:
        request.execute()
    return refused.value.resp.status, refused.value.reason


@pytest.mark.parametrize("service", OWN)
def test_a_file_of_somebody_else_is_forbidden_whereas_drive_does_not_find_it(tmp_path: Path, service: str) -> None:
    world = Sandbox(tmp_path / "world.db", "Europe/Berlin", accounts=(SANDBOX_ACCOUNT, LENA))
    world.open()
    body = {"name": "Hers", "mimeType": f"application/vnd.google-apps.{OWN[service]}"}
    hers = api(world, "drive", LENA).files().create(body=body).execute()["id"]
    assert said(world, service, hers) == (403, "The caller does not have permission")
    with pytest.raises(HttpError, match="File not found") as refused:
        api(world, "drive").files().get(fileId=hers).execute()
    assert refused.value.resp.status == 404
    world.close()


@pytest.mark.parametrize("service", OWN)
def test_what_is_another_editors_or_nothing_at_all_is_not_found(world: Sandbox, service: str) -> None:
    others = [seed_id(key) for where, key in SEEDED.items() if where != service]
    for file_id in (*others, "nothing"):
        assert said(world, service, file_id) == (404, "Requested entity was not found.")


@pytest.mark.parametrize("service", OWN)
def test_an_office_file_of_its_own_kind_is_named_as_such_and_all_else_is_an_invalid_argument(
    world: Sandbox, service: str
) -> None:
    for kind in (DOCX, XLSX, PPTX, "text/plain"):
        media = MediaIoBaseUpload(BytesIO(b"PK"), mimetype=kind)
        made = api(world, "drive").files().create(body={"name": "file"}, media_body=media).execute()["id"]
        status, sentence = said(world, service, made)
        assert status == 400
        assert ("must not be an Office file" in sentence) == (kind == OFFICE[service])
        assert ("invalid argument" in sentence) == (kind != OFFICE[service])
    assert said(world, service, seed_id("finance")) == (400, "Request contains an invalid argument.")
