"""What questions that were asked again have left behind: the writes that were done for them stay done."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from core.runtime.attachments import listing
from core.store.approvals import Approvals, hash_of
from core.store.conversations import Conversations
from core.store.tables import Approval, Exchange

DONE_BEFORE = (
    "This was done before, with the same arguments, when the question was first asked. It was not done again: "
    "say so. To do it once more, the person asks for it in a new question."
)
DROPPED = (
    "That answer was dropped, and the person asks again. What the calls above did stays done; it must not be repeated."
)
MADE = ("done", "unknown")


@dataclass(frozen=True)
class Remains:
    """Reads what the predecessors of a turn have written."""

    conversations: Conversations
    approvals: Approvals

    def repeated(self, user_id: str, turn_id: str, tool: str, arguments: Mapping[str, Any]) -> bool:
        """Whether a turn that this one took the place of has done exactly this; an edited call counts as both."""
        before = [row for turn in self.conversations.superseded(user_id, turn_id) for row in self._made(turn)]
        return any(row.state == "done" and same(row, tool, arguments) for row in before)

    def doubtful(self, user_id: str, turn_id: str, tool: str, arguments: Mapping[str, Any]) -> bool:
        """Whether this turn or one before it may have done exactly this, and nobody knows."""
        before = [row for turn in self.conversations.superseded(user_id, turn_id) for row in self._made(turn)]
        rows = [*before, *self.approvals.of_turn(user_id, turn_id)]
        return any(row.state == "unknown" and same(row, tool, arguments) for row in rows)

    def exchanges(self, user_id: str, turn_id: str) -> list[Exchange]:
        """The turns that this one took the place of and that wrote something, as the models shall hear of them."""
        before = self.conversations.superseded(user_id, turn_id)
        return [told(turn, rows) for turn in before if (rows := self._made(turn))]

    def _made(self, exchange: Exchange) -> list[Approval]:
        rows = self.approvals.of_turn(exchange.user_id, exchange.turn_id)
        return [row for row in rows if row.state in MADE]


def same(row: Approval, tool: str, arguments: Mapping[str, Any]) -> bool:
    """Whether a call is this one, as it was proposed or as it was approved."""
    return row.tool == tool and hash_of(arguments) in (row.arguments_hash, hash_of(row.proposed))


def told(exchange: Exchange, rows: Sequence[Approval]) -> Exchange:
    """A question with the calls that were made for it, and nothing else."""
    calls = [item for row in rows for item in call_items(row)]
    items = [
        {"role": "user", "content": exchange.question + listing(exchange.files)},
        *calls,
        {"role": "assistant", "content": DROPPED},
    ]
    return Exchange(
        turn_id=exchange.turn_id,
        conversation_id=exchange.conversation_id,
        user_id=exchange.user_id,
        question=exchange.question,
        answer=DROPPED,
        status=exchange.status,
        items=items,
        started_at=exchange.started_at,
    )


def call_items(row: Approval) -> list[dict[str, Any]]:
    """A call and what it returned, in the Agents SDK's input form."""
    arguments = json.dumps(row.arguments, ensure_ascii=False)
    call = {"type": "function_call", "call_id": row.call_id, "name": row.tool, "arguments": arguments}
    return [call, {"type": "function_call_output", "call_id": row.call_id, "output": row.result or ""}]
