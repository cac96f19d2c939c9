"""Answers remembered for a while: the least recently used goes first, and a write drops what it may have made wrong."""

import threading
import time
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import date
from typing import Any

Clock = Callable[[], float]
Owner = tuple[str, str]
"""User id and account."""


@dataclass(frozen=True)
class Key:
    """All that an answer depends on, but for what the tools would find.

    Attributes:
        context: a hash of what the models hear of the conversation.
        question: white space and case put in order.
        prompts: their versions.
        day: today, where the user is.
    """

    user_id: str
    account: str
    zone: str
    day: date
    context: str
    question: str
    model: str
    prompts: tuple[str, ...]

    @property
    def owner(self) -> Owner:
        """Whose answer it is."""
        return self.user_id, self.account


@dataclass(frozen=True)
class Remembered:
    """An answer.

    Attributes:
        turn_id: in which it was found.
        domain: the specialist that answered directly.
        read: the domains that it was read from.
        items: the calls with their results, in the Agents SDK's input form.
        saved_usd: what the turn cost; None where that is not known.
        saved_tokens: that the turn used; likewise.
    """

    turn_id: str
    answer: str
    domain: str | None
    read: frozenset[str]
    items: tuple[dict[str, Any], ...]
    saved_usd: str | None = None
    saved_tokens: int | None = None


@dataclass
class Entry:
    """An answer until its time is over (seconds of the clock)."""

    remembered: Remembered
    until: float


@dataclass
class ResponseCache:
    """All remembered answers of the process. Safe for any threads.

    Args:
        entries: at most; 0 remembers nothing.
        seconds: that an answer is remembered.
        clock: seconds that only grow.
    """

    entries: int
    seconds: float
    clock: Clock = time.monotonic
    _kept: "OrderedDict[Key, Entry]" = field(default_factory=OrderedDict)
    _writes: dict[tuple[Owner, str], int] = field(default_factory=dict)
    _count: int = 0
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def get(self, key: Key) -> Remembered | None:
        """An answer that is still good."""
        with self._lock:
            found = self._kept.get(key)
            if found is None:
                return None
            if found.until <= self.clock():
                del self._kept[key]
                return None
            self._kept.move_to_end(key)
            return found.remembered

    def mark(self) -> int:
        """A point in time, for `put`: writes after it make what was read from it on doubtful."""
        with self._lock:
            return self._count

    def put(self, key: Key, remembered: Remembered, since: int) -> None:
        """Remember an answer, unless something that it was read from was written meanwhile.

        Args:
            since: the mark of when its turn began.
        """
        with self._lock:
            doubtful = any(self._writes.get((key.owner, domain), 0) > since for domain in remembered.read)
            if doubtful or not self.entries:
                return
            self._kept[key] = Entry(remembered, self.clock() + self.seconds)
            self._kept.move_to_end(key)
            while len(self._kept) > self.entries:
                self._kept.popitem(last=False)

    def drop(self, user_id: str, account: str, domain: str) -> None:
        """Forget what a write may have made wrong: the owner's answers that were read from its domain."""
        owner = (user_id, account)
        with self._lock:
            self._count += 1
            self._writes[owner, domain] = self._count
            wrong = [key for key, kept in self._kept.items() if key.owner == owner and domain in kept.remembered.read]
            for key in wrong:
                del self._kept[key]

    def forget(self, user_id: str) -> None:
        """Forget all answers of a user."""
        with self._lock:
            for key in [key for key in self._kept if key.user_id == user_id]:
                del self._kept[key]
            for written in [written for written in self._writes if written[0][0] == user_id]:
                del self._writes[written]
