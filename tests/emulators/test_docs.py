"""The same calls of the Docs tools have the same effects on the sandbox and on myworld.

Where they differ, Google's documentation says who is right: index 0 of a body is no place for text in both, but the
words differ (nobody documents them); myworld keeps text only, so tables, styles, headers and tabs are not compared.
"""

from collections.abc import Iterator
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

import pytest

from core.google.clients import GoogleClients
from core.google.patience import Patience
from core.mcp_server.server import build_server
from core.registry.manifests import load_catalogue
from core.sandbox.sandbox import Sandbox
from tests.emulators.gateway import MYWORLD, Gateway, myworld
from tests.mcp_server.conftest import ZONE, Caller, now

pytestmark = [
    pytest.mark.skipif(MYWORLD is None, reason="myworld is not installed"),
]


@pytest.fixture(scope="module")
def other(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Gateway]:
    with myworld({"drive": {}}, tmp_path_factory.mktemp("myworld")) as gateway:
        yield gateway


def caller(transport: Any, folder: Path) -> Caller:
    clients = GoogleClients(transport, Patience(sleep=lambda _: None))
    options: dict[str, Any] = {
        "account": "sam@lumenworks.example",
        "zone": ZoneInfo(ZONE),
        "downloads": folder,
        "now": now,
    }
    return Caller(build_server(load_catalogue(), ["docs"], clients, **options))


@pytest.fixture
def both(other: Gateway, tmp_path: Path) -> Iterator[tuple[Caller, Caller]]:
    sandbox = Sandbox(tmp_path / "sandbox.db", ZONE, now)
    sandbox.open()
    yield caller(sandbox.http, tmp_path), caller(lambda account: other, tmp_path)
    sandbox.close()


EDITS: list[tuple[str, dict[str, Any]]] = [
    ("modify_doc_text", {"start_index": 4, "text": "dear "}),
    ("modify_doc_text", {"start_index": 4, "end_index": 9, "text": ""}),
    ("modify_doc_text", {"start_index": 4, "end_index": 9, "text": "Hallo\n𠮷"}),
    ("modify_doc_text", {"start_index": 4, "end_index": 9, "bold": True}),
    ("find_and_replace_doc", {"find_text": "WORLD", "replace_text": "Globex 🌍"}),
    ("find_and_replace_doc", {"find_text": "WORLD", "replace_text": "x", "match_case": True}),
    ("batch_update_doc", {"operations": [{"type": "insert_text", "end_of_segment": True, "text": "\nlast"}]}),
    ("inspect_doc_structure", {"find_text": "world"}),
]
REFUSED: list[tuple[str, dict[str, Any]]] = [
    ("modify_doc_text", {"start_index": 99, "text": "x"}),
    ("batch_update_doc", {"operations": [{"type": "delete_text", "start_index": 1, "end_index": 20}]}),
    ("get_doc_content", {"document_id": "nothing"}),
]


async def made(call: Caller) -> str:
    result = await call("create_doc", title="Both", content="😀 Hello world\nbye")
    return str(result["document_id"])


@pytest.mark.parametrize(("tool", "arguments"), EDITS, ids=lambda value: value if isinstance(value, str) else "")
async def test_an_edit_has_the_same_effect_on_both(
    both: tuple[Caller, Caller], tool: str, arguments: dict[str, Any]
) -> None:
    seen = []
    for call in both:
        document_id = await made(call)
        result = await call(tool, document_id=document_id, **arguments)
        content = await call("get_doc_content", document_id=document_id)
        told = {name: result.get(name) for name in ("changed", "count", "start_index", "end_index", "found")}
        seen.append((told, content["text"], content["tabs"]))
    assert seen[0] == seen[1]


@pytest.mark.parametrize(("tool", "arguments"), REFUSED, ids=lambda value: value if isinstance(value, str) else "")
async def test_a_refusal_is_the_same_sentence_on_both(
    both: tuple[Caller, Caller], tool: str, arguments: dict[str, Any]
) -> None:
    said = [await call.refusal(tool, **{"document_id": await made(call), **arguments}) for call in both]
    assert said[0] == said[1]
