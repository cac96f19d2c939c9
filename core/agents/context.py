"""What a run of the agents knows about who is asking; no model sees it."""

from dataclasses import dataclass, field, replace
from typing import Any

from core.agents.recollection import Recollection
from core.store.switches import Off


@dataclass
class Offers:
    """Which tools the agents of a turn are shown.

    Attributes:
        off: what the user has switched off.
        hidden: tools that the question does not seem to need; an agent may ask for its own.
        likely: domains that the question may be for, the best first.
        settled: tools of which it was said before whether they are hidden; from then on they are only shown.
    """

    off: Off = field(default_factory=Off)
    hidden: frozenset[str] = frozenset()
    likely: tuple[str, ...] = ()
    settled: frozenset[str] = frozenset()

    def shows(self, tool: str) -> bool:
        """Whether a tool is shown."""
        return tool not in self.hidden and tool not in self.off.tools

    def later(self, tools: frozenset[str]) -> frozenset[str]:
        """Those of some tools that are shown once an agent asks for more."""
        return (tools & self.hidden) - self.off.tools

    def waiting(self, tools: frozenset[str]) -> None:
        """Show tools whose calls wait for a person, also where they were switched off since: the gate says so."""
        self.off = replace(self.off, tools=self.off.tools - tools)
        self.show(tools)

    def show(self, tools: frozenset[str]) -> None:
        """Hide some tools no longer."""
        self.hidden -= tools
        self.settled |= tools

    def narrow(self, own: frozenset[str], hidden: frozenset[str]) -> None:
        """Hide what a specialist does not need for a task; what it has seen in another task of the turn it keeps.

        Args:
            own: all tools of the specialist.
            hidden: those of them that the task does not need.
        """
        self.hidden = (self.hidden - own) | (hidden & self.hidden if own & self.settled else hidden)
        self.settled |= own


@dataclass(frozen=True)
class TurnContext:
    """The Agents SDK's run context: the acting user and Google account, and the user's zone (IANA name).

    `succeeded` collects the ids of the tool calls that did what they should; any other call has failed. `connects`
    holds, for those that lacked a Google account or a permission, what to offer (`core.google.needs`). `recollection`
    is what was shown in the conversation.
    """

    user_id: str
    account: str
    zone: str
    turn_id: str
    conversation_id: str
    succeeded: set[str] = field(default_factory=set)
    connects: dict[str, dict[str, Any]] = field(default_factory=dict)
    offers: Offers = field(default_factory=Offers)
    recollection: Recollection = field(default_factory=Recollection)
