"""What a person can set, open or call is described, and what is described exists."""

import re
from pathlib import Path

import pytest

from core.registry.manifests import AgentManifest, Intent, ToolManifest
from core.settings import Settings

ROOT = Path(__file__).resolve().parent.parent
README = (ROOT / "README.md").read_text(encoding="utf-8")
EXAMPLE = (ROOT / ".env.example").read_text(encoding="utf-8")
CONTRIBUTING = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")


@pytest.mark.parametrize("field", Settings.model_fields)
def test_each_setting_is_described(field):
    name = f"GLASSDESK_{field.upper()}"
    assert f"`{name}`" in README
    assert re.search(rf"^#? ?{name}=", EXAMPLE, re.MULTILINE)


def test_no_setting_is_described_that_does_not_exist():
    known = {f"GLASSDESK_{field.upper()}" for field in Settings.model_fields}
    assert set(re.findall(r"GLASSDESK_[A-Z_]+", README + EXAMPLE)) <= known


@pytest.mark.parametrize(
    "page", sorted(path.stem for path in (ROOT / "pages").glob("[a-z]*.py") if path.stem != "main")
)
def test_each_page_is_described(page):
    assert f"**{page.capitalize()}**" in README


def test_each_route_is_described():
    from core.api.routes import ROUTES

    for route in ROUTES:
        assert f"`{route.path}`" in README.replace("POST ", "").replace("GET ", ""), route.path


@pytest.mark.parametrize("model", [AgentManifest, ToolManifest, Intent], ids=lambda model: model.__name__)
def test_each_manifest_field_is_described(model):
    for field in model.model_fields:
        assert f"`{field}`" in CONTRIBUTING, field


@pytest.mark.parametrize("target", re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text(), re.MULTILINE))
def test_each_make_target_that_people_use_is_described(target):
    if target not in {"browser", "clean", "format"}:
        assert f"make {target}" in README


@pytest.mark.parametrize("link", re.findall(r"\]\((?!https?://)([^)#]+)\)", README))
def test_links_in_the_readme_lead_somewhere(link):
    assert (ROOT / link).exists()


def test_each_fault_of_other_tools_has_its_test():
    faults = CONTRIBUTING.split("## What goes wrong elsewhere")[1].split("\n## ")[0]
    named = re.findall(r"`(tests/\S+\.py)`: `(test_\w+)`", faults)
    assert len(re.findall(r"^\| \d+ \|", faults, re.MULTILINE)) == 14
    assert [name for path, name in named if f"def {name}(" not in (ROOT / path).read_text(encoding="utf-8")] == []
