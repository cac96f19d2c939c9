"""Kills at random points of an approved write, on either route, and a start after each.

`python -m tests.runtime.random_kills [KILLS [SEED]]` does many of them and prints what became of the writes.
"""

import json
import random
import subprocess
import sys
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from shutil import copyfile
from tempfile import TemporaryDirectory

from core.sandbox.sandbox import Sandbox
from core.settings import ROOT
from tests.runtime.aftermath import QUESTIONS, aftermath
from tests.runtime.killed import folder_of

KILLED, SURVIVED = -9, 3
WHOLE = "call 0"


def new_world(path: Path) -> Path:
    """A sandbox's file with its first mails, to be copied."""
    sandbox = Sandbox(path, "Europe/Berlin")
    sandbox.open()
    sandbox.close()
    return path


def run(folder: Path, world: Path, question: str, points: Sequence[str]) -> dict[str, int]:
    """A process for each point, in a folder and a world of its own; point → how it ended."""
    for point in points:
        folder_of(folder, point).mkdir(parents=True, exist_ok=True)
        copyfile(world, folder_of(folder, point) / "sandbox.db")
    command = [sys.executable, "-m", "tests.runtime.killed", str(folder), question, *points]
    ended = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=600, check=False)
    told = [json.loads(line) for line in ended.stdout.splitlines()]
    assert len(told) == len(points), ended.stderr
    return {one["point"]: one["exit"] for one in told}


def kill_at_random(folder: Path, world: Path, route: str, kills: int, seed: int) -> Counter[str]:
    """Kill that often somewhere between the yes and the end of the turn; what became of the writes.

    Raises:
        AssertionError: of `aftermath`.
    """
    question = QUESTIONS[route]
    assert run(folder, world, question, [WHOLE]) == {WHOLE: SURVIVED}
    calls = int((folder_of(folder, WHOLE) / "calls").read_text())
    chance = random.Random(seed)
    points = [f"call {number}" for number in sorted(chance.sample(range(1, calls + 1), kills))]
    ended = run(folder, world, question, points)
    assert set(ended.values()) <= {KILLED, SURVIVED}  # the number of calls differs a little from run to run
    return Counter(f"{route}: {aftermath(folder_of(folder, point))}" for point in points)


def main(kills: str = "30", seed: str = "1") -> None:
    """The command."""
    with TemporaryDirectory() as name:
        world = new_world(Path(name) / "world.db")
        for route in QUESTIONS:
            for outcome, times in kill_at_random(Path(name) / route, world, route, int(kills), int(seed)).most_common():
                print(f"{times:4} {outcome}", flush=True)


if __name__ == "__main__":
    main(*sys.argv[1:])
