"""An agent whose tools are made ready for the Agents SDK once, and not again before every model call."""

from copy import copy
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from agents import Agent, RunContextWrapper, Tool

from core.agents.context import TurnContext
from core.agents.more import offered
from core.agents.prompts import Template
from core.mcp_server.client import ToolView
from core.registry.manifests import Limits
from core.users import User


@dataclass
class ReadiedAgent(Agent[TurnContext]):
    """An agent that takes the tools of its servers as they are ready there.

    The SDK would copy and check every schema anew before each model call: a third of a turn's own time.

    Attributes:
        template: its instructions, to be filled in for a turn.
        limits: of one run.
    """

    template: Template = field(default_factory=lambda: Template("", ""))
    limits: Limits = field(default_factory=Limits)

    def tailored(self, **changes: Any) -> "ReadiedAgent":
        """A copy for one run; its fields are not checked again, as `dataclasses.replace` would."""
        made = copy(self)
        for name, value in changes.items():
            setattr(made, name, value)
        return made

    def instructed(self, user: User, now: datetime, **more: str) -> str:
        """Its instructions for a user at a moment; `more` as of `Template.filled`."""
        return self.template.filled(user, now, **more).text

    async def get_mcp_tools(self, run_context: RunContextWrapper[Any]) -> list[Tool]:
        """The tools of the servers that this run is shown."""
        if len(self.mcp_servers) == 1 and isinstance(view := self.mcp_servers[0], ToolView):
            return offered(await view.ready(run_context, self), run_context)
        return offered(await super().get_mcp_tools(run_context), run_context)
