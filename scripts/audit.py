"""Asks pip-audit about known holes in the pinned dependencies; where it cannot know, it says so.

python scripts/audit.py
"""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
SECONDS = 30
COMMAND = ("--no-deps", "--disable-pip", "--progress-spinner", "off", "--timeout", "5", "-f", "json")


def main() -> int:
    """1 where a pinned dependency has a known hole."""
    command = [sys.executable, "-m", "pip_audit", *COMMAND, "-r", "constraints.txt"]
    try:
        done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=SECONDS)
    except subprocess.TimeoutExpired:
        print(f"pip-audit: skipped, its data did not come in {SECONDS} s")
        return 0
    try:
        found = json.loads(done.stdout)["dependencies"]
    except (json.JSONDecodeError, KeyError):
        print("pip-audit: skipped, its data cannot be reached from here")
        return 0
    sentence, holes = verdict(found)
    print(sentence)
    return 1 if holes else 0


def verdict(found: list[dict[str, Any]]) -> tuple[str, bool]:
    """What was found, in words, and whether something must be done."""
    known = [one for one in found if "skip_reason" not in one]
    if not known:
        return f"pip-audit: skipped, none of the {len(found)} dependencies is known where it asked", False
    holes = [
        f"{one['name']} {one['version']}: {hole['id']}, repaired in {', '.join(hole['fix_versions']) or 'none yet'}"
        for one in known
        for hole in one["vulns"]
    ]
    unknown = f", {len(found) - len(known)} not known there" if len(known) < len(found) else ""
    return "\n".join([f"pip-audit: {len(known)} dependencies, {len(holes)} known holes{unknown}", *holes]), bool(holes)


if __name__ == "__main__":
    sys.exit(main())
