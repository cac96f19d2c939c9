"""Documents of a sandbox through Google's client, and what tests read of them."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from shutil import copyfile
from typing import Any

from googleapiclient.discovery import build
from googleapiclient.errors import HttpError

from core.sandbox.drive.shelf import seed_id
from core.sandbox.sandbox import Sandbox
from core.users import SANDBOX_ACCOUNT
from tests.sandbox.conftest import berlin

Json = dict[str, Any]


@dataclass(frozen=True)
class Docs:
    """The Docs API as one account calls it."""

    api: Any

    def new(self, text: str = "", title: str = "Test") -> str:
        document_id: str = self.api.documents().create(body={"title": title}).execute()["documentId"]
        if text:
            self.change(document_id, {"insertText": {"location": {"index": 1}, "text": text}})
        return document_id

    def get(self, document_id: str, **options: Any) -> Json:
        found: Json = self.api.documents().get(documentId=document_id, **options).execute()
        return found

    def change(self, document_id: str, *requests: Json, **more: Any) -> Json:
        body = {"requests": list(requests), **more}
        answer: Json = self.api.documents().batchUpdate(documentId=document_id, body=body).execute()
        return answer

    def refusal(self, document_id: str, *requests: Json, **more: Any) -> tuple[int, str]:
        try:
            self.change(document_id, *requests, **more)
        except HttpError as error:
            return error.resp.status, error.reason
        raise AssertionError("the change was made")

    def text(self, document_id: str) -> str:
        return text_of(self.get(document_id)["body"]["content"])


def docs_of(sandbox: Sandbox, account: str = SANDBOX_ACCOUNT) -> Docs:
    return Docs(build("docs", "v1", http=sandbox.http(account), cache_discovery=False, static_discovery=True))


@contextmanager
def a_world(seed: Path, folder: Path) -> Iterator[Sandbox]:
    """A world for the tests of one module, which make their own documents in it."""
    copyfile(seed, folder / "sandbox.db")
    world = berlin(folder / "sandbox.db")
    world.open()
    yield world
    world.close()


def seeded(key: str) -> str:
    """The id of a seeded document."""
    return seed_id(key)


def runs(content: list[Json]) -> list[Json]:
    """All text runs and objects of a segment's paragraphs, outside tables."""
    return [run for one in content if "paragraph" in one for run in one["paragraph"]["elements"]]


def text_of(content: list[Json]) -> str:
    """The text of a segment; tables as `[a|b/c|d]`."""
    return "".join(shown(one) for one in content)


def shown(element: Json) -> str:
    if "paragraph" in element:
        return "".join(one.get("textRun", {"content": "¤"})["content"] for one in element["paragraph"]["elements"])
    if "table" in element:
        rows = [
            "|".join(text_of(cell["content"])[:-1] for cell in row["tableCells"])
            for row in element["table"]["tableRows"]
        ]
        return f"[{'/'.join(rows)}]"
    return ""


def span(start: int, end: int, **more: Any) -> Json:
    return {"startIndex": start, "endIndex": end, **more}


def at(index: int, **more: Any) -> Json:
    return {"index": index, **more}
