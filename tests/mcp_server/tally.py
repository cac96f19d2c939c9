"""Which tests try which tool: read from the tests' own source, so that any runner can tell."""

import ast
from collections import Counter
from collections.abc import Iterable, Mapping
from functools import cache
from pathlib import Path

from core.mcp_server.server import pairs
from core.registry.manifests import load_catalogue

FOLDER = Path(__file__).parent
NAME = "tests/mcp_server/"


def named(name: str, tools: frozenset[str]) -> set[str]:
    """The tools in a test's name; one inside the name of another is not meant."""
    found = {tool for tool in tools if f"_{tool}_" in f"{name}_"}
    return {tool for tool in found if not any(tool != other and tool in other for other in found)}


@cache
def tools_by_service() -> Mapping[str, tuple[str, ...]]:
    """The tools of each service, in the manifests' order."""
    catalogue = load_catalogue()
    return {name: tuple(manifest.name for manifest, _ in pairs(catalogue, name)) for name in catalogue.domains}


def tried_in(path: Path, tools: frozenset[str]) -> dict[str, set[str]]:
    """Test function → the tools that it names: in its own name, or as a text in its body and parameters."""
    found: dict[str, set[str]] = {}
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and node.name.startswith("test_"):
            texts = {
                one.value for one in ast.walk(node) if isinstance(one, ast.Constant) and isinstance(one.value, str)
            }
            found[node.name] = (texts & tools) | named(node.name, tools)
    return found


def tally(node_ids: Iterable[str]) -> Counter[str]:
    """Tool → cases among the tests with these ids; each set of parameters is a case."""
    tools = frozenset(tool for names in tools_by_service().values() for tool in names)
    cases: Counter[str] = Counter()
    known: dict[str, dict[str, set[str]]] = {}
    for node_id in node_ids:
        file, _, name = node_id.partition("::")
        if not file.startswith(NAME):
            continue
        if file not in known:
            known[file] = tried_in(FOLDER / file.removeprefix(NAME), tools)
        cases.update(known[file].get(name.split("[")[0], ()))
    return cases


def all_tests() -> list[str]:
    """The ids of all tests of this folder, without parameters."""
    return [
        f"{NAME}{path.name}::{node.name}"
        for path in sorted(FOLDER.glob("test_*.py"))
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and node.name.startswith("test_")
    ]


def table(cases: Mapping[str, int]) -> list[str]:
    """The tools and their cases, a line each, of the services that were tried."""
    lines: list[str] = []
    for service, tools in tools_by_service().items():
        total = sum(cases.get(tool, 0) for tool in tools)
        if not total:
            continue
        lines.append(f"{service}: {len(tools)} tools, {total} tool × case")
        lines += [f"  {tool:<36}{cases.get(tool, 0):>5}" for tool in tools]
    return lines
