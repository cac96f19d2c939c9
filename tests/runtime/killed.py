"""Processes that answer a question which asks for a write, approve it, and kill themselves at a named point of that.

One process imports everything and forks one child for each point.
"""

import json
import os
import signal
import sys
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


def main(folder: str, question: str) -> None:
    """Let one child die at each point; say how each ended."""
    for point in POINTS:
        child = os.fork()
        if child == 0:
            live(Path(folder) / point.replace(" ", "-"), point, question)
        signal_number = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
        print(json.dumps({"point": point, "exit": signal_number}), flush=True)


def live(folder: Path, point: str, question: str) -> None:
    """Ask, note which approval waits, approve, die."""
    when, _, place = point.partition(" ")
    kind, name = PLACES[place]
    armed = (lambda *args: "/send" in str(args[1])) if place == "request" else (lambda *args: True)
    setattr(kind, name, deadly(getattr(kind, name), when, armed))
    with scripted(folder) as app:
        turn = start(app, question)
        (approval,) = turn.pause(SECONDS)["approvals"]
        (folder / "approval").write_text(approval["approval_id"])
        app.runtime.decide(sam(app), approval["approval_id"], "approve")
        turn.wait(SECONDS)
        os._exit(3)  # it should have died before


if __name__ == "__main__":
    main(*sys.argv[1:])
