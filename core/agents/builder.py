"""Builds the agents of one turn from manifests, prompts and a model."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from agents import Agent, AgentToolStreamEvent, ModelSettings, RunHooks, Tool, TResponseInputItem
from agents.agent import MCPConfig
from agents.mcp import MCPServer
from agents.models.interface import Model
from pydantic import BaseModel, Field

from core.agents.context import TurnContext
from core.agents.prompts import load_prompt
from core.registry.manifests import AgentManifest, Catalogue
from core.users import User

ORCHESTRATOR = "Assistant"
ORCHESTRATOR_PROMPT = "assistant/v2"
MCP_CONFIG: MCPConfig = {"convert_schemas_to_strict": False}
Item = TResponseInputItem


class Task(BaseModel):
    """What a delegating tool takes."""

    query: str = Field(description="The task in the person's words, with every name, date and id that it needs")


@dataclass(frozen=True)
class Listener:
    """Who hears the specialists that work for the orchestrator."""

    hooks: RunHooks[TurnContext]
    on_event: Callable[[AgentToolStreamEvent], None]
    explain: Callable[[Exception], str]


@dataclass(frozen=True)
class Team:
    """What agents are made of.

    Attributes:
        tools: by domain, the tool server that shows exactly that specialist's tools.
        model: makes the model for a turn of a user.
        settings: the model's settings.
    """

    catalogue: Catalogue
    tools: Mapping[str, MCPServer]
    model: Callable[[User], Model]
    settings: ModelSettings

    def specialist(self, domain: str, user: User, now: datetime) -> Agent[TurnContext]:
        """The specialist of a domain, with its own tools and no other's."""
        manifest = self.catalogue.domains[domain].agent
        return Agent(
            name=manifest.title,
            instructions=load_prompt(manifest.prompt, user, now).text,
            mcp_servers=[self.tools[domain]],
            mcp_config=MCP_CONFIG,
            model=self.model(user),
            model_settings=self.settings,
        )

    def orchestrator(
        self, user: User, now: datetime, history: Sequence[Item], listener: Listener
    ) -> Agent[TurnContext]:
        """The agent that delegates: one tool a specialist."""
        return Agent(
            name=ORCHESTRATOR,
            instructions=load_prompt(ORCHESTRATOR_PROMPT, user, now).text,
            tools=[
                self._delegation(domain.agent, user, now, history, listener)
                for domain in self.catalogue.domains.values()
            ],
            model=self.model(user),
            model_settings=self.settings,
        )

    def delegations(self) -> set[str]:
        """The names of the tools that stand for a specialist."""
        return {domain.agent.task for domain in self.catalogue.domains.values()}

    def _delegation(
        self, manifest: AgentManifest, user: User, now: datetime, history: Sequence[Item], listener: Listener
    ) -> Tool:
        return self.specialist(manifest.domain, user, now).as_tool(
            tool_name=manifest.task,
            tool_description=manifest.description,
            parameters=Task,
            input_builder=lambda task: [*history, {"role": "user", "content": task["params"]["query"]}],
            on_stream=listener.on_event,
            hooks=listener.hooks,
            max_turns=manifest.limits.max_turns,
            failure_error_function=lambda _, error: listener.explain(error),
        )
