"""`make bench`: what the app costs, measured here and now. Options through `make bench BENCH="--scale 1"`."""

import sys
from argparse import ArgumentParser, Namespace
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

from benchmarks.flows import crowd, flows, overhead, remembered
from benchmarks.phoenix import phoenix
from benchmarks.process import process
from benchmarks.reads import reads
from benchmarks.report import Figure, as_json, as_table
from benchmarks.routing import routing
from benchmarks.spans import spans

PARTS: dict[str, Callable[[Namespace], Iterator[Figure]]] = {
    "flows": lambda options: flows(options.scale, options.runs),
    "overhead": lambda options: overhead(options.turns),
    "cache": lambda options: remembered(options.scale, 20),
    "spans": lambda options: spans(options.spans),
    "crowd": lambda options: crowd(options.scale, 50),
    "routing": lambda options: routing(),
    "process": lambda options: process(options.turns),
    "phoenix": lambda options: phoenix(),
    "reads": lambda options: reads(options.sizes, options.folder),
}
SHORT = [name for name in PARTS if name not in ("reads", "phoenix")]
"""What is measured unless something else is asked for."""


def parser() -> ArgumentParser:
    """What the command takes."""
    found = ArgumentParser("python -m benchmarks", description=__doc__)
    found.add_argument("--scale", type=float, default=0.1, help="of the reference's 5/4/4/5 s model and 1 s tool")
    found.add_argument("--runs", type=int, default=3, help="of each flow")
    found.add_argument("--turns", type=int, default=100, help="for overhead and memory")
    found.add_argument("--spans", type=int, default=50_000, help="into the store")
    found.add_argument(
        "--only",
        nargs="+",
        choices=list(PARTS),
        default=SHORT,
        help="these parts; by default all but reads and phoenix",
    )
    found.add_argument("--sizes", type=int, nargs="+", default=[10_000, 100_000], help="for reads, turns of 90 days")
    found.add_argument(
        "--folder", type=Path, help="for reads, where databases stay for the next time: 1,000,000 turns take 8 GB"
    )
    found.add_argument("--json", action="store_true", help="for machines")
    return found


def main(arguments: Sequence[str] | None = None) -> int:
    """Measure and print; what was aimed at stands beside it, and nothing fails over a slow machine."""
    options = parser().parse_args(arguments)
    figures = []
    for name in options.only:
        print(f"measuring {name} …", file=sys.stderr)
        figures += list(PARTS[name](options))
    print(as_json(figures) if options.json else as_table(figures))
    return 0


if __name__ == "__main__":
    sys.exit(main())
