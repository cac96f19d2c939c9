"""What a person is asked, as the HTTP contract has it."""

from typing import Any

from core.store.tables import Approval


def shown(approval: Approval) -> dict[str, Any]:
    """An approval, with its state."""
    return {
        "approval_id": approval.id,
        "tool": approval.tool,
        "arguments": approval.arguments,
        "summary": approval.summary,
        "account": approval.account,
        "state": approval.state,
        "reason": approval.reason,
        "result": approval.result,
    }
