"""Imports go one way, modules stay small, and nothing happens at import."""

import ast
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
FOLDERS = ("core", "telemetry", "pages", "benchmarks", "scripts", "tests")
SOURCES = [ROOT / "app.py", *sorted(path for folder in FOLDERS for path in (ROOT / folder).rglob("*.py"))]
MAY_KNOW_TELEMETRY = {"core/bootstrap.py", "core/mcp_server/__main__.py"}


def name_of(path: Path) -> str:
    return path.relative_to(ROOT).as_posix()


def imports(path: Path) -> set[str]:
    """The modules that a file imports, wherever in it."""
    found = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{name_of(path)}: relative import"
            found.add(node.module or "")
    return found


def packages(path: Path) -> set[str]:
    return {module.split(".")[0] for module in imports(path)}


@pytest.mark.parametrize("path", SOURCES, ids=name_of)
def test_imports_go_one_way(path):
    name, used = name_of(path), packages(path)
    if name.startswith("telemetry/"):
        assert not used & {"core", "pages", "streamlit"}
    if name.startswith("core/"):
        assert not used & {"pages", "streamlit"}
        if name not in MAY_KNOW_TELEMETRY and not name.startswith("core/api/"):
            assert "telemetry" not in used
            assert not any(module.startswith("opentelemetry.sdk") for module in imports(path))


@pytest.mark.parametrize("path", SOURCES, ids=name_of)
def test_modules_say_what_they_own_and_stay_small(path):
    text = path.read_text(encoding="utf-8")
    assert len(text.splitlines()) <= 400
    if not name_of(path).startswith("tests/") and text.strip():
        assert ast.get_docstring(ast.parse(text)), "a module begins with one sentence about what it owns"


@pytest.mark.parametrize("path", [path for path in SOURCES if not name_of(path).startswith("tests/")], ids=name_of)
def test_functions_fit_on_a_screen(path):
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            length = (node.end_lineno or node.lineno) - node.lineno + 1
            assert length <= 50, f"{node.name} has {length} lines"


@pytest.mark.parametrize("path", sorted((ROOT / "pages").glob("*.py")), ids=name_of)
def test_a_page_reads_top_to_bottom(path):
    assert len(path.read_text(encoding="utf-8").splitlines()) <= 120
