"""Google's Sheets client over a sandbox, and what its tests have in common."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from shutil import copyfile
from typing import Any

import pytest
from googleapiclient.discovery import build
from googleapiclient.errors import HttpError

from core.sandbox.sandbox import Sandbox
from core.users import SANDBOX_ACCOUNT
from tests.sandbox.conftest import berlin

Json = dict[str, Any]


class Sheets:
    """One account's spreadsheets; the methods answer with Google's JSON."""

    def __init__(self, sandbox: Sandbox, account: str = SANDBOX_ACCOUNT) -> None:
        http = sandbox.http(account)
        service = build("sheets", "v4", http=http, cache_discovery=False, static_discovery=True)
        self.books, self.cells = service.spreadsheets(), service.spreadsheets().values()

    def new(self, *titles: str, rows: int = 1000) -> str:
        sheets = [{"properties": {"title": one, "gridProperties": {"rowCount": rows}}} for one in titles or ["Sheet1"]]
        made = self.books.create(body={"properties": {"title": "Test"}, "sheets": sheets}).execute()
        return str(made["spreadsheetId"])

    def write(self, book: str, where: str, values: list[list[Any]], option: str = "USER_ENTERED", **more: Any) -> Json:
        body = {"values": values}
        request = self.cells.update(spreadsheetId=book, range=where, body=body, valueInputOption=option, **more)
        return dict(request.execute())

    def read(self, book: str, where: str, **more: Any) -> list[list[Any]]:
        return list(self.cells.get(spreadsheetId=book, range=where, **more).execute().get("values", []))

    def change(self, book: str, *requests: Json) -> list[Json]:
        return list(self.books.batchUpdate(spreadsheetId=book, body={"requests": list(requests)}).execute()["replies"])

    def get(self, book: str, *ranges: str, fields: str = "") -> Json:
        wanted = {"fields": fields} if fields else {"includeGridData": bool(ranges)}
        return dict(self.books.get(spreadsheetId=book, ranges=list(ranges), **wanted).execute())

    def cell(self, book: str, where: str) -> Json:
        rows = self.get(book, where)["sheets"][0]["data"][0].get("rowData", [{}])
        return dict(rows[0].get("values", [{}])[0]) if rows else {}


def refusal(request: Any) -> tuple[int, str]:
    """Status and sentence of a request that Google refuses."""
    with pytest.raises(HttpError) as caught:
        request.execute()
    return caught.value.resp.status, caught.value.reason


@contextmanager
def world(seeded: Path, folder: Path) -> Iterator[Sandbox]:
    """A seeded world for the tests of a module, each of which makes its own spreadsheets."""
    copyfile(seeded, folder / "sandbox.db")
    sandbox = berlin(folder / "sandbox.db")
    sandbox.open()
    yield sandbox
    sandbox.close()
