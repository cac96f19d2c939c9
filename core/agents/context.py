"""What a run of the agents knows about who is asking; no model sees it."""

from dataclasses import dataclass, field


@dataclass(frozen=True)
class TurnContext:
    """The Agents SDK's run context: the acting user and Google account, and the user's zone (IANA name).

    `succeeded` collects the ids of the tool calls that did what they should; any other call has failed.
    """

    user_id: str
    account: str
    zone: str
    turn_id: str
    conversation_id: str
    succeeded: set[str] = field(default_factory=set)
