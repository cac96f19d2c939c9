"""Processes that answer a question which asks for a write, approve it, and kill themselves at a point of that.

One process imports everything and forks one child for each point: a named place, or `call N`, the N-th function that
any of its threads calls after the approval.
"""

import itertools
import json
import os
import signal
import sys
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

from core.sandbox.transport import SandboxHttp
from core.store.approvals import Approvals
from core.store.conversations import Conversations
from core.store.parked import ParkedTurns
from tests.runtime.desk import SECONDS, sam, start
from tests.runtime.script import scripted

PLACES: dict[str, tuple[type, str]] = {
    "park": (ParkedTurns, "keep"),
    "ask": (Approvals, "ask"),
    "decide": (Approvals, "decide"),
    "claim": (Approvals, "claim"),
    "request": (SandboxHttp, "request"),
    "finish": (Approvals, "finish"),
    "end": (Conversations, "finish"),
    "drop": (ParkedTurns, "drop"),
}
POINTS = (
    "after park",
    "after ask",
    "after decide",
    "after claim",
    "before request",
    "after request",
    "before finish",
    "after finish",
    "after end",
    "after drop",
)


def die(*_: Any) -> None:
    """As with a power cut."""
    os.kill(os.getpid(), signal.SIGKILL)


def deadly(method: Callable[..., Any], when: str, armed: Callable[..., bool]) -> Callable[..., Any]:
    """The method, and death before or after it."""

    def run(*args: Any, **kwargs: Any) -> Any:
        if not armed(*args):
            return method(*args, **kwargs)
        if when == "before":
            die()
        result = method(*args, **kwargs)
        die()
        return result

    return run


class Countdown:
    """A profiler that dies at the last function call of a number of them, counted over all threads once it is armed."""

    def __init__(self, last: int) -> None:
        self.armed, self.calls, self._last = False, 0, last
        self._numbers = itertools.count(1)

    def __call__(self, _frame: object, event: str, _argument: object) -> None:
        if self.armed and event == "call":
            self.calls = next(self._numbers)
            if self.calls == self._last:
                die()


def main(folder: str, question: str, *points: str) -> None:
    """Let one child come to its end at each point; say how each ended."""
    for point in points:
        child = os.fork()
        if child == 0:
            live(folder_of(Path(folder), point), point, question)
        code = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
        print(json.dumps({"point": point, "exit": code}), flush=True)


def folder_of(folder: Path, point: str) -> Path:
    """Where the child of a point lives."""
    return folder / point.replace(" ", "-")


def live(folder: Path, point: str, question: str) -> None:
    """Ask, note which approval waits, approve, die; whoever survives notes how many calls that took."""
    when, _, place = point.partition(" ")
    countdown = Countdown(int(place) if when == "call" else 0)
    if when == "call":
        threading.setprofile(countdown)
    else:
        kind, name = PLACES[place]
        armed = (lambda *args: "/send" in str(args[1])) if place == "request" else (lambda *args: True)
        setattr(kind, name, deadly(getattr(kind, name), when, armed))
    with scripted(folder) as app:
        turn = start(app, question)
        (approval,) = turn.pause(SECONDS)["approvals"]
        (folder / "approval").write_text(approval["approval_id"])
        countdown.armed = True
        app.runtime.decide(sam(app), approval["approval_id"], "approve")
        turn.wait(SECONDS)
        (folder / "calls").write_text(str(countdown.calls))
        os._exit(3)


if __name__ == "__main__":
    main(*sys.argv[1:])
