"""Which agents there are: registered by name, built when first asked for, each once, and never two for one name."""

import json
import threading
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Generic, TypeVar

from core.errors import GlassdeskError
from core.registry.domains import DomainIndex
from core.registry.exports import Export, exported
from core.registry.manifests import AgentManifest, Catalogue
from core.registry.toolcards import Schema, ToolCard

A = TypeVar("A")


class UnknownAgent(GlassdeskError):
    """No agent of this name is registered; the sentence names those that are."""

    code = "unknown_agent"


class AgentExists(GlassdeskError):
    """An agent of this name is registered already."""

    code = "agent_exists"


class BuildFailed(GlassdeskError):
    """A builder failed; the sentence names the agent and what its builder said."""

    code = "agent_build"


def utc_now() -> datetime:
    """The time, aware."""
    return datetime.now(UTC)


@dataclass(frozen=True)
class AgentState:
    """What is known of an agent without building it.

    Attributes:
        title: what people read; the name where no manifest has it.
        domain: empty where it has none.
        builds: how often it was built.
        build_ms: what the last build took; None before the first.
        built_at: aware UTC; None before the first.
        error: why the last attempt failed; None where it did not.
    """

    name: str
    title: str
    domain: str
    built: bool
    builds: int
    build_ms: float | None
    built_at: datetime | None
    error: str | None


@dataclass(frozen=True)
class Stats:
    """How many there are, and what building them took."""

    agents: int
    built: int
    failed: int
    domains: int
    tools: int
    builds: int
    build_ms: float


@dataclass
class Entry(Generic[A]):
    """One registered agent; whoever builds it holds its lock. With an owner it is there for that user alone."""

    builder: Callable[[], A]
    owner: str = ""
    manifest: AgentManifest | None = None
    lock: threading.Lock = field(default_factory=threading.Lock)
    agent: A | None = None
    attempts: int = 0
    builds: int = 0
    total_ms: float = 0.0
    build_ms: float | None = None
    built_at: datetime | None = None
    failure: BuildFailed | None = None


class AgentRegistry(Generic[A]):
    """All agents. Safe for any threads; a slow builder holds up nobody who asks for another agent.

    Args:
        catalogue: what agents and tools say about themselves.
        count_tokens: of a text, by the tokenizer in use.
        schemas: tool → its parameters and response, from its function; asked for at first need.
        now: the clock.
    """

    def __init__(
        self,
        catalogue: Catalogue,
        count_tokens: Callable[[str], int],
        schemas: Callable[[], Mapping[str, Schema]] = dict,
        now: Callable[[], datetime] = utc_now,
    ) -> None:
        self.catalogue, self.domains = catalogue, DomainIndex(catalogue)
        self.schemas = schemas
        self._count, self._now = count_tokens, now
        self._entries: dict[str, Entry[A]] = {}
        self._lock = threading.Lock()
        self._exports: dict[tuple[frozenset[str] | None, frozenset[str]], Export] = {}
        self._sizes: dict[str, int] | None = None
        self._manifests = {domain.agent.name: domain.agent for domain in catalogue.domains.values()}

    def register_agent(
        self,
        name: str,
        builder: Callable[[], A],
        override: bool = False,
        owner: str = "",
        manifest: AgentManifest | None = None,
    ) -> None:
        """Make an agent known; it is built when it is first asked for.

        Args:
            owner: the id of the user who alone has it; empty: everybody has.
            manifest: what it says about itself, where the catalogue does not.

        Raises:
            AgentExists: the name is taken, and it is not to be overridden.
        """
        with self._lock:
            if name in self._entries and not override:
                raise AgentExists(f"There is an agent {name} already. Choose another name, or override it.")
            self._entries[name] = Entry(builder, owner, manifest)

    def remove_agent(self, name: str) -> None:
        """Forget an agent; who has it already may use it to the end."""
        with self._lock:
            self._entries.pop(name, None)

    def get_agent(self, name: str) -> A:
        """The agent of a name.

        Raises:
            UnknownAgent: there is none.
            BuildFailed: its builder failed; the next who asks tries again.
        """
        entry = self._entry(name)
        agent = entry.agent
        return agent if agent is not None else self._built(name, entry, entry.attempts)

    def rebuild_agent(self, name: str) -> A:
        """Build an agent anew; where that fails the one before stays in use.

        Raises:
            As `get_agent`.
        """
        entry = self._entry(name)
        with entry.lock:
            return self._build(name, entry)

    def list_agents(self, user_id: str = "") -> tuple[AgentState, ...]:
        """The agents that everybody has, and a user's own, in the order in which they were registered."""
        with self._lock:
            entries = dict(self._entries)
        return tuple(self._state(name, entry) for name, entry in entries.items() if entry.owner in ("", user_id))

    def is_built(self, name: str) -> bool:
        """Whether an agent is ready.

        Raises:
            UnknownAgent: there is none of this name.
        """
        return self._entry(name).agent is not None

    def get_stats(self) -> Stats:
        """The sums over all agents."""
        with self._lock:
            entries = list(self._entries.values())
        return Stats(
            agents=len(entries),
            built=sum(entry.agent is not None for entry in entries),
            failed=sum(entry.failure is not None for entry in entries),
            domains=len(self.catalogue.domains),
            tools=sum(1 for _ in self.catalogue.tools()),
            builds=sum(entry.builds for entry in entries),
            build_ms=sum(entry.total_ms for entry in entries),
        )

    def get_manifest(self, name: str) -> AgentManifest:
        """What an agent says about itself.

        Raises:
            UnknownAgent: no manifest has this name.
        """
        if name not in self._manifests:
            raise unknown(name, self._manifests)
        return self._manifests[name]

    def get_tool(self, name: str) -> ToolCard:
        """A tool: what its manifest says, and the parameters and response of its function.

        Raises:
            KeyError: names what exists.
        """
        return ToolCard(self.catalogue.tool(name), self.domains.domain_of(name), self.schemas().get(name))

    def tool_sizes(self) -> Mapping[str, int]:
        """Tool → tokens of its definition as a model gets it: name, description, parameters; an estimate."""
        if self._sizes is None:
            self._sizes = {
                name: self._count(f"{name} {self.catalogue.tool(name).description} {json.dumps(schema.parameters)}")
                for name, schema in self.schemas().items()
                if self.domains.domain_of(name)
            }
        return self._sizes

    def export_for_prompt(self) -> Export:
        """The whole catalogue for a prompt: every agent, every tool with its description, the utilities' too."""
        return self._export(None, frozenset())

    def export_for_prompt_filtered(
        self, domains: "list[str] | tuple[str, ...]", needed: tuple[str, ...] = ()
    ) -> Export:
        """The catalogue for some domains: their basic tools and those needed with descriptions, the others by name.

        The utilities are always included, by name.

        Args:
            needed: names of tools to describe beside the basic ones.
        """
        return self._export(frozenset(domains), frozenset(needed))

    def _export(self, domains: frozenset[str] | None, needed: frozenset[str]) -> Export:
        key = (domains, needed)
        found = self._exports.get(key)
        if found is None:
            found = exported(self.domains, domains, needed, self._count)
            self._exports[key] = found
        return found

    def _entry(self, name: str) -> Entry[A]:
        with self._lock:
            if name in self._entries:
                return self._entries[name]
            raise unknown(name, self._entries)

    def _built(self, name: str, entry: Entry[A], seen: int) -> A:
        """The agent, built by whoever comes first; who waited for an attempt that failed shares its failure."""
        with entry.lock:
            if entry.agent is not None:
                return entry.agent
            if entry.failure is not None and entry.attempts > seen:
                raise entry.failure
            return self._build(name, entry)

    def _build(self, name: str, entry: Entry[A]) -> A:
        began = time.perf_counter()
        entry.attempts += 1
        try:
            agent = entry.builder()
        except Exception as error:
            entry.failure = BuildFailed(
                f"The agent {name} could not be built: {reason(error)}. Mend it, then try again."
            )
            raise entry.failure from error
        entry.build_ms = (time.perf_counter() - began) * 1000
        entry.agent, entry.failure, entry.built_at = agent, None, self._now()
        entry.builds += 1
        entry.total_ms += entry.build_ms
        return agent

    def _state(self, name: str, entry: Entry[A]) -> AgentState:
        manifest = entry.manifest or self._manifests.get(name)
        return AgentState(
            name=name,
            title=manifest.title if manifest else name,
            domain=manifest.domain if manifest else "",
            built=entry.agent is not None,
            builds=entry.builds,
            build_ms=entry.build_ms,
            built_at=entry.built_at,
            error=entry.failure.sentence if entry.failure else None,
        )


def unknown(name: str, known: Mapping[str, object]) -> UnknownAgent:
    """The error that names what there is."""
    return UnknownAgent(f"There is no agent {name}; there are: {', '.join(sorted(known)) or 'none yet'}.")


def reason(error: Exception) -> str:
    """What a builder said, as part of a sentence."""
    said = error.sentence if isinstance(error, GlassdeskError) else str(error)
    return (said or type(error).__name__).rstrip(".")
