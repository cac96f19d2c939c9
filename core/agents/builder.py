"""Builds agents from configs, and readies those of a turn: specialists from manifests, and who delegates to them."""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path

from agents import AgentToolStreamEvent, ModelSettings, RunContextWrapper, RunHooks, Tool, TResponseInputItem
from agents.agent import MCPConfig
from agents.agent_tool_input import StructuredToolInputBuilderOptions
from agents.mcp import MCPServer
from agents.models.interface import Model
from pydantic import BaseModel, Field

from core.agents.context import TurnContext
from core.agents.prompts import PROMPTS, read_template
from core.agents.readied import ReadiedAgent
from core.errors import NotFound
from core.registry.manifests import AgentManifest, Catalogue, Limits
from core.registry.registry import AgentRegistry
from core.users import User

ORCHESTRATOR = "Assistant"
ORCHESTRATOR_PROMPT = "assistant/v3"
MCP_CONFIG: MCPConfig = {"convert_schemas_to_strict": False}
GONE = "This was for a tool server that is no longer there. Ask again without it."
Item = TResponseInputItem
History = Callable[[int], Sequence[Item]]
"""What an agent hears of earlier turns, within a number of tokens."""
Agents = AgentRegistry[ReadiedAgent]


class Task(BaseModel):
    """What a delegating tool takes."""

    query: str = Field(description="The task in the person's words, with every name, date and id that it needs")


@dataclass(frozen=True)
class Listener:
    """Who hears the specialists that work for the orchestrator.

    Attributes:
        on_task: told of the domain and the task before a specialist begins.
        read: what a specialist plainly has to read for its input, already read.
    """

    hooks: RunHooks[TurnContext]
    on_event: Callable[[AgentToolStreamEvent], None]
    explain: Callable[[Exception], str]
    on_task: Callable[[str, str], Awaitable[None]]
    read: Callable[[ReadiedAgent, Sequence[Item]], Awaitable[Sequence[Item]]]


@dataclass(frozen=True)
class AgentConfig:
    """All that makes an agent what it is; user, moment and model come with each turn.

    Attributes:
        prompt: file of its instructions, `<agent>/<version>` below `prompts`.
        servers: the tools it is given; each server asks for the approvals that its own gate wants.
        settings: how its model is called.
        limits: of one run.
    """

    name: str
    prompt: str
    servers: tuple[MCPServer, ...] = ()
    settings: ModelSettings = field(default_factory=ModelSettings)
    limits: Limits = field(default_factory=Limits)
    prompts: Path = PROMPTS


def build_agent(config: AgentConfig) -> ReadiedAgent:
    """An agent from its config.

    Raises:
        PromptError: its instructions are not there, or ask for something that nobody fills in.
    """
    return ReadiedAgent(
        name=config.name,
        template=read_template(config.prompt, config.prompts),
        limits=config.limits,
        mcp_servers=list(config.servers),
        mcp_config=MCP_CONFIG,
        model_settings=config.settings,
    )


def configs(
    catalogue: Catalogue, tools: Mapping[str, MCPServer], settings: ModelSettings, prompts: Path = PROMPTS
) -> dict[str, AgentConfig]:
    """Name → config: a specialist a domain, from its manifest and prompt alone, and the orchestrator.

    Args:
        tools: by domain, the tool server that shows exactly that specialist's tools.
        settings: the model's settings.
    """
    found = {
        domain.agent.name: AgentConfig(
            domain.agent.title, domain.agent.prompt, (tools[name],), settings, domain.agent.limits, prompts
        )
        for name, domain in catalogue.domains.items()
    }
    return {**found, ORCHESTRATOR: AgentConfig(ORCHESTRATOR, ORCHESTRATOR_PROMPT, (), settings)}


def register(agents: Agents, known: Mapping[str, AgentConfig]) -> Agents:
    """The registry, with an agent for each config; none is built yet."""
    for name, config in known.items():
        agents.register_agent(name, lambda config=config: build_agent(config))  # type: ignore[misc]
    return agents


@dataclass(frozen=True)
class Team:
    """The agents of a turn.

    Attributes:
        agents: builds each once; a turn takes a copy with its user, its moment and its model.
        model: makes the model for a turn of a user.
        settings: how it is called.
        utilities: tools that every agent has beside its own.
        own: user id → the catalogue with what that user has added; None: all have the same.
    """

    catalogue: Catalogue
    agents: Agents
    model: Callable[[User], Model]
    settings: ModelSettings
    utilities: Sequence[Tool] = ()
    own: Callable[[str], Catalogue] | None = None

    def known(self, user: User) -> Catalogue:
        """The catalogue as a user has it."""
        return self.own(user.id) if self.own else self.catalogue

    @property
    def limits(self) -> Limits:
        """Those of the orchestrator, which plans and summaries keep to as well.

        Raises:
            BuildFailed: it could not be built.
        """
        return self.agents.get_agent(ORCHESTRATOR).limits

    def specialist(self, domain: str, user: User, now: datetime) -> ReadiedAgent:
        """The specialist of a domain, with its own tools and no other's.

        Raises:
            BuildFailed: it could not be built.
            NotFound: the user has none of this domain any more.
        """
        found = self.known(user).domains.get(domain)
        if found is None:
            raise NotFound(GONE)
        agent = self.agents.get_agent(found.agent.name)
        tools = [*agent.tools, *self.utilities]
        return agent.tailored(instructions=agent.instructed(user, now), model=self.model(user), tools=tools)

    def orchestrator(
        self, user: User, now: datetime, history: History, listener: Listener, likely: Sequence[str] = ()
    ) -> ReadiedAgent:
        """The agent that delegates: one tool a specialist.

        Args:
            history: each specialist hears as much of it as its own limit allows.
            likely: domains that the question may be for, the best first.

        Raises:
            BuildFailed: it, or a specialist, could not be built.
        """
        agent = self.agents.get_agent(ORCHESTRATOR)
        known = self.known(user).domains
        delegates = self._delegates(user)
        order = sorted(delegates, key=lambda name: list(likely).index(name) if name in likely else len(likely))
        titles = [known[name].agent.title for name in likely if name in known]
        return agent.tailored(
            instructions=agent.instructed(user, now, likely=", ".join(titles)),
            tools=[
                *(self._delegation(known[name].agent, user, now, history, listener) for name in order),
                *self.utilities,
            ],
            model=self.model(user),
        )

    def delegations(self, user: User) -> set[str]:
        """The names of the tools that stand for a user's specialists."""
        return {self.known(user).domains[name].agent.task for name in self._delegates(user)}

    def _delegates(self, user: User) -> list[str]:
        return list(self.known(user).domains)

    def _delegation(
        self, manifest: AgentManifest, user: User, now: datetime, history: History, listener: Listener
    ) -> Tool:
        def switched_on(context: RunContextWrapper[TurnContext], _: object) -> bool:
            return manifest.domain not in context.context.offers.off.domains

        specialist = self.specialist(manifest.domain, user, now)

        async def asked(task: StructuredToolInputBuilderOptions) -> list[Item]:
            query = task["params"]["query"]
            await listener.on_task(manifest.domain, query)
            heard: list[Item] = [*history(specialist.limits.history_tokens), {"role": "user", "content": query}]
            return [*heard, *await listener.read(specialist, heard)]

        return specialist.as_tool(
            tool_name=manifest.task,
            tool_description=manifest.description,
            parameters=Task,
            input_builder=asked,
            on_stream=listener.on_event,
            hooks=listener.hooks,
            max_turns=specialist.limits.max_turns,
            failure_error_function=lambda _, error: listener.explain(error),
            is_enabled=switched_on,
        )
