"""The threads that tools run on: they stay, and with them the connections to Google that each holds open."""

import asyncio
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextvars import copy_context
from typing import TypeVar

from anyio import CancelScope

MOST = 40
"""Calls that run at once; more wait."""
T = TypeVar("T")


class Workers:
    """Runs what blocks, off the event loop.

    Not anyio's threads: those end with the task that first needed one, which for the Agents SDK is the single call,
    so that each call would connect to Google anew.
    """

    def __init__(self) -> None:
        self._pool = ThreadPoolExecutor(MOST, thread_name_prefix="glassdesk-tool")

    async def run(self, work: Callable[[], T], abandon: bool) -> T:
        """Run it in the context of the caller.

        Args:
            abandon: whether a caller that is cancelled leaves it behind; else it is waited for.
        """
        made = asyncio.get_running_loop().run_in_executor(self._pool, copy_context().run, work)
        with CancelScope(shield=not abandon):
            await made
        return made.result()
