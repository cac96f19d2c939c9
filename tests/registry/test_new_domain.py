"""A new domain is one manifest, one prompt and one tool module: no other file knows of it."""

import shutil
import sys
from functools import partial
from pathlib import Path

import pytest

import core.bootstrap
from core.agents.builder import configs
from core.agents.prompts import PROMPTS
from core.mcp_server import tools
from core.registry.manifests import MANIFESTS, load_catalogue
from tests.runtime.desk import ask, sam, services

MANIFEST = """
agent:
  name: plants_agent
  title: Plants
  domain: plants
  task: plants_task
  description: Knows the plants in the office and when they were watered.
  prompt: plants/v1
  nouns: [plant, plants]
  version: 1.0.0
tools:
  - name: list_plants
    title: List plants
    description: Lists the office plants with the day on which each was last watered.
    access: read
    destructive: false
    approval: none
    scopes: []
    cost: {tokens_in: 30, tokens_out: 100, latency_ms: 5}
    keywords:
      en: [office plants, which plants do we have, when were the plants watered]
      de: [Büropflanzen]
    intents:
      - say: [list the office plants, which plants do we have, when were the plants watered]
        args: {}
    version: 1.0.0
  - name: water_plant
    title: Water a plant
    description: Notes that a plant was watered.
    access: write
    destructive: false
    approval: ask
    confirm: Note that {{ name }} was watered
    scopes: []
    cost: {tokens_in: 30, tokens_out: 30, latency_ms: 5}
    keywords:
      en: [water the plant, note that a plant was watered]
      de: [Pflanze gießen]
    intents:
      - say: [note that the plant was watered]
        forms: 'water the {name}'
        args: {name: "{name}"}
    version: 1.0.0
"""
PROMPT = "You look after the plants for {user}. Now: {weekday}, {date}, {time} ({zone}).\n"
MODULE = '''
"""The tools for the office plants."""

from typing import Annotated

from pydantic import Field

from core.mcp_server.desk import Desk
from core.mcp_server.results import Result


class Plants(Result):
    plants: list[str]


class Watered(Result):
    watered: str


def list_plants(desk: Desk) -> Plants:
    """Lists them."""
    return Plants(plants=["Ficus, watered on Monday", "Monstera, watered on Friday"])


def water_plant(desk: Desk, name: Annotated[str, Field(description="Of the plant")]) -> Watered:
    """Notes it."""
    return Watered(watered=name)
'''


@pytest.fixture
def office(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    """The app over folders that have one more of each."""
    for name, source in (("manifests", MANIFESTS), ("prompts", PROMPTS)):
        shutil.copytree(source, tmp_path / name)
    (tmp_path / "manifests" / "plants.yaml").write_text(MANIFEST)
    (tmp_path / "prompts" / "plants").mkdir()
    (tmp_path / "prompts" / "plants" / "v1.md").write_text(PROMPT)
    (tmp_path / "tools").mkdir()
    (tmp_path / "tools" / "plants.py").write_text(MODULE)
    monkeypatch.setattr(tools, "__path__", [*tools.__path__, str(tmp_path / "tools")])
    monkeypatch.setattr(core.bootstrap, "load_catalogue", lambda: load_catalogue(tmp_path / "manifests"))
    monkeypatch.setattr(core.bootstrap, "configs", partial(configs, prompts=tmp_path / "prompts"))
    try:
        with services(tmp_path / "data") as built:
            yield built
    finally:
        sys.modules.pop("core.mcp_server.tools.plants", None)


def test_a_new_domain_is_one_manifest_one_prompt_and_one_tool_module(office):
    turn = ask(office, "Which plants do we have?")
    assert (turn["status"], turn["route"], turn["agents"]) == ("done", "direct", ["Plants"])
    assert [call["tool"] for call in turn["tool_calls"]] == ["list_plants"]
    assert "Monstera, watered on Friday" in turn["response"]

    waiting = office.runtime.start(sam(office), "water the Ficus").pause(30)
    assert waiting["status"] == "waiting_approval"
    [approval] = waiting["approvals"]
    assert (approval["tool"], approval["arguments"]) == ("water_plant", {"name": "Ficus"})
    assert approval["summary"] == "Note that Ficus was watered"
    office.runtime.decide(sam(office), approval["approval_id"], "approve")
    assert "Ficus" in office.runtime.turn(sam(office), waiting["turn_id"]).wait(30)["response"]

    assert office.agents.is_built("plants_agent")
    assert list(office.agents.get_tool("water_plant").parameters) == ["name"]
    assert "## Plants (plants_agent)" in office.agents.export_for_prompt_filtered(["plants"]).text
    assert ask(office, "Show my unread emails")["agents"] == ["Gmail"]
