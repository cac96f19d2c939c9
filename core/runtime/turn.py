"""A turn: one question being answered, owned by the process."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import Future
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any

from core.agents.context import Offers
from core.agents.recollection import Recollection
from core.runtime.events import EventLog
from core.store.tables import Exchange
from core.users import User


@dataclass(frozen=True)
class Ask:
    """What a person wants answered.

    Attributes:
        files: that come with it, as the conversation keeps them.
        fresh: whether an answer that is remembered will not do.
        replaces: the turn whose question this is again, as it was or changed.
        new: the conversation begins with it.
    """

    question: str
    conversation_id: str
    files: tuple[dict[str, Any], ...] = ()
    fresh: bool = False
    replaces: str | None = None
    new: bool = False


@dataclass(frozen=True)
class Turn:
    """A question on its way. The id is the id of its trace (32 hex digits); `offers` are what its agents are shown."""

    id: str
    user: User
    conversation_id: str
    message: str
    started_at: datetime = field(default_factory=lambda: datetime.now(UTC))
    log: EventLog = field(default_factory=EventLog)
    _stop: "Future[None]" = field(default_factory=Future)
    files: tuple[dict[str, Any], ...] = ()
    attached: str = ""
    fresh: bool = False
    offers: Offers = field(default_factory=Offers)
    recollection: Recollection = field(default_factory=Recollection)

    @property
    def heard(self) -> str:
        """What the models hear: the question, and what is attached to it."""
        return self.message + self.attached

    @property
    def finished(self) -> bool:
        """Whether the last event is in."""
        return self.log.closed

    def remember(self, earlier: Iterable[Exchange], now: Callable[[], Sequence[Mapping[str, Any]]]) -> None:
        """Let the agents refer to what was shown in the conversation.

        Args:
            earlier: the turns before this one.
            now: what the agents of this turn have called and got so far, in the Agents SDK's input form.
        """
        question = {"role": "user", "content": self.message}
        self.recollection.earlier = [item for exchange in earlier for item in exchange.items]
        self.recollection.now = lambda: [question, *now()]

    def on_stop(self, stop: Callable[[], object]) -> None:
        """Say what stops the work; it is called at once where a stop was asked for before."""
        self._stop.add_done_callback(lambda _: stop())

    def cancel(self) -> None:
        """Stop the model and the tools; what was said so far is kept. Does nothing once it ended."""
        self._stop.cancel()

    def pause(self, timeout: float | None = None) -> dict[str, Any]:
        """Block until the turn ends or waits for a person; returns it as the HTTP contract has it.

        Raises:
            TimeoutError: neither has happened after `timeout` seconds.
        """
        return self.log.pause(timeout).data

    def wait(self, timeout: float | None = None) -> dict[str, Any]:
        """Block until the end.

        Returns:
            The finished turn, as the HTTP contract has it.

        Raises:
            TimeoutError: it still runs after `timeout` seconds.
        """
        return self.log.last(timeout).data
