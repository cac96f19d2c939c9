"""What a run comes to: an answer, or calls that wait for a person."""

from dataclasses import dataclass
from typing import Any

from agents.items import ToolApprovalItem

from core.registry.planner import WorkPlan
from core.runtime.narrator import arguments_of


@dataclass(frozen=True)
class Answer:
    """The agents are done; Markdown. `partial`: something that belongs to it failed."""

    text: str
    partial: bool = False


@dataclass(frozen=True)
class Wanted:
    """A call that waits for a person; `readable` is false where the model wrote no JSON object."""

    call_id: str
    agent: str
    tool: str
    arguments: dict[str, Any]
    readable: bool

    @classmethod
    def of(cls, call: ToolApprovalItem) -> "Wanted":
        """From what the Agents SDK interrupts with."""
        raw = call.raw_item
        text = raw.get("arguments") if isinstance(raw, dict) else getattr(raw, "arguments", None)
        known = arguments_of(text)
        return cls(call_id_of(call), call.agent.name, call.tool_name or "", known or {}, known is not None)


@dataclass(frozen=True)
class Pause:
    """The agents wait for a person; `state` is the Agents SDK's run state."""

    calls: tuple[Wanted, ...]
    state: dict[str, Any]


@dataclass(frozen=True)
class Verdict:
    """What a person said about a call; `words` tell the model why not."""

    approved: bool
    words: str = ""


@dataclass(frozen=True)
class Plan:
    """How a turn was routed; `work` is what is to be done where the route is `planned`, until it is begun."""

    route: str
    domains: tuple[str, ...]
    work: WorkPlan | None = None

    def json(self) -> dict[str, Any]:
        """What must be known to go on in another process."""
        return {"route": self.route, "domains": list(self.domains)}


def call_id_of(call: ToolApprovalItem) -> str:
    """The id of the tool call that waits."""
    raw = call.raw_item
    return str(raw["call_id"] if isinstance(raw, dict) else getattr(raw, "call_id"))  # noqa: B009
