"""What is told of a turn: how it began, that it waits and for what; and to a model, what a person decided."""

from collections.abc import Sequence
from typing import Any

from core.runtime.asked import shown
from core.runtime.narrator import Narrator
from core.runtime.progress import Plan, Verdict
from core.runtime.turn import Turn
from core.store.tables import Approval

EXPIRED = "Nobody decided about this in time, and it has expired. It was not done: say so."
REJECTED = "The person rejected this. {reason} Do not try it again; say what was not done."


def started(turn: Turn) -> dict[str, Any]:
    """What the first event of a turn says."""
    files = [{name: file[name] for name in ("name", "mime", "size")} for file in turn.files]
    return {"turn_id": turn.id, "conversation_id": turn.conversation_id, "message": turn.message, "files": files}


def waiting(turn: Turn, narrator: Narrator, plan: Plan | None, calls: Sequence[Approval]) -> dict[str, Any]:
    """A turn that waits for a person, in the HTTP contract's form."""
    return {
        "turn_id": turn.id,
        "conversation_id": turn.conversation_id,
        "status": "waiting_approval",
        "response": narrator.text,
        "route": plan.route if plan else None,
        "agents": list(narrator.agents),
        "started_at": turn.started_at.isoformat(),
        "approvals": [shown(call) for call in calls],
    }


def verdict_of(row: Approval) -> Verdict:
    """A decision in the words that the model hears."""
    if row.state == "approved":
        return Verdict(True)
    if row.state == "expired":
        return Verdict(False, EXPIRED)
    return Verdict(False, REJECTED.format(reason=f"They said: {row.reason}" if row.reason else "").replace("  ", " "))
