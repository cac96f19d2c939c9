"""Gives each added server its specialist: registered for its user, built like any other."""

from collections.abc import Callable
from dataclasses import dataclass, field

from agents import ModelSettings

from core.agents.builder import AgentConfig, Agents, build_agent
from core.agents.readied import ReadiedAgent
from core.mcp_server.calls import CurrentSpan
from core.mcp_server.client import ToolView
from core.runtime.gate import Gate
from core.servers.manifests import Own, Server, agent_name
from core.servers.servers import Servers
from core.servers.tools import ServerGate, ServerTools


@dataclass(frozen=True)
class Crew:
    """Registers specialists.

    Attributes:
        gate: stands before every tool.
        settings: how their model is called.
    """

    agents: Agents
    servers: Servers
    gate: Gate
    current_span: CurrentSpan
    settings: ModelSettings = field(default_factory=ModelSettings)

    def enlist(self, before: Own, after: Own) -> None:
        """Make the registry fit what a user works with now."""
        names = {agent_name(server.row) for server in after.servers}
        for name in {agent_name(server.row) for server in before.servers} - names:
            self.agents.remove_agent(name)
        for server in after.servers:
            manifest = server.manifest.agent
            self.agents.register_agent(
                manifest.name, self._builder(server), override=True, owner=server.row.user_id, manifest=manifest
            )

    def _builder(self, server: Server) -> Callable[[], ReadiedAgent]:
        def build() -> ReadiedAgent:
            manifest, row = server.manifest, server.row
            gate = ServerGate(self.gate, row.user_id, self.servers.refreshed)
            view = ToolView(ServerTools(self.servers, server, self.current_span), manifest, gate)
            agent = manifest.agent
            return build_agent(AgentConfig(agent.title, agent.prompt, (view,), self.settings, agent.limits))

        return build
