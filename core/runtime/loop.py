"""The one asyncio loop on which all turns run, in a thread of its own."""

import asyncio
import threading
from collections.abc import Coroutine
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Any, TypeVar

T = TypeVar("T")


class LoopThread:
    """A daemon thread that runs an event loop until it is stopped."""

    def __init__(self) -> None:
        self._loop = asyncio.new_event_loop()
        self._workers = ThreadPoolExecutor(thread_name_prefix="glassdesk-work")
        self._loop.set_default_executor(self._workers)
        self._thread = threading.Thread(target=self._loop.run_forever, name="glassdesk-loop", daemon=True)
        self._thread.start()

    def submit(self, work: Coroutine[Any, Any, T]) -> Future[T]:
        """Run a coroutine on the loop; cancelling the future cancels its task."""
        return asyncio.run_coroutine_threadsafe(work, self._loop)

    def run(self, work: Coroutine[Any, Any, T], timeout: float = 60) -> T:
        """Run a coroutine on the loop and wait for it, from another thread."""
        return self.submit(work).result(timeout)

    def stop(self) -> None:
        """Stop the loop and end its threads."""
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join(5)
        self._workers.shutdown(wait=False)
