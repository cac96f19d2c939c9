"""The numbers of a turn that has ended, as the HTTP contract has them."""

import asyncio
import logging
from typing import Any, Protocol

from core.runtime.turn import Turn
from core.users import User

logger = logging.getLogger(__name__)


class Numbers(Protocol):
    """Whoever counts what turns took."""

    def at_once(self, user: User, turn_id: str) -> dict[str, Any] | None:
        """The numbers of a turn that has just ended; None where one has to wait for them."""
        ...

    def stored(self, user: User, turn_id: str) -> dict[str, Any]:
        """The numbers of a turn, once they are stored; blocks."""
        ...


async def numbers_of(numbers: Numbers, turn: Turn) -> dict[str, Any]:
    """The numbers of a turn; none where they are not to be had: an answer is never lost for them."""
    try:
        known = numbers.at_once(turn.user, turn.id)
        return await asyncio.to_thread(numbers.stored, turn.user, turn.id) if known is None else known
    except Exception:
        logger.exception("The numbers of turn %s are not to be had", turn.id)
        return {}
