"""Prices the past again: computes a user's roll-ups from their spans, in the background, with progress."""

import logging
import threading
from dataclasses import dataclass, replace

from telemetry import pricing, rollup
from telemetry.costs import Costs
from telemetry.store import Store

log = logging.getLogger(__name__)
EVER = 2**62
FAILED = "It could not be finished; the log says why. What was computed until then is kept: try again."


@dataclass(frozen=True)
class Progress:
    """How far it is. Money in 10⁻¹² USD: all that the user ever spent, before and after, as far as it is known."""

    done: int
    total: int
    before: int
    after: int | None = None
    unpriced: int | None = None
    error: str | None = None

    @property
    def running(self) -> bool:
        """Whether it goes on."""
        return self.after is None and self.error is None


class Repricing:
    """At most one run a user at a time; the last one's outcome stays known."""

    def __init__(self, store: Store) -> None:
        self._store, self._costs = store, Costs(store)
        self._runs: dict[str, Progress] = {}
        self._lock = threading.Lock()

    def progress(self, user_id: str) -> Progress | None:
        """How far the user's run is, or how the last one ended; None if there was none."""
        with self._lock:
            return self._runs.get(user_id)

    def start(self, user_id: str) -> threading.Thread | None:
        """Begin, with `data/prices.yaml` as it is now; None if it runs already.

        Raises:
            pydantic.ValidationError: `data/prices.yaml` is not as it should be.
        """
        pricing.load_overrides.cache_clear()
        pricing.load_overrides()
        before, _ = self._costs.of_period(user_id, 0, EVER)
        with self._lock:
            known = self._runs.get(user_id)
            if known is not None and known.running:
                return None
            self._runs[user_id] = Progress(0, 0, before)
        thread = threading.Thread(target=self._run, args=[user_id], name="repricing", daemon=True)
        thread.start()
        return thread

    def _run(self, user_id: str) -> None:
        try:
            rollup.rebuild(self._store, user_id, lambda done, total: self._note(user_id, done=done, total=total))
            after, unpriced = self._costs.of_period(user_id, 0, EVER)
            self._note(user_id, after=after, unpriced=unpriced)
        except Exception:
            log.exception("The past could not be priced again.")
            self._note(user_id, error=FAILED)

    def _note(self, user_id: str, **changes: int | str | None) -> None:
        with self._lock:
            self._runs[user_id] = replace(self._runs[user_id], **changes)  # type: ignore[arg-type]
