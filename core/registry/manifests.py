"""Manifests: what each agent and tool says about itself, read from `data/manifests/*.yaml` and validated."""

from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import Annotated

import yaml
from pydantic import BaseModel, ConfigDict, Field, ValidationError

from core.errors import GlassdeskError
from core.settings import ROOT

MANIFESTS = ROOT / "data" / "manifests"
Name = Annotated[str, Field(pattern=r"^[a-z][a-z0-9_]*$")]


class ManifestError(GlassdeskError):
    """A manifest file is wrong; the sentence names file, place, field and what is accepted."""

    code = "manifest"


class Access(StrEnum):
    """Whether a tool changes anything."""

    READ = "read"
    WRITE = "write"


class Approval(StrEnum):
    """When a person is asked before a tool runs."""

    NONE = "none"
    ASK = "ask"
    ALWAYS_ASK = "always_ask"


class Part(BaseModel):
    """Base of all manifest parts: frozen, and an unknown field is an error."""

    model_config = ConfigDict(frozen=True, extra="forbid")


class Limits(Part):
    """What one run of an agent may use."""

    max_turns: Annotated[int, Field(ge=1, le=50)] = 8
    history_tokens: Annotated[int, Field(ge=100)] = 6000


class Cost(Part):
    """An estimate for one call: tokens the call and its result add to the model's input, milliseconds."""

    tokens_in: Annotated[int, Field(ge=0)]
    tokens_out: Annotated[int, Field(ge=0)]
    latency_ms: Annotated[int, Field(ge=0)]


class Intent(Part):
    """For the offline assistant: an example with slots, and the arguments that it fills.

    Attributes:
        say: an utterance; `{slot}` or `{slot:type}` marks a slot.
        args: argument name → template over the slots.
        answer: a template that replaces the tool's own for this intent.
    """

    say: str
    args: dict[str, object] = {}
    answer: str | None = None


class ToolManifest(Part):
    """One tool. A tool that does not say it reads is a write."""

    name: Name
    title: str
    description: str
    access: Access = Access.WRITE
    destructive: bool = True
    idempotent: bool = False
    approval: Approval = Approval.ALWAYS_ASK
    scopes: tuple[str, ...]
    cost: Cost
    keywords: dict[str, tuple[str, ...]]
    intents: tuple[Intent, ...] = ()
    answer: str | None = None
    version: str

    @property
    def reads(self) -> bool:
        """Whether the tool only reads."""
        return self.access is Access.READ


class AgentManifest(Part):
    """One specialist. `task` is the name of the tool by which the orchestrator delegates to it."""

    name: Name
    title: str
    domain: Name
    task: Name
    description: str
    prompt: str
    limits: Limits = Limits()
    version: str


class DomainManifest(Part):
    """One file: a specialist and its tools."""

    agent: AgentManifest
    tools: tuple[ToolManifest, ...]


@dataclass(frozen=True)
class Catalogue:
    """All manifests, by domain, in file order."""

    domains: dict[str, DomainManifest]

    def tools(self) -> Iterator[tuple[str, ToolManifest]]:
        """Each tool with its domain's name."""
        for name, domain in self.domains.items():
            for tool in domain.tools:
                yield name, tool

    def tool(self, name: str) -> ToolManifest:
        """The tool of this name.

        Raises:
            KeyError: names what exists.
        """
        found = {tool.name: tool for _, tool in self.tools()}
        if name not in found:
            raise KeyError(f"There is no tool {name!r}; there are: {', '.join(sorted(found))}")
        return found[name]


def load_catalogue(folder: Path = MANIFESTS) -> Catalogue:
    """Read every manifest of a folder.

    Raises:
        ManifestError: for the first file that is not as it should be.
    """
    manifests = [load_domain(path) for path in sorted(folder.glob("*.yaml"))]
    return Catalogue({manifest.agent.domain: manifest for manifest in manifests})


def load_domain(path: Path) -> DomainManifest:
    """Read one manifest file."""
    try:
        return DomainManifest.model_validate(yaml.safe_load(path.read_text(encoding="utf-8")))
    except yaml.YAMLError as error:
        raise ManifestError(f"{path.name} is not YAML: {error}") from error
    except ValidationError as error:
        problem = error.errors()[0]
        place = ".".join(str(part) for part in problem["loc"])
        raise ManifestError(f"{path.name}: {place}: {problem['msg']}") from error
