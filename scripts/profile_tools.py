"""Writes what tools really take into their manifests: medians of the calls in the telemetry store.

Run it as `make profile-tools`; with `PROFILE=--latency` where the calls went to Google: not to the sandbox.
"""

import re
import sys
from argparse import ArgumentParser
from collections.abc import Mapping, Sequence
from pathlib import Path

from core.registry.embeddings import Embedder
from core.registry.manifests import MANIFESTS, load_domain
from core.settings import load_settings
from core.users import LOCAL_USER_ID
from telemetry.store import Store
from telemetry.toolprofiles import Profile, tool_profiles

NAME = re.compile(r"^  - name: (\w+)\s*$")
COST = re.compile(r"^(    cost: )\{tokens_in: (\d+), tokens_out: (\d+), latency_ms: (\d+)\}")


def main(arguments: Sequence[str] | None = None) -> int:
    """Measure, rewrite the lines, and say what changed."""
    parser = ArgumentParser("profile-tools", description=__doc__)
    parser.add_argument("--user", default=LOCAL_USER_ID, help="whose calls")
    parser.add_argument("--least", type=int, default=3, help="calls that a tool must have")
    parser.add_argument("--latency", action="store_true", help="also the times, where the calls went to Google")
    parser.add_argument("--folder", type=Path, default=MANIFESTS, help="of the manifests")
    options = parser.parse_args(arguments)
    profiles = tool_profiles(
        Store(load_settings().telemetry_url), options.user, Embedder().count_tokens, max(1, options.least)
    )
    for path in sorted(options.folder.glob("*.yaml")):
        before = path.read_text(encoding="utf-8")
        after = rewritten(before, profiles, options.latency)
        if after != before:
            path.write_text(after, encoding="utf-8")
            load_domain(path)
            print(f"{path.name}: changed")
    print(f"{len(profiles)} tools were measured.")
    return 0


def rewritten(text: str, profiles: Mapping[str, Profile], latency: bool) -> str:
    """A manifest with the costs of the tools that were measured; every other character stays."""
    lines, tool = [], ""
    for line in text.split("\n"):
        if named := NAME.match(line):
            tool = named[1]
        found = COST.match(line)
        if found and tool in profiles:
            known = profiles[tool]
            took = known.latency_ms if latency else int(found[4])
            cost = f"{{tokens_in: {known.tokens_in}, tokens_out: {known.tokens_out}, latency_ms: {took}}}"
            line = f"{found[1]}{cost}{line[found.end() :]}"
        lines.append(line)
    return "\n".join(lines)


if __name__ == "__main__":
    sys.exit(main())
