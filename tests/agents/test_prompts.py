import re
from datetime import UTC, datetime
from zoneinfo import ZoneInfo

import pytest

from core.agents.prompts import PROMPTS, PromptError, load_prompt
from core.registry.manifests import load_catalogue
from core.users import User

SAM = User("local", "Sam", "sam@lumenworks.example", ZoneInfo("Asia/Tokyo"))
NOW = datetime(2026, 11, 30, 16, 5, tzinfo=UTC)
NAMES = sorted(str(path.relative_to(PROMPTS).with_suffix("")) for path in PROMPTS.glob("*/*.md"))


@pytest.mark.parametrize("name", NAMES)
def test_every_placeholder_is_filled(name):
    prompt = load_prompt(name, SAM, NOW)
    assert not re.search(r"\{\w+\}", prompt.text)
    assert prompt.version == name


@pytest.mark.parametrize("name", NAMES)
def test_the_moment_is_the_users_own(name):
    assert "Now: Tuesday, 2026-12-01, 01:05 (Asia/Tokyo)." in load_prompt(name, SAM, NOW).text


def test_every_agent_of_the_catalogue_has_its_prompt():
    for domain in load_catalogue().domains.values():
        assert domain.agent.prompt in NAMES


def test_an_unknown_placeholder_is_named(tmp_path):
    (tmp_path / "odd.md").write_text("It is {season}.")
    with pytest.raises(PromptError, match=r"has season; it may use date, likely, time, user, weekday, zone"):
        load_prompt("odd", SAM, NOW, tmp_path)


def test_a_missing_prompt_is_named(tmp_path):
    with pytest.raises(PromptError, match="gone/v9 cannot be read"):
        load_prompt("gone/v9", SAM, NOW, tmp_path)
