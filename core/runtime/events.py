"""What happens in a turn, as an append-only log with any number of readers."""

import asyncio
import threading
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime
from enum import StrEnum
from typing import Any


class EventType(StrEnum):
    """The kinds of turn events, as `GET /api/turns/{id}/events` names them."""

    STARTED = "started"
    ROUTED = "routed"
    PLANNED = "planned"
    STEP = "step"
    COMPACTED = "compacted"
    AGENT = "agent"
    TOOL_STARTED = "tool_started"
    TOOL_FINISHED = "tool_finished"
    DELTA = "delta"
    RESTART = "restart"
    WAITING = "waiting"
    DECIDED = "decided"
    FINISHED = "finished"


@dataclass(frozen=True)
class TurnEvent:
    """One event.

    `data` by type (ns: integer nanoseconds):
        started: turn_id, conversation_id, message, files (name, mime, size in bytes of each)
        routed: route ("cache" | "direct" | "orchestrated"), domains (list), scores (domain → 0…1), ns
        planned: steps (list, each as `step` has it), note (why there is none, or empty); comes again with another plan
        step: id, agent (title), domain, task, depends_on (ids), writes, tokens and latency_ms (estimates), state
            ("pending" | "running" | "waiting" | "done" | "failed" | "skipped"), ns (None before its end), note (why
            it was not done)
        compacted: turns (earlier ones), kept (how many of them reach the model whole); only where it is not all
        agent: agent (title of the agent that works now)
        tool_started: call_id, tool, title, agent, arguments (dict)
        tool_finished: call_id, tool, status ("ok" | "error"), ns, summary (one line); connect where a Google account or
            a permission is missing (service, access, account, missing, message)
        delta: text
        restart: nothing; the text so far was not the answer and is dropped
        waiting: the turn so far in the HTTP contract's form; `approvals` are what a person must decide
        decided: approval_id, state ("approved" | "rejected")
        finished: the finished turn of the HTTP contract
    """

    offset: int
    type: EventType
    data: dict[str, Any] = field(default_factory=dict)
    at: datetime = field(default_factory=lambda: datetime.now(UTC))


class EventLog:
    """The events of one turn; closed by `finished`. Safe for any threads."""

    def __init__(self) -> None:
        self._events: list[TurnEvent] = []
        self._changed = threading.Condition()
        self._wakers: set[Callable[[], object]] = set()
        self._closed = False

    @property
    def closed(self) -> bool:
        """Whether the last event is in."""
        return self._closed

    def append(self, type_: EventType, **data: Any) -> None:
        """Add an event; after `finished` nothing is added any more."""
        with self._changed:
            if self._closed:
                return
            self._events.append(TurnEvent(len(self._events), type_, data))
            self._closed = type_ is EventType.FINISHED
            self._changed.notify_all()
            for wake in self._wakers:
                wake()

    def after(self, offset: int = 0) -> list[TurnEvent]:
        """The events from an offset on, at once."""
        with self._changed:
            return self._events[offset:]

    def last(self, timeout: float | None = None) -> TurnEvent:
        """Wait for `finished` and return it.

        Raises:
            TimeoutError: it is not in after `timeout` seconds.
        """
        with self._changed:
            if not self._changed.wait_for(lambda: self._closed, timeout):
                raise TimeoutError("The turn is still running.")
            return self._events[-1]

    def pause(self, timeout: float | None = None) -> TurnEvent:
        """Wait until the turn ends or waits for a person, and return that event.

        Raises:
            TimeoutError: neither has happened after `timeout` seconds.
        """
        rest = (EventType.FINISHED, EventType.WAITING)
        with self._changed:
            if not self._changed.wait_for(lambda: self._events and self._events[-1].type in rest, timeout):
                raise TimeoutError("The turn is still running.")
            return self._events[-1]

    def read(self, offset: int = 0, wait: float = 0.1) -> Iterator[TurnEvent | None]:
        """Follow the log to its end, blocking.

        Yields:
            each event from `offset` on, and None at least every `wait` seconds while there is none.
        """
        while True:
            with self._changed:
                if offset >= len(self._events):
                    if self._closed:
                        return
                    self._changed.wait(wait)
                batch = self._events[offset:]
            if not batch:
                yield None
            yield from batch
            offset += len(batch)

    async def follow(self, offset: int = 0) -> AsyncIterator[TurnEvent]:
        """Follow the log to its end from an asyncio loop, any loop."""
        changed = asyncio.Event()
        loop = asyncio.get_running_loop()

        def wake() -> None:
            with suppress(RuntimeError):  # the reader's loop has ended without it
                loop.call_soon_threadsafe(changed.set)

        with self._changed:
            self._wakers.add(wake)
        try:
            while True:
                changed.clear()
                closed, batch = self._closed, self.after(offset)
                for event in batch:
                    yield event
                offset += len(batch)
                if closed:
                    return
                await changed.wait()
        finally:
            with self._changed:
                self._wakers.discard(wake)
