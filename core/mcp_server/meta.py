"""What travels beside a call in the protocol's `_meta`, and what no model sees or sets."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

ACCOUNT, ZONE = "glassdesk/account", "glassdesk/zone"
USER, TURN, CALL = "glassdesk/user", "glassdesk/turn", "glassdesk/call"
OUTCOME = "glassdesk/outcome"
"""In a failed result: `unknown` where it is not known whether the change was made."""


@dataclass(frozen=True)
class Caller:
    """Whose call it is: user, turn, the call's id within the turn, and the account; empty where nobody said."""

    user_id: str
    turn_id: str
    call_id: str
    account: str = ""


def caller_of(meta: Mapping[str, Any] | None) -> Caller:
    """Whose call it is, from the request's `_meta`."""
    known = meta or {}
    return Caller(*(str(known.get(name, "")) for name in (USER, TURN, CALL, ACCOUNT)))
