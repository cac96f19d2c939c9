"""All tools together: each is tried by a test, and what a client has to read of them stays small."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from core.registry.embeddings import Embedder
from core.registry.manifests import load_catalogue
from core.sandbox.sandbox import Sandbox
from tests.mcp_server.conftest import Caller, build
from tests.mcp_server.tally import all_tests, tally, tools_by_service

MOST = {"calendar": 4000, "docs": 5000, "drive": 5000, "gmail": 5000, "sheets": 4000, "slides": 2000}
"""Tokens that a model may have to read of a service's tools."""

COUNTS = {"gmail": 15, "docs": 19, "drive": 17, "sheets": 14, "slides": 9, "calendar": 6}
Note = Callable[[str, object], None]


@pytest.fixture(scope="module")
def embedder() -> Embedder:
    return Embedder()


def test_there_are_eighty_tools_over_six_services() -> None:
    assert {service: len(tools) for service, tools in tools_by_service().items()} == COUNTS
    assert sum(COUNTS.values()) == 80


def test_every_tool_is_tried_by_a_test() -> None:
    cases = tally(all_tests())
    assert [tool for tools in tools_by_service().values() for tool in tools if not cases[tool]] == []


@pytest.mark.parametrize("service", sorted(MOST))
async def test_a_services_tools_are_few_tokens(
    service: str, sandbox: Sandbox, tmp_path: Path, embedder: Embedder, record_property: Note
) -> None:
    tools = await Caller(build(sandbox, tmp_path, domains=[service])).tools()
    listed = [tool.model_dump(mode="json", by_alias=True, exclude_none=True) for tool in tools.values()]
    read = [{name: tool[name] for name in ("name", "description", "inputSchema")} for tool in listed]
    whole, model = (embedder.count_tokens(json.dumps(found, ensure_ascii=False)) for found in (listed, read))
    record_property(
        f"tools/list of {service}", f"about {model:,} tokens for a model, {whole:,} with results' schemas and hints"
    )
    assert model <= MOST[service]


async def test_every_parameter_is_typed_and_every_tool_titled(sandbox: Sandbox, tmp_path: Path) -> None:
    tools = await Caller(build(sandbox, tmp_path, domains=list(load_catalogue().domains))).tools()
    for tool in tools.values():
        assert tool.title and tool.description and tool.output_schema, tool.name
        for name, schema in tool.input_schema["properties"].items():
            assert {"type", "anyOf", "enum", "$ref"} & set(schema), f"{tool.name}.{name}"
