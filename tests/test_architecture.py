"""Imports go one way, modules stay small, and pages read top to bottom."""

import ast
from collections.abc import Iterator
from functools import cache
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
FOLDERS = ("core", "telemetry", "pages", "benchmarks", "scripts", "tests")
SOURCES = [ROOT / "app.py", *sorted(path for folder in FOLDERS for path in (ROOT / folder).rglob("*.py"))]
MAY_KNOW_TELEMETRY = {"core/bootstrap.py", "core/front.py", "core/glass.py", "core/mcp_server/__main__.py"}


def name_of(path: Path) -> str:
    return path.relative_to(ROOT).as_posix()


@cache
def tree(path: Path) -> ast.Module:
    return ast.parse(path.read_text(encoding="utf-8"))


def imports(path: Path) -> set[str]:
    """The modules that a file imports, wherever in it; a relative import is `.`."""
    found = set()
    for node in ast.walk(tree(path)):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            found.add("." if node.level else node.module or "")
    return found


def forbidden(name: str) -> set[str]:
    """The packages that a file must not import."""
    if name.startswith("telemetry/"):
        return {"core", "pages", "streamlit"}
    if name in MAY_KNOW_TELEMETRY or name.startswith("core/api/"):
        return {"pages", "streamlit"}
    return {"pages", "streamlit", "telemetry", "opentelemetry.sdk"} if name.startswith("core/") else set()


def broken_imports() -> Iterator[str]:
    for path in SOURCES:
        for module in imports(path):
            parts = module.split(".")
            if module == "." or {parts[0], ".".join(parts[:2])} & forbidden(name_of(path)):
                yield f"{name_of(path)} imports {module}"


def long_functions() -> Iterator[str]:
    for path in SOURCES:
        if name_of(path).startswith("tests/"):
            continue
        for node in ast.walk(tree(path)):
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
                length = (node.end_lineno or node.lineno) - node.lineno + 1
                if length > 50:
                    yield f"{name_of(path)}: {node.name} has {length} lines"


def lines(path: Path) -> int:
    return len(path.read_text(encoding="utf-8").splitlines())


def test_imports_go_one_way():
    assert list(broken_imports()) == []


def test_modules_stay_small():
    assert [f"{name_of(path)}: {lines(path)} lines" for path in SOURCES if lines(path) > 400] == []


def test_a_module_begins_with_what_it_owns():
    own = [path for path in SOURCES if not name_of(path).startswith("tests/") and lines(path)]
    assert [name_of(path) for path in own if not ast.get_docstring(tree(path))] == []


def test_functions_fit_on_a_screen():
    assert list(long_functions()) == []


def test_a_page_reads_top_to_bottom():
    assert [name_of(path) for path in (ROOT / "pages").glob("*.py") if lines(path) > 120] == []
