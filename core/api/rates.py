"""How often a caller may call: so many requests a minute, counted by token, person or address."""

import math
import time

from limits import RateLimitItemPerMinute
from limits.storage import MemoryStorage
from limits.strategies import SlidingWindowCounterRateLimiter

from core.api.rights import Identity
from core.errors import GlassdeskError
from core.store.tokens import Scope

WRONG_TOKENS = 30
"""Requests a minute with a wrong token from one address; guessing is hopeless at any rate, and this keeps it cheap."""
TRACES = 10
"""Times as many requests for programs that send their spans."""


class TooMany(GlassdeskError):
    """A caller that calls too often; `seconds` until it may again."""

    code = "too_many_requests"
    http_status = 429

    def __init__(self, seconds: int) -> None:
        super().__init__(f"These are too many requests in a minute. Wait {seconds} s, then go on.")
        self.seconds = seconds


class Rates:
    """Counts, in this process.

    Args:
        limit: requests a minute of one token or person; 0: any number.
    """

    def __init__(self, limit: int) -> None:
        self._limiter = SlidingWindowCounterRateLimiter(MemoryStorage())
        self._usual = RateLimitItemPerMinute(limit) if limit else None
        self._traces = RateLimitItemPerMinute(limit * TRACES) if limit else None
        self._wrong = RateLimitItemPerMinute(WRONG_TOKENS)

    def called(self, identity: Identity, needs: frozenset[Scope]) -> None:
        """Count a request.

        Raises:
            TooMany: it is one too many.
        """
        traces = needs == {Scope.WRITE_TRACES}
        item = self._traces if traces else self._usual
        if item is not None:
            self._hit(item, "traces" if traces else "api", identity.key)

    def admit(self, address: str) -> None:
        """Let an address try a token.

        Raises:
            TooMany: it has sent too many wrong ones.
        """
        if not self._limiter.test(self._wrong, "wrong", address):
            raise TooMany(self._wait(self._wrong, "wrong", address))

    def wrong(self, address: str) -> None:
        """Count a wrong token."""
        self._limiter.hit(self._wrong, "wrong", address)

    def _hit(self, item: RateLimitItemPerMinute, *key: str) -> None:
        if not self._limiter.hit(item, *key):
            raise TooMany(self._wait(item, *key))

    def _wait(self, item: RateLimitItemPerMinute, *key: str) -> int:
        return max(1, math.ceil(self._limiter.get_window_stats(item, *key).reset_time - time.time()))
