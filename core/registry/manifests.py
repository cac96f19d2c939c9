"""Manifests: what each agent and tool says about itself, read from `data/manifests/*.yaml` and validated."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from functools import cached_property
from pathlib import Path
from typing import Annotated, Any, Literal

import yaml
from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, ValidationError

from core.datafile import read_data
from core.errors import GlassdeskError
from core.settings import ROOT

MANIFESTS = ROOT / "data" / "manifests"
Name = Annotated[str, Field(pattern=r"^[a-z][a-z0-9_]*$")]


def listed(value: object) -> object:
    """One thing stands for a list of one."""
    return [value] if isinstance(value, (str, dict, Part)) else value


Phrases = Annotated[tuple[str, ...], BeforeValidator(listed)]


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


class Step(Part):
    """A further call of an intent.

    Attributes:
        fills: the slot that its result fills, for a call before the intent's own; it is left out where that is filled.
        args: may also use `{found}`, the first item of the result before it, and `{result}`, that result.
        named: a slot; `{found}` then is the first item that bears this name.
    """

    tool: Name
    args: dict[str, object] = {}
    named: str | None = None
    fills: str | None = None


class Search(Part):
    """How a thing is found by its name: a call, and what in its result is looked at.

    Attributes:
        args: may use `{name}`, and after another search `{found}`, the item that it found.
        items: field of the list in the result.
        by: fields of an item that may hold the name.
        fields: field → path in the item or in the result, for what the item then is called.
        each: whether it is called for every item of the search before it, at once, where that found none by name.
    """

    tool: Name
    args: dict[str, object] = {}
    items: str
    by: Phrases
    fields: dict[str, str] = {}
    each: bool = False


class Intent(Part):
    """For the offline assistant: phrasings with slots, and the arguments that they fill.

    Attributes:
        say: utterances; `{slot}` marks a slot. Any slot that the arguments name may be filled.
        forms: whole requests as patterns over `{slots}` and the pieces of `data/language/forms.yaml`; what is meant
            literally decides before any likeness.
        loose: forms that decide only once it is clear which specialist is asked.
        needs: slots without which the intent is not meant.
        unless: slots with which it is not meant.
        args: argument name → template over the slots; a word with an empty slot drops out, an empty argument too.
        default: slot → what it is when nothing was said, as a person would say it.
        first: calls before this one, each to find what fills a slot: a mail or an event, or somebody's `address`.
        asks: slot → the template that asks the person for it, where it is still empty before this call.
        then: further calls after this one.
        answer: a template that replaces the tool's own for this intent.
        missing: a template for when a further call has nothing to work on; otherwise the first tool's own answer.
    """

    say: Phrases
    forms: Phrases = ()
    loose: Phrases = ()
    needs: Phrases = ()
    unless: Phrases = ()
    args: dict[str, object] = {}
    default: dict[str, str] = {}
    first: Annotated[tuple[Step, ...], BeforeValidator(listed)] = ()
    asks: dict[str, str] = {}
    then: Annotated[tuple[Step, ...], BeforeValidator(listed)] = ()
    answer: str | None = None
    missing: str | None = None


class Shows(Part):
    """Where a result holds items that a person may refer to later.

    Attributes:
        kind: the slot type that such a reference fills, such as `mail`.
        items: field of the list, or of the one item; None where the result itself is the item.
        fields: field → path in the item, else in the result: by what name the kind knows it.
    """

    kind: Name
    items: str | None = None
    fields: dict[str, str] = {}


class ToolManifest(Part):
    """One tool. A tool that does not say it reads is a write.

    Attributes:
        keywords: language → phrases, for the router.
        words: slot → value → phrases that mean it, for the offline assistant.
        intents: what a person may ask of it.
        shows: the items in its result.
        answer: the template of its answer.
        confirm: for a write, what it will do, as a template over its arguments: one plain sentence.
        beyond_allowing: argument → values with which it deletes; allowing the tool for the future does not cover them.
        basic: shown to a model whatever is asked; other tools only where the question seems to need them.
    """

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
    words: dict[str, dict[str, Phrases]] = {}
    intents: tuple[Intent, ...] = ()
    shows: Shows | None = None
    answer: str | None = None
    confirm: str | None = None
    beyond_allowing: dict[str, tuple[str, ...]] = {}
    basic: bool = False
    version: str

    @property
    def reads(self) -> bool:
        """Whether the tool only reads."""
        return self.access is Access.READ

    def covered(self, arguments: Mapping[str, Any]) -> bool:
        """Whether allowing the tool for the future covers a call."""
        for name, values in self.beyond_allowing.items():
            given = arguments.get(name)
            parts = given if isinstance(given, list) else [given]
            if {str(part).casefold() for part in parts} & {value.casefold() for value in values}:
                return False
        return True


class AgentManifest(Part):
    """One specialist.

    Attributes:
        task: name of the tool by which the orchestrator delegates to it.
        asks: requests that belong to the domain beyond those of its tools, for the router.
        tense: whether "on Friday" means the one that was or the one to come.
        nouns: words for what the domain holds.
        deeds: patterns (English words, case does not matter) for the beginning of a request that only this domain does.
        finds: slot → how what it names is found.
        found_by: the domain whose specialist finds what this one works on, where it cannot itself.
        utility: it is nobody's specialist; its tools go with those of every other domain.
    """

    name: Name
    title: str
    domain: Name
    task: Name
    description: str
    prompt: str
    limits: Limits = Limits()
    asks: Phrases = ()
    nouns: Phrases = ()
    deeds: Phrases = ()
    tense: Literal["past", "future"] = "future"
    finds: dict[Name, tuple[Search, ...]] = {}
    found_by: Name | None = None
    utility: bool = False
    version: str


class DomainManifest(Part):
    """One file: a specialist and its tools."""

    agent: AgentManifest
    tools: tuple[ToolManifest, ...]


@dataclass(frozen=True)
class Catalogue:
    """All manifests, by domain, in file order.

    Attributes:
        domains: those that have a specialist.
        utilities: those whose tools go with every specialist's own.
    """

    domains: dict[str, DomainManifest]
    utilities: dict[str, DomainManifest] = field(default_factory=dict)

    @property
    def every(self) -> dict[str, DomainManifest]:
        """All domains, the utilities last."""
        return {**self.domains, **self.utilities}

    def tools(self) -> Sequence[tuple[str, ToolManifest]]:
        """Each specialist's tools with its domain's name."""
        return self._tools

    def all_tools(self) -> Iterator[tuple[str, ToolManifest]]:
        """Each tool with its domain's name, the utilities' last."""
        yield from tools_of(self.every)

    @cached_property
    def names(self) -> frozenset[str]:
        """Those of the specialists' tools."""
        return frozenset(tool.name for _, tool in self._tools)

    @cached_property
    def reads(self) -> frozenset[str]:
        """The names of those that change nothing."""
        return frozenset(tool.name for _, tool in self._tools if tool.reads)

    @cached_property
    def _tools(self) -> tuple[tuple[str, ToolManifest], ...]:
        return tuple(tools_of(self.domains))

    @cached_property
    def _named(self) -> Mapping[str, ToolManifest]:
        return {tool.name: tool for _, tool in self.all_tools()}

    def tool(self, name: str) -> ToolManifest:
        """The tool of this name.

        Raises:
            KeyError: names what exists.
        """
        if name not in self._named:
            raise KeyError(f"There is no tool {name!r}; there are: {', '.join(sorted(self._named))}")
        return self._named[name]


def tools_of(domains: Mapping[str, DomainManifest]) -> Iterator[tuple[str, ToolManifest]]:
    """Each tool of some domains with its domain's name."""
    for name, domain in domains.items():
        for tool in domain.tools:
            yield name, tool


def load_catalogue(folder: Path = MANIFESTS) -> Catalogue:
    """Read every manifest of a folder and of those in it.

    Raises:
        ManifestError: for the first file that is not as it should be.
    """
    manifests = [load_domain(path) for path in sorted(folder.rglob("*.yaml"))]
    known = {manifest.agent.domain: manifest for manifest in manifests}
    utilities = {name: manifest for name, manifest in known.items() if manifest.agent.utility}
    return Catalogue({name: manifest for name, manifest in known.items() if name not in utilities}, utilities)


def load_domain(path: Path) -> DomainManifest:
    """Read one manifest file."""
    try:
        return DomainManifest.model_validate(read_data(path))
    except yaml.YAMLError as error:
        raise ManifestError(f"{path.name} is not YAML: {error}") from error
    except ValidationError as error:
        problem = error.errors()[0]
        place = ".".join(str(part) for part in problem["loc"])
        raise ManifestError(f"{path.name}: {place}: {problem['msg']}") from error
