"""How long to go on asking Google: a few tries, spread, within a few seconds."""

import random
import time
from collections.abc import Callable
from dataclasses import dataclass

from core.google.errors import GoogleError


@dataclass(frozen=True)
class Patience:
    """Bounded exponential backoff with jitter.

    Attributes:
        tries: requests in all.
        seconds: after this long, no further one is sent.
        first: the longest first pause in seconds; each further one doubles.
    """

    tries: int = 3
    seconds: float = 8.0
    first: float = 0.5
    sleep: Callable[[float], None] = time.sleep
    clock: Callable[[], float] = time.monotonic
    jitter: Callable[[], float] = random.random

    def pause(self, sent: int, since: float, error: GoogleError) -> bool:
        """Wait before the next try.

        Args:
            sent: requests so far.
            since: the clock when the first one was sent.
            error: how the last one ended.

        Returns:
            Whether to try again; False at once where waiting would take too long.
        """
        if not error.transient or sent >= self.tries:
            return False
        delay = max(error.retry_after or 0.0, self.first * 2 ** (sent - 1) * (0.5 + self.jitter() / 2))
        if self.clock() - since + delay > self.seconds:
            return False
        self.sleep(delay)
        return True
