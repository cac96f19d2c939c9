"""The same calls of the Docs tools have the same effects on the sandbox and on myworld, which keeps text only."""

from collections.abc import Iterator
from typing import Any

import pytest

from tests.emulators.others import MYWORLD, SAM, myworld
from tests.emulators.pair import Pair, World, pair_of

pytestmark = pytest.mark.skipif(MYWORLD is None, reason="myworld is not installed")


@pytest.fixture(scope="module")
def pair(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Pair]:
    folder = tmp_path_factory.mktemp("docs")
    seed = {"user": {"email": SAM, "name": "Sam Okafor"}}
    with myworld({"drive": seed}, folder) as other, pair_of(lambda _: other, ["docs"], folder) as both:
        yield both


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


async def made(world: World) -> str:
    return str((await world("create_doc", title="Both", content="😀 Hello world\nbye"))["document_id"])


@pytest.mark.parametrize(("tool", "arguments"), EDITS, ids=lambda value: value if isinstance(value, str) else "")
async def test_an_edit_has_the_same_effect_on_both(pair: Pair, tool: str, arguments: dict[str, Any]) -> None:
    async def edited(world: World) -> object:
        document_id = await made(world)
        result = await world(tool, document_id=document_id, **arguments)
        content = await world("get_doc_content", document_id=document_id)
        told = {name: result.get(name) for name in ("changed", "count", "start_index", "end_index", "found")}
        return told, content["text"], content["tabs"]

    ours, theirs = await pair.seen(edited)
    assert ours == theirs


@pytest.mark.parametrize(("tool", "arguments"), REFUSED, ids=lambda value: value if isinstance(value, str) else "")
async def test_a_refusal_is_the_same_sentence_on_both(pair: Pair, tool: str, arguments: dict[str, Any]) -> None:
    async def refused(world: World) -> object:
        said = await world.outcome(tool, **{"document_id": await made(world), **arguments})
        assert isinstance(said, str), said
        return said

    ours, theirs = await pair.seen(refused)
    assert ours == theirs
