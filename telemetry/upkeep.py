"""What a process does for its telemetry now and then, on a thread of its own: never on a turn's way."""

import logging
import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final

log = logging.getLogger(__name__)

FIRST_SECONDS: Final = 30
"""After the start, when the app is busy with getting ready."""


@dataclass(frozen=True)
class Job:
    """What is done every so many seconds; `act` is given the time in Unix nanoseconds."""

    seconds: float
    act: Callable[[int], object]


class Upkeep:
    """Does jobs, one after another; one that fails is done again at its next time."""

    def __init__(self, jobs: Sequence[Job], first_seconds: float = FIRST_SECONDS) -> None:
        self._jobs, self._first = jobs, first_seconds
        self._over = threading.Event()
        self._thread = threading.Thread(target=self._run, name="telemetry-upkeep", daemon=True)

    def start(self) -> None:
        """Begin."""
        self._thread.start()

    def stop(self, timeout: float = 5) -> None:
        """Begin nothing more, and wait for what is being done, at most `timeout` seconds."""
        self._over.set()
        if self._thread.is_alive() and self._thread is not threading.current_thread():
            self._thread.join(timeout)

    def _run(self) -> None:
        due = [time.monotonic() + self._first] * len(self._jobs)
        while due and not self._over.wait(max(0.0, min(due) - time.monotonic())):
            for number, job in enumerate(self._jobs):
                if due[number] <= time.monotonic() and not self._over.is_set():
                    self._do(job)
                    due[number] = time.monotonic() + job.seconds

    def _do(self, job: Job) -> None:
        try:
            job.act(time.time_ns())
        except Exception:
            log.exception("Telemetry's upkeep failed; it is tried again later.")
